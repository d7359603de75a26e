/* SPDX-License-Identifier: Apache-2.0 */
/* Allocating and releasing memory: device, page-locked, registered, managed. */
#include "core/mem/mem.h"

#include "core/device/ctx.h"
#include "driver/bodies.h"

/* --- device memory --- */

CUresult do_cuMemGetInfo_v2(size_t *free, size_t *total)
{
    mem_info_bytes(ctx_current()->dev, free, total);
    return CUDA_SUCCESS;
}

CUresult do_cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    if (!dptr || bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return mem_alloc(ctx_current(), bytesize, dptr);
}

CUresult do_cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned int ElementSizeBytes)
{
    if (!dptr || !pPitch)
        return CUDA_ERROR_INVALID_VALUE;
    return mem_alloc_pitch(ctx_current(), WidthInBytes, Height, ElementSizeBytes, dptr, pPitch);
}

CUresult do_cuMemFree_v2(CUdeviceptr dptr) { return mem_free(dptr); }

CUresult do_cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    return mem_address_range(dptr, pbase, psize);
}

/* --- page-locked memory --- */

CUresult do_cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    if (!pp)
        return CUDA_ERROR_INVALID_VALUE;
    return mem_host_alloc(ctx_current(), bytesize, 0, pp);
}

CUresult do_cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    if (!pp)
        return CUDA_ERROR_INVALID_VALUE;
    return mem_host_alloc(ctx_current(), bytesize, Flags, pp);
}

CUresult do_cuMemFreeHost(void *p) { return mem_host_free(p); }

CUresult do_cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    if (!p || bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    return mem_host_register(ctx_current(), p, bytesize, Flags);
}

CUresult do_cuMemHostUnregister(void *p) { return mem_host_unregister(p); }

CUresult do_cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    if (!pdptr || Flags)
        return CUDA_ERROR_INVALID_VALUE;
    return mem_host_device_pointer(p, Flags, pdptr);
}

CUresult do_cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    if (!pFlags)
        return CUDA_ERROR_INVALID_VALUE;
    return mem_host_flags(p, pFlags);
}

/* --- managed memory --- */

CUresult do_cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    if (!dptr || bytesize == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    return mem_alloc_managed(ctx_current(), bytesize, flags, dptr);
}
