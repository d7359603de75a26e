/* SPDX-License-Identifier: Apache-2.0 */
/* Stream-ordered allocation and memory pools. */
#include "runtime/bodies.h"
#include "runtime/context.h"

static CUmemoryPool pool_of(cudaMemPool_t pool) { return (CUmemoryPool)pool; }

cudaError_t do_cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    return api_error(cuDeviceGetDefaultMemPool((CUmemoryPool *)memPool, device));
}

cudaError_t do_cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    return api_error(cuDeviceGetMemPool((CUmemoryPool *)memPool, device));
}

cudaError_t do_cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    return api_error(cuDeviceSetMemPool(device, pool_of(memPool)));
}

cudaError_t do_cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    CUdeviceptr got = 0;
    cudaError_t rc;

    if (!ptr)
        return hw_refuse(cudaErrorInvalidValue, "ptr is NULL");
    if (size == 0) {
        *ptr = NULL;
        return cudaSuccess;
    }
    if ((rc = api_error(cuMemAllocFromPoolAsync(&got, size, pool_of(memPool), api_stream(stream)))))
        return rc;
    *ptr = (void *)(uintptr_t)got;
    return cudaSuccess;
}

cudaError_t do_cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    CUdeviceptr got = 0;
    cudaError_t rc;

    if (!devPtr)
        return hw_refuse(cudaErrorInvalidValue, "devPtr is NULL");
    if (size == 0) {
        *devPtr = NULL;
        return cudaSuccess;
    }
    if ((rc = api_error(cuMemAllocAsync(&got, size, api_stream(hStream)))))
        return rc;
    *devPtr = (void *)(uintptr_t)got;
    return cudaSuccess;
}

cudaError_t do_cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    if (!devPtr)
        return cudaSuccess;
    return api_error(cuMemFreeAsync((CUdeviceptr)(uintptr_t)devPtr, api_stream(hStream)));
}

cudaError_t do_cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    return api_error(cuMemPoolTrimTo(pool_of(memPool), minBytesToKeep));
}

/* Attributes, places and access flags have the driver's numbers. */
cudaError_t do_cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return api_error(cuMemPoolSetAttribute(pool_of(memPool), (CUmemPool_attribute)attr, value));
}

cudaError_t do_cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return api_error(cuMemPoolGetAttribute(pool_of(memPool), (CUmemPool_attribute)attr, value));
}

cudaError_t do_cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count)
{
    return api_error(cuMemPoolSetAccess(pool_of(memPool), (const CUmemAccessDesc *)descList, count));
}

cudaError_t do_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool, struct cudaMemLocation *location)
{
    return api_error(cuMemPoolGetAccess((CUmemAccess_flags *)flags, pool_of(memPool), (CUmemLocation *)location));
}

cudaError_t do_cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
    return api_error(cuMemPoolCreate((CUmemoryPool *)memPool, (const CUmemPoolProps *)poolProps));
}

cudaError_t do_cudaMemPoolDestroy(cudaMemPool_t memPool) { return api_error(cuMemPoolDestroy(pool_of(memPool))); }

cudaError_t do_cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    return api_error(cuMemGetDefaultMemPool((CUmemoryPool *)memPool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t do_cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    return api_error(cuMemGetMemPool((CUmemoryPool *)memPool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t do_cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t memPool)
{
    return api_error(cuMemSetMemPool((CUmemLocation *)location, (CUmemAllocationType)type, pool_of(memPool)));
}

/* --- other processes: handle types and export records have the driver's shape --- */

cudaError_t do_cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool, enum cudaMemAllocationHandleType handleType,
                                                  unsigned int flags)
{
    return api_error(cuMemPoolExportToShareableHandle(shareableHandle, pool_of(memPool), (CUmemAllocationHandleType)handleType, flags));
}

cudaError_t do_cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                    enum cudaMemAllocationHandleType handleType, unsigned int flags)
{
    return api_error(cuMemPoolImportFromShareableHandle((CUmemoryPool *)memPool, shareableHandle, (CUmemAllocationHandleType)handleType, flags));
}

cudaError_t do_cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr)
{
    return api_error(cuMemPoolExportPointer((CUmemPoolPtrExportData *)exportData, (CUdeviceptr)(uintptr_t)ptr));
}

cudaError_t do_cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool, struct cudaMemPoolPtrExportData *exportData)
{
    return api_error(cuMemPoolImportPointer((CUdeviceptr *)ptr, pool_of(memPool), (CUmemPoolPtrExportData *)exportData));
}
