/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction: by its operation to who emits it. Values of pure ones are made chunk by chunk. */
#include "jit/emit.h"

static void emit_carry(struct emit *e, const struct ir_inst *i)
{
    bool affine = dst_reg(e, i, 0)->shape.kind == SHAPE_AFFINE;
    unsigned lanes = affine ? 1 : e->W, bits = ir_type_bits(i->type), n = slot_count(e, i->dst[0]);
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef s[3];
        for (int k = 0; k < 3; k++)
            s[k] = affine ? u_operand(e, &i->src[k], src_type(i, k), c) : v_operand(e, &i->src[k], src_type(i, k), c);
        LLVMTypeRef wide = ty_int(e, 2 * bits, lanes), t = ty_int(e, bits, lanes), i32 = ty_int(e, 32, lanes);
        LLVMValueRef a = LLVMBuildZExt(e->b, s[0], wide, ""), b = LLVMBuildZExt(e->b, s[1], wide, ""), k = LLVMBuildZExt(e->b, s[2], wide, "");
        LLVMValueRef r = i->op == IR_ADDC ? LLVMBuildAdd(e->b, LLVMBuildAdd(e->b, a, b, ""), k, "") : LLVMBuildSub(e->b, LLVMBuildSub(e->b, a, b, ""), k, "");
        LLVMValueRef carry = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, r, k_int(e, 2 * bits, lanes, bits), ""), k_int(e, 2 * bits, lanes, 1), "");
        LLVMValueRef out[2] = { LLVMBuildTrunc(e->b, r, t, ""), bits >= 32 ? LLVMBuildTrunc(e->b, carry, i32, "") : LLVMBuildZExt(e->b, carry, i32, "") };
        for (int d = 0; d < 2; d++) {
            if (!i->dst[d])
                continue;
            if (affine)
                set_uniform(e, i, d, c, out[d]);
            else
                set_varying(e, i, d, c, out[d]);
        }
    }
}

/* Shared: inside the block's shared memory. Local: inside its threads' local memory. Param: among the kernel's parameters, which are in global memory too. Else: not the first
   two. */
static void emit_isspace(struct emit *e, const struct ir_inst *i)
{
    enum { SHARED, LOCAL, PARAM, N };
    static const enum emit_env bases[N] = { ENV_SHARED, ENV_LOCAL, ENV_PARAMS };
    bool affine = dst_reg(e, i, 0)->shape.kind == SHAPE_AFFINE;
    unsigned lanes = affine ? 1 : e->W, n = slot_count(e, i->dst[0]);
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef a = affine ? u_operand(e, &i->src[0], IR_I64, c) : v_operand(e, &i->src[0], IR_I64, c), in[N];
        for (int k = 0; k < N; k++) {
            LLVMValueRef base = LLVMBuildPtrToInt(e->b, env(e, bases[k]), i64, "");
            LLVMValueRef size = k == SHARED ? LLVMBuildZExt(e->b, env(e, ENV_SHARED_BYTES), i64, "") :
                                k_int(e, 64, 1, k == LOCAL ? (uint64_t)e->p->func->local_bytes * e->p->groups * e->p->lanes : e->p->func->param_bytes);
            LLVMValueRef off = LLVMBuildSub(e->b, a, splat(e, base, lanes), "");
            in[k] = LLVMBuildICmp(e->b, LLVMIntULT, off, splat(e, size, lanes), "");
        }
        LLVMValueRef r = i->space == IR_SHARED ? in[SHARED] : i->space == IR_LOCAL ? in[LOCAL] : i->space == IR_PARAM_SPACE ? in[PARAM] :
                         LLVMBuildNot(e->b, LLVMBuildOr(e->b, in[SHARED], in[LOCAL], ""), "");
        if (affine)
            set_uniform(e, i, 0, c, r);
        else
            set_varying(e, i, 0, c, r);
    }
}

/* The last instruction so far. */
struct mark {
    LLVMBasicBlockRef block;
    LLVMValueRef last;
};

static struct mark mark_here(struct emit *e)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->b);
    return (struct mark){ block, LLVMGetLastInstruction(block) };
}

/*
 * Chunk after chunk has written the same long chain: side by side they keep the CPU's units busier, which looks at a hundred instructions
 * at a time. at[c]: where chunk c's begin.
 */
static void side_by_side(struct emit *e, const struct mark *at, unsigned n)
{
    LLVMValueRef next[PLAN_MAX_CHUNKS];
    unsigned count[PLAN_MAX_CHUNKS] = { 0 }, left = 0;
    for (unsigned c = 0; c <= n; c++)
        if (at[c].block != at[0].block || !at[c].last)
            return;
    for (unsigned c = 0; c < n; c++) {
        next[c] = LLVMGetNextInstruction(at[c].last);
        for (LLVMValueRef v = at[c].last; v != at[c + 1].last; v = LLVMGetNextInstruction(v))
            count[c]++;
        left += count[c];
    }
    for (unsigned c = 0; left > 0; c = (c + 1) % n) {
        LLVMValueRef v = next[c];
        if (count[c] == 0)
            continue;
        count[c]--;
        left--;
        next[c] = LLVMGetNextInstruction(v);
        LLVMInstructionRemoveFromParent(v);
        LLVMInsertIntoBuilder(e->b, v);
    }
}

static void emit_value(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef src[IR_MAX_SRC];
    struct mark at[PLAN_MAX_CHUNKS + 1];
    if (!i->dst[0])
        return;
    struct plan_reg *d = dst_reg(e, i, 0);
    bool affine = d->shape.kind == SHAPE_AFFINE || d->shape.kind == SHAPE_PATTERN;
    unsigned n = slot_count(e, i->dst[0]);
    for (unsigned c = 0; c < n; c++) {
        at[c] = mark_here(e);
        for (int k = 0; k < i->n_src; k++)
            src[k] = affine ? u_operand(e, &i->src[k], src_type(i, k), c) : v_operand(e, &i->src[k], src_type(i, k), c);
        LLVMValueRef v;
        if (i->op == IR_ZEXT && i->type == IR_I64 && i->type2 == IR_I32 && d->shape.kind == SHAPE_AFFINE && (d->shape.stride || d->shape.step))
            v = widen_index(e, src[0], &d->shape, c);
        else
            v = op_value(e, i, src, affine ? 1 : e->W, c);
        if (!v) {
            diag_error(e->diag, (int)i->ptx_line, 0, "kernel %s: %s is not supported yet", e->p->func->name, ir_op_info[i->op].text);
            return;
        }
        if (affine)
            set_uniform(e, i, 0, c, v);
        else
            set_varying(e, i, 0, c, v);
    }
    at[n] = mark_here(e);
    if (i->op == IR_MATH && n > 1)
        side_by_side(e, at, n);
}

void emit_note(struct emit *e, size_t field)
{
    LLVMValueRef at = k_int(e, 64, 1, field);
    LLVMBuildStore(e->b, k_int(e, 32, 1, 1), LLVMBuildGEP2(e->b, ty_int(e, 8, 1), e->block, &at, 1, ""));
}

/* Of all lanes that are on; where all have the same answer, of whether they are on or not: the index has passed the bound in those that are not. */
static void emit_more(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef at = k_int(e, 64, 1, offsetof(struct kabi_block, more)), any = NULL;
    LLVMValueRef field = LLVMBuildGEP2(e->b, ty_int(e, 8, 1), e->block, &at, 1, "");
    struct shape s = o_shape(e, &i->src[0]);
    for (unsigned c = 0; c < (shape_group_uniform(&s) ? 1 : e->C); c++) {
        LLVMValueRef bit = shape_uniform(&s) ? u_operand(e, &i->src[0], IR_PRED, c) : mask_bits(e, LLVMBuildAnd(e->b, v_operand(e, &i->src[0], IR_PRED, c), mask_or_all(e, c), ""));
        bit = LLVMBuildICmp(e->b, LLVMIntNE, bit, LLVMConstNull(LLVMTypeOf(bit)), "");
        any = any ? LLVMBuildOr(e->b, any, bit, "") : bit;
    }
    LLVMBuildStore(e->b, LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, ty_int(e, 32, 1), field, ""), LLVMBuildZExt(e->b, any, ty_int(e, 32, 1), ""), ""), field);
}

void emit_inst(struct emit *e, const struct ir_inst *i)
{
    e->inst = i;
    lines_at(e, i);
    switch (i->op) {
    case IR_SREG: emit_sreg(e, i); break;
    case IR_PARAM: case IR_PARAMADDR: case IR_VARADDR: case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC:
    case IR_GENERIC_TO_LOCAL: emit_address(e, i); break;
    case IR_ISSPACE: emit_isspace(e, i); break;
    case IR_ADDC: case IR_SUBC: emit_carry(e, i); break;
    case IR_LD: emit_load(e, i); break;
    case IR_ST: emit_store(e, i); break;
    case IR_ATOM: emit_atomic(e, i); break;
    case IR_TILE_LD: case IR_TILE_ST: emit_tile(e, i); break;
    case IR_ATOM2: emit_atomic_wide(e, i); break;
    case IR_FENCE: emit_fence(e, i); break;
    case IR_SHFL: case IR_VOTE: case IR_MATCH: case IR_REDUX: case IR_ACTIVEMASK: case IR_WARPSYNC: emit_warp(e, i); break;
    case IR_MMA: emit_mma(e, i); break;
    case IR_VPRINTF: case IR_ASSERTFAIL: case IR_MALLOC: case IR_FREE: emit_service(e, i); break;
    case IR_TEX: emit_texture(e, i); break;
    case IR_CALL: emit_call(e, i); break;
    case IR_ENTER: emit_note(e, offsetof(struct kabi_block, entered)); break;
    case IR_MORE: emit_more(e, i); break;
    case IR_NOTE: break;
    case IR_NANOSLEEP: break;                             /* a hint; waiting would only hold up the other warps of the block */
    default: emit_value(e, i); break;
    }
}
