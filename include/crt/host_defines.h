/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the CUDA language (__global__ and friends) as attributes; nothing at all outside a CUDA compilation. */
#ifndef HOSTWARP_CRT_HOST_DEFINES_H
#define HOSTWARP_CRT_HOST_DEFINES_H
#define __HOST_DEFINES_H__ /* programs ask whether it is there */

#include "../hostwarp/words_push.h"

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB

#define __no_return__ __attribute__((noreturn))
/* no __noinline__: clang knows the word in CUDA, and as a macro it breaks the C++ library's __attribute__((__noinline__)) */
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __inline_hint__ inline

#if defined(__CUDA__) && defined(__clang__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
/* Without a host pass beside this one, who writes a static constant by its name is not seen, and it would be folded to 0. */
#ifdef __HOSTWARP_ALONE__
#define __constant__ __attribute__((constant, used))
#else
#define __constant__ __attribute__((constant))
#endif
/* clang 19 knows managed variables for HIP only: cuda_runtime.h turns the word into a device variable that the
   registration code backs with managed memory. */
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#ifdef __CUDA_ARCH__
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__                /* clang 19 knows it when it compiles for a device, and warns of it otherwise */
#endif
/* nvcc turns lambdas for the device into classes of its own, and these find them. Here they are lambdas as any other: their types and results can be asked for everywhere. */
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#define __nv_pure__ __attribute__((pure))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __grid_constant__
#define __nv_pure__
#endif
#define __cluster_dims__(...)
#define __block_size__(...)
#define CUDART_DEVICE __device__

#include "../hostwarp/words_pop.h"

#endif
