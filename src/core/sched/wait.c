/* SPDX-License-Identifier: Apache-2.0 */
/* Host threads that wait: for a stream, an event, a context. Who waits helps to run what it waits for. */
#include "core/hooks.h"
#include "core/sched/gate.h"
#include "core/sched/sched_internal.h"

#include <stdatomic.h>

/* Joins the job at the head of a stream; the lock keeps it from finishing meanwhile. Work queued after the wait began is left
   alone: it may never end. */
static bool join_head_locked(const struct sched_waiter *w, struct stream *s, struct exec_runner *out)
{
    struct cmd *c = sched_head(s);
    return c && c->running && !c->type->no_job && c->seq <= w->limit && exec_join(&c->x.job, out);
}

/* Runs some of what the caller waits for. False: there is nothing it could do. */
static bool help(const struct sched_waiter *w, struct stream *s, struct ctx *ctx)
{
    struct exec_runner runner;
    hw_lock(&sched_mu);
    bool joined = s && join_head_locked(w, s, &runner);
    if (!joined && ctx)
        hw_list_for(it, &ctx->busy)
            if ((joined = join_head_locked(w, hw_list_item(it, struct stream, in_busy), &runner)))
                break;
    hw_unlock(&sched_mu);
    runner.limit = w->limit;
    if (joined)
        exec_work(&runner);
    return joined;
}

static uint64_t spin_ns(const struct ctx *ctx)
{
    static _Atomic unsigned cpus;
    if (!cpus)
        cpus = hw_cpu_count();
    switch (ctx->flags & CU_CTX_SCHED_MASK) {
    case CU_CTX_SCHED_BLOCKING_SYNC: return 0;
    case CU_CTX_SCHED_SPIN: return cpus > 2 ? 200000 : 5000;
    default: return cpus > 2 ? 20000 : 2000;
    }
}

/* all: any work of the context is waited for, not only s. */
static void sched_wait_for(struct sched_waiter *w, struct stream *s, struct ctx *ctx, bool all)
{
    struct gate_pause inside;
    hw_assert_no_locks("a host thread waits");
    gate_pause(ctx, &inside);
    while (w->state != WAIT_DONE) {
        if (help(w, s, all ? ctx : NULL))
            continue;
        uint64_t end = hw_now_ns() + spin_ns(ctx);
        while (w->state != WAIT_DONE && hw_now_ns() < end)
            hw_cpu_relax();
        uint32_t expected = WAIT_SPINS;
        atomic_compare_exchange_strong(&w->state, &expected, WAIT_PARKED);
        while (w->state == WAIT_PARKED)
            hw_futex_wait(&w->state, WAIT_PARKED, 0);
    }
    gate_resume(&inside);
}

void sched_wait_own(struct stream *s)
{
    struct sched_waiter w = { 0 };
    hw_lock(&sched_mu);
    struct cmd *tail = sched_tail(s);
    if (tail)
        sched_depend(tail, NULL, &w);
    hw_unlock(&sched_mu);
    if (tail)
        sched_wait_for(&w, s, s->ctx, false);
}

CUresult sched_push_and_wait(struct stream *s, struct cmd *c)
{
    struct sched_waiter w = { 0 };
    struct sched_todo t;
    struct ctx *ctx = s->ctx;
    sched_todo_init(&t);
    hw_lock(&sched_mu);
    sched_push_locked(&t, s, c);
    sched_depend(c, NULL, &w);
    hook_host_waited(NULL, NULL, NULL, c);
    uint64_t seq = c->seq;                       /* the command is gone when it is over */
    sched_advance_locked(&t);
    hw_unlock(&sched_mu);
    sched_dispatch(&t, c);
    sched_wait_for(&w, s, ctx, false);
    hook_host_waited_for(seq);
    return ctx_error(ctx);
}

CUresult sched_push_work(struct stream *s, struct cmd *c)
{
    if (hw_unlikely(sched_blocking))
        return sched_push_and_wait(s, c);
    sched_push(s, c);
    return CUDA_SUCCESS;
}

bool sched_tails_locked(struct stream *s, struct sched_waiter *w)
{
    bool any = false;
    struct cmd *tail = sched_tail(s);
    if (tail && w)
        sched_depend(tail, NULL, w);
    any |= tail != NULL;
    if (!sched_is_blocking(s))
        return any;
    if (!s->legacy) {
        tail = sched_tail(s->ctx->legacy);
        if (tail && w)
            sched_depend(tail, NULL, w);
        return any || tail;
    }
    hw_list_for(it, &s->ctx->busy) {
        struct stream *other = hw_list_item(it, struct stream, in_busy);
        if (other == s || !sched_is_blocking(other))
            continue;
        if (w)
            sched_depend(sched_tail(other), NULL, w);
        any = true;
    }
    return any;
}

bool sched_idle(struct stream *s)
{
    if (atomic_load_explicit(&sched_n_busy, memory_order_acquire) == 0)        /* as in direct_begin() */
        return true;
    hw_lock(&sched_mu);
    bool busy = sched_tails_locked(s, NULL);
    if (busy)
        sched_hurry_locked(s);                         /* who asks waits */
    hw_unlock(&sched_mu);
    return !busy;
}

void sched_wait_stream(struct stream *s)
{
    struct sched_waiter w = { 0 };
    hw_lock(&sched_mu);
    bool busy = sched_tails_locked(s, &w);
    hw_unlock(&sched_mu);
    if (busy)
        sched_wait_for(&w, s, s->ctx, false);
    hook_host_waited(s, NULL, NULL, NULL);
}

void sched_wait_event(struct event *e)
{
    struct sched_waiter w = { 0 };
    struct stream *s = NULL;
    hw_lock(&sched_mu);
    if (e->pending) {
        s = e->pending->stream;
        stream_ref(s);
        sched_depend(e->pending, NULL, &w);
    }
    hw_unlock(&sched_mu);
    if (s) {
        sched_wait_for(&w, s, s->ctx, false);
        stream_unref(s);
    }
    hook_host_waited(NULL, e, NULL, NULL);
}

void sched_wait_ctx(struct ctx *ctx)
{
    struct sched_waiter w = { 0 };
    bool busy = false;
    hw_lock(&sched_mu);
    hw_list_for(it, &ctx->busy) {
        sched_depend(sched_tail(hw_list_item(it, struct stream, in_busy)), NULL, &w);
        busy = true;
    }
    hw_unlock(&sched_mu);
    if (busy)
        sched_wait_for(&w, NULL, ctx, true);
    hook_host_waited(NULL, NULL, ctx, NULL);
}
