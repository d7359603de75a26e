/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API inside kernels (dynamic parallelism). Not supported yet: a kernel that launches kernels does not
   compile, and says so by the missing declaration. The host pass sees the names, because libraries that can do with and
   without name them there in functions for both sides; nothing calls them on the host. */
#ifndef HOSTWARP_CUDA_DEVICE_RUNTIME_API_H
#define HOSTWARP_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__ /* programs ask whether it is there */

#include "driver_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
#endif

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus) && !defined(__CUDA_ARCH__)
extern "C" {
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ void *cudaGetParameterBufferV2(void *func, dim3 gridDimension, dim3 blockDimension, unsigned int sharedMemSize);
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension, dim3 blockDimension,
    unsigned int sharedMemSize, cudaStream_t stream);
__device__ cudaError_t cudaLaunchDeviceV2(void *parameterBuffer, cudaStream_t stream);
}
#endif

#endif
