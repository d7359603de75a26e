/* SPDX-License-Identifier: Apache-2.0 */
/* 4-bit floats, e2m1, two to a byte in pairs: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives. What does not fit is the largest number. */
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__

#include "hostwarp/words_push.h"

#include "cuda_fp6.h"

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#if defined(__cplusplus)

namespace hostwarp {

template <class F> HW_HD __nv_fp4_storage_t fp4_of(F f, enum cudaRoundMode rounding)
{
    if (f != f)
        return 0x7;
    unsigned int code = tiny_magnitude<2, 1>(f, 0x7, round_mode_of(rounding));
    return (__nv_fp4_storage_t)((sign_of(f) ? 0x8 : 0) | (code > 0x7 ? 0x7 : code));
}

HW_HD float fp4_value(__nv_fp4_storage_t x) { return tiny_value<2, 1>(x); }

}

HW_HD __nv_fp4_storage_t __nv_cvt_double_to_fp4(const double x, const __nv_fp4_interpretation_t, const enum cudaRoundMode rounding)
{
    return hostwarp::fp4_of(x, rounding);
}
HW_HD __nv_fp4_storage_t __nv_cvt_float_to_fp4(const float x, const __nv_fp4_interpretation_t, const enum cudaRoundMode rounding)
{
    return hostwarp::fp4_of(x, rounding);
}
HW_HD __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(const __half_raw x, const __nv_fp4_interpretation_t, const enum cudaRoundMode rounding)
{
    return hostwarp::fp4_of((float)__half(x), rounding);
}
HW_HD __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(const __nv_bfloat16_raw x, const __nv_fp4_interpretation_t, const enum cudaRoundMode rounding)
{
    return hostwarp::fp4_of((float)__nv_bfloat16(x), rounding);
}
#define HW_PAIR(name, Pair, one, x_of, y_of)                                                                                        \
    HW_HD __nv_fp4x2_storage_t name(const Pair v, const __nv_fp4_interpretation_t as, const enum cudaRoundMode rounding)            \
    {                                                                                                                               \
        return (__nv_fp4x2_storage_t)(one(x_of, as, rounding) | one(y_of, as, rounding) << 4);                                      \
    }
HW_PAIR(__nv_cvt_double2_to_fp4x2, double2, __nv_cvt_double_to_fp4, v.x, v.y)
HW_PAIR(__nv_cvt_float2_to_fp4x2, float2, __nv_cvt_float_to_fp4, v.x, v.y)
HW_PAIR(__nv_cvt_halfraw2_to_fp4x2, __half2_raw, __nv_cvt_halfraw_to_fp4, __half_raw{v.x}, __half_raw{v.y})
HW_PAIR(__nv_cvt_bfloat16raw2_to_fp4x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp4, __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef HW_PAIR
HW_HD __half_raw __nv_cvt_fp4_to_halfraw(const __nv_fp4_storage_t x, const __nv_fp4_interpretation_t) { return __half(hostwarp::fp4_value(x)); }
HW_HD __half2_raw __nv_cvt_fp4x2_to_halfraw2(const __nv_fp4x2_storage_t x, const __nv_fp4_interpretation_t as)
{
    __half2_raw r;
    r.x = __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x & 0xf), as).x;
    r.y = __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), as).x;
    return r;
}

#define HW_TINY(x) HW_TINY_##x(__nv_fp4, _e2m1)
#define HW_TINY_STORAGE(x) HW_TINY_##x(__nv_fp4, _storage_t)
#define HW_TINY_BITS 4
#define HW_TINY_FROM(v) hostwarp::fp4_of(v, cudaRoundNearest)
#define HW_TINY_TO(bits) hostwarp::fp4_value(bits)
#include "hostwarp/tiny_type.h"

#endif

#include "hostwarp/words_pop.h"

#endif
