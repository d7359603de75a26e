/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar bodies of ir/math.def: what CUDA's math library has and the vector library has not. */
#ifndef JIT_MATHLIB_H
#define JIT_MATHLIB_H

#include <stdint.h>

double hw_math_cyl_i0(double x);
double hw_math_cyl_i1(double x);
double hw_math_erfcinv(double y);
double hw_math_erfcx(double x);
double hw_math_erfinv(double y);
double hw_math_j0(double x);
double hw_math_j1(double x);
double hw_math_jn(int32_t n, double x);
double hw_math_norm3d(double a, double b, double c);
double hw_math_norm4d(double a, double b, double c, double d);
double hw_math_normcdf(double x);
double hw_math_normcdfinv(double y);
double hw_math_rcbrt(double x);
int32_t hw_math_remquo_q(double x, double y);
double hw_math_rhypot(double a, double b);
double hw_math_rnorm3d(double a, double b, double c);
double hw_math_rnorm4d(double a, double b, double c, double d);
double hw_math_y0(double x);
double hw_math_y1(double x);
double hw_math_yn(int32_t n, double x);

/*
 * expf, exp2f, tanhf and logf, shared with jit/math/math_inline.c. The polynomials are minimax fits (weighted least squares, made uniform) of
 * (e^r - 1 - r) / r^2 on +-ln(2)/2, of (tanh(x) / x - 1) / x^2 up to 0.55 and of
 * (log(1 + f) - f + f^2/2) / f^3 on sqrt(1/2) - 1 .. sqrt(2) - 1. What is too small for a float is made 0 by a comparison: a CPU takes many times
 * as long for a result that underflows, and programs mask values with e to the power of minus much.
 */
#define EXPF_HIGH 89.0f                          /* infinity from here on */
#define EXPF_LOW (-0x1.9fe368p+6f)               /* 0 below: 2^-150 or less */
#define EXP2F_HIGH 129.0f
#define EXP2F_LOW (-150.0f)
#define TANHF_SMALL 0.55f
#define TANHF_LARGE 20.0f                        /* twice where it is 1, and more */
#define ROUND_MAGIC 12582912.0f                   /* 1.5 * 2^23: adding it rounds to an integer */
#define EXPF_LOG2E 1.44269504f
#define LN2F_HIGH 0x1.62e430p-1f
#define LN2F_LOW 0x1.05c610p-29f                 /* LN2F_HIGH - ln(2) */
#define LOGF_SQRT_HALF 0x3f3504f3u
enum { EXPF_TERMS = 5, LOGF_TERMS = 8, TANHF_TERMS = 5 };
static const float expf_poly[EXPF_TERMS] = { 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f, 0x1.123a20p-7f, 0x1.6a23ccp-10f };
static const float logf_poly[LOGF_TERMS] = { 0.3333333f, -0.25000823f, 0.20001227f, -0.16623357f, 0.14201762f, -0.13160194f, 0.1276155f, -0.0763443f };
static const float tanhf_poly[TANHF_TERMS] = { -0x1.55554cp-2f, 0x1.110d3ap-3f, -0x1.b92bb6p-5f, 0x1.595670p-6f, -0x1.9bb9f4p-8f };
float hw_math_expf(float x);
float hw_math_exp2f(float x);
float hw_math_tanhf(float x);
float hw_math_logf(float x);

/*
 * sinf and cosf up to MATH_NEAR, shared likewise. x = q * pi/2 + r + c, c far smaller than r: pi/2 is three floats. The first product and its difference
 * are exact; so are the parts of the second (x - q * PIO2F_HIGH is a multiple of the last place of q * PIO2F_MIDDLE). Polynomials of
 * (sin(r) / r - 1) / r^2 and ((cos(r) - 1) / r^2 + 1/2) / r^2 on +-pi/4. Errors up to 1.2 units in the last place.
 */
#define MATH_NEAR 105615.0f
#define TWO_OVER_PIF 0x1.45f306p-1f
#define PIO2F_HIGH 0x1.921fb6p+0f
#define PIO2F_MIDDLE (-0x1.777a5cp-25f)
#define PIO2F_LOW (-0x1.ee59dap-50f)
enum { SINF_TERMS = 3, COSF_TERMS = 4 };
static const float sinf_poly[SINF_TERMS] = { -0x1.555546p-3f, 0x1.11077cp-7f, -0x1.9955d0p-13f };
static const float cosf_poly[COSF_TERMS] = { -0.5f, 0x1.55554ap-5f, -0x1.6c0c30p-10f, 0x1.99ebacp-16f };
float hw_math_sinf(float x);
float hw_math_cosf(float x);

#endif
