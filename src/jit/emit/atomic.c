/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics and fences. A block runs on one thread, so shared memory needs no locked instructions: plain load, operation,
 * store, lane after lane. Elsewhere one locked instruction per active lane; when all lanes hit one address and nobody looks
 * at the old value, the lanes are added up first.
 */
#include "jit/emit.h"

static LLVMAtomicRMWBinOp rmw_op(uint8_t atom)
{
    switch (atom) {
    case IR_ATOM_ADD: return LLVMAtomicRMWBinOpAdd;
    case IR_ATOM_EXCH: return LLVMAtomicRMWBinOpXchg;
    case IR_ATOM_AND: return LLVMAtomicRMWBinOpAnd;
    case IR_ATOM_OR: return LLVMAtomicRMWBinOpOr;
    case IR_ATOM_XOR: return LLVMAtomicRMWBinOpXor;
    case IR_ATOM_MIN_S: return LLVMAtomicRMWBinOpMin;
    case IR_ATOM_MIN_U: return LLVMAtomicRMWBinOpUMin;
    case IR_ATOM_MAX_S: return LLVMAtomicRMWBinOpMax;
    case IR_ATOM_MAX_U: return LLVMAtomicRMWBinOpUMax;
    case IR_ATOM_INC: return LLVMAtomicRMWBinOpUIncWrap;
    case IR_ATOM_DEC: return LLVMAtomicRMWBinOpUDecWrap;
    case IR_ATOM_FADD: return LLVMAtomicRMWBinOpFAdd;
    case IR_ATOM_FMIN: return LLVMAtomicRMWBinOpFMin;
    default: return LLVMAtomicRMWBinOpFMax;
    }
}

/* INC and DEC have no vectors. */
LLVMValueRef atomic_combine(struct emit *e, const struct ir_inst *i, LLVMValueRef old, LLVMValueRef x)
{
    LLVMTypeRef t = LLVMTypeOf(old);
    switch (i->atom) {
    case IR_ATOM_ADD: return LLVMBuildAdd(e->b, old, x, "");
    case IR_ATOM_EXCH: return x;
    case IR_ATOM_AND: return LLVMBuildAnd(e->b, old, x, "");
    case IR_ATOM_OR: return LLVMBuildOr(e->b, old, x, "");
    case IR_ATOM_XOR: return LLVMBuildXor(e->b, old, x, "");
    case IR_ATOM_MIN_S: return intrinsic2(e, "llvm.smin", t, old, x);
    case IR_ATOM_MIN_U: return intrinsic2(e, "llvm.umin", t, old, x);
    case IR_ATOM_MAX_S: return intrinsic2(e, "llvm.smax", t, old, x);
    case IR_ATOM_MAX_U: return intrinsic2(e, "llvm.umax", t, old, x);
    case IR_ATOM_INC: {
        LLVMValueRef wraps = LLVMBuildICmp(e->b, LLVMIntUGE, old, x, "");
        return LLVMBuildSelect(e->b, wraps, LLVMConstNull(t), LLVMBuildAdd(e->b, old, LLVMConstInt(t, 1, false), ""), "");
    }
    case IR_ATOM_DEC: {
        LLVMValueRef wraps = LLVMBuildOr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, old, LLVMConstNull(t), ""), LLVMBuildICmp(e->b, LLVMIntUGT, old, x, ""), "");
        return LLVMBuildSelect(e->b, wraps, x, LLVMBuildSub(e->b, old, LLVMConstInt(t, 1, false), ""), "");
    }
    case IR_ATOM_FADD: return LLVMBuildFAdd(e->b, old, x, "");
    case IR_ATOM_FMIN: return intrinsic2(e, "llvm.minnum", t, old, x);
    default: return intrinsic2(e, "llvm.maxnum", t, old, x);
    }
}

static LLVMValueRef checked_lane(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef t = ty(e, i->type, 1);
    unsigned bytes = ir_type_bits(i->type) / 8;
    if (i->space == IR_SHARED) {
        LLVMValueRef old = LLVMBuildLoad2(e->b, t, ptr, "");
        promise_align(e, old, bytes);
        tag_memory(e, old, TAG_SHARED);
        LLVMValueRef fresh = i->atom == IR_ATOM_CAS ? LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, old, x, ""), y, old, "") : atomic_combine(e, i, old, x);
        LLVMValueRef s = LLVMBuildStore(e->b, fresh, ptr);
        promise_align(e, s, bytes);
        tag_memory(e, s, TAG_SHARED);
        return old;
    }
    LLVMAtomicOrdering order = llvm_order((enum ir_order)i->order);
    if (i->atom == IR_ATOM_CAS) {
        LLVMAtomicOrdering on_failure = order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingMonotonic ? LLVMAtomicOrderingMonotonic
                                        : order == LLVMAtomicOrderingAcquireRelease ? LLVMAtomicOrderingAcquire : order;
        LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->b, ptr, x, y, order, on_failure, false);
        return LLVMBuildExtractValue(e->b, pair, 0, "");
    }
    return LLVMBuildAtomicRMW(e->b, rmw_op(i->atom), ptr, x, order, false);
}

LLVMValueRef atomic_locked(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, bool checked)
{
    if (!checked)
        guard_scalar(e, i, ptr);
    return checked_lane(e, i, ptr, x, NULL);
}

/* checked: the address is known to be good. */
static LLVMValueRef one_lane(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, LLVMValueRef y, bool checked)
{
    if (i->flags & IR_PRIVATE) {
        private_lane(e, i, ptr, x, checked);
        return NULL;
    }
    if (!checked)
        guard_scalar(e, i, ptr);
    return checked_lane(e, i, ptr, x, y);
}

LLVMValueRef atomic_lane(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef x, LLVMValueRef y)
{
    return one_lane(e, i, ptr, x, y, false);
}

const char *atomic_reduction(uint8_t atom)
{
    switch (atom) {
    case IR_ATOM_ADD: return "llvm.vector.reduce.add";
    case IR_ATOM_AND: return "llvm.vector.reduce.and";
    case IR_ATOM_OR: return "llvm.vector.reduce.or";
    case IR_ATOM_XOR: return "llvm.vector.reduce.xor";
    case IR_ATOM_MIN_S: return "llvm.vector.reduce.smin";
    case IR_ATOM_MIN_U: return "llvm.vector.reduce.umin";
    case IR_ATOM_MAX_S: return "llvm.vector.reduce.smax";
    case IR_ATOM_MAX_U: return "llvm.vector.reduce.umax";
    default: return NULL;
    }
}

static uint64_t neutral(uint8_t atom, unsigned bits)
{
    uint64_t top = (uint64_t)1 << (bits - 1);
    switch (atom) {
    case IR_ATOM_AND: case IR_ATOM_MIN_U: return UINT64_MAX;
    case IR_ATOM_MIN_S: return top - 1;
    case IR_ATOM_MAX_S: return top;
    default: return 0;
    }
}

static void aggregated(struct emit *e, const struct ir_inst *i)
{
    unsigned bits = ir_type_bits(i->type);
    LLVMValueRef sum = NULL;
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef v = v_operand(e, &i->src[1], i->type, c);
        if (e->m[0])
            v = LLVMBuildSelect(e->b, e->m[c], v, k_int(e, bits, e->W, neutral(i->atom, bits)), "");
        LLVMValueRef r = intrinsic1(e, atomic_reduction(i->atom), ty(e, i->type, e->W), v);
        sum = sum ? atomic_combine(e, i, sum, r) : r;
    }
    atomic_lane(e, i, u_address(e, i, 0), sum, NULL);
}

/* Each lane's sum with the lanes below it. */
static LLVMValueRef running_sum(struct emit *e, LLVMValueRef v, unsigned bits)
{
    for (unsigned step = 1; step < e->W; step *= 2) {
        LLVMValueRef at[64];
        for (unsigned l = 0; l < e->W; l++)
            at[l] = k_int(e, 32, 1, l >= step ? l - step : e->W);                /* e->W: the first element of the second vector, a zero */
        LLVMValueRef moved = LLVMBuildShuffleVector(e->b, v, k_int(e, bits, e->W, 0), LLVMConstVector(at, e->W), "");
        v = LLVMBuildAdd(e->b, v, moved, "");
    }
    return v;
}

/* The same number of every active lane, for the whole vectors of AVX-512: what lies before a lane is told by the mask. */
static void numbered_alike(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef total = k_int(e, 32, 1, 0), before[PLAN_MAX_CHUNKS] = { 0 }, each = u_operand(e, &i->src[1], i->type, 0);
    for (unsigned c = 0; c < e->C; c++) {
        before[c] = LLVMBuildAdd(e->b, splat(e, total, e->W), x86_expand(e, k_lanes(e, 32, e->W, 0, 1), e->m[c]), "");
        total = LLVMBuildAdd(e->b, total, intrinsic1(e, "llvm.ctpop", i32, mask_bits(e, e->m[c])), "");
    }
    LLVMValueRef first = atomic_lane(e, i, u_address(e, i, 0), LLVMBuildMul(e->b, total, each, ""), NULL);
    for (unsigned c = 0; c < e->C; c++)
        set_varying(e, i, 0, c, LLVMBuildAdd(e->b, splat(e, first, e->W), LLVMBuildMul(e->b, before[c], splat(e, each, e->W), ""), ""));
}

/* Places in a queue: all lanes add to one number, and each gets what it would have found had they come in turn. One atomic for the group. */
static void numbered(struct emit *e, const struct ir_inst *i)
{
    unsigned bits = ir_type_bits(i->type);
    LLVMValueRef mine[PLAN_MAX_CHUNKS] = { 0 }, upto[PLAN_MAX_CHUNKS] = { 0 }, total = k_int(e, bits, 1, 0), last = k_int(e, 32, 1, e->W - 1);
    for (unsigned c = 0; c < e->C; c++) {
        mine[c] = v_operand(e, &i->src[1], i->type, c);
        if (e->m[0])
            mine[c] = LLVMBuildSelect(e->b, e->m[c], mine[c], k_int(e, bits, e->W, 0), "");
        upto[c] = LLVMBuildAdd(e->b, running_sum(e, mine[c], bits), splat(e, total, e->W), "");
        total = LLVMBuildExtractElement(e->b, upto[c], last, "");
    }
    LLVMValueRef before = splat(e, atomic_lane(e, i, u_address(e, i, 0), total, NULL), e->W);
    for (unsigned c = 0; c < e->C; c++)
        set_varying(e, i, 0, c, LLVMBuildAdd(e->b, before, LLVMBuildSub(e->b, upto[c], mine[c], ""), ""));
}

/* What every lane of the group has, chunk behind chunk in memory. */
static LLVMValueRef all_lanes(struct emit *e, LLVMTypeRef t)
{
    return entry_alloca(e, LLVMVectorType(t, e->C * e->W), "lanes");
}

static void put_chunk(struct emit *e, LLVMValueRef array, LLVMTypeRef t, unsigned chunk, LLVMValueRef v)
{
    LLVMValueRef at = k_int(e, 32, 1, chunk * e->W);
    LLVMBuildStore(e->b, v, LLVMBuildGEP2(e->b, t, array, &at, 1, ""));
}

/*
 * One loop over the active lanes of all chunks: its end is what a processor foretells badly, so one is better than one for each chunk.
 * There is an active lane, for blocks with memory operations do not run without. Results stay in registers: a vector made of words in memory
 * waits until the last of them has been written.
 */
static void lane_after_lane(struct emit *e, const struct ir_inst *i, bool unused)
{
    unsigned n = e->C * e->W;
    LLVMTypeRef t = ty_scalar(e, i->type), bits_t = ty_int(e, n, 1), i32 = ty_int(e, 32, 1);
    struct lane_places at[PLAN_MAX_CHUNKS] = { 0 };
    bool table = table_places(e, i, at);         /* then one look at the base will do for all lanes */
    for (unsigned c = 0; c < e->C && !table; c++)
        at[c] = (struct lane_places){ .at = v_address(e, i, c) };
    LLVMTypeRef at_t = table ? i32 : address_type(e, i, 1);
    LLVMValueRef addresses = all_lanes(e, at_t), x[3] = { 0 }, array[3] = { 0 }, left = LLVMConstAllOnes(bits_t), old[PLAN_MAX_CHUNKS] = { 0 };
    for (int k = 1; k < i->n_src; k++) {
        struct shape s = o_shape(e, &i->src[k]);
        if (shape_group_uniform(&s))
            x[k] = u_operand(e, &i->src[k], i->type, 0);
        else
            array[k] = all_lanes(e, t);
    }
    for (unsigned c = 0; c < e->C; c++) {
        put_chunk(e, addresses, at_t, c, at[c].at);
        for (int k = 1; k < i->n_src; k++)
            if (array[k])
                put_chunk(e, array[k], t, c, v_operand(e, &i->src[k], i->type, c));
    }
    if (e->m[0]) {
        left = LLVMConstNull(bits_t);
        for (unsigned c = 0; c < e->C; c++) {
            LLVMValueRef part = LLVMBuildZExt(e->b, cast_to(e, e->m[c], ty_int(e, e->W, 1)), bits_t, "");
            left = LLVMBuildOr(e->b, left, LLVMBuildShl(e->b, part, k_int(e, n, 1, c * e->W), ""), "");
        }
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), body = LLVMAppendBasicBlockInContext(e->cx, e->fn, "lane");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->cx, e->fn, "lanes.done");
    LLVMBuildBr(e->b, body);
    LLVMPositionBuilderAtEnd(e->b, body);
    LLVMValueRef now = LLVMBuildPhi(e->b, bits_t, ""), none = LLVMConstNull(LLVMVectorType(t, e->W));
    for (unsigned c = 0; c < e->C && !unused; c++)
        old[c] = LLVMBuildPhi(e->b, LLVMTypeOf(none), "");
    LLVMValueRef lane = intrinsic2(e, "llvm.cttz", bits_t, now, k_int(e, 1, 1, 1));
    for (int k = 1; k < i->n_src; k++)
        if (array[k])
            x[k] = LLVMBuildLoad2(e->b, t, LLVMBuildGEP2(e->b, t, array[k], &lane, 1, ""), "");
    LLVMValueRef place = LLVMBuildLoad2(e->b, at_t, LLVMBuildGEP2(e->b, at_t, addresses, &lane, 1, ""), "");
    LLVMValueRef p = place_pointers(e, i, &at[0], place), result = one_lane(e, i, p, x[1], x[2], table), rest = LLVMBuildAnd(e->b, now, LLVMBuildSub(e->b, now, k_int(e, n, 1, 1), ""), "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
    LLVMAddIncoming(now, &left, &before, 1);
    LLVMAddIncoming(now, &rest, &end, 1);
    LLVMValueRef which = splat(e, LLVMBuildTruncOrBitCast(e->b, lane, i32, ""), e->W);
    for (unsigned c = 0; c < e->C && !unused; c++) {
        LLVMValueRef here = LLVMBuildICmp(e->b, LLVMIntEQ, which, k_lanes(e, 32, e->W, c * e->W, 1), "");
        LLVMValueRef with = LLVMBuildSelect(e->b, here, splat(e, result, e->W), old[c], "");
        LLVMAddIncoming(old[c], &none, &before, 1);
        LLVMAddIncoming(old[c], &with, &end, 1);
        old[c] = with;
    }
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, rest, LLVMConstNull(bits_t), ""), body, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    for (unsigned c = 0; c < e->C && !unused; c++)
        set_varying(e, i, 0, c, old[c]);
}

void emit_atomic(struct emit *e, const struct ir_inst *i)
{
    struct shape s = o_shape(e, &i->src[0]);
    bool unused = atomic_unused(e, i);
    if (e->W == 1) {
        LLVMValueRef y = i->n_src > 2 ? u_operand(e, &i->src[2], i->type, 0) : NULL;
        LLVMValueRef old = atomic_lane(e, i, u_address(e, i, 0), u_operand(e, &i->src[1], i->type, 0), y);
        if (!unused)
            set_uniform(e, i, 0, 0, old);
        return;
    }
    if (unused && i->space != IR_LOCAL && shape_group_uniform(&s) && atomic_reduction(i->atom)) {
        aggregated(e, i);
        return;
    }
    if (i->space != IR_LOCAL && shape_group_uniform(&s) && i->atom == IR_ATOM_ADD) {
        if (e->m[0] && i->src[1].kind == IR_IMM && ir_type_bits(i->type) == 32 && e->W == 16 && x86_wide(e, e->W))
            numbered_alike(e, i);
        else
            numbered(e, i);
        return;
    }
    if (late_atomic(e, i))
        return;
    LLVMBasicBlockRef done = private_lanes(e, i);
    lane_after_lane(e, i, unused);
    if (done) {
        LLVMBuildBr(e->b, done);
        LLVMPositionBuilderAtEnd(e->b, done);
    }
}

void emit_fence(struct emit *e, const struct ir_inst *i)
{
    /* Threads of a block share one OS thread: for them only the compiler must keep the order. */
    LLVMBuildFence(e->b, LLVMAtomicOrderingSequentiallyConsistent, i->scope == IR_CTA, "");
}
