/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of two and three dimensions. */
#include "runtime/array.h"
#include "runtime/bodies.h"
#include "runtime/context.h"
#include "runtime/copy3d.h"

static inline CUdeviceptr addr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

/* The side that a kind calls "device" must be memory that CUDA knows; the other may be anything (see copy.c). */
static CUmemorytype src_type(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
}

static CUmemorytype dst_type(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
}

/* --- two dimensions --- */

static cudaError_t describe_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                               enum cudaMemcpyKind kind, CUDA_MEMCPY2D *out)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return hw_refuse(cudaErrorInvalidMemcpyDirection, "there is no kind of copy %d", (int)kind);
    if (width > dpitch || width > spitch)
        return hw_refuse(cudaErrorInvalidPitchValue, "rows of %zu bytes are wider than a pitch of %zu or %zu", width, dpitch, spitch);
    memset(out, 0, sizeof *out);
    out->srcMemoryType = src_type(kind);
    out->srcDevice = addr(src);
    out->srcPitch = spitch;
    out->dstMemoryType = dst_type(kind);
    out->dstDevice = addr(dst);
    out->dstPitch = dpitch;
    out->WidthInBytes = width;
    out->Height = height;
    return cudaSuccess;
}

cudaError_t do_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            enum cudaMemcpyKind kind)
{
    CUstream stream = api_stream(NULL);
    CUDA_MEMCPY2D copy;
    cudaError_t rc;

    if ((rc = describe_2d(dst, dpitch, src, spitch, width, height, kind, &copy)))
        return rc;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (!stream)
        return api_error(cuMemcpy2DUnaligned(&copy));
    if ((rc = api_error(cuMemcpy2DAsync(&copy, stream))))
        return rc;
    return api_error(cuStreamSynchronize(stream));
}

cudaError_t do_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                                 enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDA_MEMCPY2D copy;
    cudaError_t rc;

    if ((rc = describe_2d(dst, dpitch, src, spitch, width, height, kind, &copy)))
        return rc;
    if (width == 0 || height == 0)
        return cudaSuccess;
    return api_error(cuMemcpy2DAsync(&copy, api_stream(stream)));
}

/* --- three dimensions --- */

static bool outside(struct cudaPitchedPtr p, struct cudaPos pos, struct cudaExtent extent, size_t unit)
{
    size_t left, right, bottom;

    return __builtin_mul_overflow(pos.x, unit, &left) || __builtin_add_overflow(left, extent.width, &right) || right > p.pitch ||
           __builtin_add_overflow(pos.y, extent.height, &bottom) || (extent.depth > 1 && bottom > p.ysize);
}

/* Texels to blocks; a block cannot be begun in its middle. */
static cudaError_t pos_in_blocks(struct cudaPos *pos, size_t side)
{
    if (pos->x % side || pos->y % side)
        return hw_refuse(cudaErrorInvalidValue, "%zu, %zu is inside of a block of %zu x %zu texels", pos->x, pos->y, side, side);
    pos->x /= side;
    pos->y /= side;
    return cudaSuccess;
}

static cudaError_t describe_3d(const struct cudaMemcpy3DParms *given, CUDA_MEMCPY3D *out)
{
    if (!given)
        return hw_refuse(cudaErrorInvalidValue, "the parameters are NULL");
    if ((unsigned)given->kind > cudaMemcpyDefault)
        return hw_refuse(cudaErrorInvalidMemcpyDirection, "there is no kind of copy %d", (int)given->kind);
    struct cudaMemcpy3DParms copy = *given, *p = &copy;
    size_t src_unit = 1, dst_unit = 1, unit = 1, src_side = 1, dst_side = 1;
    cudaError_t rc;
    /* Extents and positions count elements of the array where one takes part: texels, but memory has whole blocks of them. */
    if ((p->srcArray && (rc = array_element(p->srcArray, &src_unit, &src_side))) ||
        (p->dstArray && (rc = array_element(p->dstArray, &dst_unit, &dst_side))))
        return rc;
    size_t side = p->srcArray ? src_side : dst_side;
    if ((rc = pos_in_blocks(&p->srcPos, side)) || (rc = pos_in_blocks(&p->dstPos, p->dstArray ? dst_side : side)))
        return rc;
    p->extent.width = p->extent.width / side + (p->extent.width % side != 0);
    p->extent.height = p->extent.height / side + (p->extent.height % side != 0);
    if (p->srcArray || p->dstArray)
        unit = p->srcArray ? src_unit : dst_unit;
    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return hw_refuse(cudaErrorInvalidValue, "a side is both an array and a pointer");
    src_unit = dst_unit = p->srcArray && p->dstArray ? src_unit : unit;
    if ((!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr) || (p->srcArray && p->dstArray && src_unit != dst_unit))
        return hw_refuse(cudaErrorInvalidValue, "a side is neither an array nor a pointer, or the arrays' elements are of different size");
    struct cudaExtent bytes = {p->extent.width * unit, p->extent.height, p->extent.depth};
    if (p->extent.width && p->extent.height && p->extent.depth &&
        ((!p->srcArray && outside(p->srcPtr, p->srcPos, bytes, unit)) || (!p->dstArray && outside(p->dstPtr, p->dstPos, bytes, unit))))
        return hw_refuse(cudaErrorInvalidValue, "%zu bytes x %zu rows do not fit into a pitch and its rows", bytes.width, bytes.height);
    memset(out, 0, sizeof *out);
    out->srcMemoryType = p->srcArray ? CU_MEMORYTYPE_ARRAY : src_type(p->kind);
    out->srcArray = (CUarray)p->srcArray;
    out->srcDevice = addr(p->srcPtr.ptr);
    out->srcPitch = p->srcPtr.pitch;
    out->srcHeight = p->srcPtr.ysize;
    out->srcXInBytes = p->srcPos.x * src_unit;
    out->srcY = p->srcPos.y;
    out->srcZ = p->srcPos.z;
    out->dstMemoryType = p->dstArray ? CU_MEMORYTYPE_ARRAY : dst_type(p->kind);
    out->dstArray = (CUarray)p->dstArray;
    out->dstDevice = addr(p->dstPtr.ptr);
    out->dstPitch = p->dstPtr.pitch;
    out->dstHeight = p->dstPtr.ysize;
    out->dstXInBytes = p->dstPos.x * dst_unit;
    out->dstY = p->dstPos.y;
    out->dstZ = p->dstPos.z;
    out->WidthInBytes = bytes.width;
    out->Height = p->extent.height;
    out->Depth = p->extent.depth;
    return cudaSuccess;
}

static bool nothing(struct cudaExtent e) { return e.width == 0 || e.height == 0 || e.depth == 0; }

cudaError_t do_cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    CUstream stream = api_stream(NULL);
    CUDA_MEMCPY3D copy;
    cudaError_t rc;

    if ((rc = describe_3d(p, &copy)))
        return rc;
    if (nothing(p->extent))
        return cudaSuccess;
    if (!stream)
        return api_error(cuMemcpy3D(&copy));
    if ((rc = api_error(cuMemcpy3DAsync(&copy, stream))))
        return rc;
    return api_error(cuStreamSynchronize(stream));
}

cudaError_t do_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    CUDA_MEMCPY3D copy;
    cudaError_t rc;

    if ((rc = describe_3d(p, &copy)))
        return rc;
    if (nothing(p->extent))
        return cudaSuccess;
    return api_error(cuMemcpy3DAsync(&copy, api_stream(stream)));
}

/* --- between devices: one address space, so the plain copy does it once the devices are known to exist --- */

static cudaError_t without_peers(const struct cudaMemcpy3DPeerParms *p, struct cudaMemcpy3DParms *out)
{
    CUcontext ctx;
    cudaError_t rc;

    if (!p)
        return hw_refuse(cudaErrorInvalidValue, "the parameters are NULL");
    if ((rc = context_primary(p->srcDevice, &ctx)) || (rc = context_primary(p->dstDevice, &ctx)))
        return rc;
    memset(out, 0, sizeof *out);
    out->srcArray = p->srcArray;
    out->srcPos = p->srcPos;
    out->srcPtr = p->srcPtr;
    out->dstArray = p->dstArray;
    out->dstPos = p->dstPos;
    out->dstPtr = p->dstPtr;
    out->extent = p->extent;
    out->kind = cudaMemcpyDeviceToDevice;
    return cudaSuccess;
}

cudaError_t do_cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    struct cudaMemcpy3DParms plain;
    cudaError_t rc = without_peers(p, &plain);

    return rc ? rc : do_cudaMemcpy3D(&plain);
}

cudaError_t do_cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    struct cudaMemcpy3DParms plain;
    cudaError_t rc = without_peers(p, &plain);

    return rc ? rc : do_cudaMemcpy3DAsync(&plain, stream);
}

/* For graphs, whose copies are always described as boxes. */
cudaError_t copy3d_describe(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out) { return describe_3d(p, out); }
