/* SPDX-License-Identifier: Apache-2.0 */
/* The atomic functions of CUDA, in the three scopes, over clang's builtins. Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_ATOMICS_H
#define HOSTWARP_DEVICE_ATOMICS_H

#define HW_DEV static __inline__ __attribute__((always_inline)) __device__
#define HW_ATOMIC(name, T, builtin) HW_DEV T name(T *p, T v) { return builtin(p, v); }
#define HW_ATOMIC_SIGNED(name, builtin) \
    HW_DEV long long name(long long *p, long long v) { return (long long)builtin((unsigned long long *)p, (unsigned long long)v); }
#define HW_ATOMIC_CAS(name, T, builtin) HW_DEV T name(T *p, T compare, T v) { return builtin(p, compare, v); }

/* ---- the whole device ---- */

HW_ATOMIC(atomicAdd, int, __iAtomicAdd)
HW_ATOMIC(atomicAdd, unsigned int, __uAtomicAdd)
HW_ATOMIC(atomicAdd, unsigned long long, __ullAtomicAdd)
HW_ATOMIC(atomicAdd, float, __fAtomicAdd)
HW_ATOMIC(atomicExch, int, __iAtomicExch)
HW_ATOMIC(atomicExch, unsigned int, __uAtomicExch)
HW_ATOMIC(atomicExch, unsigned long long, __ullAtomicExch)
HW_ATOMIC(atomicExch, float, __fAtomicExch)
HW_ATOMIC(atomicAdd, double, __dAtomicAdd)
HW_DEV int atomicSub(int *p, int v) { return __iAtomicAdd(p, (int)-(unsigned int)v); }
HW_DEV unsigned int atomicSub(unsigned int *p, unsigned int v) { return __uAtomicAdd(p, -v); }
HW_ATOMIC(atomicMin, int, __iAtomicMin)
HW_ATOMIC(atomicMin, unsigned int, __uAtomicMin)
HW_ATOMIC(atomicMin, long long, __illAtomicMin)
HW_ATOMIC(atomicMin, unsigned long long, __ullAtomicMin)
HW_ATOMIC(atomicMax, int, __iAtomicMax)
HW_ATOMIC(atomicMax, unsigned int, __uAtomicMax)
HW_ATOMIC(atomicMax, long long, __illAtomicMax)
HW_ATOMIC(atomicMax, unsigned long long, __ullAtomicMax)
HW_ATOMIC(atomicAnd, int, __iAtomicAnd)
HW_ATOMIC(atomicAnd, unsigned int, __uAtomicAnd)
HW_ATOMIC(atomicAnd, unsigned long long, __ullAtomicAnd)
HW_ATOMIC_SIGNED(atomicAnd, __ullAtomicAnd)
HW_ATOMIC(atomicOr, int, __iAtomicOr)
HW_ATOMIC(atomicOr, unsigned int, __uAtomicOr)
HW_ATOMIC(atomicOr, unsigned long long, __ullAtomicOr)
HW_ATOMIC_SIGNED(atomicOr, __ullAtomicOr)
HW_ATOMIC(atomicXor, int, __iAtomicXor)
HW_ATOMIC(atomicXor, unsigned int, __uAtomicXor)
HW_ATOMIC(atomicXor, unsigned long long, __ullAtomicXor)
HW_ATOMIC_SIGNED(atomicXor, __ullAtomicXor)
HW_ATOMIC(atomicInc, unsigned int, __uAtomicInc)
HW_ATOMIC(atomicDec, unsigned int, __uAtomicDec)
HW_ATOMIC_CAS(atomicCAS, int, __iAtomicCAS)
HW_ATOMIC_CAS(atomicCAS, unsigned int, __uAtomicCAS)
HW_ATOMIC_CAS(atomicCAS, unsigned long long, __ullAtomicCAS)
HW_DEV unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short v)
{
    unsigned short old;
    __asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(compare), "h"(v) : "memory");
    return old;
}

/* ---- the block ---- */

HW_ATOMIC(atomicAdd_block, int, __iAtomicAdd_block)
HW_ATOMIC(atomicAdd_block, unsigned int, __uAtomicAdd_block)
HW_ATOMIC(atomicAdd_block, unsigned long long, __ullAtomicAdd_block)
HW_ATOMIC(atomicAdd_block, float, __fAtomicAdd_block)
HW_ATOMIC(atomicExch_block, int, __iAtomicExch_block)
HW_ATOMIC(atomicExch_block, unsigned int, __uAtomicExch_block)
HW_ATOMIC(atomicExch_block, unsigned long long, __ullAtomicExch_block)
HW_ATOMIC(atomicExch_block, float, __fAtomicExch_block)
HW_ATOMIC(atomicAdd_block, double, __dAtomicAdd_block)
HW_DEV int atomicSub_block(int *p, int v) { return __iAtomicAdd_block(p, (int)-(unsigned int)v); }
HW_DEV unsigned int atomicSub_block(unsigned int *p, unsigned int v) { return __uAtomicAdd_block(p, -v); }
HW_ATOMIC(atomicMin_block, int, __iAtomicMin_block)
HW_ATOMIC(atomicMin_block, unsigned int, __uAtomicMin_block)
HW_ATOMIC(atomicMin_block, long long, __illAtomicMin_block)
HW_ATOMIC(atomicMin_block, unsigned long long, __ullAtomicMin_block)
HW_ATOMIC(atomicMax_block, int, __iAtomicMax_block)
HW_ATOMIC(atomicMax_block, unsigned int, __uAtomicMax_block)
HW_ATOMIC(atomicMax_block, long long, __illAtomicMax_block)
HW_ATOMIC(atomicMax_block, unsigned long long, __ullAtomicMax_block)
HW_ATOMIC(atomicAnd_block, int, __iAtomicAnd_block)
HW_ATOMIC(atomicAnd_block, unsigned int, __uAtomicAnd_block)
HW_ATOMIC(atomicAnd_block, unsigned long long, __ullAtomicAnd_block)
HW_ATOMIC_SIGNED(atomicAnd_block, __ullAtomicAnd_block)
HW_ATOMIC(atomicOr_block, int, __iAtomicOr_block)
HW_ATOMIC(atomicOr_block, unsigned int, __uAtomicOr_block)
HW_ATOMIC(atomicOr_block, unsigned long long, __ullAtomicOr_block)
HW_ATOMIC_SIGNED(atomicOr_block, __ullAtomicOr_block)
HW_ATOMIC(atomicXor_block, int, __iAtomicXor_block)
HW_ATOMIC(atomicXor_block, unsigned int, __uAtomicXor_block)
HW_ATOMIC(atomicXor_block, unsigned long long, __ullAtomicXor_block)
HW_ATOMIC_SIGNED(atomicXor_block, __ullAtomicXor_block)
HW_ATOMIC(atomicInc_block, unsigned int, __uAtomicInc_block)
HW_ATOMIC(atomicDec_block, unsigned int, __uAtomicDec_block)
HW_ATOMIC_CAS(atomicCAS_block, int, __iAtomicCAS_block)
HW_ATOMIC_CAS(atomicCAS_block, unsigned int, __uAtomicCAS_block)
HW_ATOMIC_CAS(atomicCAS_block, unsigned long long, __ullAtomicCAS_block)
HW_DEV unsigned short atomicCAS_block(unsigned short *p, unsigned short compare, unsigned short v)
{
    unsigned short old;
    __asm__ volatile("atom.cta.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(compare), "h"(v) : "memory");
    return old;
}

/* ---- the device and the host ---- */

HW_ATOMIC(atomicAdd_system, int, __iAtomicAdd_system)
HW_ATOMIC(atomicAdd_system, unsigned int, __uAtomicAdd_system)
HW_ATOMIC(atomicAdd_system, unsigned long long, __ullAtomicAdd_system)
HW_ATOMIC(atomicAdd_system, float, __fAtomicAdd_system)
HW_ATOMIC(atomicExch_system, int, __iAtomicExch_system)
HW_ATOMIC(atomicExch_system, unsigned int, __uAtomicExch_system)
HW_ATOMIC(atomicExch_system, unsigned long long, __ullAtomicExch_system)
HW_ATOMIC(atomicExch_system, float, __fAtomicExch_system)
HW_ATOMIC(atomicAdd_system, double, __dAtomicAdd_system)
HW_DEV int atomicSub_system(int *p, int v) { return __iAtomicAdd_system(p, (int)-(unsigned int)v); }
HW_DEV unsigned int atomicSub_system(unsigned int *p, unsigned int v) { return __uAtomicAdd_system(p, -v); }
HW_ATOMIC(atomicMin_system, int, __iAtomicMin_system)
HW_ATOMIC(atomicMin_system, unsigned int, __uAtomicMin_system)
HW_ATOMIC(atomicMin_system, long long, __illAtomicMin_system)
HW_ATOMIC(atomicMin_system, unsigned long long, __ullAtomicMin_system)
HW_ATOMIC(atomicMax_system, int, __iAtomicMax_system)
HW_ATOMIC(atomicMax_system, unsigned int, __uAtomicMax_system)
HW_ATOMIC(atomicMax_system, long long, __illAtomicMax_system)
HW_ATOMIC(atomicMax_system, unsigned long long, __ullAtomicMax_system)
HW_ATOMIC(atomicAnd_system, int, __iAtomicAnd_system)
HW_ATOMIC(atomicAnd_system, unsigned int, __uAtomicAnd_system)
HW_ATOMIC(atomicAnd_system, unsigned long long, __ullAtomicAnd_system)
HW_ATOMIC_SIGNED(atomicAnd_system, __ullAtomicAnd_system)
HW_ATOMIC(atomicOr_system, int, __iAtomicOr_system)
HW_ATOMIC(atomicOr_system, unsigned int, __uAtomicOr_system)
HW_ATOMIC(atomicOr_system, unsigned long long, __ullAtomicOr_system)
HW_ATOMIC_SIGNED(atomicOr_system, __ullAtomicOr_system)
HW_ATOMIC(atomicXor_system, int, __iAtomicXor_system)
HW_ATOMIC(atomicXor_system, unsigned int, __uAtomicXor_system)
HW_ATOMIC(atomicXor_system, unsigned long long, __ullAtomicXor_system)
HW_ATOMIC_SIGNED(atomicXor_system, __ullAtomicXor_system)
HW_ATOMIC(atomicInc_system, unsigned int, __uAtomicInc_system)
HW_ATOMIC(atomicDec_system, unsigned int, __uAtomicDec_system)
HW_ATOMIC_CAS(atomicCAS_system, int, __iAtomicCAS_system)
HW_ATOMIC_CAS(atomicCAS_system, unsigned int, __uAtomicCAS_system)
HW_ATOMIC_CAS(atomicCAS_system, unsigned long long, __ullAtomicCAS_system)
HW_DEV unsigned short atomicCAS_system(unsigned short *p, unsigned short compare, unsigned short v)
{
    unsigned short old;
    __asm__ volatile("atom.sys.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(compare), "h"(v) : "memory");
    return old;
}

#undef HW_ATOMIC
#undef HW_ATOMIC_SIGNED
#undef HW_ATOMIC_CAS
#undef HW_DEV

#endif
