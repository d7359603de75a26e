/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References for math_accuracy: libm's long double functions where they exist, otherwise formulas that share nothing
 * with jit/math/mathlib.c (series in __float128, continued fractions, bisection).
 */
#define _GNU_SOURCE                            /* exp10l */
#include "math_reference.h"

#include <math.h>

typedef long double ld;
typedef __float128 quad;

static const ld PI = 3.141592653589793238462643383279502884L;
static const ld SQRT_PI = 1.772453850905516027298167483341145183L;
static const ld EULER = 0.577215664901532860606512090082402431L;

#define REF1(id, expr) static ld ref_##id(const double *a) { ld x = a[0]; return expr; }
#define REF2(id, expr) static ld ref_##id(const double *a) { ld x = a[0], y = a[1]; return expr; }

static ld lgamma_of(ld x)
{
    int sign;

    return lgammal_r(x, &sign);
}

/* CUDA's nextafter goes from the first argument towards the second, as C's. */
static ld nextafter_f32(const double *a)
{
    return nextafterf((float)a[0], (float)a[1]);
}

static ld nextafter_f64(const double *a)
{
    return nextafter(a[0], a[1]);
}

/* sin(pi x) (odd = true) or cos(pi x), reduced exactly to an eighth of a turn. */
static ld trig_pi(ld x, bool odd)
{
    ld r;
    int q;

    if (!isfinite(x))
        return NAN;
    r = fmodl(fabsl(x), 2);                    /* half turns */
    q = (int)floorl(r * 2 + 0.5L);             /* nearest quarter turn, 0 to 4 */
    r -= q * 0.5L;
    ld s = sinl(PI * r), c = cosl(PI * r);
    if (odd) {
        ld v = (ld[]){ s, c, -s, -c }[q & 3];
        return x < 0 ? -v : v;
    }
    return (ld[]){ c, -s, -c, s }[q & 3];
}

/* erfc(x) exp(x^2) for x >= 0: Taylor in __float128 below 2, Lentz's continued fraction above. */
static ld erfcx_plus(ld x)
{
    if (x < 2) {
        quad term = x, sum = x, q = (quad)x * x;

        for (int k = 1; k < 120; k++) {        /* erf(x) = 2/sqrt(pi) exp(-x^2) sum 2^k x^(2k+1) / (2k+1)!! */
            term *= 2 * q / (2 * k + 1);
            sum += term;
        }
        return expl(x * x) - 2 / SQRT_PI * (ld)sum;
    }
    ld f = 0;
    for (int k = 400; k >= 1; k--)
        f = k / 2.0L / (x + f);
    return 1 / (SQRT_PI * (x + f));
}

static ld erfcx_any(ld x)
{
    if (isnan(x))
        return x;
    return x >= 0 ? erfcx_plus(x) : 2 * expl(x * x) - erfcx_plus(-x);
}

/* Erf for small x keeps all digits; the tail comes from erfcx. */
static ld erf_small(ld x)
{
    quad term = x, sum = x, q = (quad)x * x;

    for (int k = 1; k < 120; k++) {
        term *= 2 * q / (2 * k + 1);
        sum += term;
    }
    return 2 / SQRT_PI * (ld)sum * expl(-x * x);
}

static ld erfc_tail(ld x)
{
    return erfcx_plus(x) * expl(-x * x);
}

/* x with erf(x) = p = 1 - q by bisection. */
static ld erf_inverse(ld p, ld q)
{
    ld lo = 0, hi = 28;

    if (isnan(p) || q < 0 || q > 2)
        return NAN;
    if (p == 0)
        return 0;
    if (p < 0)
        return -erf_inverse(-p, 2 - q);
    if (q == 0)
        return INFINITY;
    for (int i = 0; i < 20000 && lo < hi; i++) {
        ld mid = lo > 0 && hi / lo > 4 ? sqrtl(lo * hi) : lo + (hi - lo) / 2;
        bool high;

        if (mid == lo || mid == hi)
            break;
        if (lo == 0 && mid > 1e-310L)
            mid = hi * 0.001L;
        high = mid < 1 && p < 0.85L ? erf_small(mid) > p : erfc_tail(mid) < q;
        *(high ? &hi : &lo) = mid;
    }
    return lo + (hi - lo) / 2;
}

static ld ref_NORMCDF(const double *a)
{
    ld x = a[0];

    if (isnan(x))
        return x;
    if (isinf(x))
        return x > 0;
    ld t = fabsl(x) * 0.707106781186547524400844362104849039L;
    ld tail = 0.5L * erfcx_plus(t) * expl(-(ld)((quad)x * x / 2));
    return x < 0 ? tail : 1 - tail;
}

/* I_n(x): trapezoidal sum of (1/pi) integral exp(x cos t) cos(n t), which converges faster than any power; series when small. */
static ld bessel_i(int n, ld x)
{
    ld ax = fabsl(x), sum = 0;
    const int steps = 400;

    if (!isfinite(x))
        return isnan(x) ? x : n ? x : INFINITY;
    if (ax < 1) {
        quad term = n ? (quad)x / 2 : 1, s = term;

        for (int k = 1; k < 40; k++) {
            term *= (quad)x * x / 4 / (k * (k + n));
            s += term;
        }
        return (ld)s;
    }
    for (int i = 0; i <= steps; i++) {
        ld t = PI * i / steps, w = i == 0 || i == steps ? 0.5L : 1;

        sum += w * expl(ax * (cosl(t) - 1)) * (n ? cosl(t) : 1);
    }
    return copysignl(1, n ? x : 1) * sum / steps * expl(ax);
}

/* J_n for |x| < 8 from its series; beyond, libm's double function is exact enough for the bound there. */
static ld bessel_j(int n, ld x)
{
    quad term = 1, sum;

    if (!(fabsl(x) < 8))
        return jn(n, (double)x);
    for (int k = 1; k <= n; k++)
        term *= (quad)x / 2 / k;
    sum = term;
    for (int k = 1; k < 80; k++) {
        term *= -(quad)x * x / 4 / ((quad)k * (k + n));
        sum += term;
    }
    return (ld)sum;
}

/* Y_0 and Y_1 for 0 < x < 8 from their series. */
static ld bessel_y01(int n, ld x)
{
    quad q = (quad)x * x / 4, term = n ? (quad)x / 2 : 1, harmonic = 0, sum = n ? term : 0;

    if (!(x > 0))
        return x == 0 ? -INFINITY : NAN;
    if (!(x < 8))
        return n ? y1((double)x) : y0((double)x);
    for (int k = 1; k < 80; k++) {             /* sum (-1)^k (H_k + H_(k+n)) (x/2)^(2k+n) / (k! (k+n)!) */
        term *= -q / ((quad)k * (k + n));
        harmonic += (quad)1 / k;
        sum += term * (2 * harmonic + (n ? (quad)1 / (k + 1) : 0));
    }
    quad y = 2 * (logl(x / 2) + (quad)EULER) * (quad)bessel_j(n, x) - sum - (n ? 2 / (quad)x : 0);
    return (ld)y / PI;
}

static ld bessel_y(int n, ld x)
{
    ld a = bessel_y01(0, x), b = bessel_y01(1, x);

    if (n == 0 || !isfinite(a))
        return a;
    for (int k = 1; k < n && isfinite(b); k++) {
        ld next = 2 * k / x * b - a;
        a = b;
        b = next;
    }
    return b;
}

static ld ref_REMQUO_Q(const double *a)
{
    ld x = a[0], y = a[1], r;
    int q;

    if (isnan(x) || isnan(y) || isinf(x) || y == 0)
        return 0;
    if (isinf(y))
        return 0;
    r = fmodl(fabsl(x), 8 * fabsl(y));
    q = (int)lrintl((r - remainderl(r, fabsl(y))) / fabsl(y)) & 7;
    return (x < 0) != (y < 0) ? -q : q;
}

static ld ref_RCBRT(const double *a)
{
    ld x = a[0], y;

    if (!isfinite(x) || x == 0)
        return x == 0 ? copysignl(INFINITY, x) : isnan(x) ? x : copysignl(0, x);
    y = powl(fabsl(x), -1 / 3.0L);
    y += y * (1 - fabsl(x) * y * y * y) / 3;
    return copysignl(y, x);
}

static ld ref_length(const double *a, int n)
{
    ld h = 0;

    for (int i = 0; i < n; i++)
        h = hypotl(h, a[i]);
    return h;
}

REF1(ACOS, acosl(x)) REF1(ACOSH, acoshl(x)) REF1(ASIN, asinl(x)) REF1(ASINH, asinhl(x)) REF1(ATAN, atanl(x))
REF1(ATANH, atanhl(x)) REF1(CBRT, cbrtl(x)) REF1(COS, cosl(x)) REF1(COSH, coshl(x)) REF1(COSPI, trig_pi(x, false))
REF1(ERF, erfl(x)) REF1(ERFC, erfcl(x)) REF1(EXP, expl(x)) REF1(EXP2, exp2l(x)) REF1(EXP10, exp10l(x))
REF1(EXPM1, expm1l(x)) REF1(LGAMMA, lgamma_of(x)) REF1(LOG, logl(x)) REF1(LOG2, log2l(x)) REF1(LOG10, log10l(x))
REF1(LOG1P, log1pl(x)) REF1(SIN, sinl(x)) REF1(SINH, sinhl(x)) REF1(SINPI, trig_pi(x, true)) REF1(TAN, tanl(x))
REF1(TANH, tanhl(x)) REF1(TGAMMA, tgammal(x))
REF2(ATAN2, atan2l(x, y)) REF2(FMOD, fmodl(x, y)) REF2(HYPOT, hypotl(x, y)) REF2(POW, powl(x, y)) REF2(REMAINDER, remainderl(x, y))
REF1(CYL_I0, bessel_i(0, x)) REF1(CYL_I1, bessel_i(1, x)) REF1(ERFCX, erfcx_any(x))
REF1(ERFINV, erf_inverse(x, 1 - x)) REF1(ERFCINV, erf_inverse(1 - x, x))
REF1(NORMCDFINV, -1.414213562373095048801688724209698079L * erf_inverse(1 - 2 * x, 2 * x))
REF1(J0, bessel_j(0, x)) REF1(J1, bessel_j(1, x)) REF1(Y0, bessel_y(0, x)) REF1(Y1, bessel_y(1, x))
REF2(JN, bessel_j((int)x, y)) REF2(YN, bessel_y((int)x, y))

static ld ref_NORM3D(const double *a)
{
    return ref_length(a, 3);
}

static ld ref_NORM4D(const double *a)
{
    return ref_length(a, 4);
}

static ld ref_RHYPOT(const double *a)
{
    return 1 / ref_length(a, 2);
}

static ld ref_RNORM3D(const double *a)
{
    return 1 / ref_length(a, 3);
}

static ld ref_RNORM4D(const double *a)
{
    return 1 / ref_length(a, 4);
}

/* CUDA bounds the relative error of the Bessel functions below 8 only, and the absolute error from there on; the series above
   lose some digits beside a root. */
static ld bessel_slack(const double *a)
{
    return fabs(a[0]) < 8 ? 4e-18L : 5e-12L;
}

static ld bessel_n_slack(const double *a)
{
    return fabs(a[1]) < 8 ? 4e-18L : 5e-12L;
}

/* Beside the roots between these two the documented error is "larger". */
static bool lgamma_roots_f32(const double *a)
{
    return a[0] > -10.002 && a[0] < -2.263;
}

static bool lgamma_roots_f64(const double *a)
{
    return a[0] > -11.001 && a[0] < -2.263;
}

#define BOTH(id, lo0, hi0, lo1, hi1)                                          \
    [IR_MATH_##id##F] = { ref_##id, { lo0, lo1 }, { hi0, hi1 }, 0, NULL, NULL }, \
    [IR_MATH_##id] = { ref_##id, { lo0, lo1 }, { hi0, hi1 }, 0, NULL, NULL },
#define ONE(id, lo0, hi0, lo1, hi1, slow, slack) [IR_MATH_##id] = { ref_##id, { lo0, lo1 }, { hi0, hi1 }, slow, NULL, slack },

const struct reference references[IR_MATH_COUNT] = {
    BOTH(ACOS, -1, 1, 0, 0)
    BOTH(ACOSH, 1, 100, 0, 0)
    BOTH(ASIN, -1, 1, 0, 0)
    BOTH(ASINH, -10, 10, 0, 0)
    BOTH(ATAN, -4, 4, 0, 0)
    BOTH(ATAN2, -10, 10, -10, 10)
    BOTH(ATANH, -1, 1, 0, 0)
    BOTH(CBRT, -100, 100, 0, 0)
    BOTH(COS, -100, 100, 0, 0)
    BOTH(COSPI, -10, 10, 0, 0)
    BOTH(ERF, -4, 4, 0, 0)
    [IR_MATH_ERFCF] = { ref_ERFC, { -4 }, { 10.1 }, 0, NULL, NULL },
    [IR_MATH_ERFC] = { ref_ERFC, { -4 }, { 27 }, 0, NULL, NULL },
    [IR_MATH_COSHF] = { ref_COSH, { -90 }, { 90 }, 0, NULL, NULL },
    [IR_MATH_COSH] = { ref_COSH, { -711 }, { 711 }, 0, NULL, NULL },
    [IR_MATH_SINHF] = { ref_SINH, { -90 }, { 90 }, 0, NULL, NULL },
    [IR_MATH_SINH] = { ref_SINH, { -711 }, { 711 }, 0, NULL, NULL },
    [IR_MATH_EXPF] = { ref_EXP, { -104 }, { 89 }, 0, NULL, NULL },
    [IR_MATH_EXP] = { ref_EXP, { -746 }, { 710 }, 0, NULL, NULL },
    [IR_MATH_EXP2F] = { ref_EXP2, { -150 }, { 128 }, 0, NULL, NULL },
    [IR_MATH_EXP2] = { ref_EXP2, { -1075 }, { 1024 }, 0, NULL, NULL },
    [IR_MATH_EXP10F] = { ref_EXP10, { -46 }, { 39 }, 0, NULL, NULL },
    [IR_MATH_EXP10] = { ref_EXP10, { -324 }, { 309 }, 0, NULL, NULL },
    BOTH(EXPM1, -2, 2, 0, 0)
    BOTH(FMOD, -1000, 1000, -10, 10)
    BOTH(HYPOT, -10, 10, -10, 10)
    [IR_MATH_LGAMMAF] = { ref_LGAMMA, { -20 }, { 20 }, 0, lgamma_roots_f32, NULL },
    [IR_MATH_LGAMMA] = { ref_LGAMMA, { -20 }, { 20 }, 0, lgamma_roots_f64, NULL },
    BOTH(LOG, 0, 4, 0, 0)
    BOTH(LOG2, 0, 4, 0, 0)
    BOTH(LOG10, 0, 20, 0, 0)
    BOTH(LOG1P, -1, 2, 0, 0)
    [IR_MATH_NEXTAFTERF] = { nextafter_f32, { -1, -1 }, { 1, 1 }, 0, NULL, NULL },
    [IR_MATH_NEXTAFTER] = { nextafter_f64, { -1, -1 }, { 1, 1 }, 0, NULL, NULL },
    BOTH(POW, 0, 10, -30, 30)
    BOTH(REMAINDER, -1000, 1000, -10, 10)
    BOTH(SIN, -100, 100, 0, 0)
    BOTH(SINPI, -10, 10, 0, 0)
    BOTH(TAN, -100, 100, 0, 0)
    BOTH(TANH, -4, 4, 0, 0)
    [IR_MATH_TGAMMAF] = { ref_TGAMMA, { -43 }, { 36 }, 0, NULL, NULL },
    [IR_MATH_TGAMMA] = { ref_TGAMMA, { -185 }, { 172 }, 0, NULL, NULL },
    ONE(CYL_I0, -100, 714, 0, 0, 100, NULL)
    ONE(CYL_I1, -100, 714, 0, 0, 100, NULL)
    ONE(ERFCX, -27, 40, 0, 0, 10, NULL)
    ONE(ERFINV, -1, 1, 0, 0, 100, NULL)
    ONE(ERFCINV, 0, 2, 0, 0, 100, NULL)
    ONE(NORMCDF, -38, 9, 0, 0, 10, NULL)
    ONE(NORMCDFINV, 0, 1, 0, 0, 100, NULL)
    ONE(J0, -20, 20, 0, 0, 10, bessel_slack)
    ONE(J1, -20, 20, 0, 0, 10, bessel_slack)
    ONE(JN, 0, 0, -20, 20, 10, bessel_n_slack)
    ONE(Y0, 0, 20, 0, 0, 10, bessel_slack)
    ONE(Y1, 0, 20, 0, 0, 10, bessel_slack)
    ONE(YN, 0, 0, 0, 20, 10, bessel_n_slack)
    ONE(NORM3D, -10, 10, -10, 10, 1, NULL)
    ONE(NORM4D, -10, 10, -10, 10, 1, NULL)
    ONE(RCBRT, -100, 100, 0, 0, 1, NULL)
    ONE(REMQUO_Q, -1000, 1000, -10, 10, 1, NULL)
    ONE(RHYPOT, -10, 10, -10, 10, 1, NULL)
    ONE(RNORM3D, -10, 10, -10, 10, 1, NULL)
    ONE(RNORM4D, -10, 10, -10, 10, 1, NULL)
};
