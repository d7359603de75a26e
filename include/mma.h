/* SPDX-License-Identifier: Apache-2.0 */
/* nvcuda::wmma: products of small matrices by all threads of a warp together. */
#ifndef _HOSTWARP_MMA_H_
#define _HOSTWARP_MMA_H_

#include "hostwarp/words_push.h"

#if defined(__cplusplus) && defined(__CUDACC__)
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define __CUDA_IMMA__ 1

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
struct tf32 {};
}
namespace experimental {
namespace precision {
using wmma::precision::b1;
using wmma::precision::s4;
using wmma::precision::u4;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

namespace hw_detail {
template <class L> struct is_col { static const int value = 0; };
template <> struct is_col<col_major> { static const int value = 1; };
/* What the products' builtins take for the layouts of A and B. */
template <class A, class B> struct layouts { static const int value = 2 * is_col<A>::value + is_col<B>::value; };

/* Stored: what x holds. Memory: what a matrix in memory holds. */
template <class Stored, class Memory, int N> struct storage {
    typedef Stored element_type;
    typedef Stored storage_element_type;
    typedef Memory memory_type;
    enum { num_elements = N, num_storage_elements = N };
    Stored x[N];
};
}

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

#define HW_FRAGMENT(use, m, n, k, T, stored, memory, count) \
    template <class L> class fragment<use, m, n, k, T, L> : public hw_detail::storage<stored, memory, count> {};
#define HW_ACCUMULATOR(m, n, k, T, count) \
    template <> class fragment<accumulator, m, n, k, T, void> : public hw_detail::storage<T, T, count> {};

template <class Use, int m, int n, int k, class T, class L, class V>
__device__ inline void fill_fragment(fragment<Use, m, n, k, T, L> &f, const V &value)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = value;
}

#define HW_LOAD(use, m, n, k, T, memory, builtin, as)                                                                       \
    template <class L>                                                                                                      \
    __device__ inline void load_matrix_sync(fragment<use, m, n, k, T, L> &f, const memory *p, unsigned ldm)                 \
    {                                                                                                                       \
        builtin((as *)f.x, (const as *)p, ldm, hw_detail::is_col<L>::value);                                                \
    }
#define HW_LOAD_C(m, n, k, T, builtin, as)                                                                                  \
    __device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned ldm, layout_t how)   \
    {                                                                                                                       \
        if (how == mem_row_major)                                                                                           \
            builtin((as *)f.x, (const as *)p, ldm, 0);                                                                      \
        else                                                                                                                \
            builtin((as *)f.x, (const as *)p, ldm, 1);                                                                      \
    }
#define HW_STORE(m, n, k, T, builtin, as)                                                                                   \
    __device__ inline void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned ldm, layout_t how)  \
    {                                                                                                                       \
        if (how == mem_row_major)                                                                                           \
            builtin((as *)p, (const as *)f.x, ldm, 0);                                                                      \
        else                                                                                                                \
            builtin((as *)p, (const as *)f.x, ldm, 1);                                                                      \
    }
/* The builtins take the layouts as constants; satf too, where there is any saturation. */
#define HW_PRODUCT(m, n, k, AB, D, C, builtin, as, as_d, as_c)                                                              \
    template <class LA, class LB>                                                                                           \
    __device__ inline void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, AB, LA> &a,     \
                                    const fragment<matrix_b, m, n, k, AB, LB> &b, const fragment<accumulator, m, n, k, C> &c) \
    {                                                                                                                       \
        builtin((as_d *)d.x, (const as *)a.x, (const as *)b.x, (const as_c *)c.x, hw_detail::layouts<LA, LB>::value, 0);    \
    }
#define HW_PRODUCT_SAT(m, n, k, AB, builtin)                                                                                \
    template <class LA, class LB>                                                                                           \
    __device__ inline void mma_sync(fragment<accumulator, m, n, k, int> &d, const fragment<matrix_a, m, n, k, AB, LA> &a,   \
                                    const fragment<matrix_b, m, n, k, AB, LB> &b, const fragment<accumulator, m, n, k, int> &c, bool satf = false) \
    {                                                                                                                       \
        if (satf)                                                                                                           \
            builtin(d.x, (const int *)a.x, (const int *)b.x, c.x, hw_detail::layouts<LA, LB>::value, 1);                    \
        else                                                                                                                \
            builtin(d.x, (const int *)a.x, (const int *)b.x, c.x, hw_detail::layouts<LA, LB>::value, 0);                    \
    }

/* m, n, k; elements of A and B in a thread: half has room for more than there are; bytes and bfloat16 */
#define HW_SHAPE(m, n, k, s, a8, b8)                                                     \
    HW_ACCUMULATOR(m, n, k, float, 8)                                                    \
    HW_ACCUMULATOR(m, n, k, __half, 8)                                                   \
    HW_ACCUMULATOR(m, n, k, int, 8)                                                      \
    HW_FRAGMENT(matrix_a, m, n, k, __half, __half, __half, 16)                           \
    HW_FRAGMENT(matrix_b, m, n, k, __half, __half, __half, 16)                           \
    HW_FRAGMENT(matrix_a, m, n, k, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, a8)      \
    HW_FRAGMENT(matrix_b, m, n, k, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, b8)      \
    HW_FRAGMENT(matrix_a, m, n, k, signed char, signed char, signed char, a8)            \
    HW_FRAGMENT(matrix_b, m, n, k, signed char, signed char, signed char, b8)            \
    HW_FRAGMENT(matrix_a, m, n, k, unsigned char, unsigned char, unsigned char, a8)      \
    HW_FRAGMENT(matrix_b, m, n, k, unsigned char, unsigned char, unsigned char, b8)      \
    HW_LOAD(matrix_a, m, n, k, __half, __half, __hmma_##s##_ld_a, int)                   \
    HW_LOAD(matrix_b, m, n, k, __half, __half, __hmma_##s##_ld_b, int)                   \
    HW_LOAD(matrix_a, m, n, k, __nv_bfloat16, __nv_bfloat16, __mma_bf16_##s##_ld_a, int) \
    HW_LOAD(matrix_b, m, n, k, __nv_bfloat16, __nv_bfloat16, __mma_bf16_##s##_ld_b, int) \
    HW_LOAD(matrix_a, m, n, k, signed char, signed char, __imma_##s##_ld_a_s8, int)      \
    HW_LOAD(matrix_b, m, n, k, signed char, signed char, __imma_##s##_ld_b_s8, int)      \
    HW_LOAD(matrix_a, m, n, k, unsigned char, unsigned char, __imma_##s##_ld_a_u8, int)  \
    HW_LOAD(matrix_b, m, n, k, unsigned char, unsigned char, __imma_##s##_ld_b_u8, int)  \
    HW_LOAD_C(m, n, k, float, __hmma_##s##_ld_c_f32, float)                              \
    HW_LOAD_C(m, n, k, __half, __hmma_##s##_ld_c_f16, int)                               \
    HW_LOAD_C(m, n, k, int, __imma_##s##_ld_c, int)                                      \
    HW_STORE(m, n, k, float, __hmma_##s##_st_c_f32, float)                               \
    HW_STORE(m, n, k, __half, __hmma_##s##_st_c_f16, int)                                \
    HW_STORE(m, n, k, int, __imma_##s##_st_c_i32, int)                                   \
    HW_PRODUCT(m, n, k, __half, float, float, __hmma_##s##_mma_f32f32, int, float, float) \
    HW_PRODUCT(m, n, k, __half, __half, __half, __hmma_##s##_mma_f16f16, int, int, int)  \
    HW_PRODUCT(m, n, k, __half, float, __half, __hmma_##s##_mma_f32f16, int, float, int) \
    HW_PRODUCT(m, n, k, __half, __half, float, __hmma_##s##_mma_f16f32, int, int, float) \
    HW_PRODUCT(m, n, k, __nv_bfloat16, float, float, __mma_bf16_##s##_mma_f32, int, float, float) \
    HW_PRODUCT_SAT(m, n, k, signed char, __imma_##s##_mma_s8)                            \
    HW_PRODUCT_SAT(m, n, k, unsigned char, __imma_##s##_mma_u8)

HW_SHAPE(16, 16, 16, m16n16k16, 8, 8)
HW_SHAPE(32, 8, 16, m32n8k16, 16, 4)
HW_SHAPE(8, 32, 16, m8n32k16, 4, 16)

HW_FRAGMENT(matrix_a, 16, 16, 8, precision::tf32, float, float, 4)
HW_FRAGMENT(matrix_b, 16, 16, 8, precision::tf32, float, float, 4)
HW_ACCUMULATOR(16, 16, 8, float, 8)
HW_LOAD(matrix_a, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_a, int)
HW_LOAD(matrix_b, 16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_ld_b, int)
HW_LOAD_C(16, 16, 8, float, __mma_tf32_m16n16k8_ld_c, float)
HW_STORE(16, 16, 8, float, __mma_m16n16k8_st_c_f32, float)
HW_PRODUCT(16, 16, 8, precision::tf32, float, float, __mma_tf32_m16n16k8_mma_f32, int, float, float)

HW_FRAGMENT(matrix_a, 8, 8, 4, double, double, double, 1)
HW_FRAGMENT(matrix_b, 8, 8, 4, double, double, double, 1)
HW_ACCUMULATOR(8, 8, 4, double, 2)
HW_LOAD(matrix_a, 8, 8, 4, double, double, __dmma_m8n8k4_ld_a, double)
HW_LOAD(matrix_b, 8, 8, 4, double, double, __dmma_m8n8k4_ld_b, double)
HW_LOAD_C(8, 8, 4, double, __dmma_m8n8k4_ld_c, double)
HW_STORE(8, 8, 4, double, __dmma_m8n8k4_st_c_f64, double)
HW_PRODUCT(8, 8, 4, double, double, double, __dmma_m8n8k4_mma_f64, double, double, double)

/* Less than a byte: A by rows and B by columns only, packed in words. */
HW_FRAGMENT(matrix_a, 8, 8, 32, precision::s4, int, int, 1)
HW_FRAGMENT(matrix_b, 8, 8, 32, precision::s4, int, int, 1)
HW_FRAGMENT(matrix_a, 8, 8, 32, precision::u4, unsigned, unsigned, 1)
HW_FRAGMENT(matrix_b, 8, 8, 32, precision::u4, unsigned, unsigned, 1)
HW_FRAGMENT(matrix_a, 8, 8, 128, precision::b1, unsigned, unsigned, 1)
HW_FRAGMENT(matrix_b, 8, 8, 128, precision::b1, unsigned, unsigned, 1)
HW_ACCUMULATOR(8, 8, 32, int, 2)
HW_ACCUMULATOR(8, 8, 128, int, 2)
HW_LOAD(matrix_a, 8, 8, 32, precision::s4, void, __imma_m8n8k32_ld_a_s4, int)
HW_LOAD(matrix_b, 8, 8, 32, precision::s4, void, __imma_m8n8k32_ld_b_s4, int)
HW_LOAD(matrix_a, 8, 8, 32, precision::u4, void, __imma_m8n8k32_ld_a_u4, int)
HW_LOAD(matrix_b, 8, 8, 32, precision::u4, void, __imma_m8n8k32_ld_b_u4, int)
HW_LOAD(matrix_a, 8, 8, 128, precision::b1, void, __bmma_m8n8k128_ld_a_b1, int)
HW_LOAD(matrix_b, 8, 8, 128, precision::b1, void, __bmma_m8n8k128_ld_b_b1, int)
HW_LOAD_C(8, 8, 32, int, __imma_m8n8k32_ld_c, int)
HW_LOAD_C(8, 8, 128, int, __bmma_m8n8k128_ld_c, int)
HW_STORE(8, 8, 32, int, __imma_m8n8k32_st_c_i32, int)
HW_STORE(8, 8, 128, int, __bmma_m8n8k128_st_c_i32, int)

#define HW_PRODUCT_S4(T, builtin)                                                                                                   \
    __device__ inline void mma_sync(fragment<accumulator, 8, 8, 32, int> &d, const fragment<matrix_a, 8, 8, 32, T, row_major> &a,   \
                                    const fragment<matrix_b, 8, 8, 32, T, col_major> &b, const fragment<accumulator, 8, 8, 32, int> &c, bool satf = false) \
    {                                                                                                                               \
        if (satf)                                                                                                                   \
            builtin(d.x, (const int *)a.x, (const int *)b.x, c.x, 1, 1);                                                            \
        else                                                                                                                        \
            builtin(d.x, (const int *)a.x, (const int *)b.x, c.x, 1, 0);                                                            \
    }
HW_PRODUCT_S4(precision::s4, __imma_m8n8k32_mma_s4)
HW_PRODUCT_S4(precision::u4, __imma_m8n8k32_mma_u4)

__device__ inline void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d, const fragment<matrix_a, 8, 8, 128, precision::b1, row_major> &a,
                                 const fragment<matrix_b, 8, 8, 128, precision::b1, col_major> &b, const fragment<accumulator, 8, 8, 128, int> &c,
                                 experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                                 experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    if (op == experimental::bmmaBitOpXOR)
        __bmma_m8n8k128_mma_xor_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
    else
        __bmma_m8n8k128_mma_and_popc_b1(d.x, (const int *)a.x, (const int *)b.x, c.x, 1);
}

/* A float that a tf32 holds: rounded to nearest, ties away from zero. */
__host__ __device__ inline float __float_to_tf32(float f)
{
#ifdef __CUDA_ARCH__
    int r;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(f));
    return __int_as_float(r);
#else
    return f;
#endif
}

#undef HW_FRAGMENT
#undef HW_ACCUMULATOR
#undef HW_LOAD
#undef HW_LOAD_C
#undef HW_STORE
#undef HW_PRODUCT
#undef HW_PRODUCT_SAT
#undef HW_PRODUCT_S4
#undef HW_SHAPE

}
}

#endif

#include "hostwarp/words_pop.h"

#endif
