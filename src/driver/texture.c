/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects: descriptions checked, and turned into what kernels sample. */
#include "base/lock.h"
#include "base/vec.h"
#include "core/array.h"
#include "core/device.h"
#include "core/mem.h"
#include "driver/bodies.h"

/* What an object was made of. Arrays stay referenced, so that their memory outlives the object. */
struct image {
    uint64_t handle;
    bool surface, has_view;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    struct array *array;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_EVENT);
static HW_VEC(struct image) images HW_GUARDED_BY(mu);

static bool find_image(uint64_t handle, bool surface, struct image *out)
{
    bool found = false;

    hw_lock(&mu);
    for (size_t i = 0; i < images.n && !found; i++) {
        if (images.v[i].handle == handle && images.v[i].surface == surface) {
            *out = images.v[i];
            found = true;
        }
    }
    hw_unlock(&mu);
    return found;
}

static void describe_array(const struct array *a, struct exec_texture *out)
{
    enum exec_format format = EXEC_U8;

    array_format(a->desc.Format, &format);
    out->format = (uint8_t)format;
    out->channels = (uint8_t)a->desc.NumChannels;
    out->layers = array_layers(a);
    out->cube = (a->desc.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
    out->n_levels = a->n_levels ? a->n_levels : 1;
    for (unsigned l = 0; l < out->n_levels; l++)
        out->levels[l] = a->n_levels ? a->levels[l]->place : a->place;
}

static CUresult describe_memory(CUdeviceptr ptr, CUarray_format format, unsigned channels, size_t width, size_t height, size_t pitch,
                                struct exec_texture *out)
{
    unsigned texel = array_texel_bytes(format, channels);
    enum exec_format f = EXEC_U8;
    struct mem_info info;
    size_t bytes;

    if (!texel || width == 0 || height == 0 || ptr % 512 || width > (1u << 28) || __builtin_mul_overflow(pitch, height, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    bytes = pitch * (height - 1) + width * texel;
    if (!mem_covers(ptr, bytes, &info))
        return CUDA_ERROR_INVALID_VALUE;
    array_format(format, &f);
    out->format = (uint8_t)f;
    out->channels = (uint8_t)channels;
    out->n_levels = 1;
    out->levels[0] = (struct exec_level){.base = (char *)(uintptr_t)ptr, .pitch = pitch, .slice = pitch * height,
                                         .width = (uint32_t)width, .height = (uint32_t)height, .depth = 1};
    return CUDA_SUCCESS;
}

static CUresult describe(const CUDA_RESOURCE_DESC *r, struct exec_texture *out, struct array **array)
{
    unsigned texel;

    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        *array = r->resType == CU_RESOURCE_TYPE_ARRAY ? array_get(r->res.array.hArray, false) : array_get(r->res.mipmap.hMipmappedArray, true);
        if (!*array)
            return CUDA_ERROR_INVALID_HANDLE;
        describe_array(*array, out);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        texel = array_texel_bytes(r->res.linear.format, r->res.linear.numChannels);
        return describe_memory(r->res.linear.devPtr, r->res.linear.format, r->res.linear.numChannels,
                               texel ? r->res.linear.sizeInBytes / texel : 0, 1, r->res.linear.sizeInBytes, out);
    case CU_RESOURCE_TYPE_PITCH2D:
        if (r->res.pitch2D.pitchInBytes % 32)
            return CUDA_ERROR_INVALID_VALUE;
        return describe_memory(r->res.pitch2D.devPtr, r->res.pitch2D.format, r->res.pitch2D.numChannels, r->res.pitch2D.width,
                               r->res.pitch2D.height, r->res.pitch2D.pitchInBytes, out);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult set_sampling(const CUDA_TEXTURE_DESC *d, struct exec_texture *t)
{
    static const uint8_t modes[] = {EXEC_WRAP, EXEC_CLAMP, EXEC_MIRROR, EXEC_BORDER};
    bool is_float = t->format == EXEC_F16 || t->format == EXEC_F32, is_wide = t->format == EXEC_U32 || t->format == EXEC_S32;

    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] >= HW_LEN(modes))
            return CUDA_ERROR_INVALID_VALUE;
        t->address[i] = modes[d->addressMode[i]];
    }
    if (d->filterMode > CU_TR_FILTER_MODE_LINEAR || d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    t->linear_filter = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
    t->mip_linear = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    t->normalised = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    t->as_float = !is_float && !is_wide && !(d->flags & CU_TRSF_READ_AS_INTEGER);
    t->srgb = (d->flags & CU_TRSF_SRGB) != 0;
    t->seamless = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    memcpy(t->border, d->borderColor, sizeof t->border);
    t->bias = d->mipmapLevelBias;
    t->min_level = d->minMipmapLevelClamp;
    t->max_level = d->maxMipmapLevelClamp;
    /* Integers cannot be filtered, and levels need coordinates that fit them all. */
    if ((t->linear_filter && !is_float && !t->as_float) || (t->n_levels > 1 && !t->normalised))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult make_image(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view,
                           uint64_t *out)
{
    struct exec_texture t = {.surface = texture == NULL};
    struct image image = {.surface = texture == NULL, .resource = *resource, .has_view = view != NULL};
    CUresult rc;

    if ((rc = describe(resource, &t, &image.array)))
        return rc;
    if (!texture && !(image.array->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST))
        rc = CUDA_ERROR_INVALID_VALUE;
    if (texture)
        rc = set_sampling(texture, &t);
    if (!rc && view && view->format != CU_RES_VIEW_FORMAT_NONE)
        rc = CUDA_ERROR_NOT_SUPPORTED;           /* seeing texels as another format */
    if (!rc && !(image.handle = exec_texture_add(&t)))
        rc = CUDA_ERROR_OUT_OF_MEMORY;
    if (rc) {
        array_unref(image.array);
        return rc;
    }
    if (texture)
        image.texture = *texture;
    if (view)
        image.view = *view;
    hw_lock(&mu);
    hw_vec_push(&images, image);
    hw_unlock(&mu);
    *out = image.handle;
    return CUDA_SUCCESS;
}

static CUresult drop_image(uint64_t handle, bool surface)
{
    struct array *array = NULL;
    bool found = false;

    hw_lock(&mu);
    for (size_t i = 0; i < images.n && !found; i++) {
        if (images.v[i].handle == handle && images.v[i].surface == surface) {
            array = images.v[i].array;
            images.v[i] = images.v[--images.n];
            exec_texture_remove(handle);
            found = true;
        }
    }
    hw_unlock(&mu);
    array_unref(array);
    return found || handle == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult do_cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc, const CUDA_TEXTURE_DESC *pTexDesc,
                              const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    uint64_t handle;
    CUresult rc;

    if (!pTexObject || !pResDesc || !pTexDesc)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = make_image(pResDesc, pTexDesc, pResViewDesc, &handle)))
        return rc;
    *pTexObject = handle;
    return CUDA_SUCCESS;
}

CUresult do_cuTexObjectDestroy(CUtexObject texObject) { return drop_image(texObject, false); }

CUresult do_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    struct image image;

    if (!pResDesc || !find_image(texObject, false, &image))
        return CUDA_ERROR_INVALID_VALUE;
    *pResDesc = image.resource;
    return CUDA_SUCCESS;
}

CUresult do_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct image image;

    if (!pTexDesc || !find_image(texObject, false, &image))
        return CUDA_ERROR_INVALID_VALUE;
    *pTexDesc = image.texture;
    return CUDA_SUCCESS;
}

CUresult do_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject)
{
    struct image image;

    if (!pResViewDesc || !find_image(texObject, false, &image) || !image.has_view)
        return CUDA_ERROR_INVALID_VALUE;
    *pResViewDesc = image.view;
    return CUDA_SUCCESS;
}

CUresult do_cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    uint64_t handle;
    CUresult rc;

    if (!pSurfObject || !pResDesc || pResDesc->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = make_image(pResDesc, NULL, NULL, &handle)))
        return rc;
    *pSurfObject = handle;
    return CUDA_SUCCESS;
}

CUresult do_cuSurfObjectDestroy(CUsurfObject surfObject) { return drop_image(surfObject, true); }

CUresult do_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    struct image image;

    if (!pResDesc || !find_image(surfObject, true, &image))
        return CUDA_ERROR_INVALID_VALUE;
    *pResDesc = image.resource;
    return CUDA_SUCCESS;
}
