/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: queues, dependencies, dispatch to the engines, and waiting. */
#include "core/sched.h"

#include "base/log.h"
#include "base/os.h"
#include "core/condition.h"
#include "core/ctx.h"
#include "core/event.h"
#include "core/hooks.h"
#include "core/module.h"
#include "core/obj.h"
#include "core/stream.h"
#include "core/values.h"

#include <stdatomic.h>
#include <time.h>

/* "When the command this hangs on has finished": one thing less to wait for, for a command or for a host thread. */
struct cmd_dep {
    struct cmd_dep *next;
    struct cmd *cmd;
    struct waiter *waiter;
};

/*
 * A host thread that waits. On its stack: nobody may touch it after state became WAIT_DONE.
 * Locks     pending belongs to the scheduler's lock.
 */
enum { WAIT_SPINS, WAIT_PARKED, WAIT_DONE };
struct waiter {
    _Atomic uint32_t state;
    unsigned pending;
    uint64_t limit;              /* it waits for nothing queued after this; const once waiting */
};

enum { TURN_WAKES = 8 };
/* What a turn of the scheduler leaves to do once its lock is dropped. */
struct turn {
    struct hw_list work;         /* struct stream.in_work */
    struct cmd *ready, **ready_end;
    struct cmd *finished;
    _Atomic uint32_t *wake[TURN_WAKES];          /* states of waiters that sleep; only the address is used: they may be gone */
    int n_wake;
};

static struct hw_mutex mu;                       /* rank STREAM */
static uint64_t last_seq;
static unsigned n_busy;                          /* streams with work */
static _Atomic unsigned n_direct;                /* threads between sched_begin_direct() and sched_end_direct(); grows with the lock */
static struct cmd_dep *free_deps;

static struct hw_mutex free_mu;
static struct cmd *free_cmds;

static void dispatch(struct turn *t, struct cmd *own);

void sched_init(void)
{
    hw_mutex_init(&mu, HW_RANK_STREAM);
    hw_mutex_init(&free_mu, HW_RANK_LEAF);
}

void sched_lock(void)
{
    hw_lock(&mu);
}

void sched_unlock(void)
{
    hw_unlock(&mu);
}

/* --- commands --- */

struct cmd *cmd_new(enum cmd_kind kind)
{
    hw_lock(&free_mu);
    struct cmd *c = free_cmds;
    if (c)
        free_cmds = c->next;
    hw_unlock(&free_mu);
    if (!c)
        c = hw_alloc(sizeof *c);
    c->kind = kind;
    c->next = NULL;
    c->stream = NULL;
    c->running = c->went_idle = false;
    c->n_deps = 0;
    c->dependents = NULL;
    c->watched = NULL;
    c->module = NULL;
    c->params = c->staging = NULL;
    c->event = NULL;
    c->values = NULL;
    c->condition = NULL;
    c->keeps = NULL;
    return c;
}

void cmd_drop(struct cmd *c)
{
    module_unref(c->module);
    event_unref(c->event);
    if (c->params != c->own_params)
        hw_free(c->params);
    hw_free(c->staging);
    values_free(c->values);
    condition_run_free(c);
    struct obj *kept = c->keeps;
    hw_lock(&free_mu);
    c->next = free_cmds;
    free_cmds = c;
    hw_unlock(&free_mu);
    obj_unref(kept);
}

/* --- dependencies; all with the lock held --- */

static struct cmd *tail_of(struct stream *s)
{
    return hw_list_empty(&s->queue) ? NULL : hw_list_item(s->queue.prev, struct cmd, link);
}

static struct cmd *head_of(struct stream *s)
{
    return hw_list_empty(&s->queue) ? NULL : hw_list_item(s->queue.next, struct cmd, link);
}

static bool is_blocking(const struct stream *s)
{
    return !(s->flags & CU_STREAM_NON_BLOCKING);
}

static void depend(struct cmd *on, struct cmd *c, struct waiter *w)
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
    if (c) {
        c->n_deps++;
        hook_cmd_depends(c, on);
    } else {
        w->pending++;
    }
    if (w && on->seq > w->limit)
        w->limit = on->seq;
}

static void signal_waiter(struct turn *t, struct waiter *w)
{
    if (--w->pending > 0 || atomic_exchange(&w->state, WAIT_DONE) != WAIT_PARKED)
        return;
    if (t->n_wake < TURN_WAKES)
        t->wake[t->n_wake++] = &w->state;
    else
        hw_futex_wake(&w->state, 1);
}

static void add_work(struct turn *t, struct stream *s)
{
    if (hw_list_empty(&s->in_work))
        hw_list_push_back(&t->work, &s->in_work);
}

/* Takes the head off its stream and lets go what hung on it. */
static void finish_locked(struct turn *t, struct cmd *c)
{
    struct stream *s = c->stream;
    if (c->kind == CMD_RECORD && c->event->pending == c) {
        c->event->pending = NULL;
        c->event->time_ns = hw_now_ns();
    }
    hook_cmd_finished(c);
    hw_list_del(&c->link);
    s->n_done++;
    if (hw_list_empty(&s->queue)) {
        hw_list_del(&s->in_busy);
        n_busy--;
        c->went_idle = true;
    }
    for (struct cmd_dep *d = c->dependents, *next; d; d = next) {
        next = d->next;
        if (d->waiter)
            signal_waiter(t, d->waiter);
        else if (--d->cmd->n_deps == 0)
            add_work(t, d->cmd->stream);
        d->next = free_deps;
        free_deps = d;
    }
    c->dependents = NULL;
    c->next = t->finished;
    t->finished = c;
}

/* Records and waits are over as soon as their turn comes. In a broken context nothing runs any more, except callbacks;
   conditions see for themselves. */
static bool ends_at_once(const struct cmd *c)
{
    if (c->kind == CMD_RECORD || c->kind == CMD_WAIT)
        return true;
    return c->kind != CMD_CALLBACK && c->kind != CMD_CONDITION && ctx_error(c->stream->ctx) != CUDA_SUCCESS;
}

static void turn_init(struct turn *t)
{
    hw_list_init(&t->work);
    t->ready = NULL;
    t->ready_end = &t->ready;
    t->finished = NULL;
    t->n_wake = 0;
}

static void advance_locked(struct turn *t)
{
    while (!hw_list_empty(&t->work)) {
        struct stream *s = hw_list_item(t->work.next, struct stream, in_work);
        struct cmd *c;
        while ((c = head_of(s)) && !c->running && c->n_deps == 0) {
            if (ends_at_once(c)) {
                finish_locked(t, c);
                continue;
            }
            c->running = true;
            *t->ready_end = c;
            t->ready_end = &c->next;
            c->next = NULL;
        }
        hw_list_del(&s->in_work);
    }
}

/* --- where commands start and finish: the place for hooks --- */

static CUresult fault_code(int fault)
{
    switch ((enum exec_fault)fault) {
    case EXEC_OK: return CUDA_SUCCESS;
    case EXEC_FAULT_ADDRESS: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case EXEC_FAULT_SHARED: return CUDA_ERROR_ILLEGAL_INSTRUCTION;   /* measured: this is what the real driver says */
    case EXEC_FAULT_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case EXEC_FAULT_INSTRUCTION: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case EXEC_FAULT_ASSERT: return CUDA_ERROR_ASSERT;
    case EXEC_FAULT_TIMEOUT: return CUDA_ERROR_LAUNCH_TIMEOUT;
    case EXEC_FAULT_TRAP:
    case EXEC_FAULT_ARITHMETIC: break;
    }
    return CUDA_ERROR_LAUNCH_FAILED;
}

static void on_done(struct exec_job *job)
{
    struct cmd *c = hw_container_of(job, struct cmd, x.job);
    struct turn t;
    int fault = c->kind == CMD_KERNEL ? c->x.launch.fault : c->kind == CMD_COPY ? c->x.copy.fault : EXEC_OK;
    if (fault)
        ctx_poison(c->stream->ctx, fault_code(fault));
    turn_init(&t);
    hw_lock(&mu);
    struct stream *s = c->stream;
    finish_locked(&t, c);
    add_work(&t, s);
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch(&t, NULL);
}

/* In the place of the job's run() while somebody listens: pieces are handed out in order, so piece 0 is the start. */
static void run_watched(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct cmd *c = hw_container_of(job, struct cmd, x.job);
    if (first == 0)
        hook_cmd_started(c);
    c->watched_run(job, first, count);
}

/* What was over at once ended its turn in its stream: the next turn, for what waited for it. */
static void finish_all(struct turn *t, struct cmd *over)
{
    turn_init(t);
    hw_lock(&mu);
    for (struct cmd *c = over, *next; c; c = next) {
        struct stream *s = c->stream;
        next = c->next;
        finish_locked(t, c);
        add_work(t, s);
    }
    advance_locked(t);
    hw_unlock(&mu);
}

void sched_values_done(struct cmd *c)
{
    struct turn t;
    c->next = NULL;
    finish_all(&t, c);
    dispatch(&t, NULL);
}

/* Returns the commands on values in memory that were over at once: a loop, not a recursion, since a stream may hold many. */
static struct cmd *dispatch_once(struct turn *t, struct cmd *own)
{
    struct cmd *over = NULL;
    for (int i = 0; i < t->n_wake; i++)
        hw_futex_wake(t->wake[i], 1);
    for (struct cmd *c = t->ready, *next; c; c = next) {
        next = c->next;
        if (c->kind == CMD_VALUES) {
            if (values_start(c)) {
                c->next = over;
                over = c;
            }
            continue;
        }
        if (c->kind == CMD_CONDITION) {
            condition_start(c);
            continue;
        }
        c->x.job.done = on_done;
        c->x.job.priority = c->stream->priority;
        if (hw_unlikely(hook_any)) {
            c->watched_run = c->x.job.run;
            c->x.job.run = run_watched;
        }
        exec_submit(&c->x.job, c != own || c->x.job.n_pieces > 1);
    }
    for (struct cmd *c = t->finished, *next; c; c = next) {
        next = c->next;
        struct stream *idle = c->went_idle ? c->stream : NULL;
        cmd_drop(c);
        stream_unref(idle);
    }
    return over;
}

/* own: a command whose submitter waits and runs it itself; a small one then needs no other thread. */
static void dispatch(struct turn *t, struct cmd *own)
{
    struct cmd *over;
    while ((over = dispatch_once(t, own)))
        finish_all(t, over);
}

/* --- queueing --- */

/* The legacy stream waits for all blocking streams, and they for it. What FIFO order already says is not said again. */
static void depend_default_locked(struct stream *s, struct cmd *c)
{
    if (!is_blocking(s))
        return;
    if (!s->legacy) {
        struct cmd *tail = tail_of(s->ctx->legacy);
        if (tail && tail->seq > s->legacy_seen) {
            s->legacy_seen = tail->seq;
            depend(tail, c, NULL);
        }
        return;
    }
    hw_list_for(it, &s->ctx->busy) {
        struct stream *other = hw_list_item(it, struct stream, in_busy);
        struct cmd *tail = tail_of(other);
        if (other == s || !is_blocking(other) || tail->seq <= other->seen_by_legacy)
            continue;
        other->seen_by_legacy = tail->seq;
        depend(tail, c, NULL);
    }
}

static void push_locked(struct turn *t, struct stream *s, struct cmd *c)
{
    c->stream = s;
    c->seq = ++last_seq;
    hook_cmd_queued(c);
    depend_default_locked(s, c);
    if (hw_list_empty(&s->queue)) {
        stream_ref(s);                           /* dropped when the queue is empty again */
        hw_list_push_back(&s->ctx->busy, &s->in_busy);
        n_busy++;
    }
    hw_list_push_back(&s->queue, &c->link);
    s->n_pushed++;
    add_work(t, s);
}

void sched_push(struct stream *s, struct cmd *c)
{
    struct turn t;
    turn_init(&t);
    hw_lock(&mu);
    push_locked(&t, s, c);
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch(&t, NULL);
}

void sched_push_wait_event(struct stream *s, struct event *e)
{
    struct cmd *c = cmd_new(CMD_WAIT);
    struct turn t;
    turn_init(&t);
    hw_lock(&mu);
    bool queued = e->pending != NULL;
    if (queued) {
        push_locked(&t, s, c);
        depend(e->pending, c, NULL);
        advance_locked(&t);
    }
    hw_unlock(&mu);
    if (!queued)                                 /* passed already, or never recorded */
        cmd_drop(c);
    dispatch(&t, NULL);
}

void sched_push_record(struct stream *s, struct event *e)
{
    struct cmd *c = cmd_new(CMD_RECORD);
    struct turn t;
    turn_init(&t);
    event_ref(e);
    c->event = e;
    hw_lock(&mu);
    e->pending = c;
    e->recorded = true;
    push_locked(&t, s, c);
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch(&t, NULL);
}

void sched_push_batch(const struct sched_item *items, size_t n, struct event *after)
{
    struct turn t;
    turn_init(&t);
    hw_lock(&mu);
    for (size_t i = 0; i < n; i++) {
        struct cmd *c = items[i].cmd;
        if (i == 0 && after && after->pending)
            depend(after->pending, c, NULL);
        if (c->kind == CMD_WAIT && c->event && c->event->pending)
            depend(c->event->pending, c, NULL);
        for (uint32_t k = 0; k < items[i].n_deps; k++)
            depend(items[items[i].deps[k]].cmd, c, NULL);
        if (c->kind == CMD_RECORD) {
            c->event->pending = c;
            c->event->recorded = true;
        }
        push_locked(&t, items[i].stream, c);
    }
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch(&t, NULL);
}

/* --- waiting --- */

/* Joins the job at the head of a stream; the lock keeps it from finishing meanwhile. Work queued after the wait began is left
   alone: it may never end. */
static bool join_head_locked(const struct waiter *w, struct stream *s, struct exec_runner *out)
{
    struct cmd *c = head_of(s);
    return c && c->running && c->kind != CMD_VALUES && c->kind != CMD_CONDITION && c->seq <= w->limit && exec_join(&c->x.job, out);
}

/* Runs some of what the caller waits for. False: there is nothing it could do. */
static bool help(const struct waiter *w, struct stream *s, struct ctx *ctx)
{
    struct exec_runner runner;
    hw_lock(&mu);
    bool joined = s && join_head_locked(w, s, &runner);
    if (!joined && ctx)
        hw_list_for(it, &ctx->busy)
            if ((joined = join_head_locked(w, hw_list_item(it, struct stream, in_busy), &runner)))
                break;
    hw_unlock(&mu);
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
static void wait_for(struct waiter *w, struct stream *s, struct ctx *ctx, bool all)
{
    hw_assert_no_locks("a host thread waits");
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
}

CUresult sched_push_and_wait(struct stream *s, struct cmd *c)
{
    struct waiter w = { 0 };
    struct turn t;
    struct ctx *ctx = s->ctx;
    turn_init(&t);
    hw_lock(&mu);
    push_locked(&t, s, c);
    depend(c, NULL, &w);
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch(&t, c);
    wait_for(&w, s, ctx, false);
    return ctx_error(ctx);
}

/* What a command queued on s now would wait for: is there any? With w, it waits for all of that. */
static bool tails_locked(struct stream *s, struct waiter *w)
{
    bool any = false;
    struct cmd *tail = tail_of(s);
    if (tail && w)
        depend(tail, NULL, w);
    any |= tail != NULL;
    if (!is_blocking(s))
        return any;
    if (!s->legacy) {
        tail = tail_of(s->ctx->legacy);
        if (tail && w)
            depend(tail, NULL, w);
        return any || tail;
    }
    hw_list_for(it, &s->ctx->busy) {
        struct stream *other = hw_list_item(it, struct stream, in_busy);
        if (other == s || !is_blocking(other))
            continue;
        if (w)
            depend(tail_of(other), NULL, w);
        any = true;
    }
    return any;
}

bool sched_begin_direct(struct stream *s)
{
    hw_lock(&mu);
    bool idle = !tails_locked(s, NULL);
    n_direct += idle;
    hw_unlock(&mu);
    return idle;
}

void sched_end_direct(void)
{
    n_direct--;
}

void sched_quiet(void (*fn)(void *arg), void *arg)
{
    const struct timespec pause = { 0, 50000 };
    hw_lock(&mu);
    while (n_busy || n_direct) {
        hw_unlock(&mu);
        nanosleep(&pause, NULL);
        hw_lock(&mu);
    }
    fn(arg);
    hw_unlock(&mu);
}

bool sched_idle(struct stream *s)
{
    hw_lock(&mu);
    bool busy = tails_locked(s, NULL);
    hw_unlock(&mu);
    return !busy;
}

void sched_wait_stream(struct stream *s)
{
    struct waiter w = { 0 };
    hw_lock(&mu);
    bool busy = tails_locked(s, &w);
    hw_unlock(&mu);
    if (busy)
        wait_for(&w, s, s->ctx, false);
}

void sched_wait_event(struct event *e)
{
    struct waiter w = { 0 };
    struct stream *s = NULL;
    hw_lock(&mu);
    if (e->pending) {
        s = e->pending->stream;
        stream_ref(s);
        depend(e->pending, NULL, &w);
    }
    hw_unlock(&mu);
    if (!s)
        return;
    wait_for(&w, s, s->ctx, false);
    stream_unref(s);
}

void sched_wait_ctx(struct ctx *ctx)
{
    struct waiter w = { 0 };
    bool busy = false;
    hw_lock(&mu);
    hw_list_for(it, &ctx->busy) {
        depend(tail_of(hw_list_item(it, struct stream, in_busy)), NULL, &w);
        busy = true;
    }
    hw_unlock(&mu);
    if (busy)
        wait_for(&w, NULL, ctx, true);
}
