/* SPDX-License-Identifier: Apache-2.0 */
/* Events. */
#include "core/stream/event.h"

#include "base/log.h"
#include "core/clock.h"
#include "core/device/ctx.h"
#include "core/hooks.h"
#include "core/device/device.h"
#include "core/mem/ipc_file.h"
#include "core/mem/mempool.h"
#include "core/sched/capturing.h"
#include "core/sched/mark.h"
#include "core/sched/sched.h"
#include "core/stream/values.h"

#include <time.h>

static void event_free(struct obj *obj)
{
    struct event *e = hw_container_of(obj, struct event, obj);
    struct ctx *ctx = e->ctx;
    hw_lock(&ctx->mu);
    hw_list_del(&e->in_ctx);
    hw_unlock(&ctx->mu);
    capture_event_gone(e);
    ipc_event_free(e->shared, e->shared_fd);
    hw_free(e);
    ctx_unref(ctx);
}

static CUevent event_new(struct ctx *ctx, unsigned flags, struct ipc_event *shared, int shared_fd)
{
    struct event *e = hw_alloc(sizeof *e);
    ctx_ref(ctx);
    e->ctx = ctx;
    e->flags = flags;
    e->shared = shared;
    e->shared_fd = shared_fd;
    obj_init(&e->obj, OBJ_EVENT, event_free);
    hw_lock(&ctx->mu);
    hw_list_push_back(&ctx->events, &e->in_ctx);
    hw_unlock(&ctx->mu);
    return event_handle(e);
}

CUresult event_create(struct ctx *ctx, unsigned flags, CUevent *out)
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (flags & ~known)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known", flags & ~known);
    if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "an event for other processes must be made with DISABLE_TIMING");
    struct ipc_event *shared = NULL;
    int fd = -1;
    if ((flags & CU_EVENT_INTERPROCESS) && !values_ready())
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more threads");
    CUresult rc = flags & CU_EVENT_INTERPROCESS ? ipc_event_new(&shared, &fd) : CUDA_SUCCESS;
    if (!rc)
        *out = event_new(ctx, flags, shared, fd);
    return rc;
}

/* --- events of several processes --- */

CUresult event_share(struct event *e, struct ipc_ref *out)
{
    if (!e->shared || e->shared_fd < 0)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "the event was not made with INTERPROCESS, or by another process");
    return ipc_ref_make(e->shared_fd, e->ctx->dev->ordinal, sizeof *e->shared, 0, sizeof *e->shared, out);
}

CUresult event_open(struct ctx *ctx, const struct ipc_ref *ref, CUevent *out)
{
    struct ipc_event *shared = NULL;
    if (!values_ready())
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more threads");
    CUresult rc = ipc_event_open(ref, &shared);
    if (!rc)
        *out = event_new(ctx, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, shared, -1);
    return rc;
}

/* A value in a stream: the record's number is written when the stream comes to it, or waited for. */
static struct cmd *shared_cmd(struct event *e, CUstreamBatchMemOpType type, uint64_t number)
{
    CUstreamBatchMemOpParams op = { 0 };
    op.operation = type;
    op.waitValue.address = (CUdeviceptr)(uintptr_t)&e->shared->done;
    op.waitValue.value64 = number;
    struct cmd *c = values_cmd(&op, 1);
    c->values->shared = true;
    event_ref(e);
    c->event = e;
    return c;
}

static bool shared_passed(const struct event *e)
{
    return atomic_load(&e->shared->done) >= atomic_load(&e->shared->recorded);
}

void event_push_wait(struct stream *s, struct event *e)
{
    if (!e->shared)
        mark_push_wait(s, e);
    else
        mark_push_shared(s, e, shared_passed(e) ? NULL : shared_cmd(e, CU_STREAM_MEM_OP_WAIT_VALUE_64, atomic_load(&e->shared->recorded)), false);
}

struct event *event_get(CUevent handle)
{
    struct obj *obj = obj_get(handle, OBJ_EVENT);
    return obj ? hw_container_of(obj, struct event, obj) : NULL;
}

CUresult event_missing(CUevent handle)
{
    if (obj_went_with_ctx(handle, OBJ_EVENT))
        return hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the event's context was destroyed");
    return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no event, or it was destroyed");
}

CUresult event_destroy(CUevent handle)
{
    struct event *e = event_get(handle);
    bool closed = e && obj_close(&e->obj);
    if (closed)
        capture_event_gone(e);
    event_unref(e);
    return closed ? CUDA_SUCCESS : event_missing(handle);
}

CUresult event_record(struct event *e, struct stream *s, unsigned flags)
{
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known", flags);
    if (e->ctx != s->ctx)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "the event and the stream are of different contexts");
    bool over;
    CUresult rc = capture_record(s, e, flags, &over);
    if (rc || over)
        return rc;
    if (e->shared)
        mark_push_shared(s, e, shared_cmd(e, CU_STREAM_MEM_OP_WRITE_VALUE_64, atomic_fetch_add(&e->shared->recorded, 1) + 1), true);
    else
        mark_push_record(s, e);
    return CUDA_SUCCESS;
}

CUresult event_query(struct event *e)
{
    CUresult rc = capture_event_forbids(e);
    if (rc)
        return rc;
    sched_lock();
    bool pending = e->shared ? !shared_passed(e) : e->pending != NULL;
    sched_unlock();
    if (!pending)
        hook_host_waited(NULL, e, NULL, NULL);
    rc = ctx_error(e->ctx);
    return rc ? rc : pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult event_synchronize(struct event *e)
{
    CUresult rc = capture_event_forbids(e);
    if (rc)
        return rc;
    const struct timespec pause = { 0, 20000 };
    uint64_t number = e->shared ? atomic_load(&e->shared->recorded) : 0;
    if (!e->shared)
        sched_wait_event(e);
    else                                         /* nobody wakes a thread of another process */
        while (atomic_load(&e->shared->done) < number && !ctx_error(e->ctx))
            nanosleep(&pause, NULL);
    if (e->shared)
        hook_host_waited(NULL, e, NULL, NULL);
    ctx_flush_printf(e->ctx);
    mempool_synchronized(e->ctx->dev->ordinal, NULL, NULL);
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
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "an event was never recorded, or made with DISABLE_TIMING");
    if (start->ctx->dev != end->ctx->dev)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "the events are of different devices");
    if (pending)
        return CUDA_ERROR_NOT_READY;
    double computed;
    if (core_clock && core_clock->elapsed(start, end, &computed))
        *out_ms = (float)(computed * 1e-6);
    else
        *out_ms = (float)((double)ns * 1e-6);
    return CUDA_SUCCESS;
}
