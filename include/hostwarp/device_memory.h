/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces, and loads and stores with a cache hint. Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_MEMORY_H
#define HOSTWARP_DEVICE_MEMORY_H

#define HW_DEV static __inline__ __attribute__((always_inline)) __device__

/* ---- which space an address is in, and its address there ---- */

HW_DEV __attribute__((const)) unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
HW_DEV __attribute__((const)) unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
HW_DEV __attribute__((const)) unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
HW_DEV __attribute__((const)) unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }

#define HW_CVTA(space, number)                                                                                       \
    HW_DEV size_t __cvta_generic_to_##space(const void *p) { return (size_t)(void __attribute__((address_space(number))) *)p; } \
    HW_DEV void *__cvta_##space##_to_generic(size_t p) { return (void *)(void __attribute__((address_space(number))) *)p; }
HW_CVTA(global, 1)
HW_CVTA(shared, 3)
HW_CVTA(constant, 4)
HW_CVTA(local, 5)
#undef HW_CVTA

/* Parameters of the kernel that are marked __grid_constant__. clang has no builtins for their space. */
HW_DEV __attribute__((const)) unsigned int __isGridConstant(const void *p)
{
    unsigned int in;
    __asm__("{\n\t.reg .pred q;\n\tisspacep.param q, %1;\n\tselp.u32 %0, 1, 0, q;\n\t}" : "=r"(in) : "l"(p));
    return in;
}
HW_DEV size_t __cvta_generic_to_grid_constant(const void *p)
{
    size_t at;
    __asm__("cvta.to.param.u64 %0, %1;" : "=l"(at) : "l"(p));
    return at;
}
HW_DEV void *__cvta_grid_constant_to_generic(size_t p)
{
    void *at;
    __asm__("cvta.param.u64 %0, %1;" : "=l"(at) : "l"(p));
    return at;
}

/* ---- cache hints: the value is what matters, a CPU's caches need no hint ---- */

#define HW_HINTED(T)                                             \
    HW_DEV T __ldca(const T *p) { return *p; }                   \
    HW_DEV T __ldcg(const T *p) { return *p; }                   \
    HW_DEV T __ldcs(const T *p) { return *p; }                   \
    HW_DEV T __ldlu(const T *p) { return *p; }                   \
    HW_DEV T __ldcv(const T *p) { return *(const volatile T *)p; } \
    HW_DEV void __stwb(T *p, T v) { *p = v; }                    \
    HW_DEV void __stcg(T *p, T v) { *p = v; }                    \
    HW_DEV void __stcs(T *p, T v) { *p = v; }                    \
    HW_DEV void __stwt(T *p, T v) { *(volatile T *)p = v; }
#define HW_HINTED_VECTOR(T)                                      \
    HW_DEV T __ldca(const T *p) { return *p; }                   \
    HW_DEV T __ldcg(const T *p) { return *p; }                   \
    HW_DEV T __ldcs(const T *p) { return *p; }                   \
    HW_DEV T __ldlu(const T *p) { return *p; }                   \
    HW_DEV T __ldcv(const T *p) { return *p; }                   \
    HW_DEV void __stwb(T *p, T v) { *p = v; }                    \
    HW_DEV void __stcg(T *p, T v) { *p = v; }                    \
    HW_DEV void __stcs(T *p, T v) { *p = v; }                    \
    HW_DEV void __stwt(T *p, T v) { *p = v; }
HW_HINTED(char)
HW_HINTED(signed char)
HW_HINTED(short)
HW_HINTED(int)
HW_HINTED(long)
HW_HINTED(long long)
HW_HINTED(unsigned char)
HW_HINTED(unsigned short)
HW_HINTED(unsigned int)
HW_HINTED(unsigned long)
HW_HINTED(unsigned long long)
HW_HINTED(float)
HW_HINTED(double)
HW_HINTED_VECTOR(char2)
HW_HINTED_VECTOR(char4)
HW_HINTED_VECTOR(short2)
HW_HINTED_VECTOR(short4)
HW_HINTED_VECTOR(int2)
HW_HINTED_VECTOR(int4)
HW_HINTED_VECTOR(longlong2)
HW_HINTED_VECTOR(uchar2)
HW_HINTED_VECTOR(uchar4)
HW_HINTED_VECTOR(ushort2)
HW_HINTED_VECTOR(ushort4)
HW_HINTED_VECTOR(uint2)
HW_HINTED_VECTOR(uint4)
HW_HINTED_VECTOR(ulonglong2)
HW_HINTED_VECTOR(float2)
HW_HINTED_VECTOR(float4)
HW_HINTED_VECTOR(double2)
#undef HW_HINTED
#undef HW_HINTED_VECTOR
#undef HW_DEV

#endif
