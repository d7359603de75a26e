/* SPDX-License-Identifier: Apache-2.0 */
/* Stream-ordered allocation and the pools it comes from. */
#include "base/log.h"
#include "core/mem/mempool.h"

#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/mem/ipc.h"
#include "core/mem/mem.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"

CUresult do_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    if (!pool_out)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pool_out is NULL");
    if (!device_peek(dev))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    return mempool_default(&(CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev }, CU_MEM_ALLOCATION_TYPE_PINNED, pool_out);
}

CUresult do_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    if (!pool)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pool is NULL");
    if (!device_peek(dev))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    return mempool_current(&(CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev }, CU_MEM_ALLOCATION_TYPE_PINNED, pool);
}

CUresult do_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    /* measured: a device that is not there is INVALID_VALUE, and not INVALID_DEVICE, as of the others */
    return mempool_set_current(&(CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = dev }, CU_MEM_ALLOCATION_TYPE_PINNED, pool);
}

/* The newer calls name a place instead of a device. */
CUresult do_cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type)
{
    if (!pool_out || !location)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pool_out and location is NULL");
    return mempool_default(location, type, pool_out);
}

CUresult do_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    if (!pool || !location)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pool and location is NULL");
    return mempool_current(location, type, pool);
}

CUresult do_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    if (!location)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "location is NULL");
    return mempool_set_current(location, type, pool);
}

/* --- pools --- */

CUresult do_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    if (!pool || !poolProps)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pool and poolProps is NULL");
    return mempool_create(poolProps, pool);
}

CUresult do_cuMemPoolDestroy(CUmemoryPool pool) { return mempool_destroy(pool); }

CUresult do_cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    struct mempool *p = mempool_get(pool);

    CUresult rc = !p || mempool_is_imported(p) ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed, or it is another process's") : CUDA_SUCCESS;

    if (!rc)
        mempool_trim(p, minBytesToKeep);
    mempool_unref(p);
    return rc;
}

CUresult do_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct mempool *p = value ? mempool_get(pool) : NULL;
    CUresult rc = p ? mempool_set_attribute(p, attr, value) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed, or a pointer is NULL");

    mempool_unref(p);
    return rc;
}

CUresult do_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct mempool *p = value ? mempool_get(pool) : NULL;
    CUresult rc = p ? mempool_get_attribute(p, attr, value) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed, or a pointer is NULL");

    mempool_unref(p);
    return rc;
}

CUresult do_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    struct mempool *p = map || !count ? mempool_get(pool) : NULL;
    CUresult rc = p ? mempool_set_access(p, map, count) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed, or a pointer is NULL");

    mempool_unref(p);
    return rc;
}

CUresult do_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
    struct mempool *p = flags && location ? mempool_get(memPool) : NULL;
    CUresult rc = p ? mempool_access(p, location, flags) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed, or a pointer is NULL");

    mempool_unref(p);
    return rc;
}

/* --- other processes --- */

CUresult do_cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType,
                                             unsigned long long flags)
{
    struct mempool *p = NULL;
    CUresult rc;

    if (handle_out && !flags && handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && (p = mempool_get(pool)))
        rc = mempool_export(p, handle_out);
    else
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "handle_out is NULL, flags 0x%llx are not 0, handles of type %d cannot be exported, or that is no pool", flags, (int)handleType);
    mempool_unref(p);
    return rc;
}

CUresult do_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle, CUmemAllocationHandleType handleType,
                                               unsigned long long flags)
{
    if (!pool_out || flags || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pool_out is NULL, flags 0x%llx are not 0, or handles of type %d cannot be imported", flags, (int)handleType);
    return mempool_import((int)(intptr_t)handle, pool_out);
}

CUresult do_cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
    struct ipc_ref ref;
    CUresult rc;

    if (!shareData_out)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "shareData_out is NULL");
    if ((rc = mempool_ref(ptr, &ref)))
        return rc;
    memset(shareData_out, 0, sizeof *shareData_out);
    memcpy(shareData_out, &ref, sizeof ref);
    return CUDA_SUCCESS;
}

CUresult do_cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData *shareData)
{
    struct mempool *p = mempool_get(pool);
    struct ipc_ref ref;
    CUresult rc;

    if (!ptr_out || !shareData || !p || !mempool_is_imported(p)) {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "a pointer is NULL, or that is no pool that was imported");
    } else {
        memcpy(&ref, shareData, sizeof ref);
        rc = ipc_ref_valid(&ref) ? ipc_mem_open(ctx_current(), &ref, true, ptr_out) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "shareData was not made by cuMemPoolExportPointer()");
    }
    mempool_unref(p);
    return rc;
}

/* --- memory --- */

CUresult do_cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
    struct mempool *p = NULL;
    struct stream *s;
    CUresult rc;

    if (!dptr)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "dptr is NULL");
    if ((rc = api_stream(hStream, &s)))
        return rc;
    if (!(p = mempool_get(pool)))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed");
    else
        rc = mempool_alloc(p, s, bytesize, dptr);
    mempool_unref(p);
    stream_unref(s);
    return rc;
}

CUresult do_cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    struct stream *s;
    CUresult rc;

    if (!dptr)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "dptr is NULL");
    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = mempool_alloc(NULL, s, bytesize, dptr);
    stream_unref(s);
    return rc;
}

CUresult do_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = mempool_free(dptr, s);
    stream_unref(s);
    return rc;
}
