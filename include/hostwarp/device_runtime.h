/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API in kernels: what of it the device runtime has (src/core/module/device_launch.c, device_query.c). Part of cuda_runtime.h. */
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

__attribute__((device)) cudaError_t __cudaCDP2DeviceGetLimit(size_t *out, enum cudaLimit limit);
__attribute__((device)) cudaError_t __cudaCDP2DeviceGetCacheConfig(enum cudaFuncCache *out);
__attribute__((device)) cudaError_t __cudaCDP2DeviceGetSharedMemConfig(enum cudaSharedMemConfig *out);
__attribute__((device)) cudaError_t __cudaCDP2StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
__attribute__((device)) cudaError_t __cudaCDP2EventCreateWithFlags(cudaEvent_t *out, unsigned int flags);
__attribute__((device)) cudaError_t __cudaCDP2EventRecord(cudaEvent_t event, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2EventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags);
__attribute__((device)) cudaError_t __cudaCDP2EventDestroy(cudaEvent_t event);
__attribute__((device)) cudaError_t __cudaCDP2FuncGetAttributes(struct cudaFuncAttributes *out, const void *kernel);
__attribute__((device)) cudaError_t __cudaCDP2Memcpy2DAsync(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                                                            enum cudaMemcpyKind kind, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2Memcpy3DAsync(const struct cudaMemcpy3DParms *params, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2MemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2Memset2DAsync(void *to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2Memset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent box, cudaStream_t stream);
__attribute__((device)) void *__cudaCDP2GetParameterBuffer(size_t alignment, size_t bytes);
__attribute__((device)) cudaError_t __cudaCDP2LaunchDevice(void *kernel, void *buffer, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream);
__attribute__((device)) cudaError_t __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *kernel, int threads, size_t shared);
__attribute__((device)) cudaError_t __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *kernel, int threads, size_t shared,
                                                                                                 unsigned int flags);

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

HW_API cudaError_t cudaDeviceGetLimit(size_t *out, enum cudaLimit limit) { return __cudaCDP2DeviceGetLimit(out, limit); }
HW_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *out) { return __cudaCDP2DeviceGetCacheConfig(out); }
HW_API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *out) { return __cudaCDP2DeviceGetSharedMemConfig(out); }
HW_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) { return __cudaCDP2StreamWaitEvent(stream, event, flags); }
HW_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned int flags) { return __cudaCDP2EventCreateWithFlags(out, flags); }
HW_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return __cudaCDP2EventRecord(event, stream); }
HW_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return __cudaCDP2EventRecordWithFlags(event, stream, flags);
}
HW_API cudaError_t cudaEventDestroy(cudaEvent_t event) { return __cudaCDP2EventDestroy(event); }
HW_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *kernel) { return __cudaCDP2FuncGetAttributes(out, kernel); }
HW_API cudaError_t cudaMemcpy2DAsync(void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t rows, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    return __cudaCDP2Memcpy2DAsync(to, pitch, from, from_pitch, width, rows, kind, stream);
}
HW_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *params, cudaStream_t stream) { return __cudaCDP2Memcpy3DAsync(params, stream); }
HW_API cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) { return __cudaCDP2MemsetAsync(to, value, bytes, stream); }
HW_API cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream)
{
    return __cudaCDP2Memset2DAsync(to, pitch, value, width, rows, stream);
}
HW_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent box, cudaStream_t stream)
{
    return __cudaCDP2Memset3DAsync(to, value, box, stream);
}
HW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *kernel, int threads, size_t shared)
{
    return __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor(out, kernel, threads, shared);
}
HW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *kernel, int threads, size_t shared, unsigned int flags)
{
    return __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, kernel, threads, shared, flags);
}

/* Launches by hand: the buffer is filled with the kernel's parameters, then launched. */
HW_API void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned int shared)
{
    return __cudaCDP2GetParameterBufferV2(kernel, grid, block, shared);
}
HW_API cudaError_t cudaLaunchDeviceV2(void *buffer, cudaStream_t stream) { return __cudaCDP2LaunchDeviceV2(buffer, stream); }

HW_API void *cudaGetParameterBuffer(size_t alignment, size_t bytes) { return __cudaCDP2GetParameterBuffer(alignment, bytes); }
HW_API cudaError_t cudaLaunchDevice(void *kernel, void *buffer, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream)
{
    return __cudaCDP2LaunchDevice(kernel, buffer, grid, block, shared, stream);
}

/* A grid begins when those before it in its stream are done, with all they wrote: nothing is left to wait for, and nothing comes early. */
HW_API void cudaGridDependencySynchronize(void) {}
HW_API void cudaTriggerProgrammaticLaunchCompletion(void) {}
}

template <class T> HW_API cudaError_t cudaMalloc(T **out, size_t bytes) { return cudaMalloc((void **)(void *)out, bytes); }

template <class T> HW_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, T *kernel) { return cudaFuncGetAttributes(out, (const void *)kernel); }
template <class T> HW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, T kernel, int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, (const void *)kernel, threads, shared);
}
template <class T> HW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, T kernel, int threads, size_t shared, unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, (const void *)kernel, threads, shared, flags);
}

#undef HW_API

#endif
