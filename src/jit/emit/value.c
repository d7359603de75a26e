/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, operands and masks: where shapes become scalars or vectors. */
#include "jit/emit.h"
#include "jit/math/math.h"

#include <stdio.h>

enum ir_type src_type(const struct ir_inst *i, int k)
{
    switch (i->op) {
    case IR_SHL: case IR_SHR_U: case IR_SHR_S: return k == 1 ? IR_I32 : i->type;
    case IR_FSHL: case IR_FSHR: case IR_ADDC: case IR_SUBC: return k == 2 ? IR_I32 : i->type;
    case IR_SELECT: return k == 0 ? IR_PRED : i->type;
    case IR_ZEXT: case IR_SEXT: case IR_TRUNC: case IR_FTOI_S: case IR_FTOI_U: case IR_ITOF_S: case IR_ITOF_U: case IR_FTOF:
    case IR_PACK: case IR_EXTRACT: return i->type2;
    case IR_MATH: return math_src_type((enum ir_math)i->imm, (unsigned)k);
    case IR_CBR: return IR_PRED;
    case IR_BAR_RED: return k == 0 ? IR_PRED : IR_I32;
    case IR_VOTE: return k == 0 ? IR_PRED : IR_I32;
    case IR_SHFL: return k == 0 ? i->type : IR_I32;
    case IR_REDUX: case IR_MATCH: return k == 0 ? i->type : IR_I32;
    case IR_TILE_LD: case IR_TILE_ST:
        if (k == 1)
            return IR_I64; /* fallthrough */
    case IR_LD: case IR_ST: case IR_ATOM: case IR_ATOM2: case IR_NOTE:
        if (k == 0)
            return i->src[0].kind == IR_REG ? i->src[0].reg->type : IR_I64;
        return i->type;
    case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC: case IR_GENERIC_TO_LOCAL: case IR_ISSPACE:
    case IR_VPRINTF: case IR_MALLOC: case IR_FREE: return IR_I64;
    case IR_ASSERTFAIL: return k == 2 ? IR_I32 : IR_I64;
    case IR_WARPSYNC: case IR_NANOSLEEP: return IR_I32;
    case IR_CALL: return IR_I64;
    case IR_TEX: return k == 0 ? IR_I64 : IR_I32;
    default: return i->type;
    }
}

struct shape o_shape(struct emit *e, const struct ir_operand *o)
{
    return plan_operand_shape(e->p, o);
}

struct plan_reg *dst_reg(struct emit *e, const struct ir_inst *i, int k)
{
    return &e->p->regs[i->dst[k]->id];
}

/* Float-only registers live in float slots, so that no bits cross between integer and float units in loops. */
static enum ir_type slot_ir_type(struct emit *e, const struct ir_reg *r)
{
    if (e->p->regs[r->id].is_float)
        return r->type == IR_I64 ? IR_F64 : IR_F32;
    return r->type;
}

LLVMTypeRef slot_type(struct emit *e, const struct ir_reg *r)
{
    return ty(e, slot_ir_type(e, r), e->p->regs[r->id].shape.kind == SHAPE_VARYING ? e->W : 1);
}

unsigned slot_count(struct emit *e, const struct ir_reg *r)
{
    const struct shape *s = &e->p->regs[r->id].shape;
    return s->kind != SHAPE_VARYING && s->group ? 1 : e->C;
}

LLVMValueRef slot_of(struct emit *e, const struct ir_reg *r, unsigned chunk)
{
    if (slot_count(e, r) == 1)
        chunk = 0;
    if (!e->slot[r->id][chunk]) {
        char name[32];
        snprintf(name, sizeof name, "r%u.%u", r->id, chunk);
        e->slot[r->id][chunk] = entry_alloca(e, slot_type(e, r), name);
    }
    return e->slot[r->id][chunk];
}

/*
 * Only what is live into the block, or was made in it, may be read. Else the slot may hold nothing in this region, or the value of another version:
 * LLVM takes it for undefined, and drops the code behind a branch on it. That would be our own mistake; it must not become a wrong answer.
 */
static LLVMValueRef load_slot(struct emit *e, const struct ir_reg *r, unsigned chunk)
{
    if (!e->available[r->id]) {
        diag_internal(e->diag, e->inst ? (int)e->inst->ptx_line : 0, "kernel %s: register %%%u is not there in region %d, block %d", e->kernel->name, r->id, e->region, e->at);
        e->available[r->id] = true;
    }
    return LLVMBuildLoad2(e->b, slot_type(e, r), slot_of(e, r, chunk), "");
}

LLVMValueRef u_operand(struct emit *e, const struct ir_operand *o, enum ir_type t, unsigned chunk)
{
    if (o->kind != IR_REG)
        return k_bits(e, t, 1, o->imm);
    const struct shape *s = &e->p->regs[o->reg->id].shape;
    LLVMValueRef u = load_slot(e, o->reg, chunk);
    int64_t apart = s->kind == SHAPE_PATTERN ? e->p->regs[o->reg->id].off[chunk * e->W] : plan_lane_offset(e->p, s, chunk * e->W);
    if (s->group && apart) {
        LLVMTypeRef it = ty_int(e, ir_type_bits(o->reg->type), 1);
        u = LLVMBuildAdd(e->b, cast_to(e, u, it), LLVMConstInt(it, (uint64_t)apart, true), "");
    }
    return cast_to(e, u, ty(e, t, 1));
}

LLVMValueRef v_operand(struct emit *e, const struct ir_operand *o, enum ir_type t, unsigned chunk)
{
    if (o->kind != IR_REG)
        return k_bits(e, t, e->W, o->imm);
    const struct shape *s = &e->p->regs[o->reg->id].shape;
    if (s->kind == SHAPE_VARYING)
        return cast_to(e, load_slot(e, o->reg, chunk), ty(e, t, e->W));
    if (s->kind == SHAPE_PATTERN) {
        LLVMValueRef off[64];
        for (unsigned l = 0; l < e->W; l++)
            off[l] = k_int(e, 32, 1, (uint32_t)e->p->regs[o->reg->id].off[chunk * e->W + l]);
        return cast_to(e, LLVMBuildAdd(e->b, splat(e, u_operand(e, o, IR_I32, 0), e->W), LLVMConstVector(off, e->W), ""), ty(e, t, e->W));
    }
    if (!s->stride)
        return splat(e, u_operand(e, o, t, chunk), e->W);
    unsigned bits = ir_type_bits(o->reg->type);
    LLVMValueRef base = splat(e, u_operand(e, o, o->reg->type, chunk), e->W);
    return cast_to(e, LLVMBuildAdd(e->b, base, k_lanes(e, bits, e->W, 0, s->stride), ""), ty(e, t, e->W));
}

/* May LLVM see a bitwise operation in what this instruction gives? */
static bool bitwise(const struct emit *e, const struct ir_inst *i, int depth)
{
    enum { DEPTH = 8 };
    switch (i->op) {
    case IR_AND: case IR_OR: case IR_XOR: case IR_NOT: case IR_ADD: case IR_SUB: case IR_FNEG: case IR_FABS: case IR_COPYSIGN: return true;
    case IR_MOV: {
        const struct ir_inst *def = i->src[0].kind == IR_REG ? e->p->regs[i->src[0].reg->id].def : NULL;
        return i->src[0].kind == IR_REG && (!def || depth == DEPTH || bitwise(e, def, depth + 1));
    }
    default: return false;
    }
}

/*
 * LLVM 19 mixes up the operands when it folds a blend into a bitwise operation of three operands (vpternlog) one of which is the old
 * value: select(mask, old & a | b & ~a, old) becomes old & ~a | b & a. It does not when it cannot see that the old value is that operand.
 */
LLVMValueRef hidden(struct emit *e, LLVMValueRef old, unsigned bits)
{
    if (bits * e->W > 512)
        return lanes_join(e, hidden(e, lanes_slice(e, old, 0, e->W / 2), bits / 2), hidden(e, lanes_slice(e, old, e->W / 2, e->W / 2), bits / 2), e->W / 2);
    LLVMTypeRef t = LLVMTypeOf(old), type = LLVMFunctionType(t, &t, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "=v,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->b, type, nothing, &old, 1, "");
}

void set_varying(struct emit *e, const struct ir_inst *i, int k, unsigned chunk, LLVMValueRef v)
{
    const struct ir_reg *r = i->dst[k];
    if (!r)
        return;
    v = cast_to(e, v, slot_type(e, r));
    e->available[r->id] = true;                           /* before the blend: what lanes that are off keep nobody looks at */
    if (e->m[0] && plan_blends(e->p, &e->p->regs[r->id], e->at)) {
        LLVMValueRef old = load_slot(e, r, chunk);
        if (x86_wide(e, e->W) && ir_type_bits(r->type) >= 32 && bitwise(e, i, 0))
            old = hidden(e, old, ir_type_bits(r->type));
        v = LLVMBuildSelect(e->b, e->m[chunk], v, old, "");
    }
    LLVMBuildStore(e->b, v, slot_of(e, r, chunk));
}

void set_uniform(struct emit *e, const struct ir_inst *i, int k, unsigned chunk, LLVMValueRef u)
{
    const struct ir_reg *r = i->dst[k];
    if (!r)
        return;
    e->available[r->id] = true;
    if (e->p->regs[r->id].shape.kind == SHAPE_VARYING)
        set_varying(e, i, k, chunk, splat(e, u, e->W));
    else
        LLVMBuildStore(e->b, cast_to(e, u, slot_type(e, r)), slot_of(e, r, chunk));
}

/* Where in the kabi structs the environment is. */
static const struct {
    bool block;
    size_t offset;
    unsigned bits;               /* 0: pointer */
} env_at[ENV_COUNT] = {
    [ENV_PARAMS] = { false, offsetof(struct kabi_launch, params), 0 },
    [ENV_GLOBALS] = { false, offsetof(struct kabi_launch, globals), 0 },
    [ENV_SERVICES] = { false, offsetof(struct kabi_launch, services), 0 },
    [ENV_NCTAID_X] = { false, offsetof(struct kabi_launch, nctaid), 32 },
    [ENV_NCTAID_Y] = { false, offsetof(struct kabi_launch, nctaid) + 4, 32 },
    [ENV_NCTAID_Z] = { false, offsetof(struct kabi_launch, nctaid) + 8, 32 },
    [ENV_SHARED_STATIC] = { false, offsetof(struct kabi_launch, shared_static), 32 },
    [ENV_SHARED_BYTES] = { false, offsetof(struct kabi_launch, shared_bytes), 32 },
    [ENV_GRIDID] = { false, offsetof(struct kabi_launch, grid_id), 64 },
    [ENV_MEETS] = { false, offsetof(struct kabi_launch, meets), 32 },
    [ENV_SHARED] = { true, offsetof(struct kabi_block, shared), 0 },
    [ENV_LOCAL] = { true, offsetof(struct kabi_block, local), 0 },
    [ENV_CTAID_X] = { true, offsetof(struct kabi_block, ctaid), 32 },
    [ENV_CTAID_Y] = { true, offsetof(struct kabi_block, ctaid) + 4, 32 },
    [ENV_CTAID_Z] = { true, offsetof(struct kabi_block, ctaid) + 8, 32 },
    [ENV_SMID] = { true, offsetof(struct kabi_block, smid), 32 },
    [ENV_FIRST_GROUP] = { true, offsetof(struct kabi_block, first_group), 32 },
    [ENV_END_GROUP] = { true, offsetof(struct kabi_block, end_group), 32 },
    [ENV_PAUSES] = { true, offsetof(struct kabi_block, pauses), 32 },
};

LLVMValueRef env(struct emit *e, enum emit_env id)
{
    if (!e->env[id]) {
        LLVMValueRef offset = k_int(e, 64, 1, env_at[id].offset);
        LLVMValueRef at = LLVMBuildGEP2(e->eb, LLVMInt8TypeInContext(e->cx), env_at[id].block ? e->block : e->launch, &offset, 1, "");
        LLVMTypeRef t = env_at[id].bits ? ty_int(e, env_at[id].bits, 1) : ty_ptr(e);
        e->env[id] = LLVMBuildLoad2(e->eb, t, at, "");
        promise_unchanging(e, e->env[id]);
        if (id == ENV_PARAMS && e->kernel->param_bytes)           /* so that LLVM may read them before the loop over groups */
            promise_readable(e, e->env[id], e->kernel->param_bytes);
    }
    return e->env[id];
}

LLVMValueRef linear_thread(struct emit *e, unsigned chunk)
{
    LLVMValueRef first = LLVMBuildMul(e->b, e->warp, k_int(e, 32, 1, e->p->lanes), "");
    return chunk ? LLVMBuildAdd(e->b, first, k_int(e, 32, 1, chunk * e->W), "") : first;
}

LLVMValueRef mask_bits(struct emit *e, LLVMValueRef mask)
{
    return LLVMBuildZExt(e->b, cast_to(e, mask, ty_int(e, e->W, 1)), ty_int(e, 32, 1), "");
}

LLVMValueRef mask_any(struct emit *e, LLVMValueRef *masks)
{
    LLVMValueRef all = masks[0];
    for (unsigned c = 1; c < e->C; c++)
        all = LLVMBuildOr(e->b, all, masks[c], "");
    LLVMTypeRef t = ty_int(e, e->W, 1);
    return LLVMBuildICmp(e->b, LLVMIntNE, cast_to(e, all, t), LLVMConstNull(t), "");
}

LLVMValueRef mask_or_all(struct emit *e, unsigned chunk)
{
    return e->m[0] ? e->m[chunk] : LLVMConstAllOnes(ty_int(e, 1, e->W));
}
