/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The approximate instructions. Division and square root are the CPU's own, exactly rounded: on current cores hardly
 * slower than an estimate with a Newton step; not so the reciprocal square root. The others are those of the math library, more exact than a GPU's.
 */
#include "jit/emit.h"
#include "jit/math/math.h"
#include "jit/code/target.h"

static LLVMValueRef library(struct emit *e, enum ir_math id, LLVMValueRef a, unsigned lanes)
{
    struct ir_inst call = { .op = IR_MATH, .type = IR_F32, .imm = id, .n_src = 1 };
    return math_value(e, &call, &a, lanes, 0);
}

/* A GPU multiplies by the reciprocal, which is 0 for divisors past 2^126: so is the quotient, or NaN for an infinite dividend. */
static LLVMValueRef divide(struct emit *e, LLVMValueRef a, LLVMValueRef b, unsigned lanes)
{
    LLVMTypeRef f = ty(e, IR_F32, lanes);
    LLVMValueRef sign = cast_to(e, LLVMBuildAnd(e->b, cast_to(e, b, ty_int(e, 32, lanes)), k_int(e, 32, lanes, 0x80000000u), ""), f);
    LLVMValueRef large = LLVMBuildFCmp(e->b, LLVMRealOGT, intrinsic1(e, "llvm.fabs", f, b), k_bits(e, IR_F32, lanes, 0x7e800000u), "");
    return LLVMBuildSelect(e->b, large, LLVMBuildFMul(e->b, a, sign, ""), LLVMBuildFDiv(e->b, a, b, ""), "");
}

/* y / 2 where it is neither small nor infinite; for others any factor of the same sign or 0 will do. Takes the exponent down by one: integers leave the
   units that multiply free, of which this code is short (saturating words, the shorter way, run in those), unless they are the same. */
static LLVMValueRef half_of(struct emit *e, LLVMValueRef y, unsigned lanes)
{
    if (target_shares_units())
        return LLVMBuildFMul(e->b, y, k_bits(e, IR_F32, lanes, 0x3f000000u), "");
    LLVMTypeRef words = ty_int(e, 32, lanes);
    LLVMValueRef down = LLVMBuildSub(e->b, cast_to(e, y, words), k_int(e, 32, lanes, 0x00800000u), "");
    return cast_to(e, intrinsic2(e, "llvm.smax", words, down, LLVMConstNull(words)), LLVMTypeOf(y));
}

/*
 * The CPU's estimate and a Newton step, 2^-23.3 at worst (an H200: 2^-23.08), take a third of the time of square root and division. Of 0,
 * infinity and NaN the estimate is the answer, and stays it. A narrow build on such a CPU, made for comparison, asks lane by lane.
 */
static LLVMValueRef reciprocal_root(struct emit *e, LLVMValueRef x, unsigned lanes, unsigned chunk)
{
    LLVMTypeRef t = ty(e, IR_F32, lanes), f32 = ty_scalar(e, IR_F32);
    if (!target_has_wide(1))
        return LLVMBuildFDiv(e->b, k_bits(e, IR_F32, lanes, 0x3f800000u), intrinsic1(e, "llvm.sqrt", t, x), "");
    if (!x86_wide(e, lanes))
        return lane_calls(e, "hw_rsqrt14_step", f32, &x, &f32, 1, lanes, chunk);
    LLVMValueRef y = x86_rsqrt14(e, x, lanes), some = k_bits(e, IR_F32, lanes, 0x3c000000u);
    LLVMValueRef r = intrinsic3(e, "llvm.fma", t, LLVMBuildFNeg(e->b, LLVMBuildFMul(e->b, x, y, ""), ""), y, k_bits(e, IR_F32, lanes, 0x3f800000u));
    r = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, r, some, ""), r, some, "");       /* NaN at the ends: any positive number will do */
    return intrinsic3(e, "llvm.fma", t, half_of(e, y, lanes), r, y);
}

LLVMValueRef approx_value(struct emit *e, const struct ir_inst *i, LLVMValueRef *src, unsigned lanes, unsigned chunk)
{
    if (i->op < IR_RCP_A || i->op > IR_TANH_A)
        return NULL;
    LLVMTypeRef ft = ty(e, i->type, lanes);
    bool ftz = (i->flags & IR_FTZ) && i->type == IR_F32;
    LLVMValueRef a = ftz ? flush(e, src[0], i->type, lanes) : src[0], v = NULL;
    LLVMValueRef one = k_bits(e, i->type, lanes, i->type == IR_F64 ? 0x3ff0000000000000u : 0x3f800000u);
    switch (i->op) {
    case IR_RCP_A: v = LLVMBuildFDiv(e->b, one, a, ""); break;
    case IR_DIV_A: v = divide(e, a, ftz ? flush(e, src[1], i->type, lanes) : src[1], lanes); break;
    case IR_SQRT_A: v = intrinsic1(e, "llvm.sqrt", ft, a); break;
    case IR_RSQRT_A: 
        v = i->type == IR_F32 ? reciprocal_root(e, a, lanes, chunk) : LLVMBuildFDiv(e->b, one, intrinsic1(e, "llvm.sqrt", ft, a), "");
        break;
    case IR_SIN_A: v = library(e, IR_MATH_SINF, a, lanes); break;
    case IR_COS_A: v = library(e, IR_MATH_COSF, a, lanes); break;
    case IR_EX2_A: return ftz ? inline_exp2f_normal(e, src[0], lanes) : library(e, IR_MATH_EXP2F, a, lanes);
    case IR_LG2_A: v = library(e, IR_MATH_LOG2F, a, lanes); break;
    case IR_TANH_A: v = library(e, IR_MATH_TANHF, a, lanes); break;
    default: return NULL;
    }
    return ftz ? flush(e, v, i->type, lanes) : v;
}
