/* SPDX-License-Identifier: Apache-2.0 */
/* Math beyond <math.h>: min and max for all types, and CUDA's own functions on the host too. Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_MATH_H
#define HOSTWARP_DEVICE_MATH_H

#define HW_BOTH static __inline__ __attribute__((always_inline)) __host__ __device__
#define HW_HOST static __inline__ __host__

/* ---- min, max: the usual conversions decide the type, as in C ---- */

#define HW_MINMAX(A, B, R)                                            \
    HW_BOTH R min(const A a, const B b) { return (R)a < (R)b ? (R)a : (R)b; } \
    HW_BOTH R max(const A a, const B b) { return (R)a > (R)b ? (R)a : (R)b; }
HW_MINMAX(unsigned int, unsigned int, unsigned int)
HW_MINMAX(int, unsigned int, unsigned int)
HW_MINMAX(unsigned int, int, unsigned int)
HW_MINMAX(long, long, long)
HW_MINMAX(unsigned long, unsigned long, unsigned long)
HW_MINMAX(long, unsigned long, unsigned long)
HW_MINMAX(unsigned long, long, unsigned long)
HW_MINMAX(long long, long long, long long)
HW_MINMAX(unsigned long long, unsigned long long, unsigned long long)
HW_MINMAX(long long, unsigned long long, unsigned long long)
HW_MINMAX(unsigned long long, long long, unsigned long long)
#undef HW_MINMAX

/* clang's headers give the device min(int, int). */
HW_HOST int min(const int a, const int b) { return a < b ? a : b; }
HW_HOST int max(const int a, const int b) { return a > b ? a : b; }

HW_BOTH float min(const float a, const float b) { return fminf(a, b); }
HW_BOTH float max(const float a, const float b) { return fmaxf(a, b); }
HW_BOTH double min(const double a, const double b) { return fmin(a, b); }
HW_BOTH double max(const double a, const double b) { return fmax(a, b); }
HW_BOTH double min(const float a, const double b) { return fmin((double)a, b); }
HW_BOTH double max(const float a, const double b) { return fmax((double)a, b); }
HW_BOTH double min(const double a, const float b) { return fmin(a, (double)b); }
HW_BOTH double max(const double a, const float b) { return fmax(a, (double)b); }

/* clang's headers give the device: umin, llmin and friends; the host has them too. */
HW_HOST unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
HW_HOST unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
HW_HOST long long llmin(long long a, long long b) { return a < b ? a : b; }
HW_HOST long long llmax(long long a, long long b) { return a > b ? a : b; }
HW_HOST unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
HW_HOST unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

/* ---- CUDA's own functions, on the host ---- */

/* C23 took some of these names over; the C library has them since glibc 2.41 and 2.42. */
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 41)
#define HW_LIBM_HAS_SINPI 1
#endif
#if __GLIBC_PREREQ(2, 42)
#define HW_LIBM_HAS_RSQRT 1
#endif
#endif

#ifndef HW_LIBM_HAS_RSQRT
HW_HOST double rsqrt(double a) { return 1.0 / ::sqrt(a); }
HW_HOST float rsqrtf(float a) { return (float)(1.0 / ::sqrt((double)a)); }
#endif
HW_HOST double rcbrt(double a) { return 1.0 / ::cbrt(a); }
HW_HOST float rcbrtf(float a) { return (float)(1.0 / ::cbrt((double)a)); }
#ifndef HW_LIBM_HAS_SINPI
HW_HOST double sinpi(double a)
{
    /* Reduced first, so that whole and half numbers are exact. */
    double r = ::fabs(a) < 9007199254740992.0 ? ::fmod(a, 2.0) : (__builtin_isinf(a) || __builtin_isnan(a) ? a - a : 0.0);
    double n = ::rint(r * 2.0), x = (r - n * 0.5) * 3.14159265358979323846;
    switch ((int)n & 3) {
    case 0: return ::sin(x);
    case 1: return ::cos(x);
    case 2: return 0.0 - ::sin(x);
    default: return -::cos(x);
    }
}
HW_HOST double cospi(double a)
{
    double r = ::fabs(a) < 9007199254740992.0 ? ::fmod(::fabs(a), 2.0) : (__builtin_isinf(a) || __builtin_isnan(a) ? a - a : 0.0);
    double n = ::rint(r * 2.0), x = (r - n * 0.5) * 3.14159265358979323846;
    switch ((int)n & 3) {
    case 0: return ::cos(x);
    case 1: return 0.0 - ::sin(x);
    case 2: return -::cos(x);
    default: return ::sin(x);
    }
}
HW_HOST float sinpif(float a) { return (float)sinpi((double)a); }
HW_HOST float cospif(float a) { return (float)cospi((double)a); }
#endif
HW_HOST void sincospi(double a, double *s, double *c) { *s = sinpi(a); *c = cospi(a); }
HW_HOST void sincospif(float a, float *s, float *c) { *s = sinpif(a); *c = cospif(a); }
HW_HOST double normcdf(double a) { return 0.5 * ::erfc(a * -0.70710678118654752440); }
HW_HOST float normcdff(float a) { return (float)normcdf((double)a); }
HW_HOST double rhypot(double a, double b) { return 1.0 / ::hypot(a, b); }
HW_HOST float rhypotf(float a, float b) { return (float)rhypot((double)a, (double)b); }
HW_HOST double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
HW_HOST float norm3df(float a, float b, float c) { return (float)norm3d((double)a, (double)b, (double)c); }
HW_HOST double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
HW_HOST float rnorm3df(float a, float b, float c) { return (float)rnorm3d((double)a, (double)b, (double)c); }
HW_HOST double norm4d(double a, double b, double c, double d) { return ::hypot(::hypot(a, b), ::hypot(c, d)); }
HW_HOST float norm4df(float a, float b, float c, float d) { return (float)norm4d((double)a, (double)b, (double)c, (double)d); }
HW_HOST double fdivide(double a, double b) { return a / b; }
HW_HOST float fdividef(float a, float b) { return a / b; }

#include "hostwarp/host_math.h"

/* ---- float overloads of names that <cmath> does not have ---- */

HW_BOTH float rsqrt(float a) { return rsqrtf(a); }
HW_BOTH float rcbrt(float a) { return rcbrtf(a); }
HW_BOTH float sinpi(float a) { return sinpif(a); }
HW_BOTH float cospi(float a) { return cospif(a); }
HW_BOTH float normcdf(float a) { return normcdff(a); }
HW_BOTH void sincospi(float a, float *s, float *c) { sincospif(a, s, c); }
HW_BOTH void sincos(float a, float *s, float *c) { sincosf(a, s, c); }
HW_BOTH float exp10(float a) { return exp10f(a); }
HW_BOTH float j0(float a) { return j0f(a); }
HW_BOTH float j1(float a) { return j1f(a); }
HW_BOTH float jn(int n, float a) { return jnf(n, a); }
HW_BOTH float y0(float a) { return y0f(a); }
HW_BOTH float y1(float a) { return y1f(a); }
HW_BOTH float yn(int n, float a) { return ynf(n, a); }
static __inline__ __device__ float fdivide(float a, float b) { return a / b; }
HW_BOTH float erfinv(float a) { return erfinvf(a); }
HW_BOTH float erfcinv(float a) { return erfcinvf(a); }
HW_BOTH float normcdfinv(float a) { return normcdfinvf(a); }
HW_BOTH float erfcx(float a) { return erfcxf(a); }
static __inline__ __device__ float cyl_bessel_i0(float a) { return cyl_bessel_i0f(a); }
static __inline__ __device__ float cyl_bessel_i1(float a) { return cyl_bessel_i1f(a); }

/* The double's sign under the name that the C library uses inside its macros. */
static __inline__ __device__ int __signbit(double a) { return __builtin_signbit(a); }

/* The hardware's own tanh, with its error. */
static __inline__ __device__ float __tanhf(float a)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
    float r;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
#else
    return tanhf(a);
#endif
}

/* Two floats at a time. */
#define HW_FLOAT2(rounding)                                                                                         \
    static __inline__ __device__ float2 __fadd2_##rounding(float2 a, float2 b)                                      \
    {                                                                                                               \
        return make_float2(__fadd_##rounding(a.x, b.x), __fadd_##rounding(a.y, b.y));                               \
    }                                                                                                               \
    static __inline__ __device__ float2 __fmul2_##rounding(float2 a, float2 b)                                      \
    {                                                                                                               \
        return make_float2(__fmul_##rounding(a.x, b.x), __fmul_##rounding(a.y, b.y));                               \
    }                                                                                                               \
    static __inline__ __device__ float2 __ffma2_##rounding(float2 a, float2 b, float2 c)                            \
    {                                                                                                               \
        return make_float2(__fmaf_##rounding(a.x, b.x, c.x), __fmaf_##rounding(a.y, b.y, c.y));                     \
    }
HW_FLOAT2(rn)
HW_FLOAT2(rz)
HW_FLOAT2(rd)
HW_FLOAT2(ru)
#undef HW_FLOAT2

/* Bytes in reverse. */
HW_BOTH unsigned short __nv_bswap16(unsigned short a) { return __builtin_bswap16(a); }
HW_BOTH unsigned int __nv_bswap32(unsigned int a) { return __builtin_bswap32(a); }
HW_BOTH unsigned long long __nv_bswap64(unsigned long long a) { return __builtin_bswap64(a); }

#undef HW_BOTH
#undef HW_HOST

#endif
