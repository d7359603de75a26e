/* SPDX-License-Identifier: Apache-2.0 */
/* The life of contexts, and the primary ones. */
#include "core/context/context.h"

#include "base/log.h"
#include "base/options.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/graph/capture.h"
#include "core/device/device.h"
#include "core/stream/event.h"
#include "core/sched/gate.h"
#include "core/hooks.h"
#include "core/internal.h"
#include "core/mem/ipc.h"
#include "core/mem/mem.h"
#include "core/module/module.h"
#include "core/sched/sched.h"
#include "core/stream/ctx_sync.h"
#include "core/stream/stream.h"

#include <stdatomic.h>

enum { MAX_DEVICES = 64 };

/* A device's primary context. It exists while it is retained. */
struct primary {
    struct ctx *ctx;             /* the open handle */
    unsigned retained;
    unsigned flags;
};

static struct hw_mutex primary_mu = HW_MUTEX_INIT(HW_RANK_TABLE);
static struct primary primaries[MAX_DEVICES] HW_GUARDED_BY(primary_mu);
static _Atomic uint64_t last_id;

static void ctx_free(struct obj *obj)
{
    struct ctx *ctx = hw_container_of(obj, struct ctx, obj);
    exec_printf_free(ctx->printf_buf);
    exec_heap_free(ctx->heap);
    hw_free(ctx->legacy);                        /* its references, all gone, kept us */
    hw_free(ctx);
}

/* Of the sixteen parts of the cache, those that a context has set aside at first. */
static unsigned l2_parts(void)
{
    int64_t percent = hw_cuda_env()->persisting_l2;
    if (percent < 0 || percent > 100)
        return 3;
    return (unsigned)hw_min_u64(((uint64_t)percent * 16 + 99) / 100, CONTEXT_L2_PARTS);
}

static void lines_init(struct ctx *ctx)
{
    int64_t n = hw_cuda_env()->max_connections;
    ctx->n_lines = n > 0 && n <= CTX_MAX_LINES ? (unsigned)n : 0;
    for (unsigned i = 0; i < CTX_MAX_LINES; i++)
        hw_list_init(&ctx->lines[i]);
}

static CUresult ctx_new(struct device *dev, unsigned flags, bool primary, struct ctx **out)
{
    if (dev->faulted)
        return hw_refuse(CUDA_ERROR_DEVICE_UNAVAILABLE, "a kernel of this process faulted: it gets no new context, it must be started again");    /* measured: after a kernel's fault the process gets no new context */
    if (!exec_start())
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more threads");
    struct ctx *ctx = hw_alloc(sizeof *ctx);
    ctx->dev = dev;
    ctx->id = atomic_fetch_add(&last_id, 1) + 1;
    ctx->primary = primary;
    ctx->flags = flags;
    hw_mutex_init(&ctx->mu, HW_RANK_CTX);
    hw_list_init(&ctx->events);
    hw_list_init(&ctx->modules);
    hw_list_init(&ctx->streams);
    hw_list_init(&ctx->busy);
    ctx->limits[CU_LIMIT_STACK_SIZE] = 1024;
    ctx->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 8650752;            /* as measured; the manual's 1 MiB is older */
    ctx->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8u << 20;
    ctx->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    ctx->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    ctx->limits[CU_LIMIT_SHMEM_SIZE] = DEVICE_SHARED_OPTIN;
    ctx->limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = (size_t)l2_parts() * CONTEXT_L2_PART;
    ctx->printf_buf = exec_printf_new(ctx->limits[CU_LIMIT_PRINTF_FIFO_SIZE]);
    ctx->heap = exec_heap_new(ctx->limits[CU_LIMIT_MALLOC_HEAP_SIZE]);
    obj_init(&ctx->obj, OBJ_CTX, ctx_free);
    lines_init(ctx);
    ctx->legacy = stream_new(ctx, 0, 0);
    stream_line_up(ctx->legacy);
    ctx->legacy->legacy = true;
    *out = ctx;
    return CUDA_SUCCESS;
}

/* --- destruction --- */

static void close_streams(struct ctx *ctx)
{
    struct stream **all;
    size_t n = ctx_streams(ctx, &all);
    for (size_t i = 0; i < n; i++) {
        obj_close(&all[i]->obj);
        stream_unref(all[i]);
    }
    hw_free(all);
}

static void close_events_and_modules(struct ctx *ctx)
{
    HW_VEC(struct event *) events = { 0 };
    HW_VEC(struct module *) modules = { 0 };
    hw_lock(&ctx->mu);
    hw_list_for(it, &ctx->events) {
        struct event *e = hw_list_item(it, struct event, in_ctx);
        if (obj_try_ref(&e->obj))
            hw_vec_push(&events, e);
    }
    hw_list_for(it, &ctx->modules) {
        struct module *m = hw_list_item(it, struct module, in_ctx);
        if (obj_try_ref(&m->obj))
            hw_vec_push(&modules, m);
    }
    hw_unlock(&ctx->mu);
    for (size_t i = 0; i < events.n; i++) {
        obj_close_with_ctx(&events.v[i]->obj);
        event_unref(events.v[i]);
    }
    for (size_t i = 0; i < modules.n; i++) {
        module_close(modules.v[i]);
        module_unref(modules.v[i]);
    }
    hw_vec_fini(&events);
    hw_vec_fini(&modules);
}

/* By who marked it dead, and holds a reference. Once nobody is inside, nothing new comes; then what is queued ends. Only then the handle goes: who frees
   memory meanwhile finds by it what to wait for. */
static void ctx_tear_down(struct ctx *ctx)
{
    gate_close(ctx);
    sched_wait_ctx(ctx);
    obj_close(&ctx->obj);
    capture_ctx_gone(ctx);
    ctx_flush_printf(ctx);
    hook_ctx_ending(ctx);
    close_events_and_modules(ctx);
    close_streams(ctx);
    mem_free_ctx(ctx);
    ipc_ctx_gone(ctx);
}

CUresult ctx_create(struct device *dev, unsigned flags, CUcontext *out)
{
    struct ctx *ctx;
    if (!ctx_flags_valid(flags))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known, or name two ways to wait", flags);
    CUresult rc = ctx_new(dev, flags, false, &ctx);
    if (rc)
        return rc;
    ctx_push(ctx_handle(ctx));
    *out = ctx_handle(ctx);
    return CUDA_SUCCESS;
}

CUresult ctx_destroy(CUcontext handle)
{
    struct ctx *ctx = ctx_get(handle);
    if (!ctx)
        return hw_refuse(handle ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE, "the context is NULL, or was destroyed, or never was");
    bool closed = !ctx->primary && !atomic_exchange(&ctx->dead, true);
    if (closed) {
        if (ctx_current() == ctx)
            ctx_pop(NULL);
        ctx_tear_down(ctx);
    }
    ctx_unref(ctx);
    return closed ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "the context is being destroyed already, or is a primary one");
}

CUresult ctx_detach(CUcontext handle)
{
    struct ctx *ctx = ctx_current();
    if (!ctx || ctx_handle(ctx) != handle)
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "the context is not the current one");
    unsigned n = atomic_load(&ctx->attached);
    while (n && !atomic_compare_exchange_weak(&ctx->attached, &n, n - 1))
        ;
    return n ? CUDA_SUCCESS : ctx_destroy(handle);
}

/* --- primary contexts --- */

CUresult ctx_primary_retain(struct device *dev, CUcontext *out)
{
    CUresult rc = CUDA_SUCCESS;
    hw_lock(&primary_mu);
    struct primary *p = &primaries[dev->ordinal];
    if (!p->ctx)
        rc = ctx_new(dev, p->flags, true, &p->ctx);
    if (!rc) {
        p->retained++;
        *out = ctx_handle(p->ctx);
    }
    hw_unlock(&primary_mu);
    return rc;
}

/* Takes the context out of its place; NULL when nobody holds it any more. */
static struct ctx *primary_take_locked(struct primary *p)
{
    struct ctx *ctx = p->ctx;
    p->ctx = NULL;
    p->retained = 0;
    return ctx;
}

static void primary_end(struct ctx *ctx)
{
    if (!ctx)
        return;
    ctx_ref(ctx);
    ctx->dead = true;
    ctx_tear_down(ctx);
    ctx_unref(ctx);
}

CUresult ctx_primary_release(struct device *dev)
{
    struct ctx *gone = NULL;
    hw_lock(&primary_mu);
    struct primary *p = &primaries[dev->ordinal];
    bool ok = p->retained > 0;
    if (ok && --p->retained == 0)
        gone = primary_take_locked(p);
    hw_unlock(&primary_mu);
    primary_end(gone);
    return ok ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "the primary context is not retained");
}

CUresult ctx_primary_reset(struct device *dev)
{
    hw_lock(&primary_mu);
    struct ctx *gone = primary_take_locked(&primaries[dev->ordinal]);
    hw_unlock(&primary_mu);
    primary_end(gone);
    return CUDA_SUCCESS;
}

CUresult ctx_primary_state(struct device *dev, unsigned *flags, int *active)
{
    hw_lock(&primary_mu);
    struct primary *p = &primaries[dev->ordinal];
    *flags = p->ctx ? p->ctx->flags : p->flags;
    *active = p->ctx != NULL;
    hw_unlock(&primary_mu);
    return CUDA_SUCCESS;
}

CUresult ctx_primary_set_flags(struct device *dev, unsigned flags)
{
    if (!ctx_flags_valid(flags))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known, or name two ways to wait", flags);
    hw_lock(&primary_mu);
    struct primary *p = &primaries[dev->ordinal];
    p->flags = flags;
    if (p->ctx)
        p->ctx->flags = flags;
    hw_unlock(&primary_mu);
    return CUDA_SUCCESS;
}
