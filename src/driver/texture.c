/* SPDX-License-Identifier: Apache-2.0 */
/* Texture and surface objects: descriptions checked, and turned into what kernels sample. */
#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "base/vec.h"
#include "core/hooks.h"
#include "core/mem/array.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/mem/mem.h"
#include "core/sched/sched.h"
#include "driver/bodies.h"

#include <stdatomic.h>

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
    out->as_float = array_normalised(a->desc.Format);
    out->layers = array_layers(a);
    out->cube = (a->desc.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
    out->n_levels = a->n_levels ? a->n_levels : 1;
    out->blocks = (uint8_t)array_blocks(a->desc.Format);
    for (unsigned l = 0; l < out->n_levels; l++) {
        const struct array *level = a->n_levels ? a->levels[l] : a;
        out->levels[l] = level->place;
        if (out->blocks) {                       /* places count blocks */
            out->levels[l].width = (uint32_t)level->desc.Width;
            out->levels[l].height = (uint32_t)level->desc.Height;
        }
    }
}

/* As the device's attributes say. */
enum { TEXTURE1D_LINEAR_WIDTH = 1 << 28, TEXTURE2D_LINEAR_WIDTH = 131072, TEXTURE2D_LINEAR_HEIGHT = 65000, TEXTURE2D_LINEAR_PITCH = 2097120 };

static CUresult describe_memory(CUdeviceptr ptr, CUarray_format format, unsigned channels, size_t width, size_t height, size_t pitch,
                                struct exec_texture *out)
{
    unsigned texel = array_texel_bytes(format, channels);
    enum exec_format f = EXEC_U8;
    struct mem_info info;

    /* That the memory is as large as said is the program's affair; fetches beyond it fault (measured). */
    if (!texel || ptr % 512 || !mem_lookup(ptr, &info))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "format %d with %u channels is none, 0x%llx is no multiple of 512, or it is no memory that CUDA knows", (int)format, channels, (unsigned long long)ptr);
    array_format(format, &f);
    out->format = (uint8_t)f;
    out->channels = (uint8_t)channels;
    out->n_levels = 1;
    uint64_t last = ptr + (height ? height - 1 : 0) * pitch + width * texel;
    out->leaves_window = ptr >> HW_WINDOW_SHIFT != HW_WINDOW_TAG || last >> HW_WINDOW_SHIFT != HW_WINDOW_TAG;
    out->levels[0] = (struct exec_level){.base = (char *)(uintptr_t)ptr, .pitch = pitch, .slice = pitch * height,
                                         .width = (uint32_t)(width ? width : 1), .height = (uint32_t)(height ? height : 1), .depth = 1};
    return CUDA_SUCCESS;
}

static CUresult describe(const CUDA_RESOURCE_DESC *r, struct exec_texture *out, struct array **array)
{
    bool chain = r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    unsigned texel;
    CUresult rc;

    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if ((rc = array_get(chain ? (void *)r->res.mipmap.hMipmappedArray : (void *)r->res.array.hArray, chain, array)))
            return rc;
        describe_array(*array, out);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        texel = array_texel_bytes(r->res.linear.format, r->res.linear.numChannels);
        if (texel && r->res.linear.sizeInBytes / texel > TEXTURE1D_LINEAR_WIDTH)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu elements are more than the %d of a linear texture", r->res.linear.sizeInBytes / texel, (int)TEXTURE1D_LINEAR_WIDTH);
        return describe_memory(r->res.linear.devPtr, r->res.linear.format, r->res.linear.numChannels,
                               texel ? r->res.linear.sizeInBytes / texel : 0, 1, r->res.linear.sizeInBytes, out);
    case CU_RESOURCE_TYPE_PITCH2D:
        if (r->res.pitch2D.pitchInBytes % 32 || r->res.pitch2D.pitchInBytes > TEXTURE2D_LINEAR_PITCH || r->res.pitch2D.width > TEXTURE2D_LINEAR_WIDTH
            || r->res.pitch2D.height > TEXTURE2D_LINEAR_HEIGHT)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu x %zu elements with a pitch of %zu bytes: too large, or the pitch is no multiple of 32", r->res.pitch2D.width, r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
        return describe_memory(r->res.pitch2D.devPtr, r->res.pitch2D.format, r->res.pitch2D.numChannels, r->res.pitch2D.width,
                               r->res.pitch2D.height, r->res.pitch2D.pitchInBytes, out);
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no resource type %d", (int)r->resType);
    }
}

/* Some of the levels and layers. */
static CUresult narrow(const CUDA_RESOURCE_VIEW_DESC *v, struct exec_texture *t)
{
    unsigned layers = t->layers ? t->layers : 1;

    if (v->lastMipmapLevel >= t->n_levels || v->firstMipmapLevel > v->lastMipmapLevel || v->lastLayer >= layers || v->firstLayer > v->lastLayer)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "levels %u to %u, layers %u to %u are not in a texture of %u and %u", v->firstMipmapLevel, v->lastMipmapLevel, v->firstLayer, v->lastLayer, (unsigned)t->n_levels, layers);
    t->n_levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    memmove(t->levels, t->levels + v->firstMipmapLevel, sizeof t->levels[0] * t->n_levels);
    for (unsigned l = 0; t->layers && l < t->n_levels; l++)
        t->levels[l].base += t->levels[l].slice * v->firstLayer * (t->cube ? 6 : 1);
    if (t->layers)
        t->layers = v->lastLayer - v->firstLayer + 1;
    return CUDA_SUCCESS;
}

/* Seeing an array's integers of 8 or 16 bytes as compressed blocks: it is four times as wide and as high then. */
static CUresult view_blocks(const CUDA_RESOURCE_VIEW_DESC *v, const struct array *a, struct exec_texture *t)
{
    static const struct {
        uint8_t blocks, format, channels;
    } rows[] = {{EXEC_BC1, EXEC_U8, 4},  {EXEC_BC2, EXEC_U8, 4},  {EXEC_BC3, EXEC_U8, 4},  {EXEC_BC4U, EXEC_U16, 1}, {EXEC_BC4S, EXEC_S16, 1},
                {EXEC_BC5U, EXEC_U16, 2}, {EXEC_BC5S, EXEC_S16, 2}, {EXEC_BC6U, EXEC_F16, 3}, {EXEC_BC6S, EXEC_F16, 3}, {EXEC_BC7, EXEC_U8, 4}};
    unsigned index = (unsigned)v->format - CU_RES_VIEW_FORMAT_UNSIGNED_BC1;

    if (index >= HW_LEN(rows) || blocks_bytes((enum exec_blocks)rows[index].blocks) != a->texel_bytes || t->format != EXEC_U32
        || v->width != a->desc.Width * BLOCK_SIDE || v->height != a->desc.Height * BLOCK_SIDE || v->depth != (t->layers ? 0 : a->desc.Depth))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "view format %d of %zu x %zu x %zu does not fit the array's blocks", (int)v->format, v->width, v->height, v->depth);
    for (unsigned l = 0; l < t->n_levels; l++) {
        t->levels[l].width *= BLOCK_SIDE;
        t->levels[l].height *= BLOCK_SIDE;
    }
    t->blocks = rows[index].blocks;
    t->format = rows[index].format;
    t->channels = rows[index].channels;
    t->as_float = t->format != EXEC_F16;
    return narrow(v, t);
}

/* Seeing texels as another format of the same size, and only some of the levels and layers. */
static CUresult set_view(const CUDA_RESOURCE_VIEW_DESC *v, const struct array *a, struct exec_texture *t)
{
    /* CU_RES_VIEW_FORMAT_* counts through these, each with 1, 2 and 4 channels. */
    static const uint8_t formats[] = {EXEC_U8, EXEC_S8, EXEC_U16, EXEC_S16, EXEC_U32, EXEC_S32, EXEC_F16, EXEC_F32};
    unsigned index = (unsigned)v->format - CU_RES_VIEW_FORMAT_UINT_1X8, channels = 1u << index % 3;

    if (v->format == CU_RES_VIEW_FORMAT_NONE)
        return CUDA_SUCCESS;
    if (!a || t->blocks)                         /* compressed arrays are seen as what they are */
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a view needs an array, and one that is not compressed");
    if (v->format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1)
        return view_blocks(v, a, t);
    if ((int)v->format < CU_RES_VIEW_FORMAT_UINT_1X8 || index / 3 >= HW_LEN(formats)
        || channels * exec_format_bytes((enum exec_format)formats[index / 3]) != a->texel_bytes || v->width != a->desc.Width
        || v->height != a->desc.Height || v->depth != (t->layers ? 0 : a->desc.Depth))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "view format %d of %zu x %zu x %zu does not fit the array", (int)v->format, v->width, v->height, v->depth);
    t->format = formats[index / 3];
    t->channels = (uint8_t)channels;
    t->as_float = false;
    return narrow(v, t);
}

static CUresult set_sampling(const CUDA_TEXTURE_DESC *d, struct exec_texture *t)
{
    static const uint8_t modes[] = {EXEC_WRAP, EXEC_CLAMP, EXEC_MIRROR, EXEC_BORDER};
    bool is_float = t->format == EXEC_F16 || t->format == EXEC_F32, is_wide = t->format == EXEC_U32 || t->format == EXEC_S32;
    bool normalised = t->as_float;               /* the array's format says so */

    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] >= HW_LEN(modes))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no address mode %d", (int)d->addressMode[i]);
        t->address[i] = modes[d->addressMode[i]];
    }
    if (d->filterMode > CU_TR_FILTER_MODE_LINEAR || d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no filter mode %d or %d", (int)d->filterMode, (int)d->mipmapFilterMode);
    t->linear_filter = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
    t->mip_linear = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    t->normalised = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    t->as_float = normalised || (!is_float && !is_wide && !(d->flags & CU_TRSF_READ_AS_INTEGER));
    t->srgb = (d->flags & CU_TRSF_SRGB) != 0;
    t->seamless = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    memcpy(t->border, d->borderColor, sizeof t->border);
    t->bias = d->mipmapLevelBias;
    t->min_level = d->minMipmapLevelClamp;
    t->max_level = d->maxMipmapLevelClamp;
    if (t->linear_filter && !is_float && !t->as_float)           /* integers cannot be filtered */
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "integers cannot be filtered: read them as normalised floats");
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
    if (texture && view)
        rc = set_view(view, image.array, &t);
    if (!rc && texture && image.array && array_srgb(image.array->desc.Format) && !(texture->flags & CU_TRSF_SRGB))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "an sRGB array can only be read as such: CU_TRSF_SRGB is missing in the flags");
    if (!rc && texture)
        rc = set_sampling(texture, &t);
    if (!rc && !(image.handle = exec_texture_add(&t)))
        rc = hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "there are as many textures and surfaces as can be");
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

/* Waits first, as freeing memory does: programs launch, destroy, and synchronise only then. What is no object, or none any more, is
   no error on an H200. */
static CUresult drop_image(uint64_t handle, bool surface)
{
    struct ctx *ctx = ctx_current();
    struct image image;
    struct array *array = NULL;
    bool found = false;

    if (ctx && find_image(handle, surface, &image))
        sched_wait_ctx(ctx);
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
    return CUDA_SUCCESS;
}

CUresult do_cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc, const CUDA_TEXTURE_DESC *pTexDesc,
                              const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    uint64_t handle;
    CUresult rc;

    if (!pTexObject || !pResDesc || !pTexDesc)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pTexObject, pResDesc and pTexDesc is NULL");
    if ((rc = make_image(pResDesc, pTexDesc, pResViewDesc, &handle)))
        return rc;
    *pTexObject = handle;
    hook_image_made(handle, false);
    return CUDA_SUCCESS;
}

CUresult do_cuTexObjectDestroy(CUtexObject texObject)
{
    hook_image_gone(texObject);
    return drop_image(texObject, false);
}

CUresult do_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    struct image image;

    if (!pResDesc || !find_image(texObject, false, &image))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pResDesc is NULL, or that is no texture object");
    *pResDesc = image.resource;
    return CUDA_SUCCESS;
}

CUresult do_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct image image;

    if (!pTexDesc || !find_image(texObject, false, &image))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pTexDesc is NULL, or that is no texture object");
    *pTexDesc = image.texture;
    return CUDA_SUCCESS;
}

CUresult do_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject)
{
    struct image image;

    if (!pResViewDesc || !find_image(texObject, false, &image))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pResViewDesc is NULL, or that is no texture object");         /* no view: zeroes */
    *pResViewDesc = image.view;
    return CUDA_SUCCESS;
}

CUresult do_cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    uint64_t handle;
    CUresult rc;

    if (!pSurfObject || !pResDesc || pResDesc->resType != CU_RESOURCE_TYPE_ARRAY)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pSurfObject or pResDesc is NULL, or the resource is no array");
    if ((rc = make_image(pResDesc, NULL, NULL, &handle)))
        return rc;
    *pSurfObject = handle;
    hook_image_made(handle, true);
    return CUDA_SUCCESS;
}

CUresult do_cuSurfObjectDestroy(CUsurfObject surfObject)
{
    hook_image_gone(surfObject);
    return drop_image(surfObject, true);
}

CUresult do_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    struct image image;

    if (!pResDesc || !find_image(surfObject, true, &image))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pResDesc is NULL, or that is no surface object");
    *pResDesc = image.resource;
    return CUDA_SUCCESS;
}
