/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and reductions of ranges, and stores whose bytes a barrier counts. Part of cuda/ptx. */
#ifndef HOSTWARP_PTX_BULK_H
#define HOSTWARP_PTX_BULK_H

namespace cuda {
namespace ptx {

namespace __hw {
static inline __device__ ::std::uint64_t __global_address(const void *__p) { return (::std::uint64_t)__cvta_generic_to_global(__p); }

/* A value of 4 or 8 bytes as the register that holds it. */
template <size_t __bytes> struct __bits_of;
template <> struct __bits_of<4> { typedef ::std::uint32_t __type; };
template <> struct __bits_of<8> { typedef ::std::uint64_t __type; };
template <class __T> static inline __device__ typename __bits_of<sizeof(__T)>::__type __bits(const __T &__value)
{
    typename __bits_of<sizeof(__T)>::__type __raw;
    __builtin_memcpy(&__raw, &__value, sizeof(__T));
    return __raw;
}
}

#define __HW_TO_SHARED "r"(__hw::__shared_address(__to))
#define __HW_TO_GLOBAL "l"(__hw::__global_address(__to))
#define __HW_FROM_SHARED "r"(__hw::__shared_address(__from))
#define __HW_FROM_GLOBAL "l"(__hw::__global_address(__from))
#define __HW_BAR "r"(__hw::__shared_address(__bar))

__HW_PTX void cp_async_bulk(space_cluster_t, space_global_t, void *__to, const void *__from, const ::std::uint32_t &__bytes, ::std::uint64_t *__bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : __HW_TO_SHARED, __HW_FROM_GLOBAL, "r"(__bytes), __HW_BAR : "memory");
}
__HW_PTX void cp_async_bulk(space_shared_t, space_global_t, void *__to, const void *__from, const ::std::uint32_t &__bytes, ::std::uint64_t *__bar)
{
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : __HW_TO_SHARED, __HW_FROM_GLOBAL, "r"(__bytes), __HW_BAR : "memory");
}
__HW_PTX void cp_async_bulk(space_cluster_t, space_shared_t, void *__to, const void *__from, const ::std::uint32_t &__bytes, ::std::uint64_t *__bar)
{
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : __HW_TO_SHARED, __HW_FROM_SHARED, "r"(__bytes), __HW_BAR : "memory");
}
__HW_PTX void cp_async_bulk(space_global_t, space_shared_t, void *__to, const void *__from, const ::std::uint32_t &__bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" : : __HW_TO_GLOBAL, __HW_FROM_SHARED, "r"(__bytes) : "memory");
}

__HW_PTX void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
template <int __n> static inline __device__ void cp_async_bulk_wait_group(n32_t<__n>)
{
    asm volatile("cp.async.bulk.wait_group %0;" : : "n"(__n) : "memory");
}
template <int __n> static inline __device__ void cp_async_bulk_wait_group_read(n32_t<__n>)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(__n) : "memory");
}

/* ---- reductions: HEAD is "template <...>" or nothing of a typed overload ---- */

#define __HW_REDUCE_ACROSS(head, word, text, T)                                                                                            \
    head static inline __device__ void cp_reduce_async_bulk(space_cluster_t, space_shared_t, op_##word##_t, T *__to, const T *__from,      \
                                                            ::std::uint32_t __bytes, ::std::uint64_t *__bar)                               \
    {                                                                                                                                      \
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." text " [%0], [%1], %2, [%3];"        \
                     : : __HW_TO_SHARED, __HW_FROM_SHARED, "r"(__bytes), __HW_BAR : "memory");                                             \
    }
#define __HW_REDUCE_STORE(head, word, text, T)                                                                                             \
    head static inline __device__ void cp_reduce_async_bulk(space_global_t, space_shared_t, op_##word##_t, T *__to, const T *__from,       \
                                                            ::std::uint32_t __bytes)                                                       \
    {                                                                                                                                      \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." text " [%0], [%1], %2;"                                         \
                     : : __HW_TO_GLOBAL, __HW_FROM_SHARED, "r"(__bytes) : "memory");                                                       \
    }
#define __HW_RED_ASYNC(head, word, text, T, letter)                                                                                        \
    head static inline __device__ void red_async(op_##word##_t, T *__to, const T &__value, ::std::uint64_t *__bar)                         \
    {                                                                                                                                      \
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." text " [%0], %1, [%2];"                     \
                     : : __HW_TO_SHARED, letter(__hw::__bits(__value)), __HW_BAR : "memory");                                              \
    }
#define __HW_PLAIN template <typename = void>
#define __HW_B32 template <class __B32, typename ::std::enable_if<sizeof(__B32) == 4, bool>::type = true>
#define __HW_B64 template <class __B64, typename ::std::enable_if<sizeof(__B64) == 8, bool>::type = true>
#define __HW_BOTH(word, text, T)                    \
    __HW_REDUCE_ACROSS(__HW_PLAIN, word, text, T)   \
    __HW_REDUCE_STORE(__HW_PLAIN, word, text, T)
#define __HW_ALL(word, text, T, letter)             \
    __HW_BOTH(word, text, T)                        \
    __HW_RED_ASYNC(__HW_PLAIN, word, text, T, letter)
#define __HW_LOGIC(word, text)                                     \
    __HW_REDUCE_ACROSS(__HW_B32, word, text ".b32", __B32)         \
    __HW_REDUCE_STORE(__HW_B32, word, text ".b32", __B32)          \
    __HW_REDUCE_STORE(__HW_B64, word, text ".b64", __B64)          \
    __HW_RED_ASYNC(__HW_B32, word, text ".b32", __B32, "r")

__HW_LOGIC(and_op, "and")
__HW_LOGIC(or_op, "or")
__HW_LOGIC(xor_op, "xor")
__HW_ALL(add, "add.u32", ::std::uint32_t, "r")
__HW_ALL(min, "min.u32", ::std::uint32_t, "r")
__HW_ALL(max, "max.u32", ::std::uint32_t, "r")
__HW_ALL(inc, "inc.u32", ::std::uint32_t, "r")
__HW_ALL(dec, "dec.u32", ::std::uint32_t, "r")
__HW_ALL(add, "add.s32", ::std::int32_t, "r")
__HW_ALL(min, "min.s32", ::std::int32_t, "r")
__HW_ALL(max, "max.s32", ::std::int32_t, "r")
__HW_ALL(add, "add.u64", ::std::uint64_t, "l")
__HW_ALL(add, "add.u64", ::std::int64_t, "l")
__HW_REDUCE_STORE(__HW_PLAIN, min, "min.u64", ::std::uint64_t)
__HW_REDUCE_STORE(__HW_PLAIN, max, "max.u64", ::std::uint64_t)
__HW_REDUCE_STORE(__HW_PLAIN, min, "min.s64", ::std::int64_t)
__HW_REDUCE_STORE(__HW_PLAIN, max, "max.s64", ::std::int64_t)
__HW_REDUCE_STORE(__HW_PLAIN, add, "add.f32", float)
__HW_REDUCE_STORE(__HW_PLAIN, add, "add.f64", double)
#undef __HW_LOGIC
#undef __HW_ALL
#undef __HW_BOTH
#undef __HW_B64
#undef __HW_B32
#undef __HW_PLAIN
#undef __HW_RED_ASYNC
#undef __HW_REDUCE_STORE
#undef __HW_REDUCE_ACROSS

/* ---- stores ---- */

#define __HW_ST "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
template <class __T> static inline __device__ void st_async(__T *__to, const __T &__value, ::std::uint64_t *__bar)
{
    static_assert(sizeof(__T) == 4 || sizeof(__T) == 8, "a value has 4 or 8 bytes");
    if constexpr (sizeof(__T) == 4)
        asm volatile(__HW_ST ".b32 [%0], %1, [%2];" : : __HW_TO_SHARED, "r"(__hw::__bits(__value)), __HW_BAR : "memory");
    else
        asm volatile(__HW_ST ".b64 [%0], %1, [%2];" : : __HW_TO_SHARED, "l"(__hw::__bits(__value)), __HW_BAR : "memory");
}
template <class __T> static inline __device__ void st_async(__T *__to, const __T (&__value)[2], ::std::uint64_t *__bar)
{
    static_assert(sizeof(__T) == 4 || sizeof(__T) == 8, "a value has 4 or 8 bytes");
    if constexpr (sizeof(__T) == 4)
        asm volatile(__HW_ST ".v2.b32 [%0], {%1, %2}, [%3];"
                     : : __HW_TO_SHARED, "r"(__hw::__bits(__value[0])), "r"(__hw::__bits(__value[1])), __HW_BAR : "memory");
    else
        asm volatile(__HW_ST ".v2.b64 [%0], {%1, %2}, [%3];"
                     : : __HW_TO_SHARED, "l"(__hw::__bits(__value[0])), "l"(__hw::__bits(__value[1])), __HW_BAR : "memory");
}
template <class __T, typename ::std::enable_if<sizeof(__T) == 4, bool>::type = true>
static inline __device__ void st_async(__T *__to, const __T (&__value)[4], ::std::uint64_t *__bar)
{
    asm volatile(__HW_ST ".v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
                 : : __HW_TO_SHARED, "r"(__hw::__bits(__value[0])), "r"(__hw::__bits(__value[1])), "r"(__hw::__bits(__value[2])),
                     "r"(__hw::__bits(__value[3])), __HW_BAR : "memory");
}
#undef __HW_ST
#undef __HW_BAR
#undef __HW_FROM_GLOBAL
#undef __HW_FROM_SHARED
#undef __HW_TO_GLOBAL
#undef __HW_TO_SHARED

}
}

#endif
