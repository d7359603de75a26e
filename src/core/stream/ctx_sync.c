/* SPDX-License-Identifier: Apache-2.0 */
/* All streams of a context: waiting for them, marks in all of them. */
#include "core/stream/ctx_sync.h"

#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/internal.h"
#include "core/mem/mempool.h"
#include "core/sched/capturing.h"
#include "core/sched/mark.h"
#include "core/sched/sched.h"
#include "core/stream/event.h"

size_t ctx_streams(struct ctx *ctx, struct stream ***out)
{
    HW_VEC(struct stream *) all = { 0 };
    sched_lock();
    hw_list_for(it, &ctx->streams) {
        struct stream *s = hw_list_item(it, struct stream, in_ctx);
        if (obj_try_ref(&s->obj))
            hw_vec_push(&all, s);
    }
    sched_unlock();
    *out = all.v;
    return all.n;
}

CUresult ctx_wait_event(struct ctx *ctx, struct event *e)
{
    struct stream **streams;
    CUresult rc = capture_ctx_forbids(ctx);
    if (rc)
        return rc;
    size_t n = ctx_streams(ctx, &streams);
    for (size_t i = 0; i < n; i++) {
        event_push_wait(streams[i], e);
        stream_unref(streams[i]);
    }
    hw_free(streams);
    return CUDA_SUCCESS;
}

/* A stream of its own waits for a mark in each of the others. */
CUresult ctx_record_event(struct ctx *ctx, struct event *e)
{
    struct stream **streams;
    CUevent mark;
    CUresult rc = capture_ctx_forbids(ctx);
    if (rc || (rc = event_create(ctx, CU_EVENT_DISABLE_TIMING, &mark)))
        return rc;
    struct event *m = event_get(mark);
    size_t n = ctx_streams(ctx, &streams);
    struct stream *all = stream_new(ctx, CU_STREAM_NON_BLOCKING, 0);
    for (size_t i = 0; i < n; i++) {
        if (!sched_idle(streams[i])) {
            mark_push_record(streams[i], m);
            mark_push_wait(all, m);
        }
        stream_unref(streams[i]);
    }
    rc = event_record(e, all, 0);
    obj_close(&all->obj);
    hw_free(streams);
    event_unref(m);
    event_destroy(mark);
    return rc;
}

CUresult ctx_synchronize(struct ctx *ctx)
{
    CUresult rc = capture_ctx_forbids(ctx);
    if (rc)
        return rc;
    sched_wait_ctx(ctx);
    ctx_flush_printf(ctx);
    mempool_synchronized(ctx->dev->ordinal, NULL, ctx);
    return ctx_error(ctx);
}
