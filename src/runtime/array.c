/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, chains of mipmaps, copies to and from them; texture and surface objects. */
#include "runtime/array.h"

#include "runtime/bodies.h"
#include "runtime/context.h"

static CUarray array_of(cudaArray_const_t a) { return (CUarray)(uintptr_t)a; }

/* --- channel formats --- */

/* channels 0: 1, 2 or 4 of them. */
static const struct format_row {
    enum cudaChannelFormatKind kind;
    int bits;
    unsigned channels;
    CUarray_format format;
} formats[] = {
    {cudaChannelFormatKindUnsigned, 8, 0, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, 0, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, 0, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindSigned, 8, 0, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, 0, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, 0, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, 0, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, 0, CU_AD_FORMAT_FLOAT},
    {cudaChannelFormatKindUnsignedNormalized8X1, 8, 1, CU_AD_FORMAT_UNORM_INT8X1},
    {cudaChannelFormatKindUnsignedNormalized8X2, 8, 2, CU_AD_FORMAT_UNORM_INT8X2},
    {cudaChannelFormatKindUnsignedNormalized8X4, 8, 4, CU_AD_FORMAT_UNORM_INT8X4},
    {cudaChannelFormatKindUnsignedNormalized16X1, 16, 1, CU_AD_FORMAT_UNORM_INT16X1},
    {cudaChannelFormatKindUnsignedNormalized16X2, 16, 2, CU_AD_FORMAT_UNORM_INT16X2},
    {cudaChannelFormatKindUnsignedNormalized16X4, 16, 4, CU_AD_FORMAT_UNORM_INT16X4},
    {cudaChannelFormatKindSignedNormalized8X1, 8, 1, CU_AD_FORMAT_SNORM_INT8X1},
    {cudaChannelFormatKindSignedNormalized8X2, 8, 2, CU_AD_FORMAT_SNORM_INT8X2},
    {cudaChannelFormatKindSignedNormalized8X4, 8, 4, CU_AD_FORMAT_SNORM_INT8X4},
    {cudaChannelFormatKindSignedNormalized16X1, 16, 1, CU_AD_FORMAT_SNORM_INT16X1},
    {cudaChannelFormatKindSignedNormalized16X2, 16, 2, CU_AD_FORMAT_SNORM_INT16X2},
    {cudaChannelFormatKindSignedNormalized16X4, 16, 4, CU_AD_FORMAT_SNORM_INT16X4},
    {cudaChannelFormatKindUnsignedBlockCompressed1, 8, 4, CU_AD_FORMAT_BC1_UNORM},
    {cudaChannelFormatKindUnsignedBlockCompressed1SRGB, 8, 4, CU_AD_FORMAT_BC1_UNORM_SRGB},
    {cudaChannelFormatKindUnsignedBlockCompressed2, 8, 4, CU_AD_FORMAT_BC2_UNORM},
    {cudaChannelFormatKindUnsignedBlockCompressed2SRGB, 8, 4, CU_AD_FORMAT_BC2_UNORM_SRGB},
    {cudaChannelFormatKindUnsignedBlockCompressed3, 8, 4, CU_AD_FORMAT_BC3_UNORM},
    {cudaChannelFormatKindUnsignedBlockCompressed3SRGB, 8, 4, CU_AD_FORMAT_BC3_UNORM_SRGB},
    {cudaChannelFormatKindUnsignedBlockCompressed4, 8, 1, CU_AD_FORMAT_BC4_UNORM},
    {cudaChannelFormatKindSignedBlockCompressed4, 8, 1, CU_AD_FORMAT_BC4_SNORM},
    {cudaChannelFormatKindUnsignedBlockCompressed5, 8, 2, CU_AD_FORMAT_BC5_UNORM},
    {cudaChannelFormatKindSignedBlockCompressed5, 8, 2, CU_AD_FORMAT_BC5_SNORM},
    {cudaChannelFormatKindUnsignedBlockCompressed6H, 16, 3, CU_AD_FORMAT_BC6H_UF16},
    {cudaChannelFormatKindSignedBlockCompressed6H, 16, 3, CU_AD_FORMAT_BC6H_SF16},
    {cudaChannelFormatKindUnsignedBlockCompressed7, 8, 4, CU_AD_FORMAT_BC7_UNORM},
    {cudaChannelFormatKindUnsignedBlockCompressed7SRGB, 8, 4, CU_AD_FORMAT_BC7_UNORM_SRGB},
};

cudaError_t array_format(const struct cudaChannelFormatDesc *d, CUarray_format *format, unsigned *channels)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    unsigned n = 0;

    if (d->f == cudaChannelFormatKindNV12)       /* planes, which arrays here do not have */
        return hw_refuse(cudaErrorInvalidValue, "the channels are planes (NV12), which arrays here do not have");
    while (n < 4 && bits[n] && bits[n] == bits[0])
        n++;
    for (unsigned i = n; i < 4; i++) {
        if (bits[i])
            return hw_refuse(cudaErrorInvalidChannelDescriptor, "channels of %d, %d, %d and %d bits: those in use come first and are equally wide", d->x, d->y, d->z, d->w);
    }
    for (size_t i = 0; i < HW_LEN(formats); i++) {
        const struct format_row *row = &formats[i];
        if (row->kind == d->f && row->bits == bits[0] && (row->channels ? n == row->channels : n == 1 || n == 2 || n == 4)) {
            *format = row->format;
            *channels = n;
            return cudaSuccess;
        }
    }
    return hw_refuse(cudaErrorInvalidChannelDescriptor, "there is no format with %u channels of %d bits and kind %d", n, d->x, (int)d->f);
}

struct cudaChannelFormatDesc array_channels(CUarray_format format, unsigned channels)
{
    size_t i = 0;

    while (i + 1 < HW_LEN(formats) && formats[i].format != format)
        i++;
    int bits = formats[i].bits;
    return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, formats[i].kind};
}

static cudaError_t describe(const struct cudaChannelFormatDesc *desc, struct cudaExtent e, unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *out)
{
    if (!desc)
        return hw_refuse(cudaErrorInvalidValue, "desc is NULL");
    memset(out, 0, sizeof *out);
    out->Width = e.width;
    out->Height = e.height;
    out->Depth = e.depth;
    out->Flags = flags;
    return array_format(desc, &out->Format, &out->NumChannels);
}

/* --- life --- */

cudaError_t do_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t rc;

    if (!array)
        return hw_refuse(cudaErrorInvalidValue, "array is NULL");
    if ((rc = describe(desc, extent, flags, &d)))
        return rc;
    return api_error(cuArray3DCreate((CUarray *)array, &d));
}

cudaError_t do_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags)
{
    struct cudaExtent e = {width, height, 0};

    return do_cudaMalloc3DArray(array, desc, e, flags);
}

cudaError_t do_cudaFreeArray(cudaArray_t array)
{
    return array ? api_error(cuArrayDestroy(array_of(array))) : cudaSuccess;
}

cudaError_t do_cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray, const struct cudaChannelFormatDesc *desc,
                                        struct cudaExtent extent, unsigned int numLevels, unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t rc;

    if (!mipmappedArray)
        return hw_refuse(cudaErrorInvalidValue, "mipmappedArray is NULL");
    if ((rc = describe(desc, extent, flags, &d)))
        return rc;
    return api_error(cuMipmappedArrayCreate((CUmipmappedArray *)mipmappedArray, &d, numLevels));
}

cudaError_t do_cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray, unsigned int level)
{
    return api_error(cuMipmappedArrayGetLevel((CUarray *)levelArray, (CUmipmappedArray)(uintptr_t)mipmappedArray, level));
}

cudaError_t do_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    return mipmappedArray ? api_error(cuMipmappedArrayDestroy((CUmipmappedArray)mipmappedArray)) : cudaSuccess;
}

cudaError_t do_cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t rc;

    if ((rc = api_error(cuArray3DGetDescriptor(&d, array_of(array)))))
        return rc;
    if (desc)
        *desc = array_channels(d.Format, d.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return cudaSuccess;
}

cudaError_t do_cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    if (!desc)
        return hw_refuse(cudaErrorInvalidValue, "desc is NULL");
    return do_cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

static bool is_compressed(enum cudaChannelFormatKind f)
{
    return f >= cudaChannelFormatKindUnsignedBlockCompressed1 && f <= cudaChannelFormatKindUnsignedBlockCompressed7SRGB;
}

cudaError_t array_element(cudaArray_const_t array, size_t *bytes, size_t *side)
{
    struct cudaChannelFormatDesc d;
    cudaError_t rc = do_cudaGetChannelDesc(&d, array);

    if (rc)
        return rc;
    *bytes = (size_t)(d.x + d.y + d.z + d.w) / 8;
    *side = is_compressed(d.f) ? 4 : 1;
    if (is_compressed(d.f))
        *bytes = d.f <= cudaChannelFormatKindUnsignedBlockCompressed1SRGB || d.x + d.y == 8 ? 8 : 16;
    return cudaSuccess;
}

static cudaError_t sparse_from(CUresult result, const CUDA_ARRAY_SPARSE_PROPERTIES *p, struct cudaArraySparseProperties *out)
{
    cudaError_t rc = api_error(result);

    if (rc)
        return rc;
    memset(out, 0, sizeof *out);
    out->tileExtent.width = p->tileExtent.width;
    out->tileExtent.height = p->tileExtent.height;
    out->tileExtent.depth = p->tileExtent.depth;
    out->miptailFirstLevel = p->miptailFirstLevel;
    out->miptailSize = p->miptailSize;
    out->flags = p->flags;
    return cudaSuccess;
}

cudaError_t do_cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties, cudaArray_t array)
{
    CUDA_ARRAY_SPARSE_PROPERTIES p;

    if (!sparseProperties)
        return hw_refuse(cudaErrorInvalidValue, "sparseProperties is NULL");
    return sparse_from(cuArrayGetSparseProperties(&p, array_of(array)), &p, sparseProperties);
}

cudaError_t do_cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties, cudaMipmappedArray_t mipmap)
{
    CUDA_ARRAY_SPARSE_PROPERTIES p;

    if (!sparseProperties)
        return hw_refuse(cudaErrorInvalidValue, "sparseProperties is NULL");
    return sparse_from(cuMipmappedArrayGetSparseProperties(&p, (CUmipmappedArray)mipmap), &p, sparseProperties);
}

static cudaError_t requirements_from(CUresult result, const CUDA_ARRAY_MEMORY_REQUIREMENTS *r, struct cudaArrayMemoryRequirements *out)
{
    cudaError_t rc = api_error(result);

    if (rc)
        return rc;
    memset(out, 0, sizeof *out);
    out->size = r->size;
    out->alignment = r->alignment;
    return cudaSuccess;
}

cudaError_t do_cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements, cudaArray_t array, int device)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS r;

    if (!memoryRequirements)
        return hw_refuse(cudaErrorInvalidValue, "memoryRequirements is NULL");
    return requirements_from(cuArrayGetMemoryRequirements(&r, array_of(array), device), &r, memoryRequirements);
}

cudaError_t do_cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements, cudaMipmappedArray_t mipmap,
                                                       int device)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS r;

    if (!memoryRequirements)
        return hw_refuse(cudaErrorInvalidValue, "memoryRequirements is NULL");
    return requirements_from(cuMipmappedArrayGetMemoryRequirements(&r, (CUmipmappedArray)mipmap, device), &r, memoryRequirements);
}

cudaError_t do_cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray, unsigned int planeIdx)
{
    return api_error(cuArrayGetPlane((CUarray *)pPlaneArray, array_of(hArray), planeIdx));
}

/* --- copies: one side or both is an array --- */

struct side {
    bool is_array;
    cudaArray_const_t array;
    const void *ptr;
    size_t pitch, x, y;
};

/* An array is on the device's side. */
static bool direction_fits(const struct side *dst, const struct side *src, enum cudaMemcpyKind kind)
{
    bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
    bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;

    return !(src->is_array && from_host) && !(dst->is_array && to_host);
}

/* device: a kind that calls this side the device's needs memory that CUDA knows there. */
static void set_side(const struct side *s, bool device, CUmemorytype *type, CUarray *array, CUdeviceptr *ptr, size_t *pitch, size_t *x, size_t *y)
{
    *type = s->array ? CU_MEMORYTYPE_ARRAY : device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
    *array = array_of(s->array);
    *ptr = (CUdeviceptr)(uintptr_t)s->ptr;
    *pitch = s->pitch;
    *x = s->x;
    *y = s->y;
}

static cudaError_t copy_rows(struct side dst, struct side src, size_t width, size_t height, enum cudaMemcpyKind kind, bool async,
                             cudaStream_t stream)
{
    CUstream s = api_stream(async ? stream : NULL);
    CUDA_MEMCPY2D c;
    cudaError_t rc;

    if ((unsigned)kind > cudaMemcpyDefault || !direction_fits(&dst, &src, kind))
        return hw_refuse(cudaErrorInvalidMemcpyDirection, "kind %d does not exist, or does not fit to what is an array and what is memory", (int)kind);
    if ((dst.is_array && !dst.array) || (src.is_array && !src.array))
        return hw_refuse(cudaErrorInvalidResourceHandle, "an array is NULL");
    if ((!dst.array && width > dst.pitch) || (!src.array && width > src.pitch))
        return hw_refuse(cudaErrorInvalidPitchValue, "rows of %zu bytes are wider than a pitch", width);
    if ((!dst.array && !dst.ptr) || (!src.array && !src.ptr))
        return hw_refuse(cudaErrorInvalidValue, "a pointer is NULL");
    if (width == 0 || height == 0)
        return cudaSuccess;
    memset(&c, 0, sizeof c);
    set_side(&dst, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice, &c.dstMemoryType, &c.dstArray, &c.dstDevice, &c.dstPitch, &c.dstXInBytes, &c.dstY);
    set_side(&src, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice, &c.srcMemoryType, &c.srcArray, &c.srcDevice, &c.srcPitch, &c.srcXInBytes, &c.srcY);
    c.WidthInBytes = width;
    c.Height = height;
    if (async)
        return api_error(cuMemcpy2DAsync(&c, s));
    if (!s)
        return api_error(cuMemcpy2DUnaligned(&c));
    if ((rc = api_error(cuMemcpy2DAsync(&c, s))))
        return rc;
    return api_error(cuStreamSynchronize(s));
}

#define ARRAY_SIDE(a, wx, hy) ((struct side){.is_array = true, .array = (a), .x = (wx), .y = (hy)})
#define PLAIN_SIDE(p, pitch_) ((struct side){.ptr = (p), .pitch = (pitch_)})

cudaError_t do_cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(ARRAY_SIDE(dst, wOffset, hOffset), PLAIN_SIDE(src, spitch), width, height, kind, false, NULL);
}

cudaError_t do_cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                                        size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows(ARRAY_SIDE(dst, wOffset, hOffset), PLAIN_SIDE(src, spitch), width, height, kind, true, stream);
}

cudaError_t do_cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                                     size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(PLAIN_SIDE(dst, dpitch), ARRAY_SIDE(src, wOffset, hOffset), width, height, kind, false, NULL);
}

cudaError_t do_cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                                          size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows(PLAIN_SIDE(dst, dpitch), ARRAY_SIDE(src, wOffset, hOffset), width, height, kind, true, stream);
}

cudaError_t do_cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
                                        size_t hOffsetSrc, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(ARRAY_SIDE(dst, wOffsetDst, hOffsetDst), ARRAY_SIDE(src, wOffsetSrc, hOffsetSrc), width, height, kind, false, NULL);
}

/* Bytes that run on from row to row: the rest of a row, whole rows, the beginning of one. */
static cudaError_t copy_bytes(cudaArray_const_t array, size_t w, size_t h, const void *ptr, size_t count, enum cudaMemcpyKind kind, bool to,
                              bool async, cudaStream_t stream)
{
    const char *at = ptr;
    struct cudaExtent e;
    size_t texel, side, row, rows;
    cudaError_t rc;

    if ((rc = do_cudaArrayGetInfo(NULL, &e, NULL, (cudaArray_t)(uintptr_t)array)) || (rc = array_element(array, &texel, &side)))
        return rc;
    row = (e.width + side - 1) / side * texel;
    rows = (e.height + side - 1) / side;
    rows = rows ? rows : 1;
    if (w >= row || h >= rows || count > (rows - h) * row - w)
        return hw_refuse(cudaErrorInvalidValue, "%zu bytes from %zu, %zu are more than an array of %zu rows of %zu bytes has there", count, w, h, rows, row);
    while (count && !rc) {
        size_t width = w || count < row ? count < row - w ? count : row - w : row, height = width == row ? count / row : 1;
        struct side linear = PLAIN_SIDE(at, width), texels = ARRAY_SIDE(array, w, h);
        rc = to ? copy_rows(texels, linear, width, height, kind, async, stream)
                : copy_rows(linear, texels, width, height, kind, async, stream);
        at += width * height;
        count -= width * height;
        h += height;
        w = 0;
    }
    return rc;
}

cudaError_t do_cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    return copy_bytes(dst, wOffset, hOffset, src, count, kind, true, false, NULL);
}

cudaError_t do_cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count, enum cudaMemcpyKind kind)
{
    return copy_bytes(src, wOffset, hOffset, dst, count, kind, false, false, NULL);
}

cudaError_t do_cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_bytes(dst, wOffset, hOffset, src, count, kind, true, true, stream);
}

cudaError_t do_cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_bytes(src, wOffset, hOffset, dst, count, kind, false, true, stream);
}
