/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision: __half, __half2, and their functions. Arithmetic is done in float and rounded once, which for 11 bits of
   precision gives the same bits as doing it in half; fused operations have instructions of their own. */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "hostwarp/words_push.h"

#include "hostwarp/narrow_bits.h"

typedef struct __align__(2) {
    unsigned short x;
} __half_raw;
typedef struct __align__(4) {
    unsigned short x, y;
} __half2_raw;

#if defined(__cplusplus)

namespace hostwarp {
namespace f16 {

HW_HD float widen(unsigned short bits)
{
#if defined(__CUDA_ARCH__)
    return (float)bits_of<_Float16>(bits);
#else
    unsigned int sign = (unsigned int)(bits & 0x8000) << 16, e = bits >> 10 & 31, m = bits & 0x3ff;
    if (e == 31)
        return bits_of<float>(sign | 0x7f800000u | m << 13);
    if (e)
        return bits_of<float>(sign | (e + 112) << 23 | m << 13);
    float f = (float)m * 0x1p-24f;
    return sign ? -f : f;
#endif
}

HW_HD unsigned short narrow(double d, round_mode mode = round_nearest)
{
#if defined(__CUDA_ARCH__)
    if (mode == round_nearest)
        return bits_of<unsigned short>((_Float16)d);
#endif
    return round_double<5, 10>(d, mode);
}

HW_HD unsigned short narrow(float f, round_mode mode = round_nearest)
{
#if defined(__CUDA_ARCH__)
    if (mode == round_nearest)
        return bits_of<unsigned short>((_Float16)f);
#endif
    return round_double<5, 10>(f, mode);
}

}
}

#define HW_T        __half
#define HW_T2       __half2
#define HW_RAW      __half_raw
#define HW_RAW2     __half2_raw
#define HW_OTHER    __nv_bfloat16
#define HW_SPACE    hostwarp::f16
#define HW_PTX      "f16"
#define HW_HAS_FMA  1
#define HW_TANH_ARCH 750
#define HW_ONE      0x3c00
#define HW_NAME(a, b)  a##half##b
#define HW_NAME2(a, b) a##half2##b
#define HW_TWICE()     __half2half2
#if defined(__CUDA_NO_HALF_OPERATORS__)
#define HW_NO_OPERATORS
#endif
#include "hostwarp/narrow_type.h"
#if defined(__CUDACC__)
#include "hostwarp/narrow_device.h"
#endif
#include "hostwarp/narrow_end.h"

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16        __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16        __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16   __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16       __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16        __ushort_as_half((unsigned short)0x3C00U)

#endif

#include "hostwarp/words_pop.h"

#endif
