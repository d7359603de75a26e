/* SPDX-License-Identifier: Apache-2.0 */
/* 6-bit floats, e3m2 and e2m3, one to a byte: no infinity and no NaN, what does not fit is the largest number. */
#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__

#include "hostwarp/words_push.h"

#include "cuda_fp8.h"

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#if defined(__cplusplus)

namespace hostwarp {

template <class F> HW_HD __nv_fp6_storage_t fp6_of(F f, __nv_fp6_interpretation_t as, enum cudaRoundMode rounding)
{
    if (f != f)
        return 0x1f;
    const round_mode mode = round_mode_of(rounding);
    unsigned int code = as == __NV_E3M2 ? tiny_magnitude<3, 2>(f, 0x1f, mode) : tiny_magnitude<2, 3>(f, 0x1f, mode);
    return (__nv_fp6_storage_t)((sign_of(f) ? 0x20 : 0) | (code > 0x1f ? 0x1f : code));
}

HW_HD float fp6_value(__nv_fp6_storage_t x, __nv_fp6_interpretation_t as)
{
    return as == __NV_E3M2 ? tiny_value<3, 2>(x) : tiny_value<2, 3>(x);
}

}

HW_HD __nv_fp6_storage_t __nv_cvt_double_to_fp6(const double x, const __nv_fp6_interpretation_t as, const enum cudaRoundMode rounding)
{
    return hostwarp::fp6_of(x, as, rounding);
}
HW_HD __nv_fp6_storage_t __nv_cvt_float_to_fp6(const float x, const __nv_fp6_interpretation_t as, const enum cudaRoundMode rounding)
{
    return hostwarp::fp6_of(x, as, rounding);
}
HW_HD __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(const __half_raw x, const __nv_fp6_interpretation_t as, const enum cudaRoundMode rounding)
{
    return hostwarp::fp6_of((float)__half(x), as, rounding);
}
HW_HD __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(const __nv_bfloat16_raw x, const __nv_fp6_interpretation_t as,
                                                     const enum cudaRoundMode rounding)
{
    return hostwarp::fp6_of((float)__nv_bfloat16(x), as, rounding);
}
#define HW_PAIR(name, Pair, one, x_of, y_of)                                                                                        \
    HW_HD __nv_fp6x2_storage_t name(const Pair v, const __nv_fp6_interpretation_t as, const enum cudaRoundMode rounding)            \
    {                                                                                                                               \
        return (__nv_fp6x2_storage_t)(one(x_of, as, rounding) | one(y_of, as, rounding) << 8);                                      \
    }
HW_PAIR(__nv_cvt_double2_to_fp6x2, double2, __nv_cvt_double_to_fp6, v.x, v.y)
HW_PAIR(__nv_cvt_float2_to_fp6x2, float2, __nv_cvt_float_to_fp6, v.x, v.y)
HW_PAIR(__nv_cvt_halfraw2_to_fp6x2, __half2_raw, __nv_cvt_halfraw_to_fp6, __half_raw{v.x}, __half_raw{v.y})
HW_PAIR(__nv_cvt_bfloat16raw2_to_fp6x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp6, __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef HW_PAIR
HW_HD __half_raw __nv_cvt_fp6_to_halfraw(const __nv_fp6_storage_t x, const __nv_fp6_interpretation_t as) { return __half(hostwarp::fp6_value(x, as)); }
HW_HD __half2_raw __nv_cvt_fp6x2_to_halfraw2(const __nv_fp6x2_storage_t x, const __nv_fp6_interpretation_t as)
{
    __half2_raw r;
    r.x = __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)x, as).x;
    r.y = __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), as).x;
    return r;
}

#define HW_TINY(x) HW_TINY_##x(__nv_fp6, _e3m2)
#define HW_TINY_STORAGE(x) HW_TINY_##x(__nv_fp6, _storage_t)
#define HW_TINY_BITS 8
#define HW_TINY_FROM(v) hostwarp::fp6_of(v, __NV_E3M2, cudaRoundNearest)
#define HW_TINY_TO(bits) hostwarp::fp6_value(bits, __NV_E3M2)
#include "hostwarp/tiny_type.h"

#define HW_TINY(x) HW_TINY_##x(__nv_fp6, _e2m3)
#define HW_TINY_STORAGE(x) HW_TINY_##x(__nv_fp6, _storage_t)
#define HW_TINY_BITS 8
#define HW_TINY_FROM(v) hostwarp::fp6_of(v, __NV_E2M3, cudaRoundNearest)
#define HW_TINY_TO(bits) hostwarp::fp6_value(bits, __NV_E2M3)
#include "hostwarp/tiny_type.h"

#endif

#include "hostwarp/words_pop.h"

#endif
