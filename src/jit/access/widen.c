/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Widening of an affine index without a sign: u32 to u64, in an address. Such an index may wrap around between two lanes of a group; the wide one, which
 * has one base for all, is then right on one side of the wrap only. So it is made to be exact in a lane that is on, and with it in all on its side:
 *
 *     base = widen(narrow base + offset of the lane) - offset of the lane
 *
 * Of lanes on both sides the small indices are taken: `if (i - 1 < n)` around an access turns off the others, which are 4 Gi elements away.
 */
#include "jit/emit.h"

/* One bit for every lane that the base stands for. */
static LLVMValueRef active_bits(struct emit *e, bool group, unsigned chunk)
{
    unsigned first = group ? 0 : chunk, n = group ? e->C : 1;
    LLVMTypeRef all = ty_int(e, n * e->W, 1), one = ty_int(e, e->W, 1);
    LLVMValueRef bits = NULL;
    for (unsigned c = 0; c < n; c++) {
        LLVMValueRef part = cast_to(e, e->m[first + c], one);
        if (n == 1)
            return part;
        part = LLVMBuildShl(e->b, LLVMBuildZExt(e->b, part, all, ""), k_int(e, n * e->W, 1, c * e->W), "");
        bits = bits ? LLVMBuildOr(e->b, bits, part, "") : part;
    }
    return bits;
}

/* The last lane that is on, or the first one; any if none is. */
static LLVMValueRef active_lane(struct emit *e, bool group, unsigned chunk, bool last)
{
    unsigned lanes = group ? e->p->lanes : e->W;
    LLVMTypeRef t = ty_int(e, lanes, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef bits = active_bits(e, group, chunk);
    LLVMValueRef zeros = intrinsic2(e, last ? "llvm.ctlz" : "llvm.cttz", t, bits, k_int(e, 1, 1, 0));
    zeros = lanes > 64 ? LLVMBuildTrunc(e->b, zeros, i64, "") : lanes < 64 ? LLVMBuildZExt(e->b, zeros, i64, "") : zeros;
    LLVMValueRef lane = last ? LLVMBuildSub(e->b, k_int(e, 64, 1, lanes - 1), zeros, "") : zeros;
    return LLVMBuildAnd(e->b, lane, k_int(e, 64, 1, lanes - 1), "");
}

/* As plan_lane_offset(). */
static LLVMValueRef offset_of(struct emit *e, const struct shape *s, LLVMValueRef lane)
{
    LLVMValueRef row = k_int(e, 64, 1, (uint64_t)__builtin_ctz(e->p->row)), stride = k_int(e, 64, 1, (uint64_t)s->stride);
    if (!s->group || plan_in_row(e->p, s))
        return LLVMBuildMul(e->b, lane, stride, "");
    LLVMValueRef in_row = LLVMBuildAnd(e->b, lane, k_int(e, 64, 1, e->p->row - 1), "");
    return LLVMBuildAdd(e->b, LLVMBuildMul(e->b, LLVMBuildLShr(e->b, lane, row, ""), k_int(e, 64, 1, (uint64_t)s->step), ""), LLVMBuildMul(e->b, in_row, stride, ""), "");
}

LLVMValueRef widen_index(struct emit *e, LLVMValueRef base, const struct shape *s, unsigned chunk)
{
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    bool rises = s->stride > 0 || s->step > 0;
    LLVMValueRef offset;
    if (s->umax <= UINT32_MAX)
        return LLVMBuildZExt(e->b, base, i64, "");
    if (e->m[0])
        offset = offset_of(e, s, active_lane(e, s->group, chunk, rises));
    else
        offset = k_int(e, 64, 1, (uint64_t)(!rises ? 0 : s->group ? plan_lane_offset(e->p, s, e->p->lanes - 1) : s->stride * (int64_t)(e->W - 1)));
    LLVMValueRef there = LLVMBuildAdd(e->b, base, LLVMBuildTrunc(e->b, offset, LLVMTypeOf(base), ""), "");
    return LLVMBuildSub(e->b, LLVMBuildZExt(e->b, there, i64, ""), offset, "");
}
