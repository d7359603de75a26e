/* SPDX-License-Identifier: Apache-2.0 */
/* Setting memory to a byte, in one, two and three dimensions. */
#include "runtime/bodies.h"

static inline CUdeviceptr addr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

cudaError_t do_cudaMemset(void *devPtr, int value, size_t count)
{
    CUstream stream = api_stream(NULL);

    if (count == 0)
        return cudaSuccess;
    if (stream)
        return api_error(cuMemsetD8Async(addr(devPtr), (unsigned char)value, count, stream));
    return api_error(cuMemsetD8(addr(devPtr), (unsigned char)value, count));
}

cudaError_t do_cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    return api_error(cuMemsetD8Async(addr(devPtr), (unsigned char)value, count, api_stream(stream)));
}

cudaError_t do_cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    CUstream stream = api_stream(NULL);

    if (width == 0 || height == 0)
        return cudaSuccess;
    if (width > pitch && height > 1)
        return hw_refuse(cudaErrorInvalidValue, "rows of %zu bytes are wider than the pitch of %zu", width, pitch);
    if (stream)
        return api_error(cuMemsetD2D8Async(addr(devPtr), pitch, (unsigned char)value, width, height, stream));
    return api_error(cuMemsetD2D8(addr(devPtr), pitch, (unsigned char)value, width, height));
}

cudaError_t do_cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (width > pitch && height > 1)
        return hw_refuse(cudaErrorInvalidValue, "rows of %zu bytes are wider than the pitch of %zu", width, pitch);
    return api_error(cuMemsetD2D8Async(addr(devPtr), pitch, (unsigned char)value, width, height, api_stream(stream)));
}

/* Layer by layer, or at once where the layers are packed. */
static cudaError_t fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent e, CUstream stream)
{
    size_t layer, bytes;

    if (e.width == 0 || e.height == 0 || e.depth == 0)
        return cudaSuccess;
    if (e.width > p.pitch || (e.depth > 1 && e.height > p.ysize))
        return hw_refuse(cudaErrorInvalidValue, "%zu bytes x %zu rows do not fit into a pitch of %zu and %zu rows", e.width, e.height, p.pitch, p.ysize);
    if (__builtin_mul_overflow(p.pitch, p.ysize, &layer) || __builtin_mul_overflow(layer, e.depth, &bytes))
        return hw_refuse(cudaErrorInvalidValue, "a pitch of %zu, %zu rows and %zu layers are more than there are addresses", p.pitch, p.ysize, e.depth);
    if (e.height == p.ysize || e.depth == 1)
        return api_error(cuMemsetD2D8Async(addr(p.ptr), p.pitch, (unsigned char)value, e.width, e.height * e.depth, stream));
    for (size_t z = 0; z < e.depth; z++) {
        cudaError_t rc = api_error(cuMemsetD2D8Async(addr(p.ptr) + z * layer, p.pitch, (unsigned char)value, e.width,
                                                     e.height, stream));
        if (rc)
            return rc;
    }
    return cudaSuccess;
}

cudaError_t do_cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    return fill_3d(pitchedDevPtr, value, extent, api_stream(NULL));
}

cudaError_t do_cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                                 cudaStream_t stream)
{
    return fill_3d(pitchedDevPtr, value, extent, api_stream(stream));
}
