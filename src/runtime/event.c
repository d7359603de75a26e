/* SPDX-License-Identifier: Apache-2.0 */
/* Events. */
#include "runtime/bodies.h"

cudaError_t do_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (!event)
        return hw_refuse(cudaErrorInvalidValue, "event is NULL");
    return api_error(cuEventCreate((CUevent *)event, flags));
}

cudaError_t do_cudaEventCreate(cudaEvent_t *event) { return do_cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t do_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return api_error(cuEventRecord((CUevent)event, api_stream(stream)));
}

cudaError_t do_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return api_error(cuEventRecordWithFlags((CUevent)event, api_stream(stream), flags));
}

cudaError_t do_cudaEventQuery(cudaEvent_t event) { return api_error(cuEventQuery((CUevent)event)); }
cudaError_t do_cudaEventSynchronize(cudaEvent_t event) { return api_error(cuEventSynchronize((CUevent)event)); }
cudaError_t do_cudaEventDestroy(cudaEvent_t event) { return api_error(cuEventDestroy((CUevent)event)); }

cudaError_t do_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return hw_refuse(cudaErrorInvalidValue, "ms is NULL");
    return api_error(cuEventElapsedTime(ms, (CUevent)start, (CUevent)end));
}
