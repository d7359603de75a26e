/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an engine's thread: it looks for a job, spins a little, sleeps; threads are added as they are needed. */
#define _GNU_SOURCE
#include "base/log.h"
#include "exec/exec.h"
#include "exec/pool_internal.h"
#include "kabi/kabi.h"

#include <stdio.h>

static struct exec_job *try_pick(struct exec_engine *e)
{
    if (atomic_load_explicit(&e->n_ready, memory_order_relaxed) == 0 || pool_stopping)
        return NULL;
    hw_lock(&e->mu);
    struct exec_job *job = pool_pick_locked(e);
    if (job)
        pool_enter_locked(e, job, &pool_self->runner);
    hw_unlock(&e->mu);
    return job;
}

static bool is_full(struct exec_engine *e)
{
    return atomic_load_explicit(&e->n_active, memory_order_relaxed) >= e->config.n_threads + e->config.helpers;
}

/* Another thread is at work, and what follows may be work for all of them: that is seldom far away. */
static bool more_may_come(struct exec_engine *e)
{
    unsigned n = atomic_load_explicit(&e->n_active, memory_order_relaxed);
    return n > 0 && n < e->config.n_threads;
}

/* Who finds no seat does not keep the lock from those who do; the last look, before it sleeps, is for jobs that take everybody. */
static struct exec_job *look(struct exec_engine *e, _Atomic unsigned *n_jobs)
{
    enum { LONGER_NS = 50000 };
    struct exec_job *job = NULL;
    uint64_t now = hw_now_ns(), end = now + e->config.spin_us * 1000ull, longer = now + LONGER_NS;
    do {
        bool none = atomic_load_explicit(n_jobs, memory_order_relaxed) == 0;
        if (!none && !is_full(e) && (job = try_pick(e)))
            break;
        for (int i = 0; i < 16 && (!none || atomic_load_explicit(n_jobs, memory_order_relaxed) == 0); i++)
            hw_cpu_relax();
    } while ((now = hw_now_ns()) < end || (now < longer && more_may_come(e)));
    return job;
}

/*
 * Few threads of an engine look for any job: they find the next one within a microsecond, and do not get in each other's way. On
 * large machines the others look for jobs that have work for several: waking them one by one takes as long as a small kernel.
 */
static struct exec_job *spin(struct exec_engine *e)
{
    struct exec_job *job = NULL;
    if (e->config.spin_us == 0)
        return NULL;
    bool any = atomic_fetch_add(&e->n_spinning, 1) < e->config.max_spinning;
    if (any)
        job = look(e, &e->n_ready);
    atomic_fetch_sub(&e->n_spinning, 1);
    if (any)
        return job;
    if (atomic_fetch_add(&e->n_waiting, 1) < e->config.max_waiting)
        job = look(e, &e->n_wide);
    atomic_fetch_sub(&e->n_waiting, 1);
    return job;
}

static void wake_more(struct exec_engine *e, struct exec_job *job)
{
    uint64_t next = atomic_load_explicit(&job->next, memory_order_relaxed);
    if (e->n_ready > 1 || (next < job->n_pieces && job->n_pieces - next > job->chunk))
        pool_wake_two(e);
}

static struct exec_job *park(struct exec_engine *e)
{
    uint32_t seen = atomic_load(&e->wake);
    atomic_fetch_add(&e->n_parked, 1);           /* before the last look: pairs with exec_submit() */
    struct exec_job *job = try_pick(e);
    if (!job)
        hw_futex_wait(&e->wake, seen, 0);
    atomic_fetch_sub(&e->n_parked, 1);
    return job;
}
/* A function of the program has ended our thread (pthread_exit()). Its job is over, and another thread takes its place. */
static void thread_lost(void *arg)
{
    struct exec_worker *w = arg;
    struct exec_engine *e = w->engine;
    hw_cancel_off();
    exec_hostfn_inside = false;
    if (pool_running == &w->runner) {
        range_over(&w->runner);
        pool_running = NULL;
        pool_leave(e, &w->runner);
    }
    hw_lock(&e->mu);
    e->n_threads--;
    if (e->n_ready)
        worker_grow_locked(e, e->n_threads + 1);
    hw_unlock(&e->mu);
    pool_self = NULL;
    hw_free(w);
}

static HW_NORETURN void serve(struct exec_engine *e)
{
    for (;;) {
        struct exec_job *job = try_pick(e);
        if (!job)
            job = spin(e);
        if (!job)
            job = park(e);
        if (job) {
            wake_more(e, job);
            pool_work(e, &pool_self->runner);
        }
    }
}

static void *thread_main(void *arg)
{
    pool_self = arg;
    pool_share = pool_self->index;
    struct exec_engine *e = pool_self->engine;
    hw_cancel_off();
    pool_self->thread = pthread_self();
    char name[16];
    snprintf(name, sizeof name, "hw-%.6s-%u", e->config.name, pool_self->index % 1000);
    pthread_setname_np(pthread_self(), name);
    if (e->config.thread_start)
        e->config.thread_start(pool_self->index);
    pthread_cleanup_push(thread_lost, arg);
    serve(e);
    pthread_cleanup_pop(0);
    return NULL;
}

bool worker_start_thread(struct exec_engine *e, void *(*fn)(void *), void *arg)
{
    int err = hw_thread_start(fn, arg, KABI_STACK, e->config.timeout_s ? e->config.timeout_signal : 0, NULL);
    if (err)
        hw_error("cannot start a thread: %s", strerror(err));
    return err == 0;
}

/* Adds threads while fewer than `want` exist. Called with mu held: threads are rarely made. */
void worker_grow_locked(struct exec_engine *e, uint64_t want)
{
    while (e->n_threads < want && e->n_threads < MAX_THREADS) {
        struct exec_worker *w = hw_alloc(sizeof *w);
        w->engine = e;
        w->index = e->n_threads;
        w->runner.worker = w;
        w->runner.limit = UINT64_MAX;
        hw_list_init(&w->runner.link);
        if (!worker_start_thread(e, thread_main, w)) {
            hw_free(w);
            return;
        }
        e->n_threads++;
    }
}
