/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector bodies that are SLEEF's nearly everywhere: a few arguments come out wrong there (overflow declared too early,
 * no reduction of large arguments, lost digits in tiny results), and those lanes are done again one by one.
 * The test that finds them costs a few instructions; the lanes are rare.
 */
#include "jit/mathfix.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/base.h"

/* ---- what the lanes are done again with ---- */

static const long double PI_L = 3.141592653589793238462643383279502884L;

#define AGAIN1(name, expr)                                         \
    static double again_##name(double a, double b HW_UNUSED)       \
    {                                                              \
        return (double)(expr);                                     \
    }
#define AGAIN2(name, expr)                        \
    static double again_##name(double a, double b) \
    {                                             \
        return (double)(expr);                    \
    }

static long double sin_pi(long double x)
{
    long double r = remainderl(x, 2);          /* exact; half turns, -1 to 1 */

    if (fabsl(r) > 0.5L)
        r = copysignl(1, r) - r;
    return fabsl(r) <= 0.25L ? sinl(r * PI_L) : copysignl(cosl((0.5L - fabsl(r)) * PI_L), r);
}

static long double cos_pi(long double x)
{
    long double r = fabsl(remainderl(x, 2));

    return sin_pi(0.5L - r);
}

static long double log_gamma(long double x)
{
    int sign;                                  /* lgammal would write a global variable */

    return lgammal_r(x, &sign);
}

AGAIN1(acosh, acoshl(a))
AGAIN1(asinh, asinhl(a))
AGAIN1(cosh, coshl(a))
AGAIN1(cospi, cos_pi(a))
AGAIN1(exp, expl(a))
AGAIN1(lgamma, log_gamma(a))
AGAIN1(log1p, log1pl(a))
AGAIN1(sinh, sinhl(a))
AGAIN1(sinpi, sin_pi(a))
AGAIN1(tgamma, tgammal(a))
AGAIN2(fmod, fmod(a, b))
AGAIN2(pow, powl(a, b))
AGAIN2(remainder, remainder(a, b))

/* ---- which lanes; true is all ones, of the integer vector type that a comparison gives ---- */

/* (of scalars it gives 0 or 1, so that ~ must not be used here) */
#define FINITE(x) ((x) - (x) == 0)
#define UNBOUNDED(x) ((x) - (x) != 0)
#define WHEN_OVERFLOW1(r, a, b, tiny) (UNBOUNDED(r) & FINITE(a))
#define WHEN_OVERFLOW2(r, a, b, tiny) (UNBOUNDED(r) & FINITE(a) & FINITE(b))
#define WHEN_LARGE(r, a, b, tiny) (((a) > 0x1p20f) | ((a) < -0x1p20f))
#define WHEN_TINY(r, a, b, tiny) (((r) < (tiny)) & ((r) > -(tiny)) & FINITE(a))

/* ---- the wrappers: one for each function and width, and the address of SLEEF's body behind each ---- */

#define CALL1(vec, fn, a, b) ((vec(*)(vec))fn)(a)
#define CALL2(vec, fn, a, b) ((vec(*)(vec, vec))fn)(a, b)
#define PARAMS1(vec) vec a
#define PARAMS2(vec) vec a, vec b
#define SECOND1 a
#define SECOND2 b

#define WRAPPER(vec, scalar, lanes, attr, any, tiny, n_src, id, fixer, when)                          \
    static void *body_##id##_##lanes;                                                                 \
    attr static vec fixed_##id##_##lanes(PARAMS##n_src(vec))                                          \
    {                                                                                                 \
        vec r = CALL##n_src(vec, body_##id##_##lanes, a, b);                                          \
        __auto_type bad = WHEN_##when(r, a, b, tiny);                                                 \
                                                                                                      \
        if (hw_unlikely(any(bad))) {                                                                  \
            for (unsigned i = 0; i < lanes; i++)                                                      \
                if (LANE_##lanes(bad, i))                                                             \
                    LANE_##lanes(r, i) = (scalar)again_##fixer(LANE_##lanes(a, i), LANE_##lanes(SECOND##n_src, i)); \
        }                                                                                             \
        return r;                                                                                     \
    }

#define LANE_1(v, i) (v)
#define LANE_2(v, i) (v)[i]
#define LANE_4(v, i) (v)[i]
#define LANE_8(v, i) (v)[i]
#define LANE_16(v, i) (v)[i]
#define TINY_F32 0x1p-120f
#define TINY_F64 0x1p-1000

#define ANY_1(m) (m)

#if defined(__x86_64__)
typedef float v4f __attribute__((vector_size(16)));
typedef float v8f __attribute__((vector_size(32)));
typedef float v16f __attribute__((vector_size(64)));
typedef double v2d __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef double v8d __attribute__((vector_size(64)));
#define ANY_V4F(m) _mm_movemask_ps((__m128)(m))
#define ANY_V8F(m) _mm256_movemask_ps((__m256)(m))
#define ANY_V16F(m) _mm512_test_epi32_mask((__m512i)(m), (__m512i)(m))
#define ANY_V2D(m) _mm_movemask_pd((__m128d)(m))
#define ANY_V4D(m) _mm256_movemask_pd((__m256d)(m))
#define ANY_V8D(m) _mm512_test_epi64_mask((__m512i)(m), (__m512i)(m))
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))
#define F32(...) WRAPPER(float, float, 1, , ANY_1, TINY_F32, __VA_ARGS__)      \
                 WRAPPER(v4f, float, 4, , ANY_V4F, TINY_F32, __VA_ARGS__)      \
                 WRAPPER(v8f, float, 8, AVX2, ANY_V8F, TINY_F32, __VA_ARGS__)  \
                 WRAPPER(v16f, float, 16, AVX512, ANY_V16F, TINY_F32, __VA_ARGS__)
#define F64(...) WRAPPER(double, double, 1, , ANY_1, TINY_F64, __VA_ARGS__)    \
                 WRAPPER(v2d, double, 2, , ANY_V2D, TINY_F64, __VA_ARGS__)     \
                 WRAPPER(v4d, double, 4, AVX2, ANY_V4D, TINY_F64, __VA_ARGS__) \
                 WRAPPER(v8d, double, 8, AVX512, ANY_V8D, TINY_F64, __VA_ARGS__)
#else
#define F32(...) WRAPPER(float, float, 1, , ANY_1, TINY_F32, __VA_ARGS__)
#define F64(...) WRAPPER(double, double, 1, , ANY_1, TINY_F64, __VA_ARGS__)
#endif

/* ORDER fix: every SLEEF_FIXED row of ir/math.def has a line here; a missing one is found by math_accuracy. */
#define FIXES                             \
    F32(1, ACOSHF, acosh, OVERFLOW1)      \
    F64(1, ACOSH, acosh, OVERFLOW1)       \
    F32(1, ASINHF, asinh, OVERFLOW1)      \
    F64(1, ASINH, asinh, OVERFLOW1)       \
    F32(1, COSHF, cosh, OVERFLOW1)        \
    F64(1, COSH, cosh, OVERFLOW1)         \
    F32(1, COSPIF, cospi, LARGE)          \
    F64(1, COSPI, cospi, LARGE)           \
    F64(1, EXP, exp, OVERFLOW1)           \
    F32(2, FMODF, fmod, OVERFLOW2)        \
    F64(2, FMOD, fmod, OVERFLOW2)         \
    F32(1, LGAMMAF, lgamma, OVERFLOW1)    \
    F32(1, LOG1PF, log1p, OVERFLOW1)      \
    F64(1, LOG1P, log1p, OVERFLOW1)       \
    F64(2, POW, pow, OVERFLOW2)           \
    F32(2, REMAINDERF, remainder, OVERFLOW2) \
    F64(2, REMAINDER, remainder, OVERFLOW2) \
    F32(1, SINHF, sinh, OVERFLOW1)        \
    F64(1, SINH, sinh, OVERFLOW1)         \
    F32(1, SINPIF, sinpi, LARGE)          \
    F64(1, SINPI, sinpi, LARGE)           \
    F32(1, TGAMMAF, tgamma, TINY)         \
    F64(1, TGAMMA, tgamma, TINY)

FIXES

#undef F32
#undef F64
#define ENTRY(lanes, id) { IR_MATH_##id, lanes, (void *)fixed_##id##_##lanes, &body_##id##_##lanes },
#if defined(__x86_64__)
#define F32(n_src, id, fixer, when) ENTRY(1, id) ENTRY(4, id) ENTRY(8, id) ENTRY(16, id)
#define F64(n_src, id, fixer, when) ENTRY(1, id) ENTRY(2, id) ENTRY(4, id) ENTRY(8, id)
#else
#define F32(n_src, id, fixer, when) ENTRY(1, id)
#define F64(n_src, id, fixer, when) ENTRY(1, id)
#endif
static const struct {
    enum ir_math id;
    unsigned lanes;
    void *wrapper;
    void **body;
} wrappers[] = { FIXES };

void *mathfix_wrap(enum ir_math id, unsigned lanes, void *body)
{
    for (unsigned i = 0; body && i < HW_LEN(wrappers); i++) {
        if (wrappers[i].id == id && wrappers[i].lanes == lanes) {
            /* Everyone who gets here stores the same address. */
            __atomic_store_n(wrappers[i].body, body, __ATOMIC_RELEASE);
            return wrappers[i].wrapper;
        }
    }
    return NULL;
}
