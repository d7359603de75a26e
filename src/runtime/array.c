/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, chains of mipmaps, copies to and from them; texture and surface objects. */
#include "runtime/array.h"

#include "runtime/bodies.h"
#include "runtime/context.h"

static CUarray array_of(cudaArray_const_t a) { return (CUarray)(uintptr_t)a; }

/* --- channel formats --- */

cudaError_t array_format(const struct cudaChannelFormatDesc *d, CUarray_format *format, unsigned *channels)
{
    static const struct {
        enum cudaChannelFormatKind kind;
        int bits;
        CUarray_format format;
    } rows[] = {
        {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8}, {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
        {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32}, {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
        {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16}, {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
        {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF}, {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
    };
    const int bits[4] = {d->x, d->y, d->z, d->w};
    unsigned n = 0;

    while (n < 4 && bits[n] && bits[n] == bits[0])
        n++;
    for (unsigned i = n; i < 4; i++) {
        if (bits[i])
            return cudaErrorInvalidChannelDescriptor;
    }
    for (size_t i = 0; i < HW_LEN(rows); i++) {
        if (rows[i].kind == d->f && rows[i].bits == bits[0] && (n == 1 || n == 2 || n == 4)) {
            *format = rows[i].format;
            *channels = n;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidChannelDescriptor;
}

static struct cudaChannelFormatDesc channels_of(CUarray_format format, unsigned channels)
{
    int bits = format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8 ? 8
               : format == CU_AD_FORMAT_UNSIGNED_INT16 || format == CU_AD_FORMAT_SIGNED_INT16 || format == CU_AD_FORMAT_HALF ? 16
                                                                                                                           : 32;
    struct cudaChannelFormatDesc d = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0,
                                      format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT ? cudaChannelFormatKindFloat
                                      : format >= CU_AD_FORMAT_SIGNED_INT8                        ? cudaChannelFormatKindSigned
                                                                                                  : cudaChannelFormatKindUnsigned};

    return d;
}

static cudaError_t describe(const struct cudaChannelFormatDesc *desc, struct cudaExtent e, unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *out)
{
    if (!desc)
        return cudaErrorInvalidValue;
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
        return cudaErrorInvalidValue;
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
        return cudaErrorInvalidValue;
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
        *desc = channels_of(d.Format, d.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return cudaSuccess;
}

cudaError_t do_cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    if (!desc)
        return cudaErrorInvalidValue;
    return do_cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

cudaError_t array_texel(cudaArray_const_t array, size_t *out)
{
    struct cudaChannelFormatDesc d;
    cudaError_t rc = do_cudaGetChannelDesc(&d, array);

    if (!rc)
        *out = (size_t)(d.x + d.y + d.z + d.w) / 8;
    return rc;
}

/* --- copies: one side or both is an array --- */

struct side {
    cudaArray_const_t array;
    const void *ptr;
    size_t pitch, x, y;
};

static void set_side(const struct side *s, CUmemorytype *type, CUarray *array, CUdeviceptr *ptr, size_t *pitch, size_t *x, size_t *y)
{
    *type = s->array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
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

    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if ((!dst.array && width > dst.pitch) || (!src.array && width > src.pitch))
        return cudaErrorInvalidPitchValue;
    if ((!dst.array && !dst.ptr) || (!src.array && !src.ptr))
        return cudaErrorInvalidValue;
    if (width == 0 || height == 0)
        return cudaSuccess;
    memset(&c, 0, sizeof c);
    set_side(&dst, &c.dstMemoryType, &c.dstArray, &c.dstDevice, &c.dstPitch, &c.dstXInBytes, &c.dstY);
    set_side(&src, &c.srcMemoryType, &c.srcArray, &c.srcDevice, &c.srcPitch, &c.srcXInBytes, &c.srcY);
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

#define ARRAY_SIDE(a, wx, hy) ((struct side){.array = (a), .x = (wx), .y = (hy)})
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

/* Bytes that run on from row to row: only whole rows and what fits in one are taken. */
static cudaError_t copy_bytes(cudaArray_const_t array, size_t w, size_t h, const void *ptr, size_t count, enum cudaMemcpyKind kind, bool to,
                              bool async, cudaStream_t stream)
{
    struct cudaExtent e;
    size_t texel, row, height = 1, width = count;
    cudaError_t rc;

    if ((rc = do_cudaArrayGetInfo(NULL, &e, NULL, (cudaArray_t)(uintptr_t)array)) || (rc = array_texel(array, &texel)))
        return rc;
    row = e.width * texel;
    if (count > row) {
        if (w || count % row)
            return cudaErrorNotSupported;
        height = count / row;
        width = row;
    }
    return to ? copy_rows(ARRAY_SIDE(array, w, h), PLAIN_SIDE(ptr, width), width, height, kind, async, stream)
              : copy_rows(PLAIN_SIDE(ptr, width), ARRAY_SIDE(array, w, h), width, height, kind, async, stream);
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
