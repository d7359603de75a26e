/* SPDX-License-Identifier: Apache-2.0 */
/* Special registers, bits, shuffles. Part of cuda/ptx. */
#ifndef HOSTWARP_PTX_VALUES_H
#define HOSTWARP_PTX_VALUES_H

namespace cuda {
namespace ptx {

#define __HW_SREG(name, text)                                   \
    __HW_PTX ::std::uint32_t get_sreg_##name()                  \
    {                                                           \
        ::std::uint32_t __value;                                \
        asm volatile("mov.u32 %0, %%" text ";" : "=r"(__value)); \
        return __value;                                         \
    }
#define __HW_SREG64(name)                                       \
    __HW_PTX ::std::uint64_t get_sreg_##name()                  \
    {                                                           \
        ::std::uint64_t __value;                                \
        asm volatile("mov.u64 %0, %%" #name ";" : "=l"(__value)); \
        return __value;                                         \
    }
#define __HW_SREG3(name) __HW_SREG(name##_x, #name ".x") __HW_SREG(name##_y, #name ".y") __HW_SREG(name##_z, #name ".z")
__HW_SREG3(tid) __HW_SREG3(ntid) __HW_SREG3(ctaid) __HW_SREG3(nctaid)
__HW_SREG3(clusterid) __HW_SREG3(nclusterid) __HW_SREG3(cluster_ctaid) __HW_SREG3(cluster_nctaid)
__HW_SREG(cluster_ctarank, "cluster_ctarank") __HW_SREG(cluster_nctarank, "cluster_nctarank")
__HW_SREG(laneid, "laneid") __HW_SREG(warpid, "warpid") __HW_SREG(nwarpid, "nwarpid") __HW_SREG(smid, "smid") __HW_SREG(nsmid, "nsmid")
__HW_SREG(lanemask_eq, "lanemask_eq") __HW_SREG(lanemask_le, "lanemask_le") __HW_SREG(lanemask_lt, "lanemask_lt")
__HW_SREG(lanemask_ge, "lanemask_ge") __HW_SREG(lanemask_gt, "lanemask_gt")
__HW_SREG(clock, "clock") __HW_SREG(clock_hi, "clock_hi") __HW_SREG(globaltimer_lo, "globaltimer_lo") __HW_SREG(globaltimer_hi, "globaltimer_hi")
__HW_SREG(total_smem_size, "total_smem_size") __HW_SREG(aggr_smem_size, "aggr_smem_size") __HW_SREG(dynamic_smem_size, "dynamic_smem_size")
__HW_SREG64(gridid) __HW_SREG64(clock64) __HW_SREG64(globaltimer) __HW_SREG64(current_graph_exec)
#undef __HW_SREG3
#undef __HW_SREG64
#undef __HW_SREG

__HW_PTX bool get_sreg_is_explicit_cluster()
{
    ::std::uint32_t __value;
    asm volatile("{\n .reg .pred %%is;\n mov.pred %%is, %%is_explicit_cluster;\n selp.b32 %0, 1, 0, %%is;\n}" : "=r"(__value));
    return __value != 0;
}

__HW_PTX ::std::uint32_t getctarank(space_cluster_t, const void *__p)
{
    ::std::uint32_t __rank;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(__rank) : "r"(__hw::__shared_address(__p)));
    return __rank;
}

__HW_PTX void exit() { asm volatile("exit;"); }
__HW_PTX void trap() { asm volatile("trap;"); }

/* ---- bits ---- */

#define __HW_BFIND(T, type, letter)                                                                    \
    __HW_PTX ::std::uint32_t bfind(T __a)                                                              \
    {                                                                                                  \
        ::std::uint32_t __bit;                                                                         \
        asm("bfind." type " %0, %1;" : "=r"(__bit) : letter(__a));                                     \
        return __bit;                                                                                  \
    }                                                                                                  \
    __HW_PTX ::std::uint32_t bfind_shiftamt(T __a)                                                     \
    {                                                                                                  \
        ::std::uint32_t __bit;                                                                         \
        asm("bfind.shiftamt." type " %0, %1;" : "=r"(__bit) : letter(__a));                            \
        return __bit;                                                                                  \
    }
__HW_BFIND(::std::uint32_t, "u32", "r")
__HW_BFIND(::std::int32_t, "s32", "r")
__HW_BFIND(::std::uint64_t, "u64", "l")
__HW_BFIND(::std::int64_t, "s64", "l")
#undef __HW_BFIND

#define __HW_THREE(name, text)                                                                              \
    __HW_PTX ::std::uint32_t name(::std::uint32_t __a, ::std::uint32_t __b)                                 \
    {                                                                                                       \
        ::std::uint32_t __value;                                                                            \
        asm(text " %0, %1, %2;" : "=r"(__value) : "r"(__a), "r"(__b));                                      \
        return __value;                                                                                     \
    }
__HW_THREE(bmsk_clamp, "bmsk.clamp.b32")
__HW_THREE(bmsk_wrap, "bmsk.wrap.b32")
#undef __HW_THREE

#define __HW_PRMT(name, text)                                                                               \
    template <class __A, class __B>                                                                         \
    static inline __device__ ::std::uint32_t name(__A __a, __B __b, ::std::uint32_t __c)                    \
    {                                                                                                       \
        static_assert(sizeof(__A) == 4 && sizeof(__B) == 4, "registers of 32 bits");                        \
        ::std::uint32_t __value;                                                                            \
        asm(text " %0, %1, %2, %3;" : "=r"(__value) : "r"(__hw::__bits(__a)), "r"(__hw::__bits(__b)), "r"(__c)); \
        return __value;                                                                                     \
    }
__HW_PRMT(prmt, "prmt.b32")
__HW_PRMT(prmt_f4e, "prmt.b32.f4e")
__HW_PRMT(prmt_b4e, "prmt.b32.b4e")
__HW_PRMT(prmt_rc8, "prmt.b32.rc8")
__HW_PRMT(prmt_ecl, "prmt.b32.ecl")
__HW_PRMT(prmt_ecr, "prmt.b32.ecr")
__HW_PRMT(prmt_rc16, "prmt.b32.rc16")
#undef __HW_PRMT

/* Shifts stop at the width of the type: beyond it the result is zero, or the sign. */
namespace __hw {
template <class __T> struct __width { static constexpr ::std::uint32_t value = 8 * sizeof(__T); };
}
template <class __T> static inline __device__ __T shl(__T __a, ::std::uint32_t __n)
{
    static_assert(sizeof(__T) >= 2 && sizeof(__T) <= 8, "16, 32 or 64 bits");
    return __n < __hw::__width<__T>::value ? (__T)((typename ::std::make_unsigned<__T>::type)__a << __n) : (__T)0;
}
template <class __T> static inline __device__ __T shr(__T __a, ::std::uint32_t __n)
{
    static_assert(sizeof(__T) >= 2 && sizeof(__T) <= 8, "16, 32 or 64 bits");
    return (__T)(__n < __hw::__width<__T>::value ? __a >> __n : __a < 0 ? -1 : 0);
}

/* ---- shuffles: with the predicate that says whether the other lane was in range, or without ---- */

#define __HW_SHFL(name, text)                                                                                                               \
    template <class __T>                                                                                                                    \
    static inline __device__ __T shfl_sync_##name(__T __data, bool &__in, ::std::uint32_t __lane, ::std::uint32_t __clamp, ::std::uint32_t __mask) \
    {                                                                                                                                       \
        static_assert(sizeof(__T) == 4, "shuffles exchange 32 bits");                                                                       \
        ::std::uint32_t __value, __found;                                                                                                   \
        asm volatile("{\n .reg .pred %%in;\n shfl.sync." text ".b32 %0|%%in, %2, %3, %4, %5;\n selp.b32 %1, 1, 0, %%in;\n}"                  \
                     : "=r"(__value), "=r"(__found) : "r"(__hw::__bits(__data)), "r"(__lane), "r"(__clamp), "r"(__mask));                   \
        __in = __found != 0;                                                                                                                \
        __T __out;                                                                                                                          \
        __builtin_memcpy(&__out, &__value, 4);                                                                                              \
        return __out;                                                                                                                       \
    }                                                                                                                                       \
    template <class __T>                                                                                                                    \
    static inline __device__ __T shfl_sync_##name(__T __data, ::std::uint32_t __lane, ::std::uint32_t __clamp, ::std::uint32_t __mask)      \
    {                                                                                                                                       \
        bool __in;                                                                                                                          \
        return shfl_sync_##name(__data, __in, __lane, __clamp, __mask);                                                                     \
    }
__HW_SHFL(idx, "idx")
__HW_SHFL(up, "up")
__HW_SHFL(down, "down")
__HW_SHFL(bfly, "bfly")
#undef __HW_SHFL

}
}

#undef __HW_PTX

#endif
