/* SPDX-License-Identifier: Apache-2.0 */
/* The device side of cuda_runtime.h, built on the headers that come with clang. Their order matters. */
#ifndef HOSTWARP_DEVICE_H
#define HOSTWARP_DEVICE_H

/* clang's headers ask for the version of the toolkit they belong to; cuda.h may have said it already. */
#ifndef CUDA_VERSION
#define HW_CUDA_VERSION_IS_OURS
#define CUDA_VERSION 12030
#endif
typedef uint32_t cuuint32_t;

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#define clock hw_clang_clock               /* an int there; a clock_t here, which programs print */
#include <__clang_cuda_device_functions.h>
#undef clock
#include <__clang_cuda_math.h>

static __inline__ __attribute__((always_inline)) __device__ clock_t clock() { return __nvvm_read_ptx_sreg_clock64(); }

/* ---- what the system gives to kernels ---- */

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...); /* clang turns it into vprintf */
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charSize);
/* What <assert.h> calls. */
__device__ static __inline__ void __assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}

/* new and delete in kernels: clang's wrapper of this header sets them beside the host's. */
#include <new>

/* ---- threadIdx and the like as values ---- */

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return {x, y, z}; }

#include "hostwarp/device_math.h"
#include "hostwarp/device_dpx.h"
#include "hostwarp/device_atomics.h"
#include "hostwarp/device_memory.h"

#include "hostwarp/device_cmath.h"
/* clang 19 hands mask and value to redux.sync in the wrong order: device_warp.h has our own. */
#define __reduce_add_sync hw_clang_reduce_add_sync
#define __reduce_min_sync hw_clang_reduce_min_sync
#define __reduce_max_sync hw_clang_reduce_max_sync
#define __reduce_and_sync hw_clang_reduce_and_sync
#define __reduce_or_sync hw_clang_reduce_or_sync
#define __reduce_xor_sync hw_clang_reduce_xor_sync
/* From sm_70 on there are no shuffles without a mask, and programs may use their names. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define __shfl hw_clang_shfl
#define __shfl_up hw_clang_shfl_up
#define __shfl_down hw_clang_shfl_down
#define __shfl_xor hw_clang_shfl_xor
#endif
#include <__clang_cuda_intrinsics.h>
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync
#include <__clang_cuda_complex_builtins.h>

#include "hostwarp/device_warp.h"
#include "hostwarp/device_texture.h"
#include "hostwarp/device_runtime.h"
#include "hostwarp/shared_room.h"

#ifdef HW_CUDA_VERSION_IS_OURS
#undef HW_CUDA_VERSION_IS_OURS
#undef CUDA_VERSION
#endif

/* NVRTC's programs have this without asking. */
#ifdef __CUDACC_RTC__
#include "nv/target"
#endif

/* ---- launches: what the compiler calls for kernel<<<...>>>(...) ---- */

extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0, void *stream = 0);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);
extern "C" int cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0, cudaStream_t stream = 0);

/* ---- managed variables of this program or library ---- */

#ifndef __CUDA_ARCH__
extern "C" void hostwarp_managed_section(void *start, void *stop);
extern "C" __attribute__((weak, visibility("hidden"))) char __start_hostwarp_managed[];
extern "C" __attribute__((weak, visibility("hidden"))) char __stop_hostwarp_managed[];
/* Runs before the constructor that registers this file's kernels and variables. */
static __attribute__((constructor(101), used)) void hostwarp_tell_managed_section(void)
{
    if (__start_hostwarp_managed)
        hostwarp_managed_section(__start_hostwarp_managed, __stop_hostwarp_managed);
}
#endif

#endif
