/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management: cuMemAddressReserve, cuMemCreate, cuMemMap and their kin. */
#include "base/log.h"
#include "core/mem/vmm.h"

#include "core/device/device.h"
#include "driver/bodies.h"

CUresult do_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags)
{
    if (!ptr || flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "ptr is NULL, or flags 0x%llx are not 0", flags);
    return vmm_reserve(size, alignment, addr, ptr);
}

CUresult do_cuMemAddressFree(CUdeviceptr ptr, size_t size) { return vmm_free_addresses(ptr, size); }

CUresult do_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags)
{
    if (!handle || !prop || flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "handle or prop is NULL, or flags 0x%llx are not 0", flags);
    return vmm_create(size, prop, handle);
}

CUresult do_cuMemRelease(CUmemGenericAllocationHandle handle) { return vmm_release(handle); }

CUresult do_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    if (flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags are 0x%x; they must be 0", (unsigned)flags);
    return vmm_map(ptr, size, offset, handle);
}

CUresult do_cuMemUnmap(CUdeviceptr ptr, size_t size) { return vmm_unmap(ptr, size); }

CUresult do_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    if (!desc || count == 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "desc is NULL, or count is 0");
    return vmm_set_access(ptr, size, desc, count);
}

CUresult do_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    if (!flags || !location)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of flags and location is NULL");
    return vmm_access(ptr, location, flags);
}

CUresult do_cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                         CUmemAllocationHandleType handleType, unsigned long long flags)
{
    if (!shareableHandle || flags || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "shareableHandle is NULL, flags 0x%llx are not 0, or handles of type %d cannot be exported", flags, (int)handleType);
    return vmm_export(handle, shareableHandle);
}

CUresult do_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle, CUmemAllocationHandleType shHandleType)
{
    if (!handle)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "handle is NULL");
    if (shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "handles of type %d cannot be imported", (int)shHandleType);
    return vmm_import((int)(intptr_t)osHandle, handle);
}

CUresult do_cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option)
{
    if (!granularity || !prop || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "granularity or prop is NULL, or option %d or type of memory is not known", (int)option);         /* whichever place it is for: all are alike */
    *granularity = VMM_GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult do_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    if (!prop)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "prop is NULL");
    return vmm_properties(handle, prop);
}

CUresult do_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    if (!handle)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "handle is NULL");
    return vmm_retain((uint64_t)(uintptr_t)addr, handle);
}
