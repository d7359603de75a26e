/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of AVX-512 that LLVM has no portable spelling for. Callers ask x86_wide() first and have another way, with the
 * same result bit for bit, for CPUs and builds that lack them.
 */
#include "jit/emit.h"
#include "jit/target.h"
#include "jit/x86.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { CURRENT_ROUNDING = 4 };

#if defined(__x86_64__)
/* What approx.c writes into the code of wide builds, for one number. */
__attribute__((target("avx512f,avx512vl,fma"))) static float hw_rsqrt14_step(float x)
{
    float y = _mm_cvtss_f32(_mm_rsqrt14_ps(_mm_set_ss(x))), r = __builtin_fmaf(-(x * y), y, 1.0f);
    return __builtin_fmaf(y * 0.5f, r < 0x1p-7f ? r : 0x1p-7f, y);
}
#endif

void *x86_address(const char *symbol)
{
#if defined(__x86_64__)
    if (strcmp(symbol, "hw_rsqrt14_step") == 0)
        return (void *)(uintptr_t)hw_rsqrt14_step;
#endif
    (void)symbol;
    return NULL;
}

bool x86_wide(const struct emit *e, unsigned lanes)
{
    return target_has_wide(e->W) && (lanes == 1 || lanes == 4 || lanes == 8 || lanes == 16);
}

static unsigned register_lanes(unsigned lanes) { return lanes == 1 ? 4 : lanes; }

/* A scalar travels in the first lane of a register. */
static LLVMValueRef to_register(struct emit *e, LLVMValueRef v, unsigned lanes)
{
    return lanes > 1 ? v : LLVMBuildInsertElement(e->b, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(v), 4)), v, k_int(e, 32, 1, 0), "");
}

static LLVMValueRef from_register(struct emit *e, LLVMValueRef v, unsigned lanes)
{
    return lanes > 1 ? v : LLVMBuildExtractElement(e->b, v, k_int(e, 32, 1, 0), "");
}

/* name.512(args..., mask, rounding) or name.128(args..., mask): all lanes. */
static LLVMValueRef wide(struct emit *e, const char *name, LLVMValueRef *args, unsigned n, bool rounds, unsigned lanes)
{
    char full[64];
    unsigned regs = register_lanes(lanes);
    snprintf(full, sizeof full, "llvm.x86.avx512.%s.%u", name, regs * 32);
    args[n++] = LLVMConstAllOnes(ty_int(e, regs == 16 ? 16 : 8, 1));
    if (rounds && regs == 16)
        args[n++] = k_int(e, 32, 1, CURRENT_ROUNDING);
    return from_register(e, intrinsic(e, full, NULL, 0, args, n), lanes);
}

/* 1 / sqrt(x) to 14 bits */
LLVMValueRef x86_rsqrt14(struct emit *e, LLVMValueRef x, unsigned lanes)
{
    LLVMValueRef r = to_register(e, x, lanes), args[4] = { r, LLVMConstNull(LLVMTypeOf(r)) };
    return wide(e, "rsqrt14.ps", args, 2, false, lanes);
}

/* x * 2^n, rounded once */
LLVMValueRef x86_scale(struct emit *e, LLVMValueRef x, LLVMValueRef n, unsigned lanes)
{
    LLVMValueRef r = to_register(e, x, lanes), args[5] = { r, to_register(e, n, lanes), LLVMConstNull(LLVMTypeOf(r)) };
    return wide(e, "mask.scalef.ps", args, 3, true, lanes);
}

/* The smaller or larger number, -0 below +0; of a number and a quiet NaN the number. */
LLVMValueRef x86_range(struct emit *e, LLVMValueRef a, LLVMValueRef b, bool min, unsigned lanes)
{
    enum { MIN = 4, MAX = 5 };                            /* with the sign of what is picked */
    LLVMValueRef r = to_register(e, a, lanes);
    LLVMValueRef args[6] = { r, to_register(e, b, lanes), k_int(e, 32, 1, min ? MIN : MAX), LLVMConstNull(LLVMTypeOf(r)) };
    return wide(e, "mask.range.ps", args, 4, true, lanes);
}

/* A signalling NaN made quiet, everything else as it is. */
LLVMValueRef x86_quiet(struct emit *e, LLVMValueRef a, unsigned lanes)
{
    enum { SIGNALLING_BECOMES_QUIET = 2 << 4 };           /* a table of answers, four bits for each kind of number */
    LLVMValueRef r = to_register(e, a, lanes);
    LLVMValueRef args[6] = { r, r, k_int(e, 32, register_lanes(lanes), SIGNALLING_BECOMES_QUIET), k_int(e, 32, 1, 0) };
    return wide(e, "mask.fixupimm.ps", args, 4, true, lanes);
}

/* Lane l is word from[l] of a and b together. */
LLVMValueRef x86_permute2(struct emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef from)
{
    LLVMValueRef args[] = { a, from, b };
    return intrinsic(e, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
}

/* The words of the lanes that are on, front to back. */
LLVMValueRef x86_expand(struct emit *e, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef args[] = { v, LLVMConstNull(t), mask };
    return intrinsic(e, "llvm.x86.avx512.mask.expand", &t, 1, args, 3);
}

LLVMValueRef x86_compress(struct emit *e, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef args[] = { v, LLVMConstNull(t), mask };
    return intrinsic(e, "llvm.x86.avx512.mask.compress", &t, 1, args, 3);
}

/* 16 words at base + index * scale; lanes that are off get zero. type: of floats or integers. */
LLVMValueRef x86_gather(struct emit *e, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef index, LLVMValueRef mask, unsigned scale)
{
    bool floats = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMFloatTypeKind;
    LLVMValueRef args[] = { LLVMConstNull(type), base, index, mask, k_int(e, 32, 1, scale) };
    return intrinsic(e, floats ? "llvm.x86.avx512.mask.gather.dps.512" : "llvm.x86.avx512.mask.gather.dpi.512", NULL, 0, args, 5);
}

LLVMValueRef x86_scatter(struct emit *e, LLVMValueRef v, LLVMValueRef base, LLVMValueRef index, LLVMValueRef mask, unsigned scale)
{
    bool floats = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == LLVMFloatTypeKind;
    LLVMValueRef args[] = { base, mask, index, v, k_int(e, 32, 1, scale) };
    return intrinsic(e, floats ? "llvm.x86.avx512.mask.scatter.dps.512" : "llvm.x86.avx512.mask.scatter.dpi.512", NULL, 0, args, 5);
}
