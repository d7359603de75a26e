/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API inside kernels (dynamic parallelism); hostwarp/device_runtime.h has what there is of it. The host pass sees names of the old
   version too, because libraries that can do with and without name them there in functions for both sides; nothing calls them on the host. */
#ifndef HOSTWARP_CUDA_DEVICE_RUNTIME_API_H
#define HOSTWARP_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__ /* programs ask whether it is there */

#include "hostwarp/words_push.h"

#include "driver_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#include "cuda_runtime.h"
#endif

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
#endif

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus) && !defined(__CUDA_ARCH__)
extern "C" {
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}
#endif

#include "hostwarp/words_pop.h"

#endif
