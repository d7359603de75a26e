/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: queues, dependencies, dispatch to the engines, and waiting. */
#define _GNU_SOURCE
#include "core/stream/sched.h"

#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/graph/condition.h"
#include "core/module/device_launch.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/device/gate.h"
#include "core/hooks.h"
#include "core/module/module.h"
#include "core/obj.h"
#include "core/stream/stream.h"
#include "core/stream/values.h"
#include "core/verify/verify.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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
    struct stream *full;         /* one that was given more than it should hold */
    _Atomic uint32_t *wake[TURN_WAKES];          /* states of waiters that sleep; only the address is used: they may be gone */
    int n_wake;
};

static struct hw_mutex mu;                       /* rank STREAM */
static uint64_t last_seq;
_Atomic unsigned sched_n_busy;
static unsigned n_quiet;                         /* of them, the calls of sched_quiet() */
static struct cmd_dep *free_deps;

/* Commands to use again: a list that anyone adds to by compare-exchange. A thread that needs one takes all of it for itself. */
static struct cmd *_Atomic free_cmds;
static _Thread_local struct cmd *own_cmds;
static pthread_key_t own_key;                    /* gives own_cmds back when the thread ends */

enum { CHAIN_MAX = 64, LINGER_NS = 4000, QUEUE_MAX = 8192 };
static uint64_t queue_max;                       /* const: QUEUE_MAX, scaled as CUDA_SCALE_LAUNCH_QUEUES says */
bool sched_blocking;
static bool may_linger;                          /* const: there is a CPU for it */

static void dispatch(struct turn *t, struct cmd *own);
static void wait_own(struct stream *s);

static void give_cmds(struct cmd *first, struct cmd *last)
{
    struct cmd *old = atomic_load_explicit(&free_cmds, memory_order_relaxed);
    do
        last->next = old;
    while (!atomic_compare_exchange_weak_explicit(&free_cmds, &old, first, memory_order_release, memory_order_relaxed));
}

static void thread_ends(void *any)
{
    struct cmd *last = own_cmds;
    (void)any;
    if (!last)
        return;
    while (last->next)
        last = last->next;
    give_cmds(own_cmds, last);
    own_cmds = NULL;
}

static void direct_init(void);

void sched_init(void)
{
    direct_init();
    hw_mutex_init(&mu, HW_RANK_STREAM);
    pthread_key_create(&own_key, thread_ends);
    may_linger = hw_cpu_count() > 1;
    queue_max = (uint64_t)QUEUE_MAX * (unsigned)hw_cuda_env()->launch_queues / 100;
    sched_blocking = hw_cuda_env()->launch_blocking;
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

static struct cmd *take_cmd(void)
{
    if (!own_cmds) {
        /* acquire: pairs with give_cmds() */
        own_cmds = atomic_exchange_explicit(&free_cmds, NULL, memory_order_acquire);
        pthread_setspecific(own_key, &own_cmds);
    }
    struct cmd *c = own_cmds;
    if (!c)
        return hw_alloc(sizeof *c);
    own_cmds = c->next;
    return c;
}

struct cmd *cmd_new(enum cmd_kind kind)
{
    struct cmd *c = take_cmd();
    c->kind = kind;
    c->next = c->chain = NULL;
    c->stream = NULL;
    c->small = c->running = c->ran = c->went_idle = false;
    c->n_deps = 0;
    c->dependents = NULL;
    c->watched = NULL;
    c->timed = NULL;
    c->module = NULL;
    c->params = c->staging = NULL;
    c->event = NULL;
    c->values = NULL;
    c->condition = NULL;
    c->verify = NULL;
    c->keeps = NULL;
    c->launcher = NULL;
    c->launched = NULL;
    c->parent = NULL;
    return c;
}

/* Lets go what it holds, except keeps. */
static void cmd_clear(struct cmd *c)
{
    module_unref(c->module);
    event_unref(c->event);
    if (c->params != c->own_params)
        hw_free(c->params);
    hw_free(c->staging);
    values_free(c->values);
    condition_run_free(c);
    hw_free(c->verify);
}

void cmd_drop(struct cmd *c)
{
    struct obj *kept = c->keeps;
    cmd_clear(c);
    give_cmds(c, c);
    obj_unref(kept);
}

/* Many at once, of which neighbours often keep the same. */
static void drop_all(struct cmd *first)
{
    struct obj *kept = NULL;
    unsigned n = 0;
    struct cmd *last = NULL;
    for (struct cmd *c = first; c; c = c->next) {
        struct stream *idle = c->went_idle ? c->stream : NULL;
        if (c->keeps != kept) {
            if (kept)
                obj_unref_many(kept, n);
            kept = c->keeps;
            n = 0;
        }
        n++;
        cmd_clear(c);
        stream_unref(idle);
        last = c;
    }
    if (last)
        give_cmds(first, last);
    if (kept)
        obj_unref_many(kept, n);
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

static void hurry_locked(struct stream *s)
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
    hurry_locked(on->stream);
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

/* release: who sees that nothing is busy, in sched_try_direct(), also sees what the commands have written. It is enough that the
   last writer releases, since all of them have held the lock, one after the other. */
static void change_busy(int by)
{
    unsigned now = atomic_load_explicit(&sched_n_busy, memory_order_relaxed) + (unsigned)by;
    atomic_store_explicit(&sched_n_busy, now, memory_order_release);
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
    count_one(&s->n_done);
    if (s->open_first == c)                      /* it never started: its context is broken */
        s->open_first = NULL;
    if (hw_list_empty(&s->queue)) {
        hw_list_del(&s->in_busy);
        change_busy(-1);
        c->went_idle = true;
        atomic_store_explicit(&s->hurry, false, memory_order_relaxed);
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

/* In streams that share a queue of the device, work starts in the order in which it came there. */
static bool is_its_turn(const struct cmd *c)
{
    return !c->stream->line || c->stream->line->next == &c->in_line;
}

static void leave_line_locked(struct turn *t, struct cmd *c)
{
    struct hw_list *line = c->stream->line;
    if (!line)
        return;
    hw_list_del(&c->in_line);
    if (!hw_list_empty(line))
        add_work(t, hw_list_item(line->next, struct cmd, in_line)->stream);
}

static void turn_init(struct turn *t)
{
    hw_list_init(&t->work);
    t->ready = NULL;
    t->ready_end = &t->ready;
    t->finished = NULL;
    t->full = NULL;
    t->n_wake = 0;
}

static void advance_locked(struct turn *t)
{
    while (!hw_list_empty(&t->work)) {
        struct stream *s = hw_list_item(t->work.next, struct stream, in_work);
        struct cmd *c;
        while ((c = head_of(s)) && !c->running && c->n_deps == 0 && is_its_turn(c)) {
            leave_line_locked(t, c);
            if (ends_at_once(c)) {
                finish_locked(t, c);
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
    case EXEC_FAULT_MEMORY: return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    case EXEC_FAULT_TIMEOUT: return CUDA_ERROR_LAUNCH_TIMEOUT;
    case EXEC_FAULT_TRAP:
    case EXEC_FAULT_ARITHMETIC: break;
    }
    return CUDA_ERROR_LAUNCH_FAILED;
}

static int fault_of(const struct cmd *c)
{
    return c->kind == CMD_KERNEL ? c->x.launch.fault : c->kind == CMD_COPY ? c->x.copy.fault : EXEC_OK;
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
    struct turn t;
    c->ran = true;
    for (struct cmd *i = c; i && i->ran; i = i->chain)
        if (fault_of(i))
            ctx_poison(s->ctx, fault_code(fault_of(i)));
    if (hw_unlikely(c->launcher != NULL) && device_launch_take(c)) {
        condition_start(c);
        return;
    }
    if (c->small)
        linger(s);
    turn_init(&t);
    hw_lock(&mu);
    for (struct cmd *next; c && c->ran; c = next) {      /* the rest stays a chain */
        next = c->chain;
        c->chain = NULL;
        finish_locked(&t, c);
    }
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
    c->own_run(job, first, count);
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
        if (hw_unlikely(c->verify != NULL))
            verify_start(c);
        else
            sched_submit(c, c != own || c->x.job.n_pieces > 1);
    }
    drop_all(t->finished);
    return over;
}

/* own: a command whose submitter waits and runs it itself; a small one then needs no other thread. */
static void dispatch(struct turn *t, struct cmd *own)
{
    struct cmd *over;
    if (!t->ready && !t->finished && !t->n_wake) /* queued behind others: the usual case */
        return;
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

/* Its place in the order of things. Then its dependencies are noted, then it is queued: what waits for others is in no chain. */
static void number_locked(struct stream *s, struct cmd *c)
{
    c->stream = s;
    c->seq = ++last_seq;
    if (c->kind == CMD_KERNEL)
        c->x.launch.kl.grid_id = c->seq;
    if (!c->small)
        hurry_locked(s);
    hook_cmd_queued(c);
}

static void enqueue_locked(struct turn *t, struct stream *s, struct cmd *c)
{
    depend_default_locked(s, c);
    chain_locked(s, tail_of(s), c);
    if (hw_list_empty(&s->queue)) {
        stream_ref(s);                           /* dropped when the queue is empty again */
        hw_list_push_back(&s->ctx->busy, &s->in_busy);
        change_busy(1);
        add_work(t, s);
    }
    hw_list_push_back(&s->queue, &c->link);
    if (s->line)
        hw_list_push_back(s->line, &c->in_line);
    count_one(&s->n_pushed);
    if (hw_unlikely(s->n_pushed - s->n_done > queue_max))
        t->full = s;
}

static void push_locked(struct turn *t, struct stream *s, struct cmd *c)
{
    number_locked(s, c);
    enqueue_locked(t, s, c);
}

/* Ends a call that has queued. A program that is too far ahead waits, as for a device whose queue is full: what is queued takes
   memory. */
static void dispatch_call(struct turn *t)
{
    struct stream *full = t->full;               /* held by the caller */
    dispatch(t, NULL);
    if (hw_unlikely(full))
        wait_own(full);
}

void sched_push(struct stream *s, struct cmd *c)
{
    struct turn t;
    turn_init(&t);
    hw_lock(&mu);
    push_locked(&t, s, c);
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch_call(&t);
}

static void note_record(struct event *e, const struct stream *s)
{
    e->record_stream = s->id;
    e->record_at = s->n_pushed;
}

/* What comes in s from now on comes after the event's record. */
static void note_follows(struct stream *s, const struct event *e)
{
    struct stream_follows *to = NULL;
    if (!e->record_stream || e->record_stream == s->id)
        return;
    for (unsigned i = 0; i < STREAM_FOLLOWS; i++)
        if (s->follows[i].stream == e->record_stream)
            to = &s->follows[i];
    if (!to)
        to = &s->follows[s->next_follows++ % STREAM_FOLLOWS];
    if (to->stream != e->record_stream || to->at < e->record_at)
        *to = (struct stream_follows){ e->record_stream, e->record_at };
}

void sched_follows(struct stream *s, struct stream_follows *out)
{
    hw_lock(&mu);
    memcpy(out, s->follows, sizeof s->follows);
    hw_unlock(&mu);
}

void sched_note_synced(struct stream *s, struct ctx *ctx)
{
    hw_lock(&mu);
    if (s)
        s->n_synced = s->n_done;
    if (ctx)
        hw_list_for(it, &ctx->streams)
            hw_list_item(it, struct stream, in_ctx)->n_synced = hw_list_item(it, struct stream, in_ctx)->n_done;
    hw_unlock(&mu);
}

void sched_push_wait_event(struct stream *s, struct event *e)
{
    struct cmd *c = cmd_new(CMD_WAIT);
    struct turn t;
    turn_init(&t);
    hw_lock(&mu);
    bool queued = e->pending != NULL;
    hook_stream_waits(s, e);
    note_follows(s, e);
    if (queued) {
        push_locked(&t, s, c);
        depend(e->pending, c, NULL);
        advance_locked(&t);
    }
    hw_unlock(&mu);
    if (!queued)                                 /* passed already, or never recorded */
        cmd_drop(c);
    dispatch_call(&t);
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
    hook_event_recorded(e, c);
    note_record(e, s);
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch_call(&t);
}

void sched_push_batch(const struct sched_item *items, size_t n, struct event *after)
{
    struct turn t;
    turn_init(&t);
    hw_lock(&mu);
    for (size_t i = 0; i < n; i++) {
        struct cmd *c = items[i].cmd;
        if (i == 0 && after)
            hook_stream_waits(items[i].stream, after);
        if (c->kind == CMD_WAIT && c->event)
            hook_stream_waits(items[i].stream, c->event);
        number_locked(items[i].stream, c);
        if (i == 0 && after && after->pending)
            depend(after->pending, c, NULL);
        if (c->kind == CMD_WAIT && c->event && c->event->pending)
            depend(c->event->pending, c, NULL);
        for (uint32_t k = 0; k < items[i].n_deps; k++)
            depend(items[items[i].deps[k]].cmd, c, NULL);
        enqueue_locked(&t, items[i].stream, c);
        if (c->kind == CMD_RECORD) {
            c->event->pending = c;
            c->event->recorded = true;
            hook_event_recorded(c->event, c);
            note_record(c->event, items[i].stream);
        }
    }
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch_call(&t);
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
static void wait_for(struct waiter *w, struct stream *s, struct ctx *ctx, bool all)
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

/* For what the stream itself has queued now, and nothing else. */
static void wait_own(struct stream *s)
{
    struct waiter w = { 0 };
    hw_lock(&mu);
    struct cmd *tail = tail_of(s);
    if (tail)
        depend(tail, NULL, &w);
    hw_unlock(&mu);
    if (tail)
        wait_for(&w, s, s->ctx, false);
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
    hook_host_waited(NULL, NULL, NULL, c);
    uint64_t seq = c->seq;                       /* the command is gone when it is over */
    advance_locked(&t);
    hw_unlock(&mu);
    dispatch(&t, c);
    wait_for(&w, s, ctx, false);
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

/* --- work without a command --- */

struct sched_direct *_Atomic sched_all_direct;
_Thread_local struct sched_direct *sched_direct;
static pthread_key_t direct_key;
bool sched_fence_needed;                         /* sched_quiet() cannot make other threads' stores seen */

static void direct_thread_ends(void *p)
{
    struct sched_direct *d = p;
    sched_direct = NULL;
    atomic_store_explicit(&d->busy, false, memory_order_release);
    gate_leave(d, 0);                            /* a function of the program may have ended the thread in the middle of a call */
    atomic_store_explicit(&d->taken, false, memory_order_release);
}

/* As early as can be: once there are threads, the kernel takes ten milliseconds for it. */
static void direct_init(void)
{
    pthread_key_create(&direct_key, direct_thread_ends);
    sched_fence_needed = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

HW_NOINLINE bool sched_direct_make(void)
{
    struct sched_direct *d;
    for (d = atomic_load(&sched_all_direct); d; d = d->next) {
        bool expected = false;
        if (atomic_compare_exchange_strong(&d->taken, &expected, true))
            break;
    }
    if (!d) {
        if (!(d = aligned_alloc(64, 64)))        /* a cache line of its own */
            return false;
        *d = (struct sched_direct){ .taken = true };
        d->next = atomic_load(&sched_all_direct);
        while (!atomic_compare_exchange_weak(&sched_all_direct, &d->next, d))
            ;
    }
    pthread_setspecific(direct_key, d);
    sched_direct = d;
    return true;
}

bool sched_begin_direct(struct stream *s)
{
    if (!sched_direct && !sched_direct_make())
        return false;
    hw_lock(&mu);
    bool idle = !tails_locked(s, NULL);
    atomic_store_explicit(&sched_direct->busy, idle, memory_order_relaxed);
    hw_unlock(&mu);
    return idle;
}

/*
 * Why one look at sched_n_busy is enough. What the copy has to wait for was queued before the call, by this thread or by one that this
 * thread has synchronised with since: either way the increase happened before our load, so the load sees it or a later value. If
 * it is 0 again, everything was finished, and acquire makes its results visible. Work that another thread queues while we copy
 * comes in no order with us, as if it had come later; and nothing has to wait for us but sched_quiet(), which moves memory
 * that others might be using. It raises sched_n_busy first and looks at our mark then, we the other way round: one of us sees
 * the other. That takes a full barrier on both sides. Ours would cost as much as the rest of the call, so sched_quiet() has
 * the kernel make all our threads take one: membarrier().
 */
bool sched_try_direct(void)
{
    if (hw_unlikely(!sched_direct) && !sched_direct_make())
        return false;
    return sched_try_direct_as(sched_direct);
}

void sched_end_direct(void) { sched_end_direct_as(sched_direct); }

static bool any_direct(void)
{
    for (struct sched_direct *d = atomic_load(&sched_all_direct); d; d = d->next)
        if (atomic_load_explicit(&d->busy, memory_order_acquire))
            return true;
    return false;
}

void sched_tell_begin(struct stream *s, struct cmd *c)
{
    hw_lock(&mu);
    c->stream = s;
    c->seq = ++last_seq;
    hook_cmd_queued(c);
    hw_unlock(&mu);
    hook_cmd_started(c);
}

void sched_tell_end(struct cmd *c)
{
    hw_lock(&mu);
    hook_host_waited(NULL, NULL, NULL, c);
    hook_host_waited_for(c->seq);
    hook_cmd_finished(c);
    hw_unlock(&mu);
}

void sched_quiet(void (*fn)(void *arg), void *arg)
{
    const struct timespec pause = { 0, 50000 };
    hw_lock(&mu);
    change_busy(1);                              /* from now on nobody begins without the lock */
    n_quiet++;
    if (!sched_fence_needed)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&sched_n_busy, memory_order_relaxed) > n_quiet || any_direct()) {
        hw_unlock(&mu);
        nanosleep(&pause, NULL);
        hw_lock(&mu);
    }
    fn(arg);
    n_quiet--;
    change_busy(-1);
    hw_unlock(&mu);
}

bool sched_idle(struct stream *s)
{
    if (atomic_load_explicit(&sched_n_busy, memory_order_acquire) == 0)        /* as in sched_try_direct() */
        return true;
    hw_lock(&mu);
    bool busy = tails_locked(s, NULL);
    if (busy)
        hurry_locked(s);                         /* who asks waits */
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
    hook_host_waited(s, NULL, NULL, NULL);
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
    if (s) {
        wait_for(&w, s, s->ctx, false);
        stream_unref(s);
    }
    hook_host_waited(NULL, e, NULL, NULL);
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
    hook_host_waited(NULL, NULL, ctx, NULL);
}
