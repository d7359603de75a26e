/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector bodies that are SLEEF's nearly everywhere: a few arguments come out wrong there (overflow declared too early,
 * no reduction of large arguments, lost digits in tiny results), and those lanes are done again one by one.
 * The test that finds them costs a few instructions; the lanes are rare.
 *
 * This file is compiled once for each vector size, MATHFIX_BITS 0 (scalars), 128, 256 and 512, with the compiler options for that
 * size: clang passes vectors in registers only when the whole file may use them, an attribute on the function is not enough.
 */
#include "jit/math/mathfix.h"

#include <math.h>

#if MATHFIX_BITS
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

/* ---- the vectors of this compilation ---- */

#if MATHFIX_BITS
typedef float vec_f32 __attribute__((vector_size(MATHFIX_BITS / 8)));
typedef double vec_f64 __attribute__((vector_size(MATHFIX_BITS / 8)));
#define LANE(v, i) (v)[i]
#else
typedef float vec_f32;
typedef double vec_f64;
#define LANE(v, i) (v)
#endif
enum { LANES_F32 = sizeof(vec_f32) / sizeof(float), LANES_F64 = sizeof(vec_f64) / sizeof(double) };

#if MATHFIX_BITS == 0
#define ANY_F32(m) (m)
#define ANY_F64(m) (m)
#elif MATHFIX_BITS == 128
#define ANY_F32(m) _mm_movemask_ps((__m128)(m))
#define ANY_F64(m) _mm_movemask_pd((__m128d)(m))
#elif MATHFIX_BITS == 256
#define ANY_F32(m) _mm256_movemask_ps((__m256)(m))
#define ANY_F64(m) _mm256_movemask_pd((__m256d)(m))
#else
#define ANY_F32(m) _mm512_test_epi32_mask((__m512i)(m), (__m512i)(m))
#define ANY_F64(m) _mm512_test_epi64_mask((__m512i)(m), (__m512i)(m))
#endif

/* ---- which lanes; true is all ones, of the integer vector type that a comparison gives ---- */

/* (of scalars it gives 0 or 1, so that ~ must not be used here) */
#define FINITE(x) ((x) - (x) == 0)
#define UNBOUNDED(x) ((x) - (x) != 0)
#define WHEN_OVERFLOW1(r, a, b, tiny) (UNBOUNDED(r) & FINITE(a))
#define WHEN_OVERFLOW2(r, a, b, tiny) (UNBOUNDED(r) & FINITE(a) & FINITE(b))
#define WHEN_LARGE(r, a, b, tiny) (((a) > 0x1p20f) | ((a) < -0x1p20f))
#define WHEN_TINY(r, a, b, tiny) (((r) < (tiny)) & ((r) > -(tiny)) & FINITE(a))
#define TINY_F32 0x1p-120f
#define TINY_F64 0x1p-1000

/* ---- the wrappers, and the address of SLEEF's body behind each ---- */

#define CALL1(vec, fn, a, b) ((vec(*)(vec))fn)(a)
#define CALL2(vec, fn, a, b) ((vec(*)(vec, vec))fn)(a, b)
#define PARAMS1(vec) vec a
#define PARAMS2(vec) vec a, vec b
#define SECOND1 a
#define SECOND2 b

#define WRAPPER(type, scalar, n_src, id, fixer, when)                                                       \
    static void *body_##id;                                                                                 \
    static vec_##type fixed_##id(PARAMS##n_src(vec_##type))                                                 \
    {                                                                                                       \
        vec_##type r = CALL##n_src(vec_##type, body_##id, a, b);                                            \
        __auto_type bad = WHEN_##when(r, a, b, TINY_##type);                                                \
                                                                                                            \
        if (hw_unlikely(ANY_##type(bad))) {                                                                 \
            for (unsigned i = 0; i < LANES_##type; i++)                                                     \
                if (LANE(bad, i))                                                                           \
                    LANE(r, i) = (scalar)again_##fixer(LANE(a, i), LANE(SECOND##n_src, i));                 \
        }                                                                                                   \
        return r;                                                                                           \
    }
#define vec_F32 vec_f32
#define vec_F64 vec_f64

/* ORDER fix: every SLEEF_FIXED row of ir/math.def has a line here; a missing one is found by math_accuracy. */
#define FIXES(F32, F64)                      \
    F32(1, ACOSHF, acosh, OVERFLOW1)         \
    F64(1, ACOSH, acosh, OVERFLOW1)          \
    F32(1, ASINHF, asinh, OVERFLOW1)         \
    F64(1, ASINH, asinh, OVERFLOW1)          \
    F32(1, COSHF, cosh, OVERFLOW1)           \
    F64(1, COSH, cosh, OVERFLOW1)            \
    F32(1, COSPIF, cospi, LARGE)             \
    F64(1, COSPI, cospi, LARGE)              \
    F64(1, EXP, exp, OVERFLOW1)              \
    F32(2, FMODF, fmod, OVERFLOW2)           \
    F64(2, FMOD, fmod, OVERFLOW2)            \
    F32(1, LGAMMAF, lgamma, OVERFLOW1)       \
    F32(1, LOG1PF, log1p, OVERFLOW1)         \
    F64(1, LOG1P, log1p, OVERFLOW1)          \
    F64(2, POW, pow, OVERFLOW2)              \
    F32(2, REMAINDERF, remainder, OVERFLOW2) \
    F64(2, REMAINDER, remainder, OVERFLOW2)  \
    F32(1, SINHF, sinh, OVERFLOW1)           \
    F64(1, SINH, sinh, OVERFLOW1)            \
    F32(1, SINPIF, sinpi, LARGE)             \
    F64(1, SINPI, sinpi, LARGE)              \
    F32(1, TGAMMAF, tgamma, TINY)            \
    F64(1, TGAMMA, tgamma, TINY)

#define WRAP_F32(n_src, id, fixer, when) WRAPPER(F32, float, n_src, id, fixer, when)
#define WRAP_F64(n_src, id, fixer, when) WRAPPER(F64, double, n_src, id, fixer, when)
FIXES(WRAP_F32, WRAP_F64)

#define ENTRY(n_src, id, fixer, when) { IR_MATH_##id, (void *)fixed_##id, &body_##id },
static const struct {
    enum ir_math id;
    void *wrapper;
    void **body;
} wrappers[] = { FIXES(ENTRY, ENTRY) };

static void *wrap(enum ir_math id, void *body)
{
    for (unsigned i = 0; body && i < HW_LEN(wrappers); i++) {
        if (wrappers[i].id == id) {
            /* Everyone who gets here stores the same address. */
            __atomic_store_n(wrappers[i].body, body, __ATOMIC_RELEASE);
            return wrappers[i].wrapper;
        }
    }
    return NULL;
}

/* ---- calling a body on arrays ---- */

#define APPLY(vec)                                                                    \
    do {                                                                              \
        vec x, y, r;                                                                  \
                                                                                      \
        memcpy(&x, a, sizeof x);                                                      \
        memcpy(&y, b ? b : a, sizeof y);                                              \
        r = b ? CALL2(vec, body, x, y) : CALL1(vec, body, x, y);                      \
        memcpy(out, &r, sizeof r);                                                    \
    } while (0)

static void apply_f32(void *body, const void *a, const void *b, void *out)
{
    APPLY(vec_f32);
}

static void apply_f64(void *body, const void *a, const void *b, void *out)
{
    APPLY(vec_f64);
}

#define TABLE_(bits) mathfix_##bits
#define TABLE(bits) TABLE_(bits)
const struct mathfix TABLE(MATHFIX_BITS) = { wrap, apply_f32, apply_f64 };
