/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of copies: in stream order as one, in any order among themselves. */
#include "core/mem/copy.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"
#include "driver/copy.h"

static bool order_known(CUmemcpySrcAccessOrder order)
{
    return order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM || order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL
        || order == CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

/* Each entry holds from its index to the next one's. */
static CUresult check_attributes(const CUmemcpyAttributes *attrs, const size_t *first, size_t n, size_t count)
{
    if (!attrs || !first || n == 0 || n > count || first[0] != 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "attrs or attrsIdxs is NULL, numAttrs (%zu) is 0 or more than count (%zu), or the first index is not 0", n, count);
    for (size_t i = 0; i < n; i++)
        if (!order_known(attrs[i].srcAccessOrder) || (attrs[i].flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE)
            || first[i] >= count || (i > 0 && first[i] <= first[i - 1]))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "attribute %zu: access order %d or flags 0x%x are not known, or its index %zu is not above the one before and below %zu", i, (int)attrs[i].srcAccessOrder, attrs[i].flags, first[i], count);
    return CUDA_SUCCESS;
}

/* *failed: the copy that is wrong, SIZE_MAX: it is none of them. The legacy stream takes no batches. */
static CUresult run(CUstream hStream, const struct copy_request *reqs, size_t n, size_t *failed)
{
    struct stream *s;
    CUresult rc;

    if (hStream == CU_STREAM_LEGACY || (!hStream && !api_per_thread()))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the legacy default stream takes no batches");
    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = copy_batch(s, reqs, n, failed);
    stream_unref(s);
    return rc;
}

static CUresult batch(const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes, size_t count, const CUmemcpyAttributes *attrs,
                      const size_t *first, size_t n_attrs, size_t *failed, CUstream hStream)
{
    CUresult rc;

    *failed = SIZE_MAX;
    if (!dsts || !srcs || !sizes || count == 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "dsts, srcs or sizes is NULL, or count is 0");
    if ((rc = check_attributes(attrs, first, n_attrs, count)))
        return rc;
    struct copy_request *reqs = hw_alloc(count * sizeof *reqs);
    for (size_t i = 0, a = 0; i < count; i++) {
        if (a + 1 < n_attrs && first[a + 1] == i)
            a++;
        reqs[i] = (struct copy_request){.dst = {.addr = dsts[i]}, .src = {.addr = srcs[i]}, .width = sizes[i], .rows = 1, .slices = 1,
                                        .call = copy_call_of(attrs[a].srcAccessOrder)};
    }
    rc = run(hStream, reqs, count, failed);
    hw_free(reqs);
    return rc;
}

CUresult do_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs,
                               size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, CUstream hStream)
{
    size_t ignored;

    return batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx ? failIdx : &ignored, hStream);
}

CUresult do_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs,
                                  size_t *attrsIdxs, size_t numAttrs, CUstream hStream)
{
    size_t ignored;

    return batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, &ignored, hStream);
}

static CUresult batch_3d(const CUDA_MEMCPY3D_BATCH_OP *ops, size_t n, size_t *failed, unsigned long long flags, CUstream hStream)
{
    CUresult rc = CUDA_SUCCESS;

    *failed = SIZE_MAX;
    if (!ops || n == 0 || flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "opList is NULL, numOps is 0, or flags 0x%llx are not 0", flags);
    struct copy_request *reqs = hw_alloc(n * sizeof *reqs);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = order_known(ops[i].srcAccessOrder) && !(ops[i].flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE)
            ? copy_request_op(&ops[i], &reqs[i])
            : hw_refuse(CUDA_ERROR_INVALID_VALUE, "operation %zu: there is no order %d of source accesses, or flags 0x%x are not known", i, (int)ops[i].srcAccessOrder, ops[i].flags);
        if (rc)
            *failed = i;
    }
    if (!rc)
        rc = run(hStream, reqs, n, failed);
    hw_free(reqs);
    return rc;
}

CUresult do_cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx, unsigned long long flags, CUstream hStream)
{
    size_t ignored;

    return batch_3d(opList, numOps, failIdx ? failIdx : &ignored, flags, hStream);
}

CUresult do_cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags, CUstream hStream)
{
    size_t ignored;

    return batch_3d(opList, numOps, &ignored, flags, hStream);
}
