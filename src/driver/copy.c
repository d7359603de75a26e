/* SPDX-License-Identifier: Apache-2.0 */
/* Copies: plain, rectangles and boxes, between contexts; each synchronous and asynchronous. */
#include "base/log.h"
#include "core/mem/copy.h"

#include "core/mem/array.h"
#include "core/mem/copy_quick.h"
#include "core/core.h"
#include "core/device/ctx.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"
#include "driver/copy.h"

#include <hostwarp.h>

static CUresult copy_call(CUstream hStream, uint64_t dst, enum copy_side dst_side, uint64_t src, enum copy_side src_side,
                          size_t bytes, bool async)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = copy_linear(s, dst, dst_side, src, src_side, bytes, async);
    stream_unref(s);
    return rc;
}

/* In the default stream that the entry point means, waited for. */
static HW_NOINLINE CUresult copy_sync(uint64_t dst, enum copy_side dst_side, uint64_t src, enum copy_side src_side, size_t bytes)
{
    unsigned known = (dst_side == COPY_DEVICE ? COPY_DST_KNOWN : 0) | (src_side == COPY_DEVICE ? COPY_SRC_KNOWN : 0);

    if (!api_per_thread() && copy_quick(dst, src, bytes, known))
        return CUDA_SUCCESS;
    return copy_call(NULL, dst, dst_side, src, src_side, bytes, false);
}

/* Aligned: where it happens to lie is a fifth of a small copy's time otherwise. */
__attribute__((aligned(64)))
HW_EXPORT unsigned hostwarp_copy_or(void *dst, const void *src, size_t bytes, unsigned kind,
                                   unsigned (*otherwise)(void *dst, const void *src, size_t bytes, unsigned kind))
{
    static_assert(COPY_DST_KNOWN == 1 && COPY_SRC_KNOWN == 2, "HostToDevice is 1, DeviceToHost 2, DeviceToDevice 3; Default is 4");

    if (hw_likely(kind <= 4) && copy_quick((uint64_t)dst, (uint64_t)src, bytes, kind & 3))
        return 0;
    return otherwise(dst, src, bytes, kind);
}

/* --- plain --- */

CUresult do_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    return copy_sync(dst, COPY_ANY, src, COPY_ANY, ByteCount);
}

CUresult do_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return copy_call(hStream, dst, COPY_ANY, src, COPY_ANY, ByteCount, true);
}

CUresult do_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return copy_sync(dstDevice, COPY_DEVICE, (uint64_t)srcHost, COPY_HOST, ByteCount);
}

CUresult do_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    return copy_call(hStream, dstDevice, COPY_DEVICE, (uint64_t)srcHost, COPY_HOST, ByteCount, true);
}

CUresult do_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy_sync((uint64_t)dstHost, COPY_HOST, srcDevice, COPY_DEVICE, ByteCount);
}

CUresult do_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return copy_call(hStream, (uint64_t)dstHost, COPY_HOST, srcDevice, COPY_DEVICE, ByteCount, true);
}

CUresult do_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy_sync(dstDevice, COPY_DEVICE, srcDevice, COPY_DEVICE, ByteCount);
}

CUresult do_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return copy_call(hStream, dstDevice, COPY_DEVICE, srcDevice, COPY_DEVICE, ByteCount, true);
}

/* --- between contexts --- */

/* NULL stands for the current context. */
static bool ctx_known(CUcontext handle)
{
    struct ctx *ctx;

    if (!handle)
        return true;
    ctx = ctx_get(handle);
    ctx_unref(ctx);
    return ctx != NULL;
}

CUresult do_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount)
{
    if (!ctx_known(dstContext) || !ctx_known(srcContext))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "one of the contexts was destroyed, or never was");
    return copy_call(NULL, dstDevice, COPY_DEVICE, srcDevice, COPY_DEVICE, ByteCount, false);
}

CUresult do_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                              size_t ByteCount, CUstream hStream)
{
    if (!ctx_known(dstContext) || !ctx_known(srcContext))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "one of the contexts was destroyed, or never was");
    return copy_call(hStream, dstDevice, COPY_DEVICE, srcDevice, COPY_DEVICE, ByteCount, true);
}

/* --- rectangles and boxes --- */

/* One side of a rectangle or box as the program gave it. */
struct box_side {
    CUmemorytype type;
    uint64_t host, device;
    size_t x, y, z, pitch, height;
    CUarray array;
};

/* A box inside an array. Its memory stays while copies run: destroying an array waits for them. */
static CUresult array_end(const struct box_side *side, size_t width, size_t rows, size_t slices, struct copy_end *out)
{
    struct array *a;
    size_t right, bottom, back;
    CUresult rc = array_get(side->array, false, &a);

    if (rc)
        return rc;
    bool whole = !array_blocks(a->desc.Format) || (side->x % a->texel_bytes == 0 && width % a->texel_bytes == 0);
    if (whole && !__builtin_add_overflow(side->x, width, &right) && !__builtin_add_overflow(side->y, rows, &bottom)
        && !__builtin_add_overflow(side->z, slices, &back) && right <= (size_t)a->place.width * a->texel_bytes
        && bottom <= a->place.height && back <= a->place.depth) {
        out->side = COPY_DEVICE;
        out->addr = (uint64_t)(uintptr_t)a->place.base + side->z * a->place.slice + side->y * a->place.pitch + side->x;
        out->pitch = a->place.pitch;
        out->slice = a->place.slice;
    } else {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes x %zu x %zu from %zu, %zu, %zu are not inside of an array of %zu bytes x %zu x %zu, or no whole blocks", width, rows, slices,
                       side->x, side->y, side->z, (size_t)a->place.width * a->texel_bytes, (size_t)a->place.height, (size_t)a->place.depth);
    }
    array_unref(a);
    return rc;
}

/* Turns a side into an address and strides, or says what is wrong with it. width, rows, slices: what is moved. */
static CUresult box_end(const struct box_side *side, size_t width, size_t rows, size_t slices, struct copy_end *out)
{
    size_t pitch = side->pitch, slice, span, offset, part;

    switch (side->type) {
    case CU_MEMORYTYPE_HOST:
        out->side = COPY_HOST;
        out->addr = side->host;
        break;
    case CU_MEMORYTYPE_DEVICE:
        out->side = COPY_DEVICE;
        out->addr = side->device;
        break;
    case CU_MEMORYTYPE_UNIFIED:
        out->side = COPY_ANY;
        out->addr = side->device;
        break;
    case CU_MEMORYTYPE_ARRAY:
        return array_end(side, width, rows, slices, out);
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no memory type %d", (int)side->type);
    }
    if (__builtin_add_overflow(side->x, width, &span))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the offset %zu and the width %zu overflow", side->x, width);
    /* A pitch of 0 means tightly packed rows; one that is given must hold what is read of a row. */
    if (!pitch)
        pitch = span;
    if (pitch < span)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a pitch of %zu bytes is less than the %zu of a row", pitch, span);
    size_t lines, height;
    if (__builtin_add_overflow(side->y, rows, &lines))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "row %zu and %zu more overflow", side->y, rows);
    height = side->height ? side->height : lines;
    if (slices > 1 && height < lines)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a slice has %zu rows, and %zu are copied", height, lines);
    if (__builtin_mul_overflow(pitch, height, &slice) || __builtin_mul_overflow(slice, side->z, &offset)
        || __builtin_mul_overflow(pitch, side->y, &part) || __builtin_add_overflow(offset, part, &offset)
        || __builtin_add_overflow(offset, side->x, &offset))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "slice %zu, row %zu with a pitch of %zu bytes and %zu rows in a slice overflow", side->z, side->y, pitch, height);
    out->addr += offset;
    out->pitch = pitch;
    out->slice = slice;
    return CUDA_SUCCESS;
}

static CUresult box_call(CUstream hStream, const struct box_side *dst, const struct box_side *src, size_t width, size_t rows,
                         size_t slices, bool async)
{
    struct copy_request req = {.width = width, .rows = rows, .slices = slices, .call = async ? COPY_ASYNC : COPY_SYNC};
    struct stream *s;
    CUresult rc;

    if ((rc = box_end(dst, width, rows, slices, &req.dst)) || (rc = box_end(src, width, rows, slices, &req.src)))
        return rc;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    if (width && rows && slices)
        rc = copy_run(s, &req);
    stream_unref(s);
    return rc;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream hStream, bool async)
{
    if (!c)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "c is NULL");
    struct box_side dst = {.type = c->dstMemoryType, .host = (uint64_t)c->dstHost, .device = c->dstDevice,
                           .x = c->dstXInBytes, .y = c->dstY, .pitch = c->dstPitch, .array = c->dstArray};
    struct box_side src = {.type = c->srcMemoryType, .host = (uint64_t)c->srcHost, .device = c->srcDevice,
                           .x = c->srcXInBytes, .y = c->srcY, .pitch = c->srcPitch, .array = c->srcArray};
    return box_call(hStream, &dst, &src, c->WidthInBytes, c->Height, 1, async);
}

CUresult do_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) { return copy_2d(pCopy, NULL, false); }
/* The real driver's cuMemcpy2D may refuse pitches that cuMemAllocPitch would not give; ours never does. */
CUresult do_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) { return copy_2d(pCopy, NULL, false); }
CUresult do_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) { return copy_2d(pCopy, hStream, true); }

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream hStream, bool async)
{
    if (!c)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "c is NULL");
    struct box_side dst = {c->dstMemoryType, (uint64_t)c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, c->dstZ,
                           c->dstPitch, c->dstHeight, c->dstArray};
    struct box_side src = {c->srcMemoryType, (uint64_t)c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, c->srcZ,
                           c->srcPitch, c->srcHeight, c->srcArray};
    return box_call(hStream, &dst, &src, c->WidthInBytes, c->Height, c->Depth, async);
}

CUresult do_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) { return copy_3d(pCopy, NULL, false); }
CUresult do_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) { return copy_3d(pCopy, hStream, true); }

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *c, CUstream hStream, bool async)
{
    if (!c)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "c is NULL");
    if (!ctx_known(c->dstContext) || !ctx_known(c->srcContext))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "one of the contexts was destroyed, or never was");
    struct box_side dst = {c->dstMemoryType, (uint64_t)c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, c->dstZ,
                           c->dstPitch, c->dstHeight, c->dstArray};
    struct box_side src = {c->srcMemoryType, (uint64_t)c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, c->srcZ,
                           c->srcPitch, c->srcHeight, c->srcArray};
    return box_call(hStream, &dst, &src, c->WidthInBytes, c->Height, c->Depth, async);
}

CUresult do_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) { return copy_3d_peer(pCopy, NULL, false); }
CUresult do_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) { return copy_3d_peer(pCopy, hStream, true); }

/* For graphs, whose copies are always described as boxes. */
CUresult copy_request_3d(const CUDA_MEMCPY3D *c, struct copy_request *out)
{
    struct box_side dst = {c->dstMemoryType, (uint64_t)c->dstHost, c->dstDevice, c->dstXInBytes, c->dstY, c->dstZ,
                           c->dstPitch, c->dstHeight, c->dstArray};
    struct box_side src = {c->srcMemoryType, (uint64_t)c->srcHost, c->srcDevice, c->srcXInBytes, c->srcY, c->srcZ,
                           c->srcPitch, c->srcHeight, c->srcArray};
    CUresult rc;

    memset(out, 0, sizeof *out);
    out->width = c->WidthInBytes;
    out->rows = c->Height;
    out->slices = c->Depth;
    out->call = COPY_ASYNC;
    if ((rc = box_end(&dst, out->width, out->rows, out->slices, &out->dst)))
        return rc;
    return box_end(&src, out->width, out->rows, out->slices, &out->src);
}

/* Sizes of an operand count elements: an array's texels, and bytes where there is no array. 0: no such array. */
static size_t operand_element(const CUmemcpy3DOperand *o)
{
    if (o->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
        return 1;
    struct array *a;
    if (array_get(o->op.array.array, false, &a))
        return 0;
    size_t bytes = a->texel_bytes;
    array_unref(a);
    return bytes;
}

static CUresult operand_side(const CUmemcpy3DOperand *o, size_t element, struct box_side *out)
{
    memset(out, 0, sizeof *out);
    if (o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        out->type = CU_MEMORYTYPE_ARRAY;
        out->array = o->op.array.array;
        out->y = o->op.array.offset.y;
        out->z = o->op.array.offset.z;
        return __builtin_mul_overflow(o->op.array.offset.x, element, &out->x)
            ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "an offset of %zu elements of %zu bytes overflows", o->op.array.offset.x, element) : CUDA_SUCCESS;
    }
    if (o->type != CU_MEMCPY_OPERAND_TYPE_POINTER)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no operand type %d", (int)o->type);
    out->type = CU_MEMORYTYPE_UNIFIED;
    out->device = o->op.ptr.ptr;
    out->height = o->op.ptr.layerHeight;
    return __builtin_mul_overflow(o->op.ptr.rowLength, element, &out->pitch)
        ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "a row of %zu elements of %zu bytes overflows", o->op.ptr.rowLength, element) : CUDA_SUCCESS;
}

/* One copy of a batch of boxes. */
CUresult copy_request_op(const CUDA_MEMCPY3D_BATCH_OP *op, struct copy_request *out)
{
    size_t from = operand_element(&op->src), to = operand_element(&op->dst), element = hw_max_u64(from, to);
    struct box_side dst, src;
    CUresult rc;

    if (!from || !to)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "an array is none, or was destroyed");
    if (from != to && from != 1 && to != 1)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the elements of both arrays have different sizes");
    memset(out, 0, sizeof *out);
    if (__builtin_mul_overflow(op->extent.width, element, &out->width))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a width of %zu elements of %zu bytes overflows", op->extent.width, element);
    out->rows = op->extent.height;
    out->slices = op->extent.depth;
    out->call = copy_call_of(op->srcAccessOrder);
    if ((rc = operand_side(&op->dst, element, &dst)) || (rc = operand_side(&op->src, element, &src)))
        return rc;
    if ((rc = box_end(&dst, out->width, out->rows, out->slices, &out->dst)))
        return rc;
    return box_end(&src, out->width, out->rows, out->slices, &out->src);
}

/* --- one row of an array; offsets and sizes in bytes --- */

static CUresult row_call(CUstream hStream, struct box_side dst, struct box_side src, size_t bytes, bool async)
{
    return box_call(hStream, &dst, &src, bytes, 1, 1, async);
}

static struct box_side array_side(CUarray array, size_t x)
{
    return (struct box_side){.type = CU_MEMORYTYPE_ARRAY, .x = x, .array = array};
}

static struct box_side host_side(const void *p) { return (struct box_side){.type = CU_MEMORYTYPE_HOST, .host = (uint64_t)p}; }
static struct box_side device_side(CUdeviceptr p) { return (struct box_side){.type = CU_MEMORYTYPE_DEVICE, .device = p}; }

CUresult do_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount)
{
    return row_call(NULL, array_side(dstArray, dstOffset), device_side(srcDevice), ByteCount, false);
}

CUresult do_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return row_call(NULL, device_side(dstDevice), array_side(srcArray, srcOffset), ByteCount, false);
}

CUresult do_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
    return row_call(NULL, array_side(dstArray, dstOffset), host_side(srcHost), ByteCount, false);
}

CUresult do_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return row_call(NULL, host_side(dstHost), array_side(srcArray, srcOffset), ByteCount, false);
}

CUresult do_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return row_call(NULL, array_side(dstArray, dstOffset), array_side(srcArray, srcOffset), ByteCount, false);
}

CUresult do_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    return row_call(hStream, array_side(dstArray, dstOffset), host_side(srcHost), ByteCount, true);
}

CUresult do_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream)
{
    return row_call(hStream, host_side(dstHost), array_side(srcArray, srcOffset), ByteCount, true);
}
