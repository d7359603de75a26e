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

#endif
