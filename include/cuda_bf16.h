/* SPDX-License-Identifier: Apache-2.0 */
/* bfloat16: __nv_bfloat16, __nv_bfloat162, and their functions; arithmetic as in cuda_fp16.h. */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_fp16.h"

#include "hostwarp/words_push.h"

#include "hostwarp/narrow_bits.h"

typedef struct __align__(2) {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __align__(4) {
    unsigned short x, y;
} __nv_bfloat162_raw;

#if defined(__cplusplus)

namespace hostwarp {
namespace bf16 {

HW_HD float widen(unsigned short bits) { return bits_of<float>((unsigned int)bits << 16); }

HW_HD unsigned short narrow(double d, round_mode mode = round_nearest) { return round_double<8, 7>(d, mode); }

HW_HD unsigned short narrow(float f, round_mode mode = round_nearest)
{
    unsigned int u = bits_of<unsigned int>(f);
    if (mode != round_nearest)
        return round_double<8, 7>(f, mode);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

}
}

#define HW_T        __nv_bfloat16
#define HW_T2       __nv_bfloat162
#define HW_RAW      __nv_bfloat16_raw
#define HW_RAW2     __nv_bfloat162_raw
#define HW_OTHER    __half
#define HW_SPACE    hostwarp::bf16
#define HW_PTX      "bf16"
#define HW_HAS_FMA  (__CUDA_ARCH__ >= 800)
#define HW_TANH_ARCH 900
#define HW_ONE      0x3f80
#define HW_NAME(a, b)  a##bfloat16##b
#define HW_NAME2(a, b) a##bfloat162##b
#define HW_TWICE()     __bfloat162bfloat162
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define HW_NO_OPERATORS
#endif
#include "hostwarp/narrow_type.h"
#if defined(__CUDACC__)
#include "hostwarp/narrow_device.h"
#endif
#include "hostwarp/narrow_end.h"

__host__ __device__ inline __half::__half(const __nv_bfloat16 &f) : __x(hostwarp::f16::narrow((float)f)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(const __half &f) : __x(hostwarp::bf16::narrow((float)f)) {}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16        __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16        __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16   __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16       __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16        __ushort_as_bfloat16((unsigned short)0x3F80U)

#endif

#include "hostwarp/words_pop.h"

#endif
