/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit floats: e4m3 (no infinity, largest 448) and e5m2 (as IEEE), and conversions from and to the wider types. */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

/* e5m2 is what round_double knows; e4m3 uses the place of infinity for numbers, so it is rounded with one more exponent. */
HW_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)
{
    const bool finite = saturate == __NV_SATFINITE;
    unsigned char sign = hostwarp::bits_of<unsigned long long>(x) >> 63 ? 0x80 : 0;
    if (x != x)
        return 0x7f;
    double magnitude = fabs(x);
    if (as == __NV_E5M2) {
        unsigned short bits = hostwarp::round_double<5, 2>(magnitude, hostwarp::round_nearest);
        return (unsigned char)(sign | (finite && bits >= 0x7c ? 0x7b : bits));
    }
    if (magnitude > 464)                         /* halfway between 448 and the next, which is not there */
        return (unsigned char)(sign | (finite ? 0x7e : 0x7f));
    if (magnitude >= 240) {                      /* the last octave, where e4m3 goes on and IEEE would not: steps of 16 or 32 */
        double step = magnitude >= 256 ? 32 : 16;
        double n = rint(magnitude / step) * step;
        return (unsigned char)(sign | (n > 448 ? (finite ? 0x7e : 0x7f) : n >= 256 ? 0x78 + (int)((n - 256) / 32) : 0x77));
    }
    return (unsigned char)(sign | hostwarp::round_double<4, 3>(magnitude, hostwarp::round_nearest));
}
HW_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)
{
    return __nv_cvt_double_to_fp8(x, saturate, as);
}
HW_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)
{
    return __nv_cvt_double_to_fp8((float)__half(x), saturate, as);
}
HW_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                     const __nv_fp8_interpretation_t as)
{
    return __nv_cvt_double_to_fp8((float)__nv_bfloat16(x), saturate, as);
}
HW_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)
{
    return (unsigned short)(__nv_cvt_float_to_fp8(x.x, saturate, as) | __nv_cvt_float_to_fp8(x.y, saturate, as) << 8);
}
HW_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t as)
{
    __half_raw r;
    unsigned int magnitude = x & 0x7f, e = magnitude >> 3, m = magnitude & 7, bits;
    if (as == __NV_E5M2)                         /* the upper byte of a half */
        bits = magnitude > 0x7c ? 0x7fff : magnitude << 8;
    else if (magnitude == 0x7f)
        bits = 0x7fff;
    else if (e)
        bits = (e + 8) << 10 | m << 7;
    else                                         /* e4m3's subnormals are normal in half */
        bits = hostwarp::f16::narrow((float)m * 0x1p-9f);
    r.x = (unsigned short)(bits | (bits == 0x7fff ? 0 : (unsigned int)(x & 0x80) << 8));
    return r;
}
HW_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t as)
{
    __half2_raw r;
    r.x = __nv_cvt_fp8_to_halfraw((unsigned char)x, as).x;
    r.y = __nv_cvt_fp8_to_halfraw((unsigned char)(x >> 8), as).x;
    return r;
}

#define HW_FP8(T, as)                                                                                          \
    struct T {                                                                                                 \
        __nv_fp8_storage_t __x;                                                                                \
        T() = default;                                                                                         \
        explicit __host__ __device__ T(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, as)) {}         \
        explicit __host__ __device__ T(double d) : __x(__nv_cvt_double_to_fp8(d, __NV_SATFINITE, as)) {}       \
        explicit __host__ __device__ T(__half h) : __x(__nv_cvt_float_to_fp8((float)h, __NV_SATFINITE, as)) {} \
        explicit __host__ __device__ T(__nv_bfloat16 h) : __x(__nv_cvt_float_to_fp8((float)h, __NV_SATFINITE, as)) {} \
        explicit __host__ __device__ T(int v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, as)) {}          \
        explicit __host__ __device__ operator float() const { return (float)__half(__nv_cvt_fp8_to_halfraw(__x, as)); } \
        explicit __host__ __device__ operator double() const { return (float)*this; }                          \
        explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, as)); } \
        explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }    \
    };
HW_FP8(__nv_fp8_e4m3, __NV_E4M3)
HW_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef HW_FP8

#define HW_FP8X2(T, as)                                                                                        \
    struct T {                                                                                                 \
        __nv_fp8x2_storage_t __x;                                                                              \
        T() = default;                                                                                         \
        explicit __host__ __device__ T(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, as)) {}     \
        explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, as)); } \
        explicit __host__ __device__ operator float2() const { return __half22float2((__half2)*this); }        \
    };
HW_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
HW_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)
#undef HW_FP8X2

#endif
#endif
