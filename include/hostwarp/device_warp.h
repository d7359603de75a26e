/* SPDX-License-Identifier: Apache-2.0 */
/* Warp functions that clang's headers lack. Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_WARP_H
#define HOSTWARP_DEVICE_WARP_H

#define HW_DEV static __inline__ __attribute__((always_inline)) __device__

HW_DEV void __nanosleep(unsigned int ns) { __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns)); }

/* Which lanes have the same value: any value, or all the same one. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define HW_MATCH(T, bits, U)                                                                     \
    HW_DEV unsigned int __match_any_sync(unsigned int mask, T value)                             \
    {                                                                                            \
        U u;                                                                                     \
        __builtin_memcpy(&u, &value, sizeof u);                                                  \
        return __match##bits##_any_sync(mask, u);                                                \
    }                                                                                            \
    HW_DEV unsigned int __match_all_sync(unsigned int mask, T value, int *pred)                  \
    {                                                                                            \
        U u;                                                                                     \
        __builtin_memcpy(&u, &value, sizeof u);                                                  \
        return __match##bits##_all_sync(mask, u, pred);                                          \
    }
HW_MATCH(int, 32, unsigned int)
HW_MATCH(unsigned int, 32, unsigned int)
HW_MATCH(float, 32, unsigned int)
HW_MATCH(long, 64, unsigned long long)
HW_MATCH(unsigned long, 64, unsigned long long)
HW_MATCH(long long, 64, unsigned long long)
HW_MATCH(unsigned long long, 64, unsigned long long)
HW_MATCH(double, 64, unsigned long long)
#undef HW_MATCH
#endif

/* Reductions over the lanes of a mask; every one of them gets the result. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HW_REDUCE(name, T, builtin) \
    HW_DEV T __reduce_##name##_sync(unsigned int mask, T value) { return (T)builtin((int)value, (int)mask); }
HW_REDUCE(add, unsigned int, __nvvm_redux_sync_add)
HW_REDUCE(add, int, __nvvm_redux_sync_add)
HW_REDUCE(min, unsigned int, __nvvm_redux_sync_umin)
HW_REDUCE(min, int, __nvvm_redux_sync_min)
HW_REDUCE(max, unsigned int, __nvvm_redux_sync_umax)
HW_REDUCE(max, int, __nvvm_redux_sync_max)
HW_REDUCE(and, unsigned int, __nvvm_redux_sync_and)
HW_REDUCE(or, unsigned int, __nvvm_redux_sync_or)
HW_REDUCE(xor, unsigned int, __nvvm_redux_sync_xor)
#undef HW_REDUCE
#endif

/* Dot products of packed bytes and halves, added to c. */
HW_DEV int __dp4a(int a, int b, int c)
{
    int r;
    __asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
HW_DEV unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int r;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
HW_DEV int __dp2a_lo(int a, int b, int c)
{
    int r;
    __asm__("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
HW_DEV int __dp2a_hi(int a, int b, int c)
{
    int r;
    __asm__("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
HW_DEV unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int r;
    __asm__("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
HW_DEV unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int r;
    __asm__("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

/* The same with the bytes and halves as vectors. */
#define HW_WORD(T, v) __builtin_bit_cast(T, v)
HW_DEV int __dp4a(char4 a, char4 b, int c) { return __dp4a(HW_WORD(int, a), HW_WORD(int, b), c); }
HW_DEV unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) { return __dp4a(HW_WORD(unsigned int, a), HW_WORD(unsigned int, b), c); }
HW_DEV int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo(HW_WORD(int, a), HW_WORD(int, b), c); }
HW_DEV int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi(HW_WORD(int, a), HW_WORD(int, b), c); }
HW_DEV unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) { return __dp2a_lo(HW_WORD(unsigned int, a), HW_WORD(unsigned int, b), c); }
HW_DEV unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) { return __dp2a_hi(HW_WORD(unsigned int, a), HW_WORD(unsigned int, b), c); }
#undef HW_WORD

#undef HW_DEV

#endif
