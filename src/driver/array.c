/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and chains of mipmaps: life and descriptions. Copies are in copy.c. */
#include "base/log.h"
#include "core/mem/array.h"

#include "core/device/ctx.h"
#include "core/device/device.h"
#include "driver/bodies.h"

CUresult do_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    struct array *a;
    CUresult rc;

    if (!pHandle || !pAllocateArray)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pHandle and pAllocateArray is NULL");
    if ((rc = array_create(ctx_current(), pAllocateArray, &a)))
        return rc;
    *pHandle = (CUarray)a->obj.handle;
    return CUDA_SUCCESS;
}

CUresult do_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};

    if (!pAllocateArray)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pAllocateArray is NULL");
    d.Width = pAllocateArray->Width;
    d.Height = pAllocateArray->Height;
    d.Format = pAllocateArray->Format;
    d.NumChannels = pAllocateArray->NumChannels;
    return do_cuArray3DCreate_v2(pHandle, &d);
}

CUresult do_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    struct array *a;
    CUresult rc = array_get(hArray, false, &a);

    if (rc)
        return rc;
    if (pArrayDescriptor)
        *pArrayDescriptor = a->desc;
    array_unref(a);
    return pArrayDescriptor ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "pArrayDescriptor is NULL");
}

CUresult do_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult rc;

    if (!pArrayDescriptor)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pArrayDescriptor is NULL");
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
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pHandle and pMipmappedArrayDesc is NULL");
    if ((rc = array_create_chain(ctx_current(), pMipmappedArrayDesc, numMipmapLevels, &a)))
        return rc;
    *pHandle = (CUmipmappedArray)a->obj.handle;
    return CUDA_SUCCESS;
}

CUresult do_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level)
{
    struct array *a;
    CUresult rc = array_get(hMipmappedArray, true, &a);

    if (rc)
        return rc;
    if (pLevelArray && level < a->n_levels)
        *pLevelArray = (CUarray)a->levels[level]->obj.handle;
    else
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "pLevelArray is NULL, or there is no level %u: the array has %u", level, a->n_levels);
    array_unref(a);
    return rc;
}

CUresult do_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) { return array_destroy(hMipmappedArray, true); }

/* --- sparse arrays and those to be mapped later --- */

enum { TILE = 65536 };

static CUresult sparse_properties(CUDA_ARRAY_SPARSE_PROPERTIES *out, void *handle, bool chain)
{
    /* Tiles are 64 KiB: by the bytes of a texel, the widths, heights and depths of flat and of deep ones. */
    static const uint16_t flat[5][2] = {{256, 256}, {256, 128}, {128, 128}, {128, 64}, {64, 64}};
    static const uint16_t deep[5][3] = {{64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}};
    struct array *a;
    CUresult rc = array_get(handle, chain, &a);

    if (rc)
        return rc;
    unsigned row = (unsigned)__builtin_ctz(a->texel_bytes);
    if (!out || !(a->desc.Flags & CUDA_ARRAY3D_SPARSE) || row >= HW_LEN(flat)) {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "sparseProperties is NULL, or the array is not sparse (CUDA_ARRAY3D_SPARSE)");
    } else {
        bool is_deep = a->desc.Depth && !(a->desc.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP));
        memset(out, 0, sizeof *out);
        out->tileExtent.width = is_deep ? deep[row][0] : flat[row][0];
        out->tileExtent.height = is_deep ? deep[row][1] : flat[row][1];
        out->tileExtent.depth = is_deep ? deep[row][2] : 1;
    }
    array_unref(a);
    return rc;
}

CUresult do_cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array)
{
    return sparse_properties(sparseProperties, array, false);
}

CUresult do_cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUmipmappedArray mipmap)
{
    return sparse_properties(sparseProperties, mipmap, true);
}

static CUresult memory_requirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *out, void *handle, bool chain, CUdevice device)
{
    size_t bytes = 0;
    struct array *a;
    CUresult rc = array_get(handle, chain, &a);

    if (rc)
        return rc;
    for (unsigned l = 0; l < (a->n_levels ? a->n_levels : 1); l++) {
        const struct exec_level *place = a->n_levels ? &a->levels[l]->place : &a->place;
        bytes += place->slice * place->depth;
    }
    if (!device_peek(device))
        rc = hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d; cuDeviceGetCount() says how many there are", (int)device);
    else if (!out || !(a->desc.Flags & CUDA_ARRAY3D_DEFERRED_MAPPING))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "memoryRequirements is NULL, or the array has memory already (it was made without CUDA_ARRAY3D_DEFERRED_MAPPING)");
    if (!rc) {
        memset(out, 0, sizeof *out);
        out->size = hw_align_up(bytes, TILE);
        out->alignment = TILE;
    }
    array_unref(a);
    return rc;
}

CUresult do_cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUarray array, CUdevice device)
{
    return memory_requirements(memoryRequirements, array, false, device);
}

CUresult do_cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUmipmappedArray mipmap,
                                                  CUdevice device)
{
    return memory_requirements(memoryRequirements, mipmap, true, device);
}

/* No format here has planes. */
CUresult do_cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx)
{
    struct array *a;
    CUresult rc = array_get(hArray, false, &a);

    (void)pPlaneArray;
    (void)planeIdx;
    array_unref(a);
    return rc ? rc : hw_refuse(CUDA_ERROR_INVALID_VALUE, "no format has planes, and %u is none", planeIdx);
}
