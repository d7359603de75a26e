/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with 16-bit floats beyond arithmetic: shuffles, cached loads, atomics. Included by cuda_fp16.h and cuda_bf16.h. */

#define HW_SHUFFLE(name, Where)                                                                                         \
    HW_D HW_T name(const unsigned mask, const HW_T v, const Where where, const int width = 32)                          \
    {                                                                                                                   \
        return HW_NAME(__ushort_as_, )((unsigned short)::name(mask, (unsigned int)v.__x, where, width));                \
    }                                                                                                                   \
    HW_D HW_T2 name(const unsigned mask, const HW_T2 v, const Where where, const int width = 32)                        \
    {                                                                                                                   \
        return hostwarp::bits_of<HW_T2>(::name(mask, hostwarp::bits_of<unsigned int>(v), where, width));                \
    }
HW_SHUFFLE(__shfl_sync, int)
HW_SHUFFLE(__shfl_up_sync, unsigned int)
HW_SHUFFLE(__shfl_down_sync, unsigned int)
HW_SHUFFLE(__shfl_xor_sync, int)
#undef HW_SHUFFLE

#define HW_LOAD(name, ptx)                                                                       \
    HW_D HW_T name(const HW_T *p)                                                                \
    {                                                                                            \
        unsigned short r;                                                                        \
        __asm__("ld.global." ptx ".b16 %0, [%1];" : "=h"(r) : "l"(p) : "memory");                \
        return HW_NAME(__ushort_as_, )(r);                                                       \
    }                                                                                            \
    HW_D HW_T2 name(const HW_T2 *p)                                                              \
    {                                                                                            \
        unsigned int r;                                                                          \
        __asm__("ld.global." ptx ".b32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");                \
        return hostwarp::bits_of<HW_T2>(r);                                                      \
    }
HW_LOAD(__ldg, "nc")
HW_LOAD(__ldcg, "cg")
HW_LOAD(__ldca, "ca")
HW_LOAD(__ldcs, "cs")
HW_LOAD(__ldlu, "lu")
HW_LOAD(__ldcv, "cv")
#undef HW_LOAD

#define HW_STORE(name, ptx)                                                                                       \
    HW_D void name(HW_T *p, const HW_T v) { __asm__ volatile("st.global." ptx ".b16 [%0], %1;" : : "l"(p), "h"(v.__x) : "memory"); } \
    HW_D void name(HW_T2 *p, const HW_T2 v)                                                                       \
    {                                                                                                             \
        __asm__ volatile("st.global." ptx ".b32 [%0], %1;" : : "l"(p), "r"(hostwarp::bits_of<unsigned int>(v)) : "memory"); \
    }
HW_STORE(__stwb, "wb")
HW_STORE(__stcg, "cg")
HW_STORE(__stcs, "cs")
HW_STORE(__stwt, "wt")
#undef HW_STORE

/* The hardware's own tanh, with its error. */
HW_D HW_T htanh_approx(const HW_T a)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= HW_TANH_ARCH
    unsigned short r;
    __asm__("tanh.approx." HW_PTX " %0, %1;" : "=h"(r) : "h"(a.__x));
    return HW_NAME(__ushort_as_, )(r);
#else
    return htanh(a);
#endif
}
HW_D HW_T2 h2tanh_approx(const HW_T2 a) { return HW_T2(htanh_approx(a.x), htanh_approx(a.y)); }

HW_D HW_T atomicAdd(HW_T *const address, const HW_T v)
{
    unsigned short r;
    __asm__ volatile("atom.add.noftz." HW_PTX " %0, [%1], %2;" : "=h"(r) : "l"(address), "h"(v.__x) : "memory");
    return HW_NAME(__ushort_as_, )(r);
}
HW_D HW_T2 atomicAdd(HW_T2 *const address, const HW_T2 v)
{
    unsigned int r;
    __asm__ volatile("atom.add.noftz." HW_PTX "x2 %0, [%1], %2;"
                     : "=r"(r) : "l"(address), "r"(hostwarp::bits_of<unsigned int>(v)) : "memory");
    return hostwarp::bits_of<HW_T2>(r);
}
