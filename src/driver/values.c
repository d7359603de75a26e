/* SPDX-License-Identifier: Apache-2.0 */
/* Values in memory that streams write or wait for. */
#include "core/stream/values.h"

#include "core/stream/stream.h"
#include "driver/bodies.h"

static CUresult values_call(CUstream stream, const CUstreamBatchMemOpParams *ops, unsigned n)
{
    struct stream *s;
    CUresult rc;

    if ((rc = values_check(ops, n)) || (rc = api_stream(stream, &s)))
        return rc;
    rc = values_push(s, ops, n);
    stream_unref(s);
    return rc;
}

static CUresult wait_call(CUstream stream, CUstreamBatchMemOpType op, CUdeviceptr addr, cuuint64_t value, unsigned flags)
{
    CUstreamBatchMemOpParams p = {.waitValue = {.operation = op, .address = addr, .value64 = value, .flags = flags}};

    return values_call(stream, &p, 1);
}

static CUresult write_call(CUstream stream, CUstreamBatchMemOpType op, CUdeviceptr addr, cuuint64_t value, unsigned flags)
{
    CUstreamBatchMemOpParams p = {.writeValue = {.operation = op, .address = addr, .value64 = value, .flags = flags}};

    return values_call(stream, &p, 1);
}

CUresult do_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return wait_call(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags);
}

CUresult do_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return wait_call(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags);
}

CUresult do_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return write_call(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags);
}

CUresult do_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return write_call(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags);
}

CUresult do_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return flags ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags are 0x%x; they must be 0", flags) : values_call(stream, paramArray, count);
}

/* The names before CUDA 11.7 mean the same. */
CUresult do_cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return do_cuStreamWaitValue32_v2(stream, addr, value, flags);
}

CUresult do_cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return do_cuStreamWaitValue64_v2(stream, addr, value, flags);
}

CUresult do_cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return do_cuStreamWriteValue32_v2(stream, addr, value, flags);
}

CUresult do_cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return do_cuStreamWriteValue64_v2(stream, addr, value, flags);
}

CUresult do_cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return do_cuStreamBatchMemOp_v2(stream, count, paramArray, flags);
}
