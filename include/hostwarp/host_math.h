/* SPDX-License-Identifier: Apache-2.0 */
/* Inverses of the error function and the scaled one, for the host; the device has its own. Part of cuda_runtime.h. */
#ifndef HOSTWARP_HOST_MATH_H
#define HOSTWARP_HOST_MATH_H

#define HW_HOST static __inline__ __host__

namespace hostwarp {

/* y with erfc(y) = c, for c up to 1. `log_product` is log(c (2 - c)), which the caller may know better. Winitzki's formula is right to two
   digits; Halley's method triples them in each step. */
HW_HOST double inverse_erfc(double c, double log_product)
{
    const double a = 0.147, t = 2 / (3.14159265358979323846 * a) + log_product / 2;
    double y = ::sqrt(::sqrt(t * t - log_product / a) - t);
    for (int i = 0; i < 4; i++) {
        const double slope = -1.12837916709551257390 * ::exp(-y * y);
        if (slope == 0)
            break;
        const double u = (::erfc(y) - c) / slope;
        y -= u / (1 + y * u);
    }
    return y;
}

}

HW_HOST double erfcinv(double c)
{
    if (!(c >= 0 && c <= 2))
        return __builtin_nan("");
    if (c == 0 || c == 2)
        return c == 0 ? __builtin_inf() : -__builtin_inf();
    const double small = c <= 1 ? c : 2 - c, y = hostwarp::inverse_erfc(small, ::log(small) + ::log(2 - small));
    return c <= 1 ? y : -y;
}
HW_HOST double erfinv(double x)
{
    const double m = ::fabs(x);
    if (!(m <= 1))
        return __builtin_nan("");
    if (m == 1)
        return x * __builtin_inf();
    if (m < 1e-8)                                /* the first term of the series: x sqrt(pi) / 2 */
        return x * 0.88622692545275801365;
    if (m > 0.5)
        return ::copysign(hostwarp::inverse_erfc(1 - m, ::log1p(-m * m)), x);
    double y = hostwarp::inverse_erfc(1 - m, ::log1p(-m * m));
    y -= (::erf(y) - m) / (1.12837916709551257390 * ::exp(-y * y));         /* 1 - m has lost bits that erf() still has */
    return ::copysign(y, x);
}
HW_HOST double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2 * p); }
HW_HOST double erfcx(double x)
{
    if (x < 12) {
        const double square = x * x;             /* and what it lost in rounding, which counts this often */
        return ::exp(square) * ::exp(::fma(x, x, -square)) * ::erfc(x);
    }
    const double r = 0.5 / x / x;
    double sum = 1;
    for (int n = 23; n > 0; n -= 2)              /* the asymptotic series, from its end */
        sum = 1 - n * r * sum;
    return 0.56418958354775628695 / x * sum;
}
HW_HOST float erfcinvf(float c) { return (float)erfcinv((double)c); }
HW_HOST float erfinvf(float x) { return (float)erfinv((double)x); }
HW_HOST float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
HW_HOST float erfcxf(float x) { return (float)erfcx((double)x); }

#undef HW_HOST

#endif
