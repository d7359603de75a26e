/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: queues and dependencies, under its lock. What may start goes to sched_dispatch.c. */
#include "core/sched/sched_internal.h"

#include "base/options.h"
#include "core/hooks.h"
#include "core/sched/caller.h"

#include <stdatomic.h>

struct hw_mutex sched_mu;
uint64_t sched_last_seq;
_Atomic unsigned sched_n_busy;
static struct cmd_dep *free_deps;                /* sched_mu */

enum { CHAIN_MAX = 64, QUEUE_MAX = 8192 };
static uint64_t queue_max;                       /* const: QUEUE_MAX, scaled as CUDA_SCALE_LAUNCH_QUEUES says */
bool sched_blocking;

void sched_init(void)
{
    caller_init();
    hw_mutex_init(&sched_mu, HW_RANK_STREAM);
    cmd_init();
    dispatch_init();
    queue_max = (uint64_t)QUEUE_MAX * (unsigned)hw_cuda_env()->launch_queues / 100;
    sched_blocking = hw_cuda_env()->launch_blocking;
}

void sched_lock(void)
{
    hw_lock(&sched_mu);
}

void sched_unlock(void)
{
    hw_unlock(&sched_mu);
}

/* --- dependencies; all with the lock held --- */

void sched_hurry_locked(struct stream *s)
{
    if (!atomic_load_explicit(&s->hurry, memory_order_relaxed))
        atomic_store_explicit(&s->hurry, true, memory_order_relaxed);
}

/* Only ever with the lock: no need for one action. Who reads it without acquires what was done before. */
static void count_one(_Atomic uint64_t *n)
{
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1, memory_order_release);
}

/* A small kernel goes into the chain that ends with the command before it, unless something hangs on that: the last of a chain is
   the only one whose end is told when it comes. tail: what c goes behind, NULL: nothing. */
static void chain_locked(struct stream *s, struct cmd *tail, struct cmd *c)
{
    if (!c->small || hook_any || s->line) {      /* who listens hears of each by itself, and a line moves on with each */
        s->open_first = NULL;
    } else if (s->open_first && tail && !tail->dependents && c->n_deps == 0 && s->open_length < CHAIN_MAX) {
        tail->chain = c;
        s->open_length++;
    } else {
        s->open_first = c;
        s->open_length = 1;
    }
}

/* Ends the chain that c is in with c. None of it has started: only then can what is not last get dependents, in a batch. */
static void cut_chain_locked(struct stream *s, struct cmd *c)
{
    if (s->open_first)
        s->open_first = c->chain;
    c->chain = NULL;
}

void sched_depend(struct cmd *on, struct cmd *c, struct sched_waiter *w)
{
    struct cmd_dep *d = free_deps;
    if (d)
        free_deps = d->next;
    else
        d = hw_alloc(sizeof *d);
    d->cmd = c;
    d->waiter = w;
    d->next = on->dependents;
    on->dependents = d;
    sched_hurry_locked(on->stream);
    if (on->chain)
        cut_chain_locked(on->stream, on);
    if (c) {
        c->n_deps++;
        hook_cmd_depends(c, on);
    } else {
        w->pending++;
    }
    if (w && on->seq > w->limit)
        w->limit = on->seq;
}

static void signal_waiter(struct sched_todo *t, struct sched_waiter *w)
{
    if (--w->pending > 0 || atomic_exchange(&w->state, WAIT_DONE) != WAIT_PARKED)
        return;
    if (t->n_wake < SCHED_WAKES)
        t->wake[t->n_wake++] = &w->state;
    else
        hw_futex_wake(&w->state, 1);
}

/* Takes the head off its stream and lets go what hung on it. */
void sched_finish_locked(struct sched_todo *t, struct cmd *c)
{
    struct stream *s = c->stream;
    if (c->type->finish)
        c->type->finish(c);
    hook_cmd_finished(c);
    hw_list_del(&c->link);
    count_one(&s->n_done);
    if (s->open_first == c)                      /* it never started: its context is broken */
        s->open_first = NULL;
    if (hw_list_empty(&s->queue)) {
        hw_list_del(&s->in_busy);
        sched_change_busy(-1);
        c->went_idle = true;
        atomic_store_explicit(&s->hurry, false, memory_order_relaxed);
    }
    for (struct cmd_dep *d = c->dependents, *next; d; d = next) {
        next = d->next;
        if (d->waiter)
            signal_waiter(t, d->waiter);
        else if (--d->cmd->n_deps == 0)
            sched_add_work(t, d->cmd->stream);
        d->next = free_deps;
        free_deps = d;
    }
    c->dependents = NULL;
    c->next = t->finished;
    t->finished = c;
}

/* In a broken context nothing runs any more, except what always does. */
static bool ends_at_once(const struct cmd *c)
{
    return c->type->at_once || (!c->type->always && ctx_error(c->stream->ctx) != CUDA_SUCCESS);
}

/* In streams that share a queue of the device, work starts in the order in which it came there. */
static bool is_its_turn(const struct cmd *c)
{
    return !c->stream->line || c->stream->line->next == &c->in_line;
}

static void leave_line_locked(struct sched_todo *t, struct cmd *c)
{
    struct hw_list *line = c->stream->line;
    if (!line)
        return;
    hw_list_del(&c->in_line);
    if (!hw_list_empty(line))
        sched_add_work(t, hw_list_item(line->next, struct cmd, in_line)->stream);
}

void sched_advance_locked(struct sched_todo *t)
{
    while (!hw_list_empty(&t->work)) {
        struct stream *s = hw_list_item(t->work.next, struct stream, in_work);
        struct cmd *c;
        while ((c = sched_head(s)) && !c->running && c->n_deps == 0 && is_its_turn(c)) {
            leave_line_locked(t, c);
            if (ends_at_once(c)) {
                sched_finish_locked(t, c);
                continue;
            }
            c->running = true;
            if (s->open_first == c)              /* nothing is added to a chain that runs */
                s->open_first = NULL;
            *t->ready_end = c;
            t->ready_end = &c->next;
            c->next = NULL;
        }
        hw_list_del(&s->in_work);
    }
}

/* --- queueing --- */

/* The legacy stream waits for all blocking streams, and they for it. What FIFO order already says is not said again. */
static void depend_default_locked(struct stream *s, struct cmd *c)
{
    if (!sched_is_blocking(s))
        return;
    if (!s->legacy) {
        struct cmd *tail = sched_tail(s->ctx->legacy);
        if (tail && tail->seq > s->legacy_seen) {
            s->legacy_seen = tail->seq;
            sched_depend(tail, c, NULL);
        }
        return;
    }
    hw_list_for(it, &s->ctx->busy) {
        struct stream *other = hw_list_item(it, struct stream, in_busy);
        struct cmd *tail = sched_tail(other);
        if (other == s || !sched_is_blocking(other) || tail->seq <= other->seen_by_legacy)
            continue;
        other->seen_by_legacy = tail->seq;
        sched_depend(tail, c, NULL);
    }
}

/* Its place in the order of things. Then its dependencies are noted, then it is queued: what waits for others is in no chain. */
static void number_locked(struct stream *s, struct cmd *c)
{
    c->stream = s;
    c->seq = ++sched_last_seq;
    if (c->type->numbered)
        c->type->numbered(c);
    if (!c->small)
        sched_hurry_locked(s);
    hook_cmd_queued(c);
}

static void enqueue_locked(struct sched_todo *t, struct stream *s, struct cmd *c)
{
    depend_default_locked(s, c);
    chain_locked(s, sched_tail(s), c);
    if (hw_list_empty(&s->queue)) {
        stream_ref(s);                           /* dropped when the queue is empty again */
        hw_list_push_back(&s->ctx->busy, &s->in_busy);
        sched_change_busy(1);
        sched_add_work(t, s);
    }
    hw_list_push_back(&s->queue, &c->link);
    if (s->line)
        hw_list_push_back(s->line, &c->in_line);
    count_one(&s->n_pushed);
    if (c->type->queued)
        c->type->queued(c);
    if (hw_unlikely(s->n_pushed - s->n_done > queue_max))
        t->full = s;
}

void sched_push_locked(struct sched_todo *t, struct stream *s, struct cmd *c)
{
    number_locked(s, c);
    if (c->type->depends)
        c->type->depends(c);
    enqueue_locked(t, s, c);
}

/* Ends a call that has queued. A program that is too far ahead waits, as for a device whose queue is full: what is queued takes
   memory. */
static void dispatch_call(struct sched_todo *t)
{
    struct stream *full = t->full;               /* held by the caller */
    sched_dispatch(t, NULL);
    if (hw_unlikely(full))
        sched_wait_own(full);
}

void sched_push(struct stream *s, struct cmd *c)
{
    struct sched_todo t;
    sched_todo_init(&t);
    hw_lock(&sched_mu);
    sched_push_locked(&t, s, c);
    sched_advance_locked(&t);
    hw_unlock(&sched_mu);
    dispatch_call(&t);
}

void sched_follows(struct stream *s, struct stream_follows *out)
{
    hw_lock(&sched_mu);
    memcpy(out, s->follows, sizeof s->follows);
    hw_unlock(&sched_mu);
}

void sched_note_synced(struct stream *s, struct ctx *ctx)
{
    hw_lock(&sched_mu);
    if (s)
        s->n_synced = s->n_done;
    if (ctx)
        hw_list_for(it, &ctx->streams)
            hw_list_item(it, struct stream, in_ctx)->n_synced = hw_list_item(it, struct stream, in_ctx)->n_done;
    hw_unlock(&sched_mu);
}

void sched_push_batch(const struct sched_item *items, size_t n, struct event *after)
{
    struct sched_todo t;
    sched_todo_init(&t);
    hw_lock(&sched_mu);
    for (size_t i = 0; i < n; i++) {
        struct cmd *c = items[i].cmd;
        if (i == 0 && after)
            hook_stream_waits(items[i].stream, after);
        number_locked(items[i].stream, c);
        if (i == 0 && after && after->pending)
            sched_depend(after->pending, c, NULL);
        if (c->type->depends)
            c->type->depends(c);
        for (uint32_t k = 0; k < items[i].n_deps; k++)
            sched_depend(items[items[i].deps[k]].cmd, c, NULL);
        enqueue_locked(&t, items[i].stream, c);
    }
    sched_advance_locked(&t);
    hw_unlock(&sched_mu);
    dispatch_call(&t);
}
