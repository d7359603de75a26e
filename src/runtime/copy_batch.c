/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of copies: the driver's, which takes what the program gave as it is. */
#include "runtime/bodies.h"

static_assert(sizeof(struct cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes), "attributes of copies are the driver's");
static_assert(sizeof(struct cudaMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP), "so are copies of boxes");
static_assert(offsetof(struct cudaMemcpy3DBatchOp, extent) == offsetof(CUDA_MEMCPY3D_BATCH_OP, extent), "so are copies of boxes");

cudaError_t do_cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                                    struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream)
{
    return api_error(cuMemcpyBatchAsync_v2((CUdeviceptr *)dsts, (CUdeviceptr *)srcs, (size_t *)sizes, count, (CUmemcpyAttributes *)attrs,
                                           attrsIdxs, numAttrs, api_stream(stream)));
}

cudaError_t do_cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags, cudaStream_t stream)
{
    return api_error(cuMemcpy3DBatchAsync_v2(numOps, (CUDA_MEMCPY3D_BATCH_OP *)opList, flags, api_stream(stream)));
}
