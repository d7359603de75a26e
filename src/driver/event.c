/* SPDX-License-Identifier: Apache-2.0 */
/* Events: life, recording, waiting, the time between two of them. */
#include "base/log.h"
#include "core/stream/event.h"

#include "core/device/ctx.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"

CUresult do_cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    if (!phEvent)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "phEvent is NULL");
    return event_create(ctx_current(), Flags, phEvent);
}

CUresult do_cuEventDestroy_v2(CUevent hEvent) { return event_destroy(hEvent); }

CUresult do_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    struct event *e = event_get(hEvent);
    struct stream *s = NULL;
    CUresult rc;

    if (!e)
        return event_missing(hEvent);
    if (!(rc = api_stream(hStream, &s)))
        rc = event_record(e, s, flags);
    stream_unref(s);
    event_unref(e);
    return rc;
}

CUresult do_cuEventRecord(CUevent hEvent, CUstream hStream)
{
    return do_cuEventRecordWithFlags(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

CUresult do_cuEventQuery(CUevent hEvent)
{
    struct event *e = event_get(hEvent);
    CUresult rc;

    if (!e)
        return event_missing(hEvent);
    rc = event_query(e);
    event_unref(e);
    return rc;
}

CUresult do_cuEventSynchronize(CUevent hEvent)
{
    struct event *e = event_get(hEvent);
    CUresult rc;

    if (!e)
        return event_missing(hEvent);
    rc = event_synchronize(e);
    event_unref(e);
    return rc;
}

CUresult do_cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    struct event *start, *end;
    CUresult rc;

    if (!pMilliseconds)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pMilliseconds is NULL");
    start = event_get(hStart);
    end = event_get(hEnd);
    if (!start || !end)
        rc = event_missing(start ? hEnd : hStart);
    else if (start->ctx == end->ctx)
        rc = event_elapsed(start, end, pMilliseconds);
    else
        rc = hw_refuse(CUDA_ERROR_INVALID_HANDLE, "the events are of two contexts, whose times cannot be compared");
    event_unref(end);
    event_unref(start);
    return rc;
}
