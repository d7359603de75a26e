/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API inside kernels (dynamic parallelism); hostwarp/device_runtime.h has what there is of it. A name of the old version is here too, because
   libraries of its time call it in functions for both sides (CUB 1.x with -rdc=true); in a kernel it answers that a block cannot wait for its grids. */
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

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
static inline __attribute__((device, unused)) cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void) { return cudaErrorUnsupportedDevSideSync; }
#endif

#include "hostwarp/words_pop.h"

#endif
