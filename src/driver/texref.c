/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texture and surface references of modules. A reference is a variable of 8 bytes that holds the handle of a texture object: each
 * call that changes what it refers to makes a new object and puts its handle there once all work of the context is done.
 */
#include "base/log.h"
#include "driver/texref.h"

#include "base/lock.h"
#include "base/vec.h"
#include "core/mem/array.h"
#include "core/device/ctx.h"
#include "core/module/module.h"
#include "core/sched/sched.h"
#include "driver/bodies.h"

struct texref {
    CUmodule module;             /* NULL: made by cuTexRefCreate */
    CUdeviceptr slot;            /* where kernels look for the handle; 0: nowhere */
    bool surface, bound;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUarray_format format;
    int channels;
    CUdeviceptr address;         /* as it was given */
    uint64_t handle;             /* of the object; 0: none */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_TABLE);
static HW_VEC(struct texref *) refs HW_GUARDED_BY(mu);

static struct texref *ref_of(const void *handle, bool surface)
{
    struct texref *found = NULL;

    hw_lock(&mu);
    for (size_t i = 0; i < refs.n; i++) {
        if (refs.v[i] == handle && refs.v[i]->surface == surface)
            found = refs.v[i];
    }
    hw_unlock(&mu);
    return found;
}

static struct texref *ref_new(CUmodule module, CUdeviceptr slot, bool surface)
{
    struct texref *r = hw_alloc(sizeof *r);

    r->module = module;
    r->slot = slot;
    r->surface = surface;
    r->format = CU_AD_FORMAT_FLOAT;
    r->channels = 1;
    for (int d = 0; d < 3; d++)
        r->texture.addressMode[d] = CU_TR_ADDRESS_MODE_CLAMP;
    hw_lock(&mu);
    hw_vec_push(&refs, r);
    hw_unlock(&mu);
    return r;
}

static void drop_object(const struct texref *r)
{
    if (r->handle && r->surface)
        do_cuSurfObjectDestroy(r->handle);
    else if (r->handle)
        do_cuTexObjectDestroy(r->handle);
}

void texref_module_gone(CUmodule module)
{
    hw_lock(&mu);
    for (size_t i = 0; i < refs.n;) {
        struct texref *r = refs.v[i];
        if (r->module != module) {
            i++;
            continue;
        }
        refs.v[i] = refs.v[--refs.n];
        hw_unlock(&mu);
        drop_object(r);
        hw_free(r);
        hw_lock(&mu);
        i = 0;
    }
    hw_unlock(&mu);
}

/* Unknown modes count as clamping, unknown filters as none: the calls that set them take any number. */
static CUDA_TEXTURE_DESC sane_texture(const struct texref *r)
{
    CUDA_TEXTURE_DESC d = r->texture;

    for (int i = 0; i < 3; i++) {
        if ((unsigned)d.addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            d.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    }
    d.filterMode = d.filterMode == CU_TR_FILTER_MODE_LINEAR ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    d.mipmapFilterMode = d.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    return d;
}

/* What cannot be sampled (a format that does not exist) leaves the reference empty: fetches give zeroes. */
static CUresult refresh(struct texref *r)
{
    CUDA_TEXTURE_DESC texture = sane_texture(r);
    CUtexObject made = 0;

    if (r->bound && r->surface)
        do_cuSurfObjectCreate(&made, &r->resource);
    else if (r->bound && do_cuTexObjectCreate(&made, &r->resource, &texture, NULL)) {
        texture.filterMode = CU_TR_FILTER_MODE_POINT;
        if (do_cuTexObjectCreate(&made, &r->resource, &texture, NULL))
            made = 0;
    }
    sched_wait_ctx(ctx_current());
    if (r->slot)
        memcpy((void *)(uintptr_t)r->slot, &made, sizeof made);
    drop_object(r);
    r->handle = made;
    return CUDA_SUCCESS;
}

/* --- finding them --- */

static CUresult find_reference(CUmodule hmod, const char *name, bool surface, struct texref **out)
{
    struct module *m = module_get(hmod);
    CUdeviceptr slot = 0;
    CUresult rc = m ? module_reference(m, name, surface, &slot) : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no module, or it was unloaded");

    if (!rc) {
        *out = NULL;
        hw_lock(&mu);
        for (size_t i = 0; i < refs.n; i++) {
            if (refs.v[i]->slot == slot)
                *out = refs.v[i];
        }
        hw_unlock(&mu);
        if (!*out)
            *out = ref_new(hmod, slot, surface);
    }
    module_unref(m);
    return rc;
}

CUresult do_cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    struct texref *r;
    CUresult rc;

    if (!pTexRef || !name)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pTexRef and name is NULL");
    if (!(rc = find_reference(hmod, name, false, &r)))
        *pTexRef = (CUtexref)r;
    return rc;
}

CUresult do_cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    struct texref *r;
    CUresult rc;

    if (!pSurfRef || !name)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of pSurfRef and name is NULL");
    if (!(rc = find_reference(hmod, name, true, &r)))
        *pSurfRef = (CUsurfref)r;
    return rc;
}

CUresult do_cuTexRefCreate(CUtexref *pTexRef)
{
    if (!pTexRef)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pTexRef is NULL");
    *pTexRef = (CUtexref)ref_new(NULL, 0, false);
    return CUDA_SUCCESS;
}

CUresult do_cuTexRefDestroy(CUtexref hTexRef)
{
    struct texref *r = ref_of(hTexRef, false);

    if (!r)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded");
    if (r->module)
        return CUDA_SUCCESS;                     /* a module's lives as long as the module */
    hw_lock(&mu);
    for (size_t i = 0; i < refs.n; i++) {
        if (refs.v[i] == r) {
            refs.v[i] = refs.v[--refs.n];
            break;
        }
    }
    hw_unlock(&mu);
    drop_object(r);
    hw_free(r);
    return CUDA_SUCCESS;
}

/* --- what they refer to --- */

static CUresult bind_array(struct texref *r, CUresourcetype type, void *handle)
{
    struct array *a;
    CUresult rc = array_get(handle, type == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, &a);

    if (rc)
        return rc;
    memset(&r->resource, 0, sizeof r->resource);
    r->resource.resType = type;
    if (type == CU_RESOURCE_TYPE_ARRAY)
        r->resource.res.array.hArray = handle;
    else
        r->resource.res.mipmap.hMipmappedArray = handle;
    r->format = a->desc.Format;
    r->channels = (int)a->desc.NumChannels;
    r->bound = true;
    array_unref(a);
    return refresh(r);
}

CUresult do_cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags)
{
    struct texref *r = ref_of(hTexRef, false);

    return r ? bind_array(r, CU_RESOURCE_TYPE_ARRAY, hArray) : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded");
}

CUresult do_cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags)
{
    struct texref *r = ref_of(hTexRef, false);

    return r ? bind_array(r, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, hMipmappedArray) : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded");
}

CUresult do_cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes)
{
    struct texref *r = ref_of(hTexRef, false);
    size_t offset = dptr % 512;

    if (!r)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded");
    if ((offset && !ByteOffset) || bytes > ((size_t)1 << 32))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the address is %zu bytes off a multiple of 512 and ByteOffset is NULL, or %zu bytes are too many", offset, bytes);
    memset(&r->resource, 0, sizeof r->resource);
    r->resource.resType = CU_RESOURCE_TYPE_LINEAR;
    r->resource.res.linear.devPtr = dptr - offset;
    r->resource.res.linear.format = r->format;
    r->resource.res.linear.numChannels = (unsigned)r->channels;
    r->resource.res.linear.sizeInBytes = bytes + offset;
    r->address = dptr;
    r->bound = dptr && bytes;
    if (ByteOffset)
        *ByteOffset = offset;
    return refresh(r);
}

CUresult do_cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch)
{
    struct texref *r = ref_of(hTexRef, false);
    unsigned texel = desc ? array_texel_bytes(desc->Format, desc->NumChannels) : 0;

    if (!r)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded");
    if (!texel || dptr % 512 || Pitch % 32 || Pitch < desc->Width * texel)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the descriptor is NULL or of no known format, the address is no multiple of 512, or a pitch of %zu bytes is no multiple of 32 or too small", Pitch);
    memset(&r->resource, 0, sizeof r->resource);
    r->resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    r->resource.res.pitch2D.devPtr = dptr;
    r->resource.res.pitch2D.format = desc->Format;
    r->resource.res.pitch2D.numChannels = desc->NumChannels;
    r->resource.res.pitch2D.width = desc->Width;
    r->resource.res.pitch2D.height = desc->Height;
    r->resource.res.pitch2D.pitchInBytes = Pitch;
    r->address = dptr;
    r->bound = true;
    return refresh(r);
}

CUresult do_cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch)
{
    return do_cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch);
}

CUresult do_cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags)
{
    struct texref *r = ref_of(hSurfRef, true);
    struct array *a;
    CUresult rc = array_get(hArray, false, &a);
    bool writable = !rc && (a->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST);

    array_unref(a);
    if (!r || rc)
        return r ? rc : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded");
    if (Flags || !writable)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not 0, or the array was made without CUDA_ARRAY3D_SURFACE_LDST", Flags);
    return bind_array(r, CU_RESOURCE_TYPE_ARRAY, hArray);
}

static CUresult bound_array(const struct texref *r, CUresourcetype type, void **out)
{
    if (!r)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "r is NULL");
    if (!out || !r->bound || r->resource.resType != type)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the place for the answer is NULL, or no array of this kind is bound");
    *out = type == CU_RESOURCE_TYPE_ARRAY ? (void *)r->resource.res.array.hArray : (void *)r->resource.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
}

CUresult do_cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef)
{
    return bound_array(ref_of(hTexRef, false), CU_RESOURCE_TYPE_ARRAY, (void **)phArray);
}

CUresult do_cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef)
{
    return bound_array(ref_of(hTexRef, false), CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, (void **)phMipmappedArray);
}

CUresult do_cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef)
{
    return bound_array(ref_of(hSurfRef, true), CU_RESOURCE_TYPE_ARRAY, (void **)phArray);
}

CUresult do_cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef)
{
    struct texref *r = ref_of(hTexRef, false);

    if (!r)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded");
    if (!pdptr || !r->bound || (r->resource.resType != CU_RESOURCE_TYPE_LINEAR && r->resource.resType != CU_RESOURCE_TYPE_PITCH2D))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pdptr is NULL, or no linear memory is bound");
    *pdptr = r->address;
    return CUDA_SUCCESS;
}

/* --- how they sample: one row each --- */

#define SETTER(name, params, valid, store)                               \
    CUresult do_cuTexRefSet##name params                                 \
    {                                                                    \
        struct texref *r = ref_of(hTexRef, false);                       \
                                                                         \
        if (!r)                                                          \
            return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded"); \
        if (!(valid))                                                    \
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a value is out of range, or NULL"); \
        store;                                                           \
        return refresh(r);                                               \
    }
#define GETTER(name, params, valid, store)                               \
    CUresult do_cuTexRefGet##name params                                 \
    {                                                                    \
        const struct texref *r = ref_of(hTexRef, false);                 \
                                                                         \
        if (!r)                                                          \
            return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no texture or surface reference, or its module was unloaded"); \
        if (!(valid))                                                    \
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a place for the answer is NULL, or the index is out of range"); \
        store;                                                           \
        return CUDA_SUCCESS;                                             \
    }
#define KNOWN_FLAGS \
    (CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP)

SETTER(Format, (CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents),
       NumPackedComponents == 1 || NumPackedComponents == 2 || NumPackedComponents == 4, (r->format = fmt, r->channels = NumPackedComponents))
SETTER(AddressMode, (CUtexref hTexRef, int dim, CUaddress_mode am), dim >= 0 && dim < 3, r->texture.addressMode[dim] = am)
SETTER(FilterMode, (CUtexref hTexRef, CUfilter_mode fm), true, r->texture.filterMode = fm)
SETTER(MipmapFilterMode, (CUtexref hTexRef, CUfilter_mode fm), true, r->texture.mipmapFilterMode = fm)
SETTER(MipmapLevelBias, (CUtexref hTexRef, float bias), true, r->texture.mipmapLevelBias = bias)
SETTER(MipmapLevelClamp, (CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp), true,
       (r->texture.minMipmapLevelClamp = minMipmapLevelClamp, r->texture.maxMipmapLevelClamp = maxMipmapLevelClamp))
SETTER(MaxAnisotropy, (CUtexref hTexRef, unsigned int maxAniso), true, r->texture.maxAnisotropy = maxAniso)
SETTER(BorderColor, (CUtexref hTexRef, float *pBorderColor), pBorderColor, memcpy(r->texture.borderColor, pBorderColor, 4 * sizeof(float)))
SETTER(Flags, (CUtexref hTexRef, unsigned int Flags), !(Flags & ~(unsigned)KNOWN_FLAGS), r->texture.flags = Flags)

GETTER(Format, (CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef), pFormat && pNumChannels,
       (*pFormat = r->format, *pNumChannels = r->channels))
GETTER(AddressMode, (CUaddress_mode *pam, CUtexref hTexRef, int dim), pam && dim >= 0 && dim < 3, *pam = r->texture.addressMode[dim])
GETTER(FilterMode, (CUfilter_mode *pfm, CUtexref hTexRef), pfm, *pfm = r->texture.filterMode)
GETTER(MipmapFilterMode, (CUfilter_mode *pfm, CUtexref hTexRef), pfm, *pfm = r->texture.mipmapFilterMode)
GETTER(MipmapLevelBias, (float *pbias, CUtexref hTexRef), pbias, *pbias = r->texture.mipmapLevelBias)
GETTER(MipmapLevelClamp, (float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, CUtexref hTexRef),
       pminMipmapLevelClamp && pmaxMipmapLevelClamp,
       (*pminMipmapLevelClamp = r->texture.minMipmapLevelClamp, *pmaxMipmapLevelClamp = r->texture.maxMipmapLevelClamp))
GETTER(MaxAnisotropy, (int *pmaxAniso, CUtexref hTexRef), pmaxAniso, *pmaxAniso = (int)r->texture.maxAnisotropy)
GETTER(BorderColor, (float *pBorderColor, CUtexref hTexRef), pBorderColor, memcpy(pBorderColor, r->texture.borderColor, 4 * sizeof(float)))
GETTER(Flags, (unsigned int *pFlags, CUtexref hTexRef), pFlags, *pFlags = r->texture.flags)
