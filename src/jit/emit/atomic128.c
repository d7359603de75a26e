/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of 128 bits: pairs of 64-bit values become one number only where a single lane's turn has come. */
#include "jit/emit.h"

static LLVMValueRef join(struct emit *e, LLVMValueRef lo, LLVMValueRef hi)
{
    LLVMTypeRef i128 = LLVMIntTypeInContext(e->cx, 128);
    LLVMValueRef top = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, hi, i128, ""), LLVMConstInt(i128, 64, false), "");
    return LLVMBuildOr(e->b, LLVMBuildZExt(e->b, lo, i128, ""), top, "");
}

static LLVMValueRef half(struct emit *e, LLVMValueRef v, unsigned k)
{
    LLVMTypeRef i128 = LLVMIntTypeInContext(e->cx, 128);
    return LLVMBuildTrunc(e->b, k ? LLVMBuildLShr(e->b, v, LLVMConstInt(i128, 64, false), "") : v, ty_int(e, 64, 1), "");
}

/* src: the lane's 64-bit operands after the address. */
static LLVMValueRef one_lane(struct emit *e, const struct ir_inst *i, LLVMValueRef ptr, LLVMValueRef *src)
{
    LLVMTypeRef i128 = LLVMIntTypeInContext(e->cx, 128);
    LLVMAtomicOrdering order = llvm_order((enum ir_order)i->order);
    LLVMValueRef x = i->n_src > 1 ? join(e, src[0], src[1]) : NULL, y = i->n_src > 3 ? join(e, src[2], src[3]) : NULL, old;
    if (order == LLVMAtomicOrderingNotAtomic)             /* .volatile says no order, but must not be torn */
        order = LLVMAtomicOrderingMonotonic;
    guard_scalar(e, i, ptr);
    if (i->space == IR_SHARED) {                          /* of one thread: nobody else looks */
        old = LLVMBuildLoad2(e->b, i128, ptr, "");
        promise_align(e, old, 8);
        tag_memory(e, old, TAG_SHARED);
        if (y)
            x = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, old, x, ""), y, old, "");
        LLVMValueRef s = LLVMBuildStore(e->b, x, ptr);
        promise_align(e, s, 8);
        tag_memory(e, s, TAG_SHARED);
        return old;
    }
    if (!x) {
        old = LLVMBuildLoad2(e->b, i128, ptr, "");
        LLVMSetAlignment(old, 16);
        LLVMSetOrdering(old, order == LLVMAtomicOrderingAcquire ? order : LLVMAtomicOrderingMonotonic);
        return old;
    }
    if (!y)
        return LLVMBuildAtomicRMW(e->b, LLVMAtomicRMWBinOpXchg, ptr, x, order, false);
    LLVMAtomicOrdering on_failure = order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingMonotonic ? LLVMAtomicOrderingMonotonic
                                    : order == LLVMAtomicOrderingAcquireRelease ? LLVMAtomicOrderingAcquire : order;
    return LLVMBuildExtractValue(e->b, LLVMBuildAtomicCmpXchg(e->b, ptr, x, y, order, on_failure, false), 0, "");
}

void emit_atomic_wide(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    unsigned n = i->n_src - 1u;
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef spilled[IR_MAX_SRC], src[IR_MAX_SRC], out[2], addresses = lanes_spill(e, v_address(e, i, c));
        struct lanes l;
        for (unsigned k = 0; k < n; k++)
            spilled[k] = lanes_spill(e, v_operand(e, &i->src[1 + k], IR_I64, c));
        for (unsigned k = 0; k < i->n_dst; k++)
            out[k] = lanes_array(e, i64);
        lanes_begin(e, &l, c);
        for (unsigned k = 0; k < n; k++)
            src[k] = lanes_get(e, &l, spilled[k], i64);
        LLVMValueRef ptr = address_pointers(e, i, lanes_get(e, &l, addresses, address_type(e, i, 1)));
        LLVMValueRef old = one_lane(e, i, ptr, src);
        for (unsigned k = 0; k < i->n_dst; k++)
            lanes_put(e, &l, out[k], i64, half(e, old, k));
        lanes_end(e, &l);
        for (unsigned k = 0; k < i->n_dst; k++) {
            LLVMValueRef v = lanes_vector(e, out[k], i64);
            if (e->W == 1)
                set_uniform(e, i, (int)k, c, v);
            else
                set_varying(e, i, (int)k, c, v);
        }
    }
}
