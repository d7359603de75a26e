/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and chains of mipmaps: life and descriptions. Copies are in copy.c. */
#include "core/array.h"

#include "core/ctx.h"
#include "driver/bodies.h"

CUresult do_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    struct array *a;
    CUresult rc;

    if (!pHandle || !pAllocateArray)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = array_create(ctx_current(), pAllocateArray, &a)))
        return rc;
    *pHandle = (CUarray)a->obj.handle;
    return CUDA_SUCCESS;
}

CUresult do_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};

    if (!pAllocateArray)
        return CUDA_ERROR_INVALID_VALUE;
    d.Width = pAllocateArray->Width;
    d.Height = pAllocateArray->Height;
    d.Format = pAllocateArray->Format;
    d.NumChannels = pAllocateArray->NumChannels;
    return do_cuArray3DCreate_v2(pHandle, &d);
}

CUresult do_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    struct array *a = array_get(hArray, false);

    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (pArrayDescriptor)
        *pArrayDescriptor = a->desc;
    array_unref(a);
    return pArrayDescriptor ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult do_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult rc;

    if (!pArrayDescriptor)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = do_cuArray3DGetDescriptor_v2(&d, hArray)))
        return rc;
    pArrayDescriptor->Width = d.Width;
    pArrayDescriptor->Height = d.Height;
    pArrayDescriptor->Format = d.Format;
    pArrayDescriptor->NumChannels = d.NumChannels;
    return CUDA_SUCCESS;
}

CUresult do_cuArrayDestroy(CUarray hArray) { return array_destroy(hArray, false); }

CUresult do_cuMipmappedArrayCreate(CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                   unsigned int numMipmapLevels)
{
    struct array *a;
    CUresult rc;

    if (!pHandle || !pMipmappedArrayDesc)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = array_create_chain(ctx_current(), pMipmappedArrayDesc, numMipmapLevels, &a)))
        return rc;
    *pHandle = (CUmipmappedArray)a->obj.handle;
    return CUDA_SUCCESS;
}

CUresult do_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level)
{
    struct array *a = array_get(hMipmappedArray, true);
    CUresult rc = CUDA_ERROR_INVALID_VALUE;

    if (!a)
        return CUDA_ERROR_INVALID_HANDLE;
    if (pLevelArray && level < a->n_levels) {
        *pLevelArray = (CUarray)a->levels[level]->obj.handle;
        rc = CUDA_SUCCESS;
    }
    array_unref(a);
    return rc;
}

CUresult do_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) { return array_destroy(hMipmappedArray, true); }
