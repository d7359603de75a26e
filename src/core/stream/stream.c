/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: making, finding, asking, waiting; callbacks and host functions. */
#include "core/stream/stream.h"

#include "base/log.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/stream/event.h"
#include "core/hooks.h"
#include "core/internal.h"
#include "core/mem/mempool.h"
#include "core/sched/capturing.h"
#include "core/sched/sched.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic uint64_t last_id;

static void stream_free(struct obj *obj)
{
    struct stream *s = hw_container_of(obj, struct stream, obj);
    struct ctx *ctx = s->ctx;
    sched_lock();
    hw_list_del(&s->in_ctx);
    sched_unlock();
    capture_stream_gone(s);
    if (!s->legacy)                              /* others find that one through the context: it is freed with it */
        hw_free(s);
    ctx_unref(ctx);
}

int stream_priority_clamped(int priority)
{
    return priority > STREAM_PRIORITY_LEAST ? STREAM_PRIORITY_LEAST : priority < STREAM_PRIORITY_GREATEST ? STREAM_PRIORITY_GREATEST : priority;
}

struct stream *stream_new(struct ctx *ctx, unsigned flags, int priority)
{
    struct stream *s = hw_alloc(sizeof *s);
    ctx_ref(ctx);
    s->ctx = ctx;
    s->flags = flags;
    s->priority = stream_priority_clamped(priority);
    s->id = atomic_fetch_add(&last_id, 1) + 1;
    hw_list_init(&s->in_busy);
    hw_list_init(&s->in_work);
    hw_list_init(&s->queue);
    obj_init(&s->obj, OBJ_STREAM, stream_free);
    sched_lock();
    hw_list_push_back(&ctx->streams, &s->in_ctx);
    sched_unlock();
    return s;
}

/* The lanes of graphs and what kernels launch share none: they are queued behind what may have to wait for them. */
void stream_line_up(struct stream *s)
{
    unsigned n = s->ctx->n_lines;
    if (n)
        s->line = &s->ctx->lines[atomic_fetch_add(&s->ctx->n_lined_up, 1) % n];
}

CUresult stream_create(struct ctx *ctx, unsigned flags, int priority, CUstream *out)
{
    if (flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known", flags);
    struct stream *s = stream_new(ctx, flags, priority);
    stream_line_up(s);
    *out = stream_handle(s);
    return CUDA_SUCCESS;
}

CUresult stream_destroy(CUstream handle)
{
    struct obj *obj = obj_get(handle, OBJ_STREAM);
    if (!obj)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no stream, or it was destroyed");
    struct stream *s = hw_container_of(obj, struct stream, obj);
    bool ours = s->legacy || s->per_thread;
    bool closed = !ours && obj_close(obj);
    if (closed)
        capture_stream_gone(s);
    obj_unref(obj);
    return closed ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "the default streams cannot be destroyed, or it is being destroyed already");
}

/* --- the calling thread's own streams, one per context --- */

struct thread_streams {
    HW_VEC(struct stream *) v;
};
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *p)
{
    struct thread_streams *t = p;
    for (size_t i = 0; i < t->v.n; i++) {
        obj_close(&t->v.v[i]->obj);
        capture_stream_gone(t->v.v[i]);          /* nobody could end what it captures */
        stream_unref(t->v.v[i]);
    }
    hw_vec_fini(&t->v);
    hw_free(t);
}

static void make_key(void)
{
    pthread_key_create(&key, thread_ends);
}

static struct stream *per_thread_stream(struct ctx *ctx)
{
    pthread_once(&once, make_key);
    struct thread_streams *t = pthread_getspecific(key);
    if (!t) {
        t = hw_alloc(sizeof *t);
        pthread_setspecific(key, t);
    }
    for (size_t i = 0; i < t->v.n; i++) {
        if (t->v.v[i]->ctx == ctx)
            return t->v.v[i];
        if (t->v.v[i]->ctx->dead) {              /* closed with its context */
            stream_unref(t->v.v[i]);
            t->v.v[i--] = t->v.v[--t->v.n];
        }
    }
    struct stream *s = stream_new(ctx, 0, 0);
    stream_line_up(s);
    s->per_thread = true;
    stream_ref(s);                               /* the handle's, and this thread's */
    hw_vec_push(&t->v, s);
    return s;
}

CUresult stream_get(struct ctx *ctx, CUstream handle, bool per_thread_default, bool any_ctx, struct stream **out)
{
    struct stream *s;
    if (handle == CU_STREAM_LEGACY || (!handle && !per_thread_default)) {
        if (ctx->dead)
            return hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context was destroyed");
        s = ctx->legacy;
        stream_ref(s);
    } else if (handle == CU_STREAM_PER_THREAD || !handle) {
        if (ctx->dead)
            return hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context was destroyed");
        s = per_thread_stream(ctx);
        stream_ref(s);
    } else {
        struct obj *obj = obj_get(handle, OBJ_STREAM);
        if (!obj)
            return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no stream, or it was destroyed");
        s = hw_container_of(obj, struct stream, obj);
        if ((s->ctx != ctx && !any_ctx) || s->ctx->dead) {
            stream_unref(s);
            return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "the stream is of another context than the current one");
        }
    }
    *out = s;
    return CUDA_SUCCESS;
}

/* --- asking and waiting --- */

CUresult stream_query(struct stream *s)
{
    CUresult rc = capture_forbids(s);
    if (rc)
        return rc;
    bool idle = sched_idle(s);
    if (idle)
        hook_host_waited(s, NULL, NULL, NULL);
    rc = ctx_error(s->ctx);
    return rc ? rc : idle ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult stream_synchronize(struct stream *s)
{
    CUresult rc = capture_forbids(s);
    if (rc)
        return rc;
    sched_wait_stream(s);
    ctx_flush_printf(s->ctx);
    mempool_synchronized(s->ctx->dev->ordinal, s, NULL);
    return ctx_error(s->ctx);
}

CUresult stream_wait_event(struct stream *s, struct event *e, unsigned flags)
{
    if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known", flags);
    bool over;
    CUresult rc = capture_wait(s, e, flags, &over);
    if (rc || over)
        return rc;
    event_push_wait(s, e);
    return CUDA_SUCCESS;
}

/* --- functions of the program --- */

static const struct cmd_type host_fn_type = { .kind = CMD_HOST_FN };
static const struct cmd_type callback_type = { .kind = CMD_CALLBACK, .always = true };

static void call_host_fn(struct exec_hostfn *fn)
{
    struct cmd *c = hw_container_of(fn, struct cmd, x.hostfn);
    ctx_flush_printf(c->stream->ctx);
    c->fn.host_fn(c->fn_data);
}

static void call_callback(struct exec_hostfn *fn)
{
    struct cmd *c = hw_container_of(fn, struct cmd, x.hostfn);
    ctx_flush_printf(c->stream->ctx);
    c->fn.callback(c->fn_stream, ctx_error(c->stream->ctx), c->fn_data);
}

CUresult stream_add_callback(struct stream *s, CUstream handle, CUstreamCallback fn, void *data)
{
    if (!fn)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the function is NULL");
    CUresult rc = capture_forbids(s);
    if (rc)
        return rc;
    struct cmd *c = cmd_new(&callback_type);
    exec_hostfn_init(&c->x.hostfn, call_callback);
    c->fn.callback = fn;
    c->fn_stream = handle;
    c->fn_data = data;
    sched_push(s, c);
    return CUDA_SUCCESS;
}

struct cmd *stream_host_cmd(CUhostFn fn, void *data)
{
    struct cmd *c = cmd_new(&host_fn_type);
    exec_hostfn_init(&c->x.hostfn, call_host_fn);
    c->fn.host_fn = fn;
    c->fn_data = data;
    return c;
}

CUresult stream_host_fn(struct stream *s, CUhostFn fn, void *data)
{
    if (!fn)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the function is NULL");
    bool captures;
    CUresult rc = capture_enter(s, &captures);
    if (rc)
        return rc;
    if (captures)
        return capture_host(s, fn, data);
    sched_push(s, stream_host_cmd(fn, data));
    return CUDA_SUCCESS;
}

void stream_dump(const struct stream *s, FILE *out)
{
    fprintf(out, "stream %llu%s: flags %u, priority %d, %llu queued, %llu done\n", (unsigned long long)s->id,
            s->legacy ? " (legacy)" : s->per_thread ? " (per thread)" : "", s->flags, s->priority,
            (unsigned long long)s->n_pushed, (unsigned long long)s->n_done);
}
