/* SPDX-License-Identifier: Apache-2.0 */
/* Where commands start and end: what is ready goes to its engine, or to whoever its kind says; what ended lets others start. */
#include "core/hooks.h"
#include "core/sched/fault.h"
#include "core/sched/sched_internal.h"

#include <stdatomic.h>

enum { LINGER_NS = 4000 };
static bool may_linger;                          /* const: there is a CPU for it */

void dispatch_init(void)
{
    may_linger = hw_cpu_count() > 1;
}

static int fault_of(const struct cmd *c)
{
    return c->type->fault ? c->type->fault(c) : EXEC_OK;
}

/* In the place of run() of the first of a chain. */
static void run_chain(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct cmd *c = hw_container_of(job, struct cmd, x.job);
    struct exec_runner *runner = exec_runner();
    c->own_run(job, first, count);
    for (; c->chain && c->chain->seq <= runner->limit; c = c->chain) {
        if (fault_of(c) || ctx_error(c->stream->ctx) || !exec_goes_on(runner))
            break;
        c->chain->x.job.run(&c->chain->x.job, 0, 1);
        c->chain->ran = true;
    }
}

/*
 * A program that launches small kernels one after another would have each taken from its hands at once, which costs it more than
 * the kernel takes. The engine's thread therefore looks away for a moment after a small kernel, unless somebody waits for the
 * stream or something else than a small kernel is in it; what was queued meanwhile becomes a chain.
 */
static void linger(const struct stream *s)
{
    if (!may_linger || hook_any || !exec_on_worker())
        return;
    for (uint64_t end = hw_now_ns() + LINGER_NS; hw_now_ns() < end;) {
        if (atomic_load_explicit(&s->hurry, memory_order_relaxed) || exec_engine_load(exec_engine(EXEC_COMPUTE)))
            return;
        for (int i = 0; i < 8; i++)
            hw_cpu_relax();
    }
}

static void on_done(struct exec_job *job)
{
    struct cmd *c = hw_container_of(job, struct cmd, x.job);
    struct stream *s = c->stream;
    struct sched_todo t;
    c->ran = true;
    for (struct cmd *i = c; i && i->ran; i = i->chain)
        if (fault_of(i))
            ctx_poison(s->ctx, fault_result(fault_of(i)));
    if (c->type->ran && c->type->ran(c))
        return;
    if (c->small)
        linger(s);
    sched_todo_init(&t);
    hw_lock(&sched_mu);
    for (struct cmd *next; c && c->ran; c = next) {      /* the rest stays a chain */
        next = c->chain;
        c->chain = NULL;
        sched_finish_locked(&t, c);
    }
    sched_add_work(&t, s);
    sched_advance_locked(&t);
    hw_unlock(&sched_mu);
    sched_dispatch(&t, NULL);
}

/* In the place of the job's run() while somebody listens: pieces are handed out in order, so piece 0 is the start. */
static void run_watched(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct cmd *c = hw_container_of(job, struct cmd, x.job);
    if (first == 0)
        hook_cmd_started(c);
    c->own_run(job, first, count);
}

/* What was over at once: now what waited for it. */
static void finish_all(struct sched_todo *t, struct cmd *over)
{
    sched_todo_init(t);
    hw_lock(&sched_mu);
    for (struct cmd *c = over, *next; c; c = next) {
        struct stream *s = c->stream;
        next = c->next;
        sched_finish_locked(t, c);
        sched_add_work(t, s);
    }
    sched_advance_locked(t);
    hw_unlock(&sched_mu);
}

void sched_done(struct cmd *c)
{
    struct sched_todo t;
    c->next = NULL;
    finish_all(&t, c);
    sched_dispatch(&t, NULL);
}

void sched_submit(struct cmd *c, bool wake)
{
    c->x.job.done = on_done;
    c->x.job.priority = c->stream->priority;
    if (hw_unlikely(hook_any) || c->chain) {
        c->own_run = c->x.job.run;
        c->x.job.run = c->chain ? run_chain : run_watched;
    }
    exec_submit(&c->x.job, wake);
}

/* Returns the commands that were over at once: a loop, not a recursion, since a stream may hold many. */
static struct cmd *dispatch_once(struct sched_todo *t, struct cmd *own)
{
    struct cmd *over = NULL;
    for (int i = 0; i < t->n_wake; i++)
        hw_futex_wake(t->wake[i], 1);
    for (struct cmd *c = t->ready, *next; c; c = next) {
        next = c->next;
        if (!c->type->start) {
            sched_submit(c, c != own || c->x.job.n_pieces > 1);
        } else if (c->type->start(c)) {
            c->next = over;
            over = c;
        }
    }
    cmd_drop_all(t->finished);
    return over;
}

void sched_dispatch(struct sched_todo *t, struct cmd *own)
{
    struct cmd *over;
    if (!t->ready && !t->finished && !t->n_wake) /* queued behind others: the usual case */
        return;
    while ((over = dispatch_once(t, own)))
        finish_all(t, over);
}
