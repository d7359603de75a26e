/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scalar bodies of ir/math.def. They compute in long double, which on x86-64 has 11 bits more than the result needs,
 * so that simple formulas stay inside CUDA's documented error bounds. Generated code calls them once per active lane.
 */
#include "jit/math/mathlib.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const long double PI_L = 3.141592653589793238462643383279502884L;
static const long double SQRT_PI_L = 1.772453850905516027298167483341145183L;
static const long double SQRT2_L = 1.414213562373095048801688724209698079L;

/* ---- lengths: long double squares neither overflow nor underflow for any double ---- */

static long double sum_of_squares(const double *v, int n)
{
    long double sum = 0;

    for (int i = 0; i < n; i++)
        sum += (long double)v[i] * v[i];
    return sum;
}

/* An infinite coordinate makes the length infinite even beside a NaN. */
static bool any_infinite(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (isinf(v[i]))
            return true;
    return false;
}

static double length(const double *v, int n)
{
    return any_infinite(v, n) ? INFINITY : (double)sqrtl(sum_of_squares(v, n));
}

static double inverse_length(const double *v, int n)
{
    return any_infinite(v, n) ? 0.0 : (double)(1 / sqrtl(sum_of_squares(v, n)));
}

double hw_math_norm3d(double a, double b, double c)
{
    return length((double[]){ a, b, c }, 3);
}

double hw_math_norm4d(double a, double b, double c, double d)
{
    return length((double[]){ a, b, c, d }, 4);
}

double hw_math_rhypot(double a, double b)
{
    return inverse_length((double[]){ a, b }, 2);
}

double hw_math_rnorm3d(double a, double b, double c)
{
    return inverse_length((double[]){ a, b, c }, 3);
}

double hw_math_rnorm4d(double a, double b, double c, double d)
{
    return inverse_length((double[]){ a, b, c, d }, 4);
}

double hw_math_rcbrt(double x)
{
    return (double)(1 / cbrtl(x));
}

/* CUDA promises the sign and the low three bits of the quotient; NaN and infinite quotients give 0. */
int32_t hw_math_remquo_q(double x, double y)
{
    int q = 0;

    if (isnan(x) || isnan(y) || isinf(x) || y == 0)
        return 0;
    (void)remquo(x, y, &q);
    return q < 0 ? -(-q & 7) : q & 7;
}

/* ---- the error function's family ---- */

static const long double ERFCX_SERIES_FROM = 26;

/* exp(x^2) erfc(x) for x >= 0. The asymptotic series has terms (-1)^k (2k-1)!! / (2 x^2)^k. */
static long double erfcx_positive(long double x)
{
    long double t, term = 1, sum = 1;

    if (x < ERFCX_SERIES_FROM)
        return expl(x * x) * erfcl(x);
    t = 1 / (2 * x * x);
    for (int k = 1; k <= 12; k++) {
        term *= -(2 * k - 1) * t;
        sum += term;
    }
    return sum / (x * SQRT_PI_L);
}

double hw_math_erfcx(double x)
{
    long double a = fabsl((long double)x);

    if (isnan(x))
        return x;
    if (x >= 0)
        return (double)erfcx_positive(a);
    return (double)(a > 27 ? INFINITY : 2 * expl(a * a) - erfcx_positive(a));
}

double hw_math_normcdf(double x)
{
    return (double)(0.5L * erfcl(-(long double)x / SQRT2_L));
}

/* The inverse for a small tail q = erfc(x), 0 < q <= 0.5: Newton's method on log erfc, which is nearly a parabola. */
static long double erfcinv_tail(long double q)
{
    long double log_q = logl(q);
    long double x = sqrtl(-log_q);

    /* erfc(x) ~ exp(-x^2) / (x sqrt(pi)): one correction for the denominator makes a start from which few steps do. */
    x = sqrtl(fmaxl(0.1L, -log_q - logl(fmaxl(x, 0.5L) * SQRT_PI_L)));
    for (int i = 0; i < 40; i++) {
        long double cx = erfcx_positive(x);
        long double step = (logl(cx) - x * x - log_q) * cx * SQRT_PI_L / 2;

        x += step;
        if (fabsl(step) <= 4e-19L * x)
            break;
    }
    return x;
}

/* The inverse for |p| <= 0.5, p = erf(x): Newton's method from the first terms of the series. */
static long double erfinv_middle(long double p)
{
    long double x = p * SQRT_PI_L / 2 * (1 + p * p * PI_L / 12);

    for (int i = 0; i < 40; i++) {
        long double step = (erfl(x) - p) * expl(x * x) * SQRT_PI_L / 2;

        x -= step;
        if (fabsl(step) <= 4e-20L * fabsl(x))
            break;
    }
    return x;
}

static long double erfinv_any(long double p, long double q)    /* erf(x) = p = 1 - q, both given so that neither has lost digits */
{
    if (p > 0.5L)
        return erfcinv_tail(q);
    if (p < -0.5L)
        return -erfcinv_tail(2 - q);
    return erfinv_middle(p);
}

double hw_math_erfinv(double y)
{
    if (!(fabs(y) <= 1))
        return NAN;
    if (fabs(y) == 1)
        return y > 0 ? INFINITY : -INFINITY;
    if (y == 0)
        return y;
    return (double)erfinv_any(y, 1 - (long double)y);
}

double hw_math_erfcinv(double y)
{
    if (!(y >= 0 && y <= 2))
        return NAN;
    if (y == 0 || y == 2)
        return y == 0 ? INFINITY : -INFINITY;
    return (double)erfinv_any(1 - (long double)y, y);
}

double hw_math_normcdfinv(double y)
{
    if (!(y >= 0 && y <= 1))
        return NAN;
    if (y == 0 || y == 1)
        return y == 0 ? -INFINITY : INFINITY;
    if (y == 0.5)
        return 0;
    return (double)(-SQRT2_L * erfinv_any(1 - 2 * (long double)y, 2 * (long double)y));
}

/* ---- Bessel functions ---- */

/* I_n(|x|), n 0 or 1: the power series, all terms positive, or for large x the asymptotic one. */
static long double bessel_i(int n, long double x)
{
    long double term, sum;

    if (x < 40) {
        long double q = x * x / 4;

        sum = term = n ? x / 2 : 1;
        for (int k = 1; term > sum * 1e-21L; k++) {
            term *= q / ((long double)k * (k + n));
            sum += term;
        }
        return sum;
    }
    sum = term = 1;
    for (int k = 1; k <= 30; k++) {
        long double odd = 2 * k - 1;

        term *= (odd * odd - 4 * n * n) / (8 * k * x);
        sum += term;
    }
    return expl(x) / sqrtl(2 * PI_L * x) * sum;
}

double hw_math_cyl_i0(double x)
{
    return isinf(x) ? INFINITY : (double)bessel_i(0, fabsl((long double)x));
}

double hw_math_cyl_i1(double x)
{
    return isinf(x) ? x : copysign((double)bessel_i(1, fabsl((long double)x)), x);
}

double hw_math_j0(double x)
{
    return (double)j0l(x);
}

double hw_math_j1(double x)
{
    return (double)j1l(x);
}

/* Unlike C's functions CUDA's have no negative orders: NaN. */
double hw_math_jn(int32_t n, double x)
{
    return n < 0 ? NAN : (double)jnl(n, x);
}

double hw_math_y0(double x)
{
    return x < 0 ? NAN : (double)y0l(x);
}

double hw_math_y1(double x)
{
    return x < 0 ? NAN : (double)y1l(x);
}

double hw_math_yn(int32_t n, double x)
{
    return n < 0 || x < 0 ? NAN : (double)ynl(n, x);
}

/* ---- what jit/math/math_inline.c writes into the code: the same steps in the same order ---- */

static float polynomial(const float *k, int n, float x)
{
    float y = k[n - 1];

    for (int i = n - 2; i >= 0; i--)
        y = fmaf(y, x, k[i]);
    return y;
}

static uint32_t bits_of(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float x;

    memcpy(&x, &u, sizeof x);
    return x;
}

static float power_of_two(int32_t n)
{
    return float_of((uint32_t)(n + 127) << 23);
}

/* e^r, r up to ln(2)/2 */
static float small_exp(float r)
{
    return fmaf(polynomial(expf_poly, EXPF_TERMS, r), r * r, r) + 1.0f;
}

/* t: the exponent n, and ROUND_MAGIC */
static float scaled(float y, float t)
{
    int32_t k = (int32_t)(bits_of(t) - bits_of(ROUND_MAGIC));

    y *= power_of_two(k >> 1);
    return y * power_of_two(k - (k >> 1));
}

static float exp_of(float x)
{
    float t = fmaf(x, EXPF_LOG2E, ROUND_MAGIC), n = t - ROUND_MAGIC;
    float y = small_exp(fmaf(n, LN2F_LOW, fmaf(n, -LN2F_HIGH, x)));

    return x != x ? y : scaled(y, t);
}

float hw_math_expf(float x)
{
    return x < EXPF_LOW ? 0 : exp_of(x > EXPF_HIGH ? EXPF_HIGH : x);
}

float hw_math_exp2f(float x)
{
    bool small = x <= EXP2F_LOW;
    x = x > EXP2F_HIGH ? EXP2F_HIGH : x;
    float t = x + ROUND_MAGIC, n = t - ROUND_MAGIC, y = small_exp((x - n) * LN2F_HIGH);

    return small ? 0 : x != x ? y : scaled(y, t);
}

float hw_math_tanhf(float x)
{
    float a = fabsf(x), s = x * x, twice = a + a;
    float near_0 = fmaf(a * s, polynomial(tanhf_poly, TANHF_TERMS, s), a);
    float far = 1.0f - 2.0f / (exp_of(twice > TANHF_LARGE ? TANHF_LARGE : twice) + 1.0f);

    return copysignf(a < TANHF_SMALL ? near_0 : far, x);
}

float hw_math_logf(float x)
{
    bool small = x < 0x1p-126f;
    uint32_t bits = bits_of(small ? x * 0x1p23f : x);
    int32_t k = (int32_t)(bits - LOGF_SQRT_HALF) >> 23;
    float f = float_of(bits - ((uint32_t)k << 23)) - 1.0f, n = (float)(small ? k - 23 : k);
    float t = fmaf(polynomial(logf_poly, LOGF_TERMS, f), f, -0.5f);
    float y = fmaf(f * f, t, fmaf(n, -LN2F_LOW, f));

    y = fmaf(n, LN2F_HIGH, y);
    if (x == 0)
        return -INFINITY;
    if (!(x >= 0))
        return float_of(0x7fffffffu);
    return x == INFINITY ? INFINITY : y;
}

/* r, c: what is left of |x| after multiples of pi/2, whose number is in the low bits of what is returned. */
static uint32_t quarter_turns(float x, float *r, float *c)
{
    float a = fabsf(x), t = fmaf(a, TWO_OVER_PIF, ROUND_MAGIC), q = t - ROUND_MAGIC;
    float high = fmaf(q, -PIO2F_HIGH, a), middle = q * -PIO2F_MIDDLE, error = fmaf(q, -PIO2F_MIDDLE, -middle);

    *r = high + middle;
    *c = fmaf(q, -PIO2F_LOW, (middle - (*r - high)) + error);
    return bits_of(t);
}

static float sine_or_cosine(bool sine, float r, float c)
{
    float s = r * r;

    return sine ? fmaf(r * s, polynomial(sinf_poly, SINF_TERMS, s), c) + r : fmaf(s, polynomial(cosf_poly, COSF_TERMS, s), 1.0f);
}

float hw_math_sinf(float x)
{
    float r, c;
    uint32_t n = quarter_turns(x, &r, &c);

    return float_of(bits_of(sine_or_cosine(!(n & 1), r, c)) ^ ((n << 30 ^ bits_of(x)) & 0x80000000u));
}

float hw_math_cosf(float x)
{
    float r, c;
    uint32_t n = quarter_turns(x, &r, &c);

    return float_of(bits_of(sine_or_cosine(n & 1, r, c)) ^ ((n + 1) << 30 & 0x80000000u));
}
