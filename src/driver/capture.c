/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about stream capture. A capture cannot be begun yet, so no stream is ever capturing. */
#include "core/stream.h"
#include "driver/bodies.h"

CUresult do_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    struct stream *s;
    CUresult rc;

    if (!captureStatus)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    *captureStatus = CU_STREAM_CAPTURE_STATUS_NONE;
    stream_unref(s);
    return CUDA_SUCCESS;
}

/* While a stream is not capturing, the other places are left alone. */
CUresult do_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
    return do_cuStreamIsCapturing(hStream, captureStatus_out);
}

CUresult do_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                      CUgraph *graph_out, const CUgraphNode **dependencies_out, size_t *numDependencies_out)
{
    return do_cuStreamIsCapturing(hStream, captureStatus_out);
}

CUresult do_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                      CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                      const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    return do_cuStreamIsCapturing(hStream, captureStatus_out);
}

/* Which calls the thread wants refused while somebody captures; libraries set it around their own allocations. */
CUresult do_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    static _Thread_local CUstreamCaptureMode current = CU_STREAM_CAPTURE_MODE_GLOBAL;
    CUstreamCaptureMode old = current;

    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    current = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}
