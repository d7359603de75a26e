/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: life, questions, waiting, callbacks and host functions. */
#include "core/stream/stream.h"

#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/stream/event.h"
#include "driver/bodies.h"

CUresult do_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    if (!phStream)
        return CUDA_ERROR_INVALID_VALUE;
    return stream_create(ctx_current(), flags, priority, phStream);
}

CUresult do_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return do_cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult do_cuStreamDestroy_v2(CUstream hStream) { return stream_destroy(hStream); }

/* --- questions --- */

CUresult do_cuStreamGetPriority(CUstream hStream, int *priority)
{
    struct stream *s;
    CUresult rc;

    if (!priority)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    *priority = s->priority;
    stream_unref(s);
    return CUDA_SUCCESS;
}

CUresult do_cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    struct stream *s;
    CUresult rc;

    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    *flags = s->flags;
    stream_unref(s);
    return CUDA_SUCCESS;
}

CUresult do_cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    struct stream *s;
    CUresult rc;

    if (!streamId)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    *streamId = s->id;
    stream_unref(s);
    return CUDA_SUCCESS;
}

CUresult do_cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    struct stream *s;
    CUresult rc;

    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    *pctx = ctx_handle(s->ctx);
    stream_unref(s);
    return CUDA_SUCCESS;
}

CUresult do_cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    struct stream *s;
    CUresult rc;

    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    *device = s->ctx->dev->ordinal;
    stream_unref(s);
    return CUDA_SUCCESS;
}

/* --- waiting --- */

CUresult do_cuStreamQuery(CUstream hStream)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = stream_query(s);
    stream_unref(s);
    return rc;
}

CUresult do_cuStreamSynchronize(CUstream hStream)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = stream_synchronize(s);
    stream_unref(s);
    return rc;
}

CUresult do_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    struct stream *s = NULL;
    struct event *e = NULL;
    CUresult rc;

    if (Flags > CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    /* The event may come from another context: that is how work of two devices is ordered. */
    if ((rc = api_stream(hStream, &s)))
        goto out;
    if (!(e = event_get(hEvent))) {
        rc = event_missing(hEvent);
        goto out;
    }
    rc = stream_wait_event(s, e, Flags);
out:
    event_unref(e);
    stream_unref(s);
    return rc;
}

/* --- the host's part in a stream --- */

CUresult do_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
    struct stream *s;
    CUresult rc;

    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = stream_add_callback(s, hStream, callback, userData);
    stream_unref(s);
    return rc;
}

CUresult do_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    struct stream *s;
    CUresult rc;

    if (!fn)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = stream_host_fn(s, fn, userData);
    stream_unref(s);
    return rc;
}
