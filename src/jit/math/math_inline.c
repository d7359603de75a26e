/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Math functions written into the code: no call, so that nothing has to be kept in memory around it. Each is the body of the
 * same name in mathlib.c, step by step; tests hold the two against each other at every width.
 */
#include "jit/emit.h"
#include "jit/math/math.h"
#include "jit/math/mathlib.h"

static LLVMValueRef k_float(struct emit *e, float value, unsigned lanes)
{
    return k_real(e, IR_F32, lanes, value);
}

static LLVMValueRef fma3(struct emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    return intrinsic3(e, "llvm.fma", LLVMTypeOf(a), a, b, c);
}

/* Horner's rule, highest coefficient last. */
static LLVMValueRef polynomial(struct emit *e, const float *k, unsigned n, LLVMValueRef x, unsigned lanes)
{
    LLVMValueRef y = k_float(e, k[n - 1], lanes);
    for (unsigned i = n - 1; i-- > 0;)
        y = fma3(e, y, x, k_float(e, k[i], lanes));
    return y;
}

/* 2^n for n in -126..127 */
static LLVMValueRef power_of_two(struct emit *e, LLVMValueRef n, unsigned lanes)
{
    LLVMValueRef biased = LLVMBuildAdd(e->b, n, k_int(e, 32, lanes, 127), "");
    return cast_to(e, LLVMBuildShl(e->b, biased, k_int(e, 32, lanes, 23), ""), ty(e, IR_F32, lanes));
}

static LLVMValueRef at_most(struct emit *e, LLVMValueRef x, float limit, unsigned lanes)
{
    LLVMValueRef k = k_float(e, limit, lanes);
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, x, k, ""), k, x, "");
}

/* e^r, r up to ln(2)/2 */
static LLVMValueRef small_exp(struct emit *e, LLVMValueRef r, unsigned lanes)
{
    LLVMValueRef q = polynomial(e, expf_poly, EXPF_TERMS, r, lanes);
    return LLVMBuildFAdd(e->b, fma3(e, q, LLVMBuildFMul(e->b, r, r, ""), r), k_float(e, 1, lanes), "");
}

/* y * 2^n, t being n + ROUND_MAGIC; 0 where `small` (or NULL) */
static LLVMValueRef scaled(struct emit *e, LLVMValueRef y, LLVMValueRef t, LLVMValueRef n, LLVMValueRef small, unsigned lanes)
{
    if (x86_wide(e, lanes))                                /* the same: the first of the two products below is exact */
        return x86_scale(e, y, n, small ? LLVMBuildNot(e->b, small, "") : NULL, lanes);
    LLVMTypeRef i32 = ty_int(e, 32, lanes);
    LLVMValueRef k = LLVMBuildSub(e->b, cast_to(e, t, i32), cast_to(e, k_float(e, ROUND_MAGIC, lanes), i32), "");
    LLVMValueRef half = LLVMBuildAShr(e->b, k, k_int(e, 32, lanes, 1), "");
    if (small)                                             /* before it underflows */
        y = LLVMBuildSelect(e->b, small, k_float(e, 0, lanes), y, "");
    y = LLVMBuildFMul(e->b, y, power_of_two(e, half, lanes), "");
    return LLVMBuildFMul(e->b, y, power_of_two(e, LLVMBuildSub(e->b, k, half, ""), lanes), "");
}

static LLVMValueRef exp_of(struct emit *e, LLVMValueRef x, LLVMValueRef small, unsigned lanes)
{
    LLVMValueRef magic = k_float(e, ROUND_MAGIC, lanes), t = fma3(e, x, k_float(e, EXPF_LOG2E, lanes), magic), n = LLVMBuildFSub(e->b, t, magic, "");
    LLVMValueRef r = fma3(e, n, k_float(e, LN2F_LOW, lanes), fma3(e, n, k_float(e, -LN2F_HIGH, lanes), x));
    return scaled(e, small_exp(e, r, lanes), t, n, small, lanes);
}

/* Numbers below (or there) are too small: what is computed from them is put away, or they are replaced. */
static LLVMValueRef at_least(struct emit *e, LLVMValueRef x, LLVMRealPredicate is_small, float limit, LLVMValueRef *small, unsigned lanes)
{
    LLVMValueRef k = k_float(e, limit, lanes);
    *small = LLVMBuildFCmp(e->b, is_small, x, k, "");
    return x86_wide(e, lanes) ? x : LLVMBuildSelect(e->b, *small, k, x, "");
}

static LLVMValueRef inline_expf(struct emit *e, LLVMValueRef x, unsigned lanes)
{
    LLVMValueRef small;
    x = at_least(e, at_most(e, x, EXPF_HIGH, lanes), LLVMRealOLT, EXPF_LOW, &small, lanes);
    return exp_of(e, x, small, lanes);
}

static LLVMValueRef exp2_from(struct emit *e, LLVMValueRef x, LLVMValueRef small, unsigned lanes)
{
    LLVMValueRef magic = k_float(e, ROUND_MAGIC, lanes), t = LLVMBuildFAdd(e->b, x, magic, ""), n = LLVMBuildFSub(e->b, t, magic, "");
    LLVMValueRef r = LLVMBuildFMul(e->b, LLVMBuildFSub(e->b, x, n, ""), k_float(e, LN2F_HIGH, lanes), "");
    return scaled(e, small_exp(e, r, lanes), t, n, small, lanes);
}

static LLVMValueRef inline_exp2f(struct emit *e, LLVMValueRef x, unsigned lanes)
{
    LLVMValueRef small;
    x = at_least(e, at_most(e, x, EXP2F_HIGH, lanes), LLVMRealOLE, EXP2F_LOW, &small, lanes);
    return exp2_from(e, x, small, lanes);
}

/* Results that are not normal are 0: the least normal one is 2^-126. */
LLVMValueRef inline_exp2f_normal(struct emit *e, LLVMValueRef x, unsigned lanes)
{
    LLVMValueRef small;
    x = at_least(e, at_most(e, x, EXP2F_HIGH, lanes), LLVMRealOLT, -126, &small, lanes);
    return exp2_from(e, x, small, lanes);
}

static LLVMValueRef inline_tanhf(struct emit *e, LLVMValueRef x, unsigned lanes)
{
    LLVMTypeRef f32 = ty(e, IR_F32, lanes);
    LLVMValueRef a = intrinsic1(e, "llvm.fabs", f32, x), s = LLVMBuildFMul(e->b, x, x, ""), one = k_float(e, 1, lanes);
    LLVMValueRef near_0 = fma3(e, LLVMBuildFMul(e->b, a, s, ""), polynomial(e, tanhf_poly, TANHF_TERMS, s, lanes), a);
    LLVMValueRef exp = exp_of(e, at_most(e, LLVMBuildFAdd(e->b, a, a, ""), TANHF_LARGE, lanes), NULL, lanes);
    LLVMValueRef far = LLVMBuildFSub(e->b, one, LLVMBuildFDiv(e->b, k_float(e, 2, lanes), LLVMBuildFAdd(e->b, exp, one, ""), ""), "");
    LLVMValueRef y = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, a, k_float(e, TANHF_SMALL, lanes), ""), near_0, far, "");
    return intrinsic2(e, "llvm.copysign", f32, y, x);
}

static LLVMValueRef inline_logf(struct emit *e, LLVMValueRef x, unsigned lanes)
{
    LLVMTypeRef i32 = ty_int(e, 32, lanes), f32 = ty(e, IR_F32, lanes);
    LLVMValueRef zero = k_float(e, 0, lanes), small = LLVMBuildFCmp(e->b, LLVMRealOLT, x, k_float(e, 0x1p-126f, lanes), "");
    LLVMValueRef scaled = LLVMBuildSelect(e->b, small, LLVMBuildFMul(e->b, x, k_float(e, 0x1p23f, lanes), ""), x, "");
    LLVMValueRef bits = cast_to(e, scaled, i32);
    LLVMValueRef k = LLVMBuildAShr(e->b, LLVMBuildSub(e->b, bits, k_int(e, 32, lanes, LOGF_SQRT_HALF), ""), k_int(e, 32, lanes, 23), "");
    LLVMValueRef m = cast_to(e, LLVMBuildSub(e->b, bits, LLVMBuildShl(e->b, k, k_int(e, 32, lanes, 23), ""), ""), f32);
    k = LLVMBuildSelect(e->b, small, LLVMBuildSub(e->b, k, k_int(e, 32, lanes, 23), ""), k, "");
    LLVMValueRef n = LLVMBuildSIToFP(e->b, k, f32, ""), f = LLVMBuildFSub(e->b, m, k_float(e, 1, lanes), "");
    LLVMValueRef t = fma3(e, polynomial(e, logf_poly, LOGF_TERMS, f, lanes), f, k_float(e, -0.5f, lanes));
    LLVMValueRef y = fma3(e, LLVMBuildFMul(e->b, f, f, ""), t, fma3(e, n, k_float(e, -LN2F_LOW, lanes), f));
    y = fma3(e, n, k_float(e, LN2F_HIGH, lanes), y);
    LLVMValueRef infinity = k_bits(e, IR_F32, lanes, 0x7f800000u);
    y = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, x, zero, ""), k_bits(e, IR_F32, lanes, 0xff800000u), y, "");
    y = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealULT, x, zero, ""), k_bits(e, IR_F32, lanes, 0x7fffffffu), y, "");
    return LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOEQ, x, infinity, ""), infinity, y, "");
}

struct turned {
    LLVMValueRef n, sine, cosine;                          /* quarter turns, and both of what is left */
};

static struct turned quarter_turns(struct emit *e, LLVMValueRef x, unsigned lanes)
{
    LLVMValueRef magic = k_float(e, ROUND_MAGIC, lanes), a = intrinsic1(e, "llvm.fabs", LLVMTypeOf(x), x);
    LLVMValueRef t = fma3(e, a, k_float(e, TWO_OVER_PIF, lanes), magic), q = LLVMBuildFSub(e->b, t, magic, "");
    LLVMValueRef high = fma3(e, q, k_float(e, -PIO2F_HIGH, lanes), a), middle = LLVMBuildFMul(e->b, q, k_float(e, -PIO2F_MIDDLE, lanes), "");
    LLVMValueRef error = fma3(e, q, k_float(e, -PIO2F_MIDDLE, lanes), LLVMBuildFNeg(e->b, middle, "")), r = LLVMBuildFAdd(e->b, high, middle, "");
    LLVMValueRef lost = LLVMBuildFSub(e->b, middle, LLVMBuildFSub(e->b, r, high, ""), "");
    LLVMValueRef c = fma3(e, q, k_float(e, -PIO2F_LOW, lanes), LLVMBuildFAdd(e->b, lost, error, "")), s = LLVMBuildFMul(e->b, r, r, "");
    LLVMValueRef sine = fma3(e, LLVMBuildFMul(e->b, r, s, ""), polynomial(e, sinf_poly, SINF_TERMS, s, lanes), c);
    LLVMValueRef cosine = fma3(e, s, polynomial(e, cosf_poly, COSF_TERMS, s, lanes), k_float(e, 1, lanes));
    return (struct turned){ cast_to(e, t, ty_int(e, 32, lanes)), LLVMBuildFAdd(e->b, sine, r, ""), cosine };
}

/* Where both are wanted LLVM sees that most of it is the same. */
static LLVMValueRef inline_trig(struct emit *e, LLVMValueRef x, bool sine, unsigned lanes)
{
    struct turned t = quarter_turns(e, x, lanes);
    LLVMTypeRef i32 = ty_int(e, 32, lanes);
    LLVMValueRef one = k_int(e, 32, lanes, 1), odd = LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, t.n, one, ""), LLVMConstNull(i32), "");
    LLVMValueRef y = LLVMBuildSelect(e->b, odd, sine ? t.cosine : t.sine, sine ? t.sine : t.cosine, "");
    LLVMValueRef turns = LLVMBuildShl(e->b, sine ? t.n : LLVMBuildAdd(e->b, t.n, one, ""), k_int(e, 32, lanes, 30), "");
    LLVMValueRef sign = LLVMBuildAnd(e->b, sine ? LLVMBuildXor(e->b, turns, cast_to(e, x, i32), "") : turns, k_int(e, 32, lanes, 0x80000000u), "");
    return cast_to(e, LLVMBuildXor(e->b, cast_to(e, y, i32), sign, ""), LLVMTypeOf(x));
}

LLVMValueRef inline_math(struct emit *e, enum ir_math id, LLVMValueRef *src, unsigned lanes)
{
    switch (id) {
    case IR_MATH_EXPF: return inline_expf(e, src[0], lanes);
    case IR_MATH_EXP2F: return inline_exp2f(e, src[0], lanes);
    case IR_MATH_TANHF: return inline_tanhf(e, src[0], lanes);
    case IR_MATH_LOGF: return inline_logf(e, src[0], lanes);
    case IR_MATH_SINF: return inline_trig(e, src[0], true, lanes);
    case IR_MATH_COSF: return inline_trig(e, src[0], false, lanes);
    default: return NULL;
    }
}
