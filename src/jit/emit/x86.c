/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of AVX-512 that LLVM has no portable spelling for. Callers ask x86_wide() first and have another way, with the
 * same result bit for bit, for CPUs and builds that lack them.
 */
#include "jit/emit.h"
#include "jit/code/target.h"
#include "jit/emit/x86.h"

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

/* x * 2^n, rounded once; 0 where mask (or NULL: all) is off */
LLVMValueRef x86_scale(struct emit *e, LLVMValueRef x, LLVMValueRef n, LLVMValueRef mask, unsigned lanes)
{
    LLVMValueRef r = to_register(e, x, lanes), args[5] = { r, to_register(e, n, lanes), LLVMConstNull(LLVMTypeOf(r)) };
    if (!mask || lanes != 16) {
        LLVMValueRef v = wide(e, "mask.scalef.ps", args, 3, true, lanes);
        return mask ? LLVMBuildSelect(e->b, mask, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
    }
    args[3] = LLVMBuildBitCast(e->b, mask, ty_int(e, 16, 1), "");
    args[4] = k_int(e, 32, 1, CURRENT_ROUNDING);
    return intrinsic(e, "llvm.x86.avx512.mask.scalef.ps.512", NULL, 0, args, 5);
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

/* How an instruction names a rounding mode, and that it is to raise nothing. */
static LLVMValueRef mode(struct emit *e, enum ir_rnd rnd)
{
    enum { QUIET = 8 };
    return k_int(e, 32, 1, QUIET | (rnd == IR_RM ? 1 : rnd == IR_RP ? 2 : rnd == IR_RZ ? 3 : 0));
}

/* a + b and so on, in a rounding mode: what is add, sub, mul, div, fma or sqrt. NULL: not here. */
LLVMValueRef x86_rounded(struct emit *e, const char *what, LLVMValueRef *src, unsigned n, enum ir_rnd rnd, unsigned lanes)
{
    if (!x86_wide(e, lanes) || lanes != 16)
        return NULL;
    bool doubles = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(src[0]))) == LLVMDoubleTypeKind;
    char name[48];
    snprintf(name, sizeof name, "llvm.x86.avx512.%s.%s.512", strcmp(what, "fma") ? what : "vfmadd", doubles ? "pd" : "ps");
    LLVMValueRef part[2], args[4];
    for (unsigned p = 0; p < 1u + doubles; p++) {
        for (unsigned k = 0; k < n; k++)
            args[k] = doubles ? lanes_slice(e, src[k], p * 8, 8) : src[k];
        args[n] = mode(e, rnd);
        part[p] = intrinsic(e, name, NULL, 0, args, n + 1);
    }
    return doubles ? lanes_join(e, part[0], part[1], 8) : part[0];
}

/* Integers of 32 and 64 bits, and doubles, as floats of type `to`, in a rounding mode. NULL: not here. */
LLVMValueRef x86_convert_rounded(struct emit *e, LLVMValueRef v, bool is_signed, LLVMTypeRef to, enum ir_rnd rnd, unsigned lanes)
{
    if (!x86_wide(e, lanes) || lanes != 16)
        return NULL;
    LLVMTypeRef from = LLVMGetElementType(LLVMTypeOf(v)), element = LLVMGetElementType(to);
    bool integer = LLVMGetTypeKind(from) == LLVMIntegerTypeKind, whole = integer && LLVMGetIntTypeWidth(from) == 32 && LLVMGetTypeKind(element) == LLVMFloatTypeKind;
    LLVMValueRef part[2];
    if (whole) {
        LLVMTypeRef types[] = { to, LLVMTypeOf(v) };
        LLVMValueRef args[] = { v, mode(e, rnd) };
        return intrinsic(e, is_signed ? "llvm.x86.avx512.sitofp.round" : "llvm.x86.avx512.uitofp.round", types, 2, args, 2);
    }
    for (unsigned p = 0; p < 2; p++) {
        LLVMValueRef x = lanes_slice(e, v, p * 8, 8);
        LLVMTypeRef eight = LLVMVectorType(element, 8), types[] = { eight, LLVMTypeOf(x) };
        LLVMValueRef ints[] = { x, mode(e, rnd) }, floats[] = { x, LLVMConstNull(eight), LLVMConstAllOnes(ty_int(e, 8, 1)), mode(e, rnd) };
        part[p] = integer ? intrinsic(e, is_signed ? "llvm.x86.avx512.sitofp.round" : "llvm.x86.avx512.uitofp.round", types, 2, ints, 2)
                          : intrinsic(e, "llvm.x86.avx512.mask.cvtpd2ps.512", NULL, 0, floats, 4);
    }
    return lanes_join(e, part[0], part[1], 8);
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

bool x86_narrow(const struct emit *e)
{
#if defined(__x86_64__)
    return e->W == 8 && target_best_width() >= 8;
#else
    (void)e;
    return false;
#endif
}

bool x86_compresses(const struct emit *e) { return x86_narrow(e) || (e->W == 16 && x86_wide(e, e->W)); }

/* 256 rows of 8 bytes: the lanes of a mask, front to back. */
static LLVMValueRef lanes_of_masks(struct emit *e)
{
    static const char name[] = "hw_lanes_of_masks";
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    LLVMValueRef table = LLVMGetNamedGlobal(e->mod, name), rows[256];
    if (table)
        return table;
    for (unsigned m = 0; m < 256; m++) {
        uint64_t row = 0;
        for (unsigned l = 0, n = 0; l < 8; l++)
            if (m >> l & 1)
                row |= (uint64_t)l << 8 * n++;
        rows[m] = LLVMConstInt(i64, row, false);
    }
    table = LLVMAddGlobal(e->mod, LLVMArrayType2(i64, 256), name);
    LLVMSetInitializer(table, LLVMConstArray2(i64, rows, 256));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return table;
}

/* AVX2 permutes by a vector of places, but makes none of a mask: a table does. What is behind the lanes that are on is the first lane's. */
static LLVMValueRef compress_by_table(struct emit *e, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMValueRef m = mask_bits(e, mask), row = LLVMBuildGEP2(e->b, ty_int(e, 64, 1), lanes_of_masks(e), &m, 1, "");
    LLVMValueRef places = LLVMBuildBitCast(e->b, LLVMBuildLoad2(e->b, ty_int(e, 64, 1), row, ""), ty_int(e, 8, 8), "");
    LLVMValueRef args[] = { cast_to(e, v, ty_int(e, 32, 8)), LLVMBuildZExt(e->b, places, ty_int(e, 32, 8), "") };
    return cast_to(e, intrinsic(e, "llvm.x86.avx2.permd", NULL, 0, args, 2), LLVMTypeOf(v));
}

LLVMValueRef x86_compress(struct emit *e, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (e->W == 8)
        return compress_by_table(e, v, mask);
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

/* Of one register: n lanes of `bits` each, with as many indices of 32 or 64 bits. */
static LLVMValueRef gather_part(struct emit *e, uint8_t space, unsigned bits, unsigned n, const struct lane_places *p, LLVMValueRef mask)
{
    char name[48];
    bool far = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(p->at))) == 64;
    LLVMTypeRef t = ty_int(e, bits, n);
    snprintf(name, sizeof name, "llvm.x86.avx2.gather.%c.%c.256", far ? 'q' : 'd', bits == 64 ? 'q' : 'd');
    LLVMValueRef args[] = { LLVMConstNull(t), p->base, p->at, LLVMBuildSExt(e->b, mask, t, ""), k_int(e, 8, 1, p->scale) };
    LLVMValueRef v = intrinsic(e, name, NULL, 0, args, 5);
    return space == IR_GENERIC ? v : tag_memory(e, v, space_tag(space));
}

/* Elements of 4 or 8 bytes for 8 lanes, from a base; those that are off get zero. LLVM would make a branch for each lane (8 words: 3.7 ns on a Zen 3, as
   many loads 3.2). */
LLVMValueRef x86_gather_narrow(struct emit *e, LLVMTypeRef type, uint8_t space, const struct lane_places *p, LLVMValueRef mask)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
    unsigned bits = kind == LLVMFloatTypeKind ? 32 : kind == LLVMDoubleTypeKind ? 64 : LLVMGetIntTypeWidth(LLVMGetElementType(type));
    if (bits == 32 && LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(p->at))) == 32)
        return cast_to(e, gather_part(e, space, bits, 8, p, mask), type);
    LLVMValueRef part[2];
    for (unsigned k = 0; k < 2; k++) {
        struct lane_places half = { lanes_slice(e, p->at, 4 * k, 4), p->base, p->scale };
        part[k] = gather_part(e, space, bits, 4, &half, lanes_slice(e, mask, 4 * k, 4));
    }
    return cast_to(e, lanes_join(e, part[0], part[1], 4), type);
}
