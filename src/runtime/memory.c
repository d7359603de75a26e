/* SPDX-License-Identifier: Apache-2.0 */
/* Allocating and releasing memory: device, pitched, page-locked, registered, managed; what a pointer is. */
#include "runtime/bodies.h"
#include "runtime/context.h"
#include "runtime/registry.h"

/* --- device memory --- */

cudaError_t do_cudaMalloc(void **devPtr, size_t size)
{
    CUdeviceptr ptr;
    cudaError_t rc;

    if (!devPtr)
        return hw_refuse(cudaErrorInvalidValue, "devPtr is NULL");
    if (size == 0) {
        *devPtr = NULL;
        return cudaSuccess;
    }
    if ((rc = api_error(cuMemAlloc(&ptr, size))))
        return rc;
    *devPtr = (void *)(uintptr_t)ptr;
    return cudaSuccess;
}

cudaError_t do_cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    CUdeviceptr ptr;
    cudaError_t rc;

    if (!devPtr || !pitch)
        return hw_refuse(cudaErrorInvalidValue, "devPtr or pitch is NULL");
    if (width == 0 || height == 0) {
        *devPtr = NULL;
        *pitch = 0;
        return cudaSuccess;
    }
    if ((rc = api_error(cuMemAllocPitch(&ptr, pitch, width, height, 4))))
        return rc;
    *devPtr = (void *)(uintptr_t)ptr;
    return cudaSuccess;
}

cudaError_t do_cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    size_t rows;
    cudaError_t rc;

    if (!pitchedDevPtr)
        return hw_refuse(cudaErrorInvalidValue, "pitchedDevPtr is NULL");
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        return hw_refuse(cudaErrorMemoryAllocation, "%zu x %zu rows are more than there are addresses", extent.height, extent.depth);
    if ((rc = do_cudaMallocPitch(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows)))
        return rc;
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return cudaSuccess;
}

cudaError_t do_cudaFree(void *devPtr)
{
    if (!devPtr)
        return cudaSuccess;
    return api_error(cuMemFree((CUdeviceptr)(uintptr_t)devPtr));
}

cudaError_t do_cudaMemGetInfo(size_t *free_, size_t *total)
{
    size_t got_free, got_total;
    cudaError_t rc;

    if ((rc = api_error(cuMemGetInfo(&got_free, &got_total))))
        return rc;
    if (free_)
        *free_ = got_free;
    if (total)
        *total = got_total;
    return cudaSuccess;
}

/* --- page-locked memory --- */

cudaError_t do_cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    if (!pHost || (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)))
        return hw_refuse(cudaErrorInvalidValue, "pHost is NULL, or there are no flags 0x%x", flags);
    if (size == 0) {
        *pHost = NULL;
        return cudaSuccess;
    }
    return api_error(cuMemHostAlloc(pHost, size, flags));
}

cudaError_t do_cudaMallocHost(void **ptr, size_t size) { return do_cudaHostAlloc(ptr, size, cudaHostAllocDefault); }

cudaError_t do_cudaFreeHost(void *ptr)
{
    if (!ptr)
        return cudaSuccess;
    return api_error(cuMemFreeHost(ptr));
}

cudaError_t do_cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    return api_error(cuMemHostRegister(ptr, size, flags));
}

cudaError_t do_cudaHostUnregister(void *ptr) { return api_error(cuMemHostUnregister(ptr)); }

cudaError_t do_cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    CUdeviceptr ptr;
    cudaError_t rc;

    if (!pDevice)
        return hw_refuse(cudaErrorInvalidValue, "pDevice is NULL");
    if ((rc = api_error(cuMemHostGetDevicePointer(&ptr, pHost, flags))))
        return rc;
    *pDevice = (void *)(uintptr_t)ptr;
    return cudaSuccess;
}

cudaError_t do_cudaHostGetFlags(unsigned int *pFlags, void *pHost) { return api_error(cuMemHostGetFlags(pFlags, pHost)); }

/* --- managed memory --- */

cudaError_t do_cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    CUdeviceptr ptr;
    cudaError_t rc;

    if (!devPtr || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return hw_refuse(cudaErrorInvalidValue, "devPtr is NULL, or flags 0x%x are neither cudaMemAttachGlobal nor cudaMemAttachHost", flags);
    if (size == 0) {
        *devPtr = NULL;
        return cudaSuccess;
    }
    if ((rc = api_error(cuMemAllocManaged(&ptr, size, flags))))
        return rc;
    *devPtr = (void *)(uintptr_t)ptr;
    return cudaSuccess;
}

cudaError_t do_cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device)
{
    return api_error(cuMemAdvise((CUdeviceptr)(uintptr_t)devPtr, count, (CUmem_advise)advice, device));
}

/* Locations of the runtime have the driver's shape and numbers. */
static CUmemLocation location_of(struct cudaMemLocation location)
{
    CUmemLocation l = {.type = (CUmemLocationType)location.type, .id = location.id};
    return l;
}

cudaError_t do_cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                struct cudaMemLocation location)
{
    return api_error(cuMemAdvise_v2((CUdeviceptr)(uintptr_t)devPtr, count, (CUmem_advise)advice, location_of(location)));
}

cudaError_t do_cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice, cudaStream_t stream)
{
    return api_error(cuMemPrefetchAsync((CUdeviceptr)(uintptr_t)devPtr, count, dstDevice, api_stream(stream)));
}

cudaError_t do_cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags,
                                       cudaStream_t stream)
{
    return api_error(cuMemPrefetchAsync_v2((CUdeviceptr)(uintptr_t)devPtr, count, location_of(location), flags,
                                           api_stream(stream)));
}

/* A place is the same structure for both. */
_Static_assert(sizeof(struct cudaMemLocation) == sizeof(CUmemLocation), "");

cudaError_t do_cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                         size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    return api_error(cuMemPrefetchBatchAsync((CUdeviceptr *)dptrs, sizes, count, (CUmemLocation *)prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, api_stream(stream)));
}

cudaError_t do_cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream)
{
    return api_error(cuMemDiscardBatchAsync((CUdeviceptr *)dptrs, sizes, count, flags, api_stream(stream)));
}

cudaError_t do_cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                   size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    return api_error(cuMemDiscardAndPrefetchBatchAsync((CUdeviceptr *)dptrs, sizes, count, (CUmemLocation *)prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, api_stream(stream)));
}

cudaError_t do_cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                        const void *devPtr, size_t count)
{
    return api_error(cuMemRangeGetAttribute(data, dataSize, (CUmem_range_attribute)attribute,
                                            (CUdeviceptr)(uintptr_t)devPtr, count));
}

cudaError_t do_cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
                                         size_t numAttributes, const void *devPtr, size_t count)
{
    return api_error(cuMemRangeGetAttributes(data, dataSizes, (CUmem_range_attribute *)attributes, numAttributes,
                                             (CUdeviceptr)(uintptr_t)devPtr, count));
}

/* --- what a pointer is --- */

cudaError_t do_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    CUdeviceptr p = (CUdeviceptr)(uintptr_t)ptr, device_pointer = 0;
    CUmemorytype type = 0;
    void *host_pointer = NULL;
    unsigned managed = 0;
    int device = 0;

    if (!attributes)
        return hw_refuse(cudaErrorInvalidValue, "attributes is NULL");
    memset(attributes, 0, sizeof *attributes);
    if (!p || cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) != CUDA_SUCCESS) {
        /* Memory that CUDA does not know: an answer, not an error. */
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = (void *)ptr;
        return cudaSuccess;
    }
    cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p);
    if (cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p) != CUDA_SUCCESS)
        device = 0;
    if (cuPointerGetAttribute(&device_pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p) != CUDA_SUCCESS)
        device_pointer = 0;
    if (cuPointerGetAttribute(&host_pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, p) != CUDA_SUCCESS)
        host_pointer = NULL;
    attributes->type = managed                      ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                    : cudaMemoryTypeDevice;
    attributes->device = device;
    attributes->devicePointer = (void *)(uintptr_t)device_pointer;
    attributes->hostPointer = host_pointer;
    return cudaSuccess;
}

/* --- symbols --- */

cudaError_t do_cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    CUdeviceptr ptr;
    cudaError_t rc;

    if (!devPtr)
        return hw_refuse(cudaErrorInvalidValue, "devPtr is NULL");
    if ((rc = registry_variable(symbol, &ptr, NULL)))
        return rc;
    *devPtr = (void *)(uintptr_t)ptr;
    return cudaSuccess;
}

cudaError_t do_cudaGetSymbolSize(size_t *size, const void *symbol)
{
    CUdeviceptr ptr;

    if (!size)
        return hw_refuse(cudaErrorInvalidValue, "size is NULL");
    return registry_variable(symbol, &ptr, size);
}
