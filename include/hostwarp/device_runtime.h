/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API in kernels: what of it the device runtime has (src/core/device_launch.c, device_query.c). Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_RUNTIME_H
#define HOSTWARP_DEVICE_RUNTIME_H

#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)

extern "C" {
__attribute__((device)) void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared);
__attribute__((device)) cudaError_t __cudaCDP2LaunchDeviceV2(void *buffer, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2StreamCreateWithFlags(cudaStream_t *out, unsigned flags);
__attribute__((device)) cudaError_t __cudaCDP2StreamDestroy(cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2MemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2GetLastError(void);
__attribute__((device)) cudaError_t __cudaCDP2PeekAtLastError(void);
__attribute__((device)) const char *__cudaCDP2GetErrorName(cudaError_t error);
__attribute__((device)) const char *__cudaCDP2GetErrorString(cudaError_t error);
__attribute__((device)) cudaError_t __cudaCDP2Malloc(void **out, size_t bytes);
__attribute__((device)) cudaError_t __cudaCDP2Free(void *p);
__attribute__((device)) cudaError_t __cudaCDP2GetDevice(int *out);
__attribute__((device)) cudaError_t __cudaCDP2GetDeviceCount(int *out);
__attribute__((device)) cudaError_t __cudaCDP2DeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int device);

#define HW_API static inline __attribute__((device)) __attribute__((unused))
HW_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned int flags) { return __cudaCDP2StreamCreateWithFlags(out, flags); }
HW_API cudaError_t cudaStreamDestroy(cudaStream_t stream) { return __cudaCDP2StreamDestroy(stream); }
HW_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return __cudaCDP2MemcpyAsync(to, from, bytes, kind, stream);
}
HW_API cudaError_t cudaGetLastError(void) { return __cudaCDP2GetLastError(); }
HW_API cudaError_t cudaPeekAtLastError(void) { return __cudaCDP2PeekAtLastError(); }
HW_API const char *cudaGetErrorName(cudaError_t error) { return __cudaCDP2GetErrorName(error); }
HW_API const char *cudaGetErrorString(cudaError_t error) { return __cudaCDP2GetErrorString(error); }
HW_API cudaError_t cudaMalloc(void **out, size_t bytes) { return __cudaCDP2Malloc(out, bytes); }
HW_API cudaError_t cudaFree(void *p) { return __cudaCDP2Free(p); }
HW_API cudaError_t cudaGetDevice(int *out) { return __cudaCDP2GetDevice(out); }
HW_API cudaError_t cudaGetDeviceCount(int *out) { return __cudaCDP2GetDeviceCount(out); }
HW_API cudaError_t cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int device)
{
    return __cudaCDP2DeviceGetAttribute(out, attribute, device);
}
HW_API cudaError_t cudaRuntimeGetVersion(int *out)
{
    *out = CUDART_VERSION;
    return cudaSuccess;
}

/* Launches by hand: the buffer is filled with the kernel's parameters, then launched. */
HW_API void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned int shared)
{
    return __cudaCDP2GetParameterBufferV2(kernel, grid, block, shared);
}
HW_API cudaError_t cudaLaunchDeviceV2(void *buffer, cudaStream_t stream) { return __cudaCDP2LaunchDeviceV2(buffer, stream); }

/* A grid begins when those before it in its stream are done, with all they wrote: nothing is left to wait for, and nothing comes early. */
HW_API void cudaGridDependencySynchronize(void) {}
HW_API void cudaTriggerProgrammaticLaunchCompletion(void) {}
}

template <class T> HW_API cudaError_t cudaMalloc(T **out, size_t bytes) { return cudaMalloc((void **)(void *)out, bytes); }

#undef HW_API

#endif
