/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses: of a chunk's first lane, of each lane, in every space; and what the kernel's parameters and variables begin with. */
#include "jit/access/memory.h"

enum emit_tag space_tag(uint8_t space)
{
    return space == IR_SHARED ? TAG_SHARED : space == IR_LOCAL ? TAG_LOCAL : TAG_GLOBAL;
}

/* Only accesses whose space is known get a tag: a generic one may be any. */
LLVMValueRef tag_access(struct emit *e, const struct ir_inst *i, LLVMValueRef access)
{
    return i->space == IR_GENERIC ? access : tag_memory(e, access, space_tag(i->space));
}

LLVMAtomicOrdering llvm_order(enum ir_order o)
{
    switch (o) {
    case IR_ACQUIRE: return LLVMAtomicOrderingAcquire;
    case IR_RELEASE: return LLVMAtomicOrderingRelease;
    case IR_ACQ_REL: return LLVMAtomicOrderingAcquireRelease;
    case IR_SEQ_CST: return LLVMAtomicOrderingSequentiallyConsistent;
    default: return LLVMAtomicOrderingMonotonic;
    }
}

/* Shared and local addresses are small offsets; a negative base of an affine address only belongs to lanes that are off. */
LLVMValueRef address_i64(struct emit *e, LLVMValueRef a, unsigned lanes)
{
    LLVMTypeRef i64 = ty_int(e, 64, lanes);
    return LLVMTypeOf(a) == i64 ? a : LLVMBuildSExt(e->b, a, i64, "");
}

/* Spaces whose addresses are 32-bit offsets from where the block's memory begins, with nothing mapped around it as far as those reach (exec/buffers.c). */
bool address_is_offset(const struct ir_inst *i) { return i->space == IR_SHARED || i->space == IR_LOCAL; }

LLVMValueRef block_memory(struct emit *e, uint8_t space) { return env(e, space == IR_SHARED ? ENV_SHARED : ENV_LOCAL); }

/* i32: where the local memory of the chunk's first thread begins, in the block's (which is smaller than 2 GiB: exec/block.c). */
static LLVMValueRef local_begin(struct emit *e, unsigned chunk)
{
    bool interleaved = e->p->interleaved;                 /* then a group has rows of words, and a chunk its part of each row */
    LLVMValueRef begin = LLVMBuildMul(e->b, linear_thread(e, interleaved ? 0 : chunk), k_int(e, 32, 1, e->p->func->local_bytes), "");
    if (interleaved)
        begin = LLVMBuildAdd(e->b, begin, k_int(e, 32, 1, (uint64_t)chunk * e->W * (uint64_t)plan_local_step(e->p)), "");
    return e->sp ? LLVMBuildAdd(e->b, begin, LLVMBuildTrunc(e->b, e->sp, ty_int(e, 32, 1), ""), "") : begin;
}

static LLVMValueRef space_base(struct emit *e, uint8_t space, unsigned chunk)          /* i64: where a generic address of offset 0 leads */
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef base = LLVMBuildPtrToInt(e->b, block_memory(e, space), i64, "");
    return space == IR_SHARED ? base : LLVMBuildAdd(e->b, base, LLVMBuildZExt(e->b, local_begin(e, chunk), i64, ""), "");
}

static uint64_t constant_offset(struct emit *e, const struct ir_inst *i)
{
    return (uint64_t)i->imm + (i->flags & IR_OUTGOING ? e->p->own_local : 0);
}

LLVMValueRef offset_ptr(struct emit *e, LLVMValueRef p, uint64_t bytes)
{
    if (!bytes)
        return p;
    LLVMValueRef k = k_int(e, 64, 1, bytes);
    return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &k, 1, "");
}

/*
 * Shared and local memory have 32-bit addresses: what a 64-bit register holds above them does not count, and sums wrap around. Taken with their sign, they
 * lead to where nothing is mapped around the block's memory (exec/buffers.c), from a negative base also to lanes that have left it behind. A register
 * that is known to be small needs no care.
 */
static LLVMValueRef space_offset(struct emit *e, LLVMValueRef a, const struct shape *s)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    if (LLVMTypeOf(a) != i32 && s->umax > INT32_MAX)
        a = LLVMBuildTrunc(e->b, a, i32, "");
    return address_i64(e, a, 1);
}

/* A constant that is not near is added in 32 bits, with the rest; so is where a thread's local memory begins, unless the register is small. */
static LLVMValueRef space_pointer(struct emit *e, const struct ir_inst *i, LLVMValueRef a, const struct shape *s, int64_t offset, unsigned chunk)
{
    bool far = offset <= -OFFSET_NEAR || offset >= OFFSET_NEAR, small = !far && s->umax <= INT32_MAX;
    LLVMValueRef begin = i->space == IR_LOCAL ? local_begin(e, chunk) : NULL;
    if (far)
        a = LLVMBuildAdd(e->b, a, LLVMConstInt(LLVMTypeOf(a), (uint64_t)offset, true), "");
    if (begin && !small)
        a = LLVMBuildAdd(e->b, LLVMBuildTruncOrBitCast(e->b, a, ty_int(e, 32, 1), ""), begin, "");
    a = space_offset(e, a, small ? s : &(struct shape){ .umax = UINT64_MAX });
    if (begin && small)
        a = LLVMBuildAdd(e->b, a, LLVMBuildZExt(e->b, begin, ty_int(e, 64, 1), ""), "");
    return offset_ptr(e, LLVMBuildGEP2(e->b, ty_int(e, 8, 1), block_memory(e, i->space), &a, 1, ""), far ? 0 : (uint64_t)offset);
}

/*
 * Pointer of the chunk's first lane; the address is AFFINE. In shared memory the register comes first and all constants at once after it: LLVM then
 * sees what two accesses have in common (a row that several warps read), and keeps one pointer, not one for each constant.
 */
LLVMValueRef u_address(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    struct shape s = o_shape(e, &i->src[0]);
    bool shared = i->space == IR_SHARED, one_base = shared && s.kind == SHAPE_AFFINE && s.group;
    uint64_t offset = constant_offset(e, i) + (one_base ? (uint64_t)plan_lane_offset(e->p, &s, chunk * e->W) : 0);
    LLVMValueRef a = u_operand(e, &i->src[0], src_type(i, 0), one_base ? 0 : chunk);
    if (address_is_offset(i))
        return space_pointer(e, i, a, &s, (int64_t)offset, chunk);
    a = address_i64(e, a, 1);
    if (offset)
        a = LLVMBuildAdd(e->b, a, k_int(e, 64, 1, offset), "");
    return LLVMBuildIntToPtr(e->b, a, ty_ptr(e), "");
}

/* Offsets are 32-bit numbers, of which a vector holds twice as many as of addresses. */
unsigned address_bits(const struct ir_inst *i) { return address_is_offset(i) ? 32 : 64; }

LLVMTypeRef address_type(struct emit *e, const struct ir_inst *i, unsigned lanes) { return ty_int(e, address_bits(i), lanes); }

LLVMValueRef address_pointers(struct emit *e, const struct ir_inst *i, LLVMValueRef a)
{
    if (address_is_offset(i))
        return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), block_memory(e, i->space), &a, 1, "");
    bool vector = LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMVectorTypeKind;
    return LLVMBuildIntToPtr(e->b, a, vector ? LLVMVectorType(ty_ptr(e), e->W) : ty_ptr(e), "");
}

static LLVMValueRef v_offset_in_space(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    LLVMValueRef offsets = v_operand(e, &i->src[0], src_type(i, 0), chunk);
    LLVMTypeRef t = address_type(e, i, e->W);
    uint64_t k = constant_offset(e, i);
    if (LLVMTypeOf(offsets) != t)
        offsets = LLVMBuildTrunc(e->b, offsets, t, "");
    if (k)
        offsets = LLVMBuildAdd(e->b, offsets, k_int(e, 32, e->W, k), "");
    if (i->space == IR_LOCAL)
        offsets = LLVMBuildAdd(e->b, offsets, splat(e, local_begin(e, chunk), e->W), "");
    if (i->space == IR_LOCAL && e->W > 1)
        offsets = LLVMBuildAdd(e->b, offsets, k_lanes(e, 32, e->W, 0, plan_local_step(e->p)), "");
    return offsets;
}

LLVMValueRef v_address(struct emit *e, const struct ir_inst *i, unsigned chunk)
{
    if (address_is_offset(i))
        return v_offset_in_space(e, i, chunk);
    LLVMValueRef a = address_i64(e, v_operand(e, &i->src[0], src_type(i, 0), chunk), e->W);
    return constant_offset(e, i) ? LLVMBuildAdd(e->b, a, k_int(e, 64, e->W, constant_offset(e, i)), "") : a;
}

/* PARAM, PARAMADDR, VARADDR and conversions between address spaces. */
void emit_address(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef u = NULL;
    if (i->op == IR_PARAM) {
        u = LLVMBuildLoad2(e->b, ty(e, i->type, 1), offset_ptr(e, env(e, ENV_PARAMS), (uint64_t)i->imm), "");
        LLVMSetAlignment(u, 1);
        promise_unchanging(e, u);
    } else if (i->op == IR_PARAMADDR) {
        u = LLVMBuildPtrToInt(e->b, offset_ptr(e, env(e, ENV_PARAMS), (uint64_t)i->imm), i64, "");
    } else if (i->op == IR_VARADDR) {
        u = LLVMBuildLoad2(e->b, i64, offset_ptr(e, env(e, ENV_GLOBALS), (uint64_t)i->imm * 8), "");
        promise_unchanging(e, u);
    }
    if (u) {
        for (unsigned c = 0; c < slot_count(e, i->dst[0]); c++)
            set_uniform(e, i, 0, c, u);
        return;
    }
    bool shared = i->op == IR_SHARED_TO_GENERIC || i->op == IR_GENERIC_TO_SHARED;
    bool back = i->op == IR_GENERIC_TO_SHARED || i->op == IR_GENERIC_TO_LOCAL;
    bool affine = dst_reg(e, i, 0)->shape.kind == SHAPE_AFFINE;
    unsigned n = slot_count(e, i->dst[0]);
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef base = space_base(e, shared ? IR_SHARED : IR_LOCAL, c);
        LLVMValueRef a = affine ? u_operand(e, &i->src[0], IR_I64, c) : v_operand(e, &i->src[0], IR_I64, c);
        if (!affine)
            base = splat(e, base, e->W);
        if (!affine && !shared && e->W > 1)
            base = LLVMBuildAdd(e->b, base, k_lanes(e, 64, e->W, 0, plan_local_step(e->p)), "");
        LLVMValueRef r = back ? LLVMBuildSub(e->b, a, base, "") : LLVMBuildAdd(e->b, a, base, "");
        if (affine)
            set_uniform(e, i, 0, c, r);
        else
            set_varying(e, i, 0, c, r);
    }
}
