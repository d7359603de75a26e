/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: queues of jobs, and how a thread enters, works in and leaves one. */
#include "exec/pool_internal.h"

#include <limits.h>

_Atomic bool pool_stopping;
_Thread_local struct exec_worker *pool_self;
_Thread_local struct exec_runner *pool_running;
_Thread_local unsigned pool_share;

unsigned exec_thread_index(void)
{
    return pool_self ? pool_self->index : 0;
}

struct exec_engine *exec_engine_new(const struct exec_engine_config *config)
{
    char *memory = hw_alloc(sizeof(struct exec_engine) + 63);
    struct exec_engine *e = (void *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    e->config = *config;
    if (e->config.n_threads > 1024)
        e->config.n_threads = 1024;
    if (e->config.max_extra > MAX_THREADS - e->config.n_threads)
        e->config.max_extra = MAX_THREADS - e->config.n_threads;
    hw_mutex_init(&e->mu, HW_RANK_POOL);
    hw_list_init(&e->ready);
    hw_list_init(&e->runners);
    e->tick = 1;
    if (!e->config.max_spinning)
        e->config.max_spinning = 1;
    e->top = INT_MAX;
    return e;
}

unsigned exec_engine_threads(const struct exec_engine *e)
{
    return e->config.n_threads;
}

unsigned exec_engine_most(const struct exec_engine *e)
{
    return e->config.n_threads + e->config.helpers;
}

unsigned exec_engine_load(struct exec_engine *e)
{
    return e->n_ready;
}

unsigned exec_engine_wide(const struct exec_engine *e)
{
    return e->n_wide;
}

/* --- the thread that runs a piece --- */

struct exec_runner *exec_runner(void)
{
    return pool_running;
}

bool exec_on_worker(void)
{
    return pool_self != NULL;
}

bool exec_urgent_waits(const struct exec_runner *r)
{
    return r->worker && atomic_load_explicit(&r->engine->top, memory_order_relaxed) < r->job->priority;
}

bool exec_goes_on(struct exec_runner *r)
{
    if (r->worker && atomic_load_explicit(&r->engine->top, memory_order_relaxed) <= r->job->priority)
        return false;
    atomic_store_explicit(&r->held->started_tick, r->engine->tick, memory_order_relaxed);
    return !atomic_load_explicit(&pool_stopping, memory_order_relaxed);
}

void exec_piece_takes(struct exec_runner *r, uint64_t ns)
{
    atomic_store_explicit(&r->held->piece_ns, ns ? ns : EXEC_REST_NS, memory_order_relaxed);
}

bool exec_another(struct exec_job *job, uint64_t *out_piece)
{
    bool ok = job->n_pieces > 1 && job->chunk == 1 && pool_running->job == job && take_pieces(pool_running->engine, job, out_piece) > 0;
    if (ok)
        exec_alive();
    return ok;
}

void exec_alive(void)
{
    atomic_store_explicit(&pool_running->held->started_tick, pool_running->engine->tick, memory_order_relaxed);
}

void exec_cancel(struct exec_job *job)
{
    atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
}

/* --- jobs --- */

void pool_queue_locked(struct exec_engine *e, struct exec_job *job)
{
    struct hw_list *at = e->ready.prev;
    while (at != &e->ready && hw_list_item(at, struct exec_job, link)->priority > job->priority)
        at = at->prev;
    hw_list_add_before(at->next, &job->link);
    job->queued = true;
    e->n_ready++;
    job->wide = job->n_pieces > job->chunk;
    e->n_wide += job->wide;
    e->top = hw_list_item(e->ready.next, struct exec_job, link)->priority;
}

void pool_unqueue_locked(struct exec_engine *e, struct exec_job *job)
{
    hw_list_del(&job->link);
    job->queued = false;
    e->n_ready--;
    e->n_wide -= job->wide;
    e->top = hw_list_empty(&e->ready) ? INT_MAX : hw_list_item(e->ready.next, struct exec_job, link)->priority;
}

/* The share that was this thread's in the last job, or one that nobody is at. */
static unsigned home_in(struct exec_job *job)
{
    uint64_t all = ((uint64_t)1 << job->n_shares) - 1;
    if (pool_share >= job->n_shares || (job->homes >> pool_share & 1))
        pool_share = job->homes == all ? pool_share % job->n_shares : (unsigned)__builtin_ctzll(~job->homes);
    job->homes |= (uint64_t)1 << pool_share;
    return pool_share;
}

/* Others take from the engine's only: there are more of them than a job has shares. */
static struct exec_held *hold_locked(struct exec_engine *e, struct exec_job *job, struct exec_runner *r)
{
    uint64_t used = atomic_load_explicit(&e->held_used, memory_order_relaxed);
    if (hw_unlikely(!~used)) {
        memset((void *)&r->own, 0, sizeof r->own);
        return &r->own;
    }
    unsigned k = (unsigned)__builtin_ctzll(~used);
    atomic_store_explicit(&e->held[k].job, job, memory_order_release);   /* pairs with longest_way() */
    atomic_store_explicit(&e->held_used, used | (uint64_t)1 << k, memory_order_relaxed);
    return &e->held[k];
}

static void let_go_locked(struct exec_engine *e, struct exec_runner *r)
{
    if (hw_unlikely(r->held == &r->own))
        return;
    uint64_t used = atomic_load_explicit(&e->held_used, memory_order_relaxed);
    atomic_store_explicit(&r->held->job, NULL, memory_order_relaxed);
    atomic_store_explicit(&e->held_used, used & ~((uint64_t)1 << (r->held - e->held)), memory_order_relaxed);
}

void pool_enter_locked(struct exec_engine *e, struct exec_job *job, struct exec_runner *r)
{
    job->users++;
    r->held = hold_locked(e, job, r);
    r->home = job->n_shares ? home_in(job) : 0;
    r->job = job;
    r->engine = e;
    exec_piece_takes(r, job->piece_ns);
    hw_list_push_back(&e->runners, &r->link);
    e->n_active++;
}

/* The job to work on. Threads beyond the engine's number only go where nobody is, or where the watchdog asks for more. */
struct exec_job *pool_pick_locked(struct exec_engine *e)
{
    bool normal = e->n_active < e->config.n_threads + e->config.helpers;
    bool extra = !normal && e->n_active < e->config.n_threads + e->config.max_extra;
    bool replace = extra && e->n_active - hw_min_u64(e->n_stuck, e->n_active) < e->config.n_threads;
    hw_list_for(it, &e->ready) {
        struct exec_job *job = hw_list_item(it, struct exec_job, link);
        if (!job_has_pieces(job))
            continue;
        bool at_once = job->all_at_once && (!job->rounds || job->users < e->config.n_threads);
        if (normal || at_once || (replace && job->users == 0))
            return job;
        if (extra && job->hungry > 0) {
            job->hungry--;
            return job;
        }
    }
    return NULL;
}

/*
 * Waking is a tree: who submits wakes two threads, and each that takes a job while there is more to do wakes two more. A job of
 * many tiny pieces is over before all threads are awake, and nobody pays for waking them all. Threads that spin need no waking,
 * and when one of them takes a job it looks here too, so a job that came meanwhile is not left behind.
 */
void pool_wake_two(struct exec_engine *e)
{
    if (atomic_load(&e->n_parked))
        hw_futex_wake(&e->wake, 2);
}

/* Leaves; the last to leave finishes the job. */
void pool_leave(struct exec_engine *e, struct exec_runner *r)
{
    struct exec_job *job = r->job;
    hw_lock(&e->mu);
    job->users--;
    job->homes &= ~((uint64_t)1 << r->home);
    if (job->queued && !job_has_pieces(job))
        pool_unqueue_locked(e, job);
    bool last = !job->queued && job->users == 0;
    hw_list_del(&r->link);
    let_go_locked(e, r);
    e->n_active--;
    bool next = !r->worker && e->n_ready > 0;
    hw_unlock(&e->mu);
    if (next) {                                  /* it kept a worker from starting these; pairs with park() */
        atomic_fetch_add(&e->wake, 1);
        pool_wake_two(e);
    }
    if (last) {
        take_drop_returned(job);                      /* a cancelled job may have some */
        job->done(job);
    }
}

/* Runs chunks until none is left or, on a worker, a more urgent job came. */
void pool_work(struct exec_engine *e, struct exec_runner *r)
{
    struct exec_job *job = r->job;
    struct exec_runner *outer = pool_running;
    uint64_t first = 0, count;
    pool_running = r;
    while ((count = take_pieces(e, job, &first)) > 0) {
        range_begin(r, first, count);
        job->run(job, first, count);
        range_over(r);
        if (exec_urgent_waits(r))
            break;
        if (atomic_load_explicit(&pool_stopping, memory_order_relaxed))
            break;
    }
    if (job->leave)
        job->leave(job);
    pool_running = outer;
    pool_leave(e, r);
}

/* The job may be one of a chain that another job's thread runs: that has one piece. */
bool exec_join(struct exec_job *job, struct exec_runner *r)
{
    struct exec_engine *e = job->engine;
    if (job->no_help)
        return false;
    hw_lock(&e->mu);
    bool ok = job->queued && job_has_pieces(job) && !pool_stopping && (e->n_active < e->config.n_threads + e->config.helpers || job->users == 0);
    if (ok) {
        memset(r, 0, offsetof(struct exec_runner, own));
        pool_enter_locked(e, job, r);
    }
    hw_unlock(&e->mu);
    return ok;
}

void exec_work(struct exec_runner *r)
{
    pool_work(r->engine, r);
}

/* --- submitting --- */

void exec_submit(struct exec_job *job, bool wake)
{
    struct exec_engine *e = job->engine;
    uint64_t chunks = (job->n_pieces + job->chunk - 1) / job->chunk;
    hw_lock(&e->mu);
    pool_queue_locked(e, job);
    unsigned base = e->config.n_threads;
    bool watch = e->n_active + e->n_ready > base || e->n_active + chunks > base || job->chunk > 1 || e->config.timeout_s;
    if (wake && e->n_threads < base)
        worker_grow_locked(e, hw_min_u64(base, e->n_active + e->n_ready - 1 + chunks));     /* other jobs wait for threads too */
    if (job->all_at_once)
        worker_grow_locked(e, e->n_active + (job->rounds ? hw_min_u64(chunks, base) : chunks));
    watch = watch && e->config.max_extra;
    if (watch)
        watchdog_start_locked(e);
    hw_unlock(&e->mu);

    if (watch)
        watchdog_wake(e);
    if (!wake)
        return;
    atomic_fetch_add(&e->wake, 1);               /* pairs with park() */
    if (chunks > atomic_load(&e->n_spinning) + (chunks > 1 ? atomic_load(&e->n_waiting) : 0))
        pool_wake_two(e);
}

bool exec_engine_start(struct exec_engine *e)
{
    hw_lock(&e->mu);
    worker_grow_locked(e, 1);
    bool runs = e->n_threads > 0;
    hw_unlock(&e->mu);
    return runs;
}

void exec_stop_all(void)
{
    pool_stopping = true;
}
