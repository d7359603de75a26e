/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of one dimension, to and from symbols, between devices. */
#include "runtime/bodies.h"
#include "runtime/context.h"
#include "runtime/registry.h"

static inline CUdeviceptr addr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

/*
 * What a kind demands (measured on a real device): the side it calls "device" must be memory that CUDA knows, page-locked
 * host memory included; the side it calls "host" may be anything, device memory included.
 */
static CUresult copy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    switch (kind) {
    case cudaMemcpyHostToDevice: return cuMemcpyHtoD(addr(dst), src, count);
    case cudaMemcpyDeviceToHost: return cuMemcpyDtoH(dst, addr(src), count);
    case cudaMemcpyDeviceToDevice: return cuMemcpyDtoD(addr(dst), addr(src), count);
    default: return cuMemcpy(addr(dst), addr(src), count);
    }
}

static CUresult copy_async(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, CUstream stream)
{
    switch (kind) {
    case cudaMemcpyHostToDevice: return cuMemcpyHtoDAsync(addr(dst), src, count, stream);
    case cudaMemcpyDeviceToHost: return cuMemcpyDtoHAsync(dst, addr(src), count, stream);
    case cudaMemcpyDeviceToDevice: return cuMemcpyDtoDAsync(addr(dst), addr(src), count, stream);
    default: return cuMemcpyAsync(addr(dst), addr(src), count, stream);
    }
}

/* The synchronous calls use the default stream, and with it the per-thread one where the entry point means that. */
static cudaError_t copy_sync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    CUstream stream = api_stream(NULL);
    cudaError_t rc;

    if (!stream)
        return api_error(copy(dst, src, count, kind));
    if ((rc = api_error(copy_async(dst, src, count, kind, stream))))
        return rc;
    return api_error(cuStreamSynchronize(stream));
}

cudaError_t do_cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return hw_refuse(cudaErrorInvalidMemcpyDirection, "there is no kind of copy %d", (int)kind);
    if (count == 0)
        return cudaSuccess;
    return copy_sync(dst, src, count, kind);
}

cudaError_t do_cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return hw_refuse(cudaErrorInvalidMemcpyDirection, "there is no kind of copy %d", (int)kind);
    if (count == 0)
        return cudaSuccess;
    return api_error(copy_async(dst, src, count, kind, api_stream(stream)));
}

/* --- symbols --- */

/* The device's address of symbol + offset, with count bytes there, for a copy whose kind is way, or does not say which side is the host's. */
static cudaError_t symbol_range(const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, enum cudaMemcpyKind way, void **out)
{
    CUdeviceptr base;
    size_t bytes;
    cudaError_t rc;

    if (kind != way && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return hw_refuse(cudaErrorInvalidMemcpyDirection, "kind %d does not go %s a symbol", (int)kind, way == cudaMemcpyHostToDevice ? "to" : "from");
    if ((rc = registry_variable(symbol, &base, &bytes)))
        return rc;
    if (offset > bytes || count > bytes - offset)
        return hw_refuse(cudaErrorInvalidValue, "%zu bytes from %zu are not inside of a variable of %zu bytes", count, offset, bytes);
    *out = (void *)(uintptr_t)(base + offset);
    return cudaSuccess;
}

cudaError_t do_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    void *dst;
    cudaError_t rc = symbol_range(symbol, count, offset, kind, cudaMemcpyHostToDevice, &dst);

    return rc ? rc : do_cudaMemcpy(dst, src, count, kind);
}

cudaError_t do_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *dst;
    cudaError_t rc = symbol_range(symbol, count, offset, kind, cudaMemcpyHostToDevice, &dst);

    return rc ? rc : do_cudaMemcpyAsync(dst, src, count, kind, stream);
}

cudaError_t do_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    void *src;
    cudaError_t rc = symbol_range(symbol, count, offset, kind, cudaMemcpyDeviceToHost, &src);

    return rc ? rc : do_cudaMemcpy(dst, src, count, kind);
}

cudaError_t do_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *src;
    cudaError_t rc = symbol_range(symbol, count, offset, kind, cudaMemcpyDeviceToHost, &src);

    return rc ? rc : do_cudaMemcpyAsync(dst, src, count, kind, stream);
}

/* --- between devices --- */

static cudaError_t peers(int dstDevice, int srcDevice, CUcontext *dst, CUcontext *src)
{
    cudaError_t rc = context_primary(dstDevice, dst);

    return rc ? rc : context_primary(srcDevice, src);
}

cudaError_t do_cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    CUcontext dst_ctx, src_ctx;
    cudaError_t rc;

    if ((rc = peers(dstDevice, srcDevice, &dst_ctx, &src_ctx)))
        return rc;
    if (count == 0)
        return cudaSuccess;
    return api_error(cuMemcpyPeer(addr(dst), dst_ctx, addr(src), src_ctx, count));
}

cudaError_t do_cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                   cudaStream_t stream)
{
    CUcontext dst_ctx, src_ctx;
    cudaError_t rc;

    if ((rc = peers(dstDevice, srcDevice, &dst_ctx, &src_ctx)))
        return rc;
    if (count == 0)
        return cudaSuccess;
    return api_error(cuMemcpyPeerAsync(addr(dst), dst_ctx, addr(src), src_ctx, count, api_stream(stream)));
}
