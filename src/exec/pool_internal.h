/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the engines share: pool.c queues jobs, take.c hands out their pieces, worker.c is the life of a thread, watchdog.c looks after them. */
#ifndef EXEC_POOL_INTERNAL_H
#define EXEC_POOL_INTERNAL_H

#include "base/os.h"
#include "exec/pool.h"

#include <pthread.h>
#include <stdatomic.h>

enum { N_HELD = 64, MAX_THREADS = 4096 };

struct exec_worker {
    struct exec_engine *engine;
    pthread_t thread;
    unsigned index;
    struct exec_runner runner;
};

/* Pieces that came back. */
struct exec_range {
    struct exec_range *next;
    uint64_t first, count;
};

/*
 * An engine: a list of jobs in order of priority, and threads.
 * Lifetime  For ever.
 * Locks     mu (rank POOL) guards what is marked.
 * Threads   A thread without work spins a little, then sleeps on `wake`. While jobs wait and no thread is free, a watchdog
 *           ticks every millisecond. A thread that stays in one piece for 2 ticks is stuck: a kernel may spin on a flag that
 *           only the host, another kernel or another block sets. The pieces it holds and has not begun go back to the job; an
 *           extra thread may take its place, for jobs that nobody runs; and a job all of whose threads are stuck for longer
 *           gets more and more extra threads, since its blocks may be waiting for blocks that have not begun.
 */
struct exec_engine {
    /* A cache line for each of: who waits for the lock, what is under it, what idle threads look at, what they count. When a job comes, all threads
       want the lock at once, and who has it should not wait for what it guards. */
    _Alignas(64) struct hw_mutex mu;
    _Alignas(64) struct hw_list ready HW_GUARDED_BY(mu);
    struct hw_list runners HW_GUARDED_BY(mu);    /* threads inside jobs */
    _Atomic uint64_t held_used;                  /* bits: of held; written under mu */
    _Atomic unsigned n_active;                   /* of the threads: workers, and host threads that help; written under mu */
    unsigned n_threads HW_GUARDED_BY(mu);
    unsigned n_stuck HW_GUARDED_BY(mu);          /* the watchdog's count */
    bool watchdog_started HW_GUARDED_BY(mu);
    _Alignas(64) _Atomic unsigned n_ready;       /* length of ready; written under mu */
    _Atomic unsigned n_wide;                     /* of them with several chunks; written under mu */
    _Atomic int top;                             /* priority of its first, INT_MAX when empty; written under mu */
    _Alignas(64) _Atomic unsigned n_parked, n_spinning;
    _Atomic unsigned n_waiting;                  /* threads that spin for wide jobs only */
    _Atomic uint32_t wake;                       /* bumped by every submit */
    _Alignas(64) _Atomic uint64_t tick;          /* starts at 1 */
    _Atomic uint32_t dog_wake;
    _Atomic bool dog_parked;
    _Alignas(64) struct exec_engine_config config;
    _Alignas(64) struct exec_held held[N_HELD];
};
extern _Atomic bool pool_stopping;
extern _Thread_local struct exec_worker *pool_self;              /* NULL: not a thread of ours */
extern _Thread_local struct exec_runner *pool_running;           /* the job that the calling thread is inside of */
extern _Thread_local unsigned pool_share;                        /* where the thread was last */

/* --- a runner's chunk --- */

enum { PLACE_BITS = 21, GENERATION_AT = 2 * PLACE_BITS };
#define PLACE_MASK (((uint64_t)1 << PLACE_BITS) - 1)
_Static_assert(EXEC_CHUNK_MAX <= PLACE_MASK, "a chunk's length fits");

static inline uint64_t range_place(uint64_t range)
{
    return (range >> PLACE_BITS) & PLACE_MASK;
}

static inline uint64_t range_end(uint64_t range)
{
    return range & PLACE_MASK;
}

static inline uint64_t range_left(uint64_t range)
{
    return range_place(range) + 1 < range_end(range) ? range_end(range) - range_place(range) - 1 : 0;
}

static inline uint64_t next_generation(const struct exec_held *h)
{
    return ((atomic_load_explicit(&h->range, memory_order_relaxed) >> GENERATION_AT) + 1) << GENERATION_AT;
}

/*
 * The last n pieces of a chunk are taken from the thread that has it; false: it went on meanwhile. The generation tells chunks apart: who
 * cuts looks at the range first, then at whose it is and where it begins. When one of these is the next chunk's already, the exchange sees
 * that the one before is over, for both are released and acquired.
 */
static inline bool range_cut(struct exec_held *h, uint64_t range, uint64_t n, uint64_t *out_first)
{
    uint64_t base = atomic_load_explicit(&h->base, memory_order_acquire);
    *out_first = base + range_end(range) - n;
    return atomic_compare_exchange_strong(&h->range, &range, range - n);
}

static inline void range_begin(struct exec_runner *r, uint64_t first, uint64_t count)
{
    struct exec_held *h = r->held;
    atomic_store_explicit(&h->base, first, memory_order_release);        /* pairs with range_cut(): not before range_over() is seen */
    atomic_store_explicit(&h->started_tick, r->engine->tick, memory_order_relaxed);
    atomic_store_explicit(&h->range, next_generation(h) | count, memory_order_release);  /* pairs with those who look for what to cut */
}

/* Nothing is held: nobody finds anything to take. */
static inline void range_over(struct exec_runner *r)
{
    atomic_store_explicit(&r->held->started_tick, 0, memory_order_relaxed);
    atomic_store_explicit(&r->held->range, next_generation(r->held), memory_order_release);
}

static inline bool job_has_pieces(struct exec_job *job)
{
    if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
        return false;
    return atomic_load_explicit(&job->next, memory_order_relaxed) < job->n_pieces
        || atomic_load_explicit(&job->n_returned, memory_order_relaxed) > 0;
}

/* pool.c */
void pool_queue_locked(struct exec_engine *e, struct exec_job *job);
void pool_unqueue_locked(struct exec_engine *e, struct exec_job *job);
void pool_enter_locked(struct exec_engine *e, struct exec_job *job, struct exec_runner *r);
struct exec_job *pool_pick_locked(struct exec_engine *e);
void pool_leave(struct exec_engine *e, struct exec_runner *r);
void pool_work(struct exec_engine *e, struct exec_runner *r);
void pool_wake_two(struct exec_engine *e);

/* take.c: how many pieces the calling thread runs next, and the first of them; 0: none are left */
uint64_t take_pieces(struct exec_engine *e, struct exec_job *job, uint64_t *out_first);
void take_drop_returned(struct exec_job *job);

/* worker.c: threads are added while fewer than `want` exist */
void worker_grow_locked(struct exec_engine *e, uint64_t want);
bool worker_start_thread(struct exec_engine *e, void *(*fn)(void *), void *arg);

/* watchdog.c */
void watchdog_start_locked(struct exec_engine *e);
void watchdog_wake(struct exec_engine *e);

#endif
