/* SPDX-License-Identifier: Apache-2.0 */
/* Events. */
#include "core/event.h"

#include "core/capture.h"
#include "core/ctx.h"
#include "core/device.h"
#include "core/mempool.h"
#include "core/sched.h"
#include "core/stream.h"

static void event_free(struct obj *obj)
{
    struct event *e = hw_container_of(obj, struct event, obj);
    struct ctx *ctx = e->ctx;
    hw_lock(&ctx->mu);
    hw_list_del(&e->in_ctx);
    hw_unlock(&ctx->mu);
    capture_event_gone(e);
    hw_free(e);
    ctx_unref(ctx);
}

CUresult event_create(struct ctx *ctx, unsigned flags, CUevent *out)
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    /* Such an event works in its own process; exporting it is what is not supported. */
    if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    struct event *e = hw_alloc(sizeof *e);
    ctx_ref(ctx);
    e->ctx = ctx;
    e->flags = flags;
    obj_init(&e->obj, OBJ_EVENT, event_free);
    hw_lock(&ctx->mu);
    hw_list_push_back(&ctx->events, &e->in_ctx);
    hw_unlock(&ctx->mu);
    *out = event_handle(e);
    return CUDA_SUCCESS;
}

struct event *event_get(CUevent handle)
{
    struct obj *obj = obj_get(handle, OBJ_EVENT);
    return obj ? hw_container_of(obj, struct event, obj) : NULL;
}

CUresult event_destroy(CUevent handle)
{
    struct event *e = event_get(handle);
    bool closed = e && obj_close(&e->obj);
    if (closed)
        capture_event_gone(e);
    event_unref(e);
    return closed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult event_record(struct event *e, struct stream *s, unsigned flags)
{
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (e->ctx != s->ctx)
        return CUDA_ERROR_INVALID_HANDLE;
    bool over;
    CUresult rc = capture_record(s, e, flags, &over);
    if (rc || over)
        return rc;
    sched_push_record(s, e);
    return CUDA_SUCCESS;
}

CUresult event_query(struct event *e)
{
    CUresult rc = capture_event_forbids(e);
    if (rc)
        return rc;
    sched_lock();
    bool pending = e->pending != NULL;
    sched_unlock();
    rc = ctx_error(e->ctx);
    return rc ? rc : pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult event_synchronize(struct event *e)
{
    CUresult rc = capture_event_forbids(e);
    if (rc)
        return rc;
    sched_wait_event(e);
    ctx_flush_printf(e->ctx);
    mempool_synchronized(e->ctx->dev->ordinal);
    return ctx_error(e->ctx);
}

CUresult event_elapsed(struct event *start, struct event *end, float *out_ms)
{
    CUresult rc = capture_event_forbids(start);
    if (rc || (rc = capture_event_forbids(end)))
        return rc;
    sched_lock();
    bool recorded = start->recorded && end->recorded, pending = start->pending || end->pending;
    int64_t ns = (int64_t)(end->time_ns - start->time_ns);
    sched_unlock();
    if (!recorded || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_HANDLE;
    if (start->ctx->dev != end->ctx->dev)
        return CUDA_ERROR_INVALID_HANDLE;
    if (pending)
        return CUDA_ERROR_NOT_READY;
    *out_ms = (float)((double)ns * 1e-6);
    return CUDA_SUCCESS;
}
