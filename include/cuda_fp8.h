/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit floats: e4m3 (no infinity, largest 448), e5m2 (as IEEE) and e8m0 (powers of two), and conversions from and to the wider types. */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "hostwarp/words_push.h"

#include "hostwarp/tiny_bits.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

namespace hostwarp {

/* What does not fit is the largest number, or with __NV_NOSAT infinity, which e4m3 has none of. A NaN keeps its sign, except in hardware. */
template <class F> HW_HD __nv_fp8_storage_t fp8_of(F f, __nv_saturation_t saturate, __nv_fp8_interpretation_t as)
{
    const unsigned int sign = sign_of(f) ? 0x80 : 0, last = as == __NV_E4M3 ? 0x7e : 0x7b;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    if (f != f)
        return 0x7f;
#else
    if (f != f)
        return (__nv_fp8_storage_t)(sign | 0x7f);
#endif
    unsigned int code = as == __NV_E4M3 ? tiny_magnitude<4, 3>(f, last) : tiny_magnitude<5, 2>(f, last);
    if (code > last && saturate == __NV_SATFINITE)
        code = last;
    return (__nv_fp8_storage_t)(sign | code);
}

HW_HD float fp8_value(__nv_fp8_storage_t x, __nv_fp8_interpretation_t as)
{
    const unsigned int magnitude = x & 0x7f;
    if (as == __NV_E4M3)
        return magnitude == 0x7f ? bits_of<float>(0x7fffffffu) : tiny_value<4, 3>(x);
    if (magnitude > 0x7c)
        return bits_of<float>(0x7fffffffu);
    return magnitude == 0x7c ? bits_of<float>(0x7f800000u | (unsigned int)(x & 0x80) << 24) : tiny_value<5, 2>(x);
}

/* The power of two next to |f|, towards zero or away from it; 0 stands for 2^-127 and 0xff for NaN. */
template <class F> HW_HD __nv_fp8_storage_t e8m0_of(F f, __nv_saturation_t saturate, enum cudaRoundMode rounding)
{
    typedef wide_format<F> wide;
    typedef typename wide::bits bits;
    const bits magnitude = bits_of<bits>(f) & (~(bits)0 >> 1);
    if (f != f)
        return 0xff;
    if (magnitude <= bits_of<bits>((F)0x1p-127f))
        return 0;
    int e;
    bool exact;
    if (magnitude < (bits)1 << wide::fraction) {   /* a subnormal float between 2^-127 and 2^-126 */
        e = 0;
        exact = false;
    } else {
        e = (int)(magnitude >> wide::fraction) - wide::bias + 127;
        exact = (magnitude & (((bits)1 << wide::fraction) - 1)) == 0;
    }
    if (e > 254)
        return saturate == __NV_SATFINITE ? 0xfe : 0xff;
    if (!exact && rounding == cudaRoundPosInf)
        e++;
    return (__nv_fp8_storage_t)(e > 254 && saturate == __NV_SATFINITE ? 254 : e);
}

HW_HD float e8m0_value(__nv_fp8_storage_t x)
{
    return x == 0xff ? bits_of<float>(0x7fffffffu) : x == 0 ? bits_of<float>(0x00400000u) : bits_of<float>((unsigned int)x << 23);
}

}

/* ---- e4m3 and e5m2 ---- */

HW_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)
{
    return hostwarp::fp8_of(x, saturate, as);
}
HW_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)
{
    return hostwarp::fp8_of(x, saturate, as);
}
HW_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)
{
    return hostwarp::fp8_of((float)__half(x), saturate, as);
}
HW_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                                                     const __nv_fp8_interpretation_t as)
{
    return hostwarp::fp8_of((float)__nv_bfloat16(x), saturate, as);
}
#define HW_PAIR(name, Pair, one, x_of, y_of)                                                                                        \
    HW_HD __nv_fp8x2_storage_t name(const Pair v, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t as)             \
    {                                                                                                                               \
        return (__nv_fp8x2_storage_t)(one(x_of, saturate, as) | one(y_of, saturate, as) << 8);                                      \
    }
HW_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, v.x, v.y)
HW_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, v.x, v.y)
HW_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{v.x}, __half_raw{v.y})
HW_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef HW_PAIR
HW_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t as)
{
    return __half(hostwarp::fp8_value(x, as));
}
HW_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t as)
{
    __half2_raw r;
    r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, as).x;
    r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), as).x;
    return r;
}

/* ---- e8m0 ---- */

HW_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(const double x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding)
{
    return hostwarp::e8m0_of(x, saturate, rounding);
}
HW_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(const float x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding)
{
    return hostwarp::e8m0_of(x, saturate, rounding);
}
HW_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(const __nv_bfloat16_raw x, const __nv_saturation_t saturate, const enum cudaRoundMode rounding)
{
    return hostwarp::e8m0_of((float)__nv_bfloat16(x), saturate, rounding);
}
#define HW_PAIR(name, Pair, one, x_of, y_of)                                                                                        \
    HW_HD __nv_fp8x2_storage_t name(const Pair v, const __nv_saturation_t saturate, const enum cudaRoundMode rounding)              \
    {                                                                                                                               \
        return (__nv_fp8x2_storage_t)(one(x_of, saturate, rounding) | one(y_of, saturate, rounding) << 8);                          \
    }
HW_PAIR(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0, v.x, v.y)
HW_PAIR(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, v.x, v.y)
HW_PAIR(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef HW_PAIR
HW_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) { return __nv_bfloat16(hostwarp::e8m0_value(x)); }
HW_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t x)
{
    __nv_bfloat162_raw r;
    r.x = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x;
    r.y = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x;
    return r;
}

/* ---- the types ---- */

#define HW_TINY_x1(a, b) a##b
#define HW_TINY_x2(a, b) a##x2##b
#define HW_TINY_x4(a, b) a##x4##b

#define HW_TINY(x) HW_TINY_##x(__nv_fp8, _e4m3)
#define HW_TINY_STORAGE(x) HW_TINY_##x(__nv_fp8, _storage_t)
#define HW_TINY_BITS 8
#define HW_TINY_FROM(v) hostwarp::fp8_of(v, __NV_SATFINITE, __NV_E4M3)
#define HW_TINY_TO(bits) hostwarp::fp8_value(bits, __NV_E4M3)
#include "hostwarp/tiny_type.h"

#define HW_TINY(x) HW_TINY_##x(__nv_fp8, _e5m2)
#define HW_TINY_STORAGE(x) HW_TINY_##x(__nv_fp8, _storage_t)
#define HW_TINY_BITS 8
#define HW_TINY_FROM(v) hostwarp::fp8_of(v, __NV_SATFINITE, __NV_E5M2)
#define HW_TINY_TO(bits) hostwarp::fp8_value(bits, __NV_E5M2)
#include "hostwarp/tiny_type.h"

#define HW_TINY(x) HW_TINY_##x(__nv_fp8, _e8m0)
#define HW_TINY_STORAGE(x) HW_TINY_##x(__nv_fp8, _storage_t)
#define HW_TINY_BITS 8
#define HW_TINY_FROM(v) hostwarp::e8m0_of(v, __NV_SATFINITE, cudaRoundPosInf)
#define HW_TINY_TO(bits) hostwarp::e8m0_value(bits)
#include "hostwarp/tiny_type.h"

#endif

#include "hostwarp/words_pop.h"

#endif
