/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management: cuMemAddressReserve, cuMemCreate, cuMemMap and their kin. */
#include "core/mem/vmm.h"

#include "core/device/device.h"
#include "driver/bodies.h"

CUresult do_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags)
{
    if (!ptr || flags)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_reserve(size, alignment, addr, ptr);
}

CUresult do_cuMemAddressFree(CUdeviceptr ptr, size_t size) { return vmm_free_addresses(ptr, size); }

CUresult do_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags)
{
    if (!handle || !prop || flags)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_create(size, prop, handle);
}

CUresult do_cuMemRelease(CUmemGenericAllocationHandle handle) { return vmm_release(handle); }

CUresult do_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_map(ptr, size, offset, handle);
}

CUresult do_cuMemUnmap(CUdeviceptr ptr, size_t size) { return vmm_unmap(ptr, size); }

CUresult do_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    if (!desc || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_set_access(ptr, size, desc, count);
}

CUresult do_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    if (!flags || !location)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_access(ptr, location, flags);
}

CUresult do_cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                         CUmemAllocationHandleType handleType, unsigned long long flags)
{
    if (!shareableHandle || flags || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_export(handle, shareableHandle);
}

CUresult do_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle, CUmemAllocationHandleType shHandleType)
{
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    return vmm_import((int)(intptr_t)osHandle, handle);
}

CUresult do_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option)
{
    if (!granularity || !prop || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;         /* whichever place it is for: all are alike */
    *granularity = VMM_GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult do_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    if (!prop)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_properties(handle, prop);
}

CUresult do_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    return vmm_retain((uint64_t)(uintptr_t)addr, handle);
}
