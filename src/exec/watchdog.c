/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog of an engine: it finds threads that are stuck in a piece, has what they hold run by others, and ends kernels at HOSTWARP_TIMEOUT. */
#define _GNU_SOURCE
#include "exec/pool_internal.h"

#include <signal.h>

enum { TICK_NS = 1000000, STUCK_TICKS = 2, HUNGRY_TICKS = 20, HUNGRY_AGAIN = 5 };

/* A worker that left the piece meanwhile ignores the signal. It comes again: the thread may be where it cannot be ended. */
static void end_stuck(struct exec_engine *e, struct exec_runner *r, uint64_t ticks)
{
    uint64_t limit = e->config.timeout_s * (1000000000ull / TICK_NS);
    if (limit && r->worker && ticks >= limit && (ticks - limit) % 100 == 0)
        pthread_kill(r->worker->thread, e->config.timeout_signal);
}

/* Takes from a stuck thread what it has not begun. */
static void return_rest_locked(struct exec_engine *e, struct exec_runner *r)
{
    uint64_t v = atomic_load_explicit(&r->held->range, memory_order_acquire), first;
    if (!range_left(v) || !range_cut(r->held, v, range_left(v), &first))
        return;
    struct exec_range *range = hw_alloc(sizeof *range);
    *range = (struct exec_range){ r->job->returned, first, range_left(v) };
    r->job->returned = range;
    r->job->n_returned++;
    if (!r->job->queued && job_has_pieces(r->job))
        pool_queue_locked(e, r->job);
}

/* Returns whether a thread holds pieces it has not begun: they may have to come back. */
static bool watch_runners_locked(struct exec_engine *e)
{
    bool held = false;
    uint64_t tick = e->tick;
    e->n_stuck = 0;
    hw_list_for(it, &e->runners) {
        struct exec_runner *r = hw_list_item(it, struct exec_runner, link);
        uint64_t started = atomic_load_explicit(&r->held->started_tick, memory_order_relaxed), ticks = started ? tick - started : 0;
        uint64_t range = atomic_load_explicit(&r->held->range, memory_order_relaxed);
        held |= range_left(range) > 0;
        if (ticks < HUNGRY_TICKS)
            r->job->fresh_tick = tick;
        if (ticks < STUCK_TICKS)
            continue;
        e->n_stuck++;
        return_rest_locked(e, r);
        end_stuck(e, r, ticks);
    }
    return held;
}

/* How many threads jobs lack beyond what runs. */
static unsigned watch_jobs_locked(struct exec_engine *e, bool *waiting)
{
    uint64_t tick = e->tick;
    unsigned want = 0;
    hw_list_for(it, &e->ready) {
        struct exec_job *job = hw_list_item(it, struct exec_job, link);
        if (!job_has_pieces(job))
            continue;
        *waiting = true;
        if (job->users == 0) {
            want += e->n_stuck > 0 || e->n_active < e->config.n_threads;
        } else if (tick - job->fresh_tick >= HUNGRY_TICKS) {
            job->hungry = job->users > 1 ? job->users / 2 : 1;
            job->fresh_tick = tick - HUNGRY_TICKS + HUNGRY_AGAIN;
            want += job->hungry;
        }
    }
    return want;
}

/* Returns whether there is anything to watch. */
static bool watch_locked(struct exec_engine *e)
{
    bool waiting = watch_runners_locked(e) || (e->config.timeout_s && e->n_active);
    unsigned want = watch_jobs_locked(e, &waiting), most = e->config.n_threads + e->config.max_extra;
    if (want == 0)
        return waiting;
    if (e->n_active + want > e->n_threads)
        worker_grow_locked(e, hw_min_u64(e->n_active + want, most));
    atomic_fetch_add(&e->wake, 1);
    if (e->n_parked)
        hw_futex_wake(&e->wake, (int)want);
    return waiting;
}

static void *watchdog_main(void *arg)
{
    struct exec_engine *e = arg;
    pthread_setname_np(pthread_self(), "hw-watch");
    for (;;) {
        uint32_t seen = e->dog_wake;
        hw_lock(&e->mu);
        bool waiting = watch_locked(e);
        hw_unlock(&e->mu);
        if (!waiting) {
            e->dog_parked = true;                /* pairs with watchdog_wake() */
            if (e->n_ready == 0)                 /* with a timeout, a submit always wakes us */
                hw_futex_wait(&e->dog_wake, seen, 0);
            e->dog_parked = false;
        }
        static _Atomic uint32_t never;
        hw_futex_wait(&never, 0, TICK_NS);
        e->tick++;
    }
    return NULL;
}

void watchdog_start_locked(struct exec_engine *e)
{
    if (!e->watchdog_started)
        e->watchdog_started = worker_start_thread(e, watchdog_main, e);
}

void watchdog_wake(struct exec_engine *e)
{
    atomic_fetch_add(&e->dog_wake, 1);
    if (e->dog_parked)
        hw_futex_wake(&e->dog_wake, 1);
}
