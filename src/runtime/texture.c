/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects. */
#include "runtime/array.h"
#include "runtime/bodies.h"

static cudaError_t resource_to(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *out)
{
    memset(out, 0, sizeof *out);
    out->flags = r->flags;
    switch (r->resType) {
    case cudaResourceTypeArray:
        out->resType = CU_RESOURCE_TYPE_ARRAY;
        out->res.array.hArray = (CUarray)r->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        out->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        out->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        out->resType = CU_RESOURCE_TYPE_LINEAR;
        out->res.linear.devPtr = (CUdeviceptr)(uintptr_t)r->res.linear.devPtr;
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return array_format(&r->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        out->resType = CU_RESOURCE_TYPE_PITCH2D;
        out->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)r->res.pitch2D.devPtr;
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return array_format(&r->res.pitch2D.desc, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
    default:
        return hw_refuse(cudaErrorInvalidValue, "there is no kind of resource %d", (int)r->resType);
    }
}

static CUDA_TEXTURE_DESC texture_to(const struct cudaTextureDesc *t)
{
    CUDA_TEXTURE_DESC d;

    memset(&d, 0, sizeof d);
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    d.filterMode = (CUfilter_mode)t->filterMode;
    d.flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
              (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (t->sRGB ? CU_TRSF_SRGB : 0) |
              (t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
              (t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
    d.maxAnisotropy = t->maxAnisotropy;
    d.mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode;
    d.mipmapLevelBias = t->mipmapLevelBias;
    d.minMipmapLevelClamp = t->minMipmapLevelClamp;
    d.maxMipmapLevelClamp = t->maxMipmapLevelClamp;
    memcpy(d.borderColor, t->borderColor, sizeof d.borderColor);
    return d;
}

/* Only integers of 8 and 16 bits can be read as floats, and without that they cannot be filtered; compressed ones must be. */
static cudaError_t read_mode_check(const CUDA_RESOURCE_DESC *r, const struct cudaTextureDesc *t)
{
    CUarray_format format = r->resType == CU_RESOURCE_TYPE_LINEAR ? r->res.linear.format : r->res.pitch2D.format;
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUarray array = r->res.array.hArray;
    cudaError_t rc;

    if (r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY && (rc = api_error(cuMipmappedArrayGetLevel(&array, r->res.mipmap.hMipmappedArray, 0))))
        return rc;
    if (r->resType == CU_RESOURCE_TYPE_ARRAY || r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
        if ((rc = api_error(cuArray3DGetDescriptor(&d, array))))
            return rc;
        format = d.Format;
    }
    bool is_float = format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT;
    bool is_wide = format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
    bool is_plain = is_wide || (format >= CU_AD_FORMAT_UNSIGNED_INT8 && format <= CU_AD_FORMAT_SIGNED_INT32);
    bool is_compressed = format >= CU_AD_FORMAT_BC1_UNORM && format <= CU_AD_FORMAT_BC7_UNORM_SRGB;
    is_float |= format == CU_AD_FORMAT_BC6H_UF16 || format == CU_AD_FORMAT_BC6H_SF16;
    if (t->filterMode == cudaFilterModeLinear && (is_wide || (is_plain && t->readMode == cudaReadModeElementType)))
        return hw_refuse(cudaErrorInvalidFilterSetting, "linear filtering needs texels that are read as floats");
    if (t->readMode == cudaReadModeNormalizedFloat ? is_float || is_wide : is_compressed && !is_float)
        return hw_refuse(cudaErrorInvalidNormSetting, "that format cannot be read as normalised floats, or only so");
    return cudaSuccess;
}

static CUDA_RESOURCE_VIEW_DESC view_to(const struct cudaResourceViewDesc *v)
{
    CUDA_RESOURCE_VIEW_DESC d;

    memset(&d, 0, sizeof d);
    d.format = (CUresourceViewFormat)v->format;
    d.width = v->width;
    d.height = v->height;
    d.depth = v->depth;
    d.firstMipmapLevel = v->firstMipmapLevel;
    d.lastMipmapLevel = v->lastMipmapLevel;
    d.firstLayer = v->firstLayer;
    d.lastLayer = v->lastLayer;
    return d;
}

cudaError_t do_cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
                                       const struct cudaTextureDesc *pTexDesc, const struct cudaResourceViewDesc *pResViewDesc)
{
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject made;
    cudaError_t rc;

    if (!pTexObject || !pResDesc)
        return hw_refuse(cudaErrorInvalidValue, "pTexObject or pResDesc is NULL");
    if (!pTexDesc)
        return hw_refuse(cudaErrorInvalidResourceHandle, "pTexDesc is NULL");
    if ((rc = resource_to(pResDesc, &resource)) || (rc = read_mode_check(&resource, pTexDesc)))
        return rc;
    texture = texture_to(pTexDesc);
    if (pResViewDesc)
        view = view_to(pResViewDesc);
    if ((rc = api_error(cuTexObjectCreate(&made, &resource, &texture, pResViewDesc ? &view : NULL))))
        return rc;
    *pTexObject = made;
    return cudaSuccess;
}

cudaError_t do_cudaDestroyTextureObject(cudaTextureObject_t texObject) { return api_error(cuTexObjectDestroy(texObject)); }

/* Back again: what the driver remembers, in our words. */
static void resource_from(const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *out)
{
    memset(out, 0, sizeof *out);
    out->flags = r->flags;
    out->resType = (enum cudaResourceType)r->resType;
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out->res.array.array = (cudaArray_t)r->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out->res.mipmap.mipmap = (cudaMipmappedArray_t)r->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = (void *)(uintptr_t)r->res.linear.devPtr;
        out->res.linear.desc = array_channels(r->res.linear.format, r->res.linear.numChannels);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    default:
        out->res.pitch2D.devPtr = (void *)(uintptr_t)r->res.pitch2D.devPtr;
        out->res.pitch2D.desc = array_channels(r->res.pitch2D.format, r->res.pitch2D.numChannels);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    }
}

cudaError_t do_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject)
{
    CUDA_RESOURCE_DESC r;
    cudaError_t rc;

    if (!pResDesc)
        return hw_refuse(cudaErrorInvalidValue, "pResDesc is NULL");
    if (!(rc = api_error(cuTexObjectGetResourceDesc(&r, texObject))))
        resource_from(&r, pResDesc);
    return rc;
}

cudaError_t do_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject)
{
    CUDA_TEXTURE_DESC t;
    cudaError_t rc;

    if (!pTexDesc)
        return hw_refuse(cudaErrorInvalidValue, "pTexDesc is NULL");
    if ((rc = api_error(cuTexObjectGetTextureDesc(&t, texObject))))
        return rc;
    memset(pTexDesc, 0, sizeof *pTexDesc);
    for (int i = 0; i < 3; i++)
        pTexDesc->addressMode[i] = (enum cudaTextureAddressMode)t.addressMode[i];
    pTexDesc->filterMode = (enum cudaTextureFilterMode)t.filterMode;
    pTexDesc->readMode = t.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    pTexDesc->sRGB = (t.flags & CU_TRSF_SRGB) != 0;
    memcpy(pTexDesc->borderColor, t.borderColor, sizeof t.borderColor);
    pTexDesc->normalizedCoords = (t.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    pTexDesc->maxAnisotropy = t.maxAnisotropy;
    pTexDesc->mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmapFilterMode;
    pTexDesc->mipmapLevelBias = t.mipmapLevelBias;
    pTexDesc->minMipmapLevelClamp = t.minMipmapLevelClamp;
    pTexDesc->maxMipmapLevelClamp = t.maxMipmapLevelClamp;
    pTexDesc->disableTrilinearOptimization = (t.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
    pTexDesc->seamlessCubemap = (t.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    return cudaSuccess;
}

cudaError_t do_cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc)
{
    CUDA_RESOURCE_DESC resource;
    CUsurfObject made;
    cudaError_t rc;

    if (!pSurfObject || !pResDesc)
        return hw_refuse(cudaErrorInvalidValue, "pSurfObject or pResDesc is NULL");
    if ((rc = resource_to(pResDesc, &resource)) || (rc = api_error(cuSurfObjectCreate(&made, &resource))))
        return rc;
    *pSurfObject = made;
    return cudaSuccess;
}

cudaError_t do_cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) { return api_error(cuSurfObjectDestroy(surfObject)); }

cudaError_t do_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject)
{
    CUDA_RESOURCE_DESC r;
    cudaError_t rc;

    if (!pResDesc)
        return hw_refuse(cudaErrorInvalidValue, "pResDesc is NULL");
    if (!(rc = api_error(cuSurfObjectGetResourceDesc(&r, surfObject))))
        resource_from(&r, pResDesc);
    return rc;
}

cudaError_t do_cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc, cudaTextureObject_t texObject)
{
    CUDA_RESOURCE_VIEW_DESC v;
    cudaError_t rc;

    if (!pResViewDesc)
        return hw_refuse(cudaErrorInvalidValue, "pResViewDesc is NULL");
    if ((rc = api_error(cuTexObjectGetResourceViewDesc(&v, texObject))))
        return rc;
    memset(pResViewDesc, 0, sizeof *pResViewDesc);
    pResViewDesc->format = (enum cudaResourceViewFormat)v.format;
    pResViewDesc->width = v.width;
    pResViewDesc->height = v.height;
    pResViewDesc->depth = v.depth;
    pResViewDesc->firstMipmapLevel = v.firstMipmapLevel;
    pResViewDesc->lastMipmapLevel = v.lastMipmapLevel;
    pResViewDesc->firstLayer = v.firstLayer;
    pResViewDesc->lastLayer = v.lastLayer;
    return cudaSuccess;
}
