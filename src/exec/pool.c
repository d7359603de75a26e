/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: handing out the pieces of jobs to threads, sleeping, waking, and growing while threads are stuck. */
#define _GNU_SOURCE
#include "exec/pool.h"

#include "base/log.h"
#include "base/os.h"
#include "exec/exec.h"
#include "kabi/kabi.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N_HELD = 64, MAX_THREADS = 4096, TICK_NS = 1000000, STUCK_TICKS = 2, HUNGRY_TICKS = 20, HUNGRY_AGAIN = 5 };

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

static _Atomic bool stopping;
static _Thread_local struct exec_worker *self;
static _Thread_local struct exec_runner *running;
static _Thread_local unsigned own_share;         /* where it was last */

unsigned exec_thread_index(void)
{
    return self ? self->index : 0;
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

/* --- a runner's chunk --- */

enum { PLACE_BITS = 21, GENERATION_AT = 2 * PLACE_BITS };
#define PLACE_MASK (((uint64_t)1 << PLACE_BITS) - 1)
_Static_assert(EXEC_CHUNK_MAX <= PLACE_MASK, "a chunk's length fits");

static uint64_t range_place(uint64_t range)
{
    return (range >> PLACE_BITS) & PLACE_MASK;
}

static uint64_t range_end(uint64_t range)
{
    return range & PLACE_MASK;
}

static uint64_t left_of(uint64_t range)
{
    return range_place(range) + 1 < range_end(range) ? range_end(range) - range_place(range) - 1 : 0;
}

static uint64_t next_generation(const struct exec_held *h)
{
    return ((atomic_load_explicit(&h->range, memory_order_relaxed) >> GENERATION_AT) + 1) << GENERATION_AT;
}

/*
 * The last n pieces of a chunk are taken from the thread that has it; false: it went on meanwhile. The generation tells chunks apart: who
 * cuts looks at the range first, then at whose it is and where it begins. When one of these is the next chunk's already, the exchange sees
 * that the one before is over, for both are released and acquired.
 */
static bool cut_range(struct exec_held *h, uint64_t range, uint64_t n, uint64_t *out_first)
{
    uint64_t base = atomic_load_explicit(&h->base, memory_order_acquire);
    *out_first = base + range_end(range) - n;
    return atomic_compare_exchange_strong(&h->range, &range, range - n);
}

static void range_begin(struct exec_runner *r, uint64_t first, uint64_t count)
{
    struct exec_held *h = r->held;
    atomic_store_explicit(&h->base, first, memory_order_release);        /* pairs with cut_range(): not before range_over() is seen */
    atomic_store_explicit(&h->started_tick, r->engine->tick, memory_order_relaxed);
    atomic_store_explicit(&h->range, next_generation(h) | count, memory_order_release);  /* pairs with those who look for what to cut */
}

/* Nothing is held: nobody finds anything to take. */
static void range_over(struct exec_runner *r)
{
    atomic_store_explicit(&r->held->started_tick, 0, memory_order_relaxed);
    atomic_store_explicit(&r->held->range, next_generation(r->held), memory_order_release);
}

struct exec_runner *exec_runner(void)
{
    return running;
}

bool exec_on_worker(void)
{
    return self != NULL;
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
    return !atomic_load_explicit(&stopping, memory_order_relaxed);
}

void exec_piece_takes(struct exec_runner *r, uint64_t ns)
{
    atomic_store_explicit(&r->held->piece_ns, ns ? ns : EXEC_REST_NS, memory_order_relaxed);
}

uint64_t exec_claim(struct exec_runner *r, uint64_t least, uint64_t most)
{
    uint64_t v = atomic_load_explicit(&r->held->range, memory_order_relaxed), n, left;
    do {
        if (!(left = left_of(v)))
            return 0;
        n = hw_min_u64(left, hw_min_u64(most, hw_max_u64(least, left / 2)));
    } while (!atomic_compare_exchange_weak_explicit(&r->held->range, &v, v + (n << PLACE_BITS), memory_order_relaxed, memory_order_relaxed));
    atomic_store_explicit(&r->held->started_tick, r->engine->tick, memory_order_relaxed);
    return n;
}

/* --- jobs --- */

static bool has_pieces(struct exec_job *job)
{
    if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
        return false;
    return atomic_load_explicit(&job->next, memory_order_relaxed) < job->n_pieces
        || atomic_load_explicit(&job->n_returned, memory_order_relaxed) > 0;
}

static void queue_locked(struct exec_engine *e, struct exec_job *job)
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

static void unqueue_locked(struct exec_engine *e, struct exec_job *job)
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
    if (own_share >= job->n_shares || (job->homes >> own_share & 1))
        own_share = job->homes == all ? own_share % job->n_shares : (unsigned)__builtin_ctzll(~job->homes);
    job->homes |= (uint64_t)1 << own_share;
    return own_share;
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

static void enter_locked(struct exec_engine *e, struct exec_job *job, struct exec_runner *r)
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
static struct exec_job *pick_locked(struct exec_engine *e)
{
    bool normal = e->n_active < e->config.n_threads + e->config.helpers;
    bool extra = !normal && e->n_active < e->config.n_threads + e->config.max_extra;
    bool replace = extra && e->n_active - hw_min_u64(e->n_stuck, e->n_active) < e->config.n_threads;
    hw_list_for(it, &e->ready) {
        struct exec_job *job = hw_list_item(it, struct exec_job, link);
        if (!has_pieces(job))
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

/* Pieces that came back are slow ones: one at a time. */
static uint64_t take_returned(struct exec_engine *e, struct exec_job *job, uint64_t *out_first)
{
    struct exec_range *done = NULL;
    hw_lock(&e->mu);
    struct exec_range *range = job->returned;
    bool any = range != NULL;
    if (any) {
        *out_first = range->first++;
        if (--range->count == 0) {
            job->returned = range->next;
            job->n_returned--;
            done = range;
        }
    }
    if (job->queued && !has_pieces(job))
        unqueue_locked(e, job);
    hw_unlock(&e->mu);
    hw_free(done);
    return any;
}

static uint64_t next_count(const struct exec_job *job, uint64_t left, uint64_t parts)
{
    uint64_t part = parts ? left / parts : left;
    uint64_t chunk = atomic_load_explicit(&job->chunk, memory_order_relaxed), least = atomic_load_explicit(&job->least, memory_order_relaxed);
    return hw_min_u64(left, hw_min_u64(chunk, hw_max_u64(part, least)));
}

static uint64_t share_begin(const struct exec_job *job, unsigned share)
{
    return job->n_pieces / job->n_shares * share + hw_min_u64(share, job->n_pieces % job->n_shares);
}

/* From the thread's own share, or a part of the next that has some: that one's thread may still come. */
static uint64_t take_of_shares(struct exec_job *job, uint64_t *out_first)
{
    for (unsigned k = 0; k < job->n_shares; k++) {
        unsigned share = (running->home + k) % job->n_shares;
        uint64_t begin = share_begin(job, share), n = share_begin(job, share + 1) - begin, count;
        uint64_t at = atomic_load_explicit(&job->taken[share], memory_order_relaxed);
        while (at < n) {
            count = next_count(job, n - at, k ? 2 : 1);
            if (atomic_compare_exchange_weak_explicit(&job->taken[share], &at, at + count, memory_order_relaxed, memory_order_relaxed)) {
                *out_first = begin + at;
                return count;
            }
        }
    }
    return 0;
}

/* The first of all that nobody took. */
static uint64_t take_in_order(struct exec_job *job, uint64_t *out_first)
{
    uint64_t first = atomic_load_explicit(&job->next, memory_order_relaxed), count;
    do {
        if (first >= job->n_pieces)
            return 0;
        count = next_count(job, job->n_pieces - first, job->parts);
    } while (!atomic_compare_exchange_weak_explicit(&job->next, &first, first + count, memory_order_relaxed, memory_order_relaxed));
    *out_first = first;
    return count;
}

/* The one with the longest way to go, and how long half of that takes. */
static struct exec_held *longest_way(struct exec_engine *e, struct exec_job *job, uint64_t *out_range, uint64_t *out_ns)
{
    struct exec_held *longest = NULL;
    *out_ns = 0;
    for (uint64_t used = atomic_load_explicit(&e->held_used, memory_order_relaxed); used; used &= used - 1) {
        struct exec_held *h = &e->held[__builtin_ctzll(used)];
        uint64_t v = atomic_load_explicit(&h->range, memory_order_acquire);
        uint64_t ns = (left_of(v) + 1) / 2 * atomic_load_explicit(&h->piece_ns, memory_order_relaxed);
        if (ns > *out_ns && h != running->held && atomic_load_explicit(&h->job, memory_order_acquire) == job) {
            longest = h;
            *out_range = v;
            *out_ns = ns;
        }
    }
    return longest;
}

/* All pieces have been taken, but some thread has many before it: half of them, if that is worth the trouble. Without a lock: at the end of a job
   all its threads come here. */
static uint64_t take_from_others(struct exec_engine *e, struct exec_job *job, uint64_t *out_first)
{
    uint64_t range = 0, ns;
    while (!atomic_load_explicit(&job->spent, memory_order_relaxed)) {
        struct exec_held *h = longest_way(e, job, &range, &ns);
        uint64_t n = (left_of(range) + 1) / 2;
        if (ns < EXEC_REST_NS)
            atomic_store_explicit(&job->spent, true, memory_order_relaxed);
        else if (cut_range(h, range, n, out_first))
            return n;
    }
    return 0;
}

/* Takes the next chunk. Who takes the last one takes the job off the list, so that what is listed has work to give. */
static uint64_t take(struct exec_engine *e, struct exec_job *job, uint64_t *out_first)
{
    if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
        return 0;
    if (hw_unlikely(atomic_load_explicit(&job->n_returned, memory_order_relaxed)) && take_returned(e, job, out_first))
        return 1;
    uint64_t count, all;
    if (job->n_shares) {
        count = take_of_shares(job, out_first);
        if (!count)
            return take_from_others(e, job, out_first);
        all = atomic_fetch_add_explicit(&job->next, count, memory_order_relaxed) + count;
    } else {
        count = take_in_order(job, out_first);
        all = *out_first + count;
    }
    if (count && all == job->n_pieces) {
        hw_lock(&e->mu);
        if (job->queued && !has_pieces(job))
            unqueue_locked(e, job);
        hw_unlock(&e->mu);
    }
    return count;
}

static void drop_returned(struct exec_job *job)
{
    for (struct exec_range *r = job->returned, *next; r; r = next) {
        next = r->next;
        hw_free(r);
    }
    job->returned = NULL;
}

/*
 * Waking is a tree: who submits wakes two threads, and each that takes a job while there is more to do wakes two more. A job of
 * many tiny pieces is over before all threads are awake, and nobody pays for waking them all. Threads that spin need no waking,
 * and when one of them takes a job it looks here too, so a job that came meanwhile is not left behind.
 */
static void wake_two(struct exec_engine *e)
{
    if (atomic_load(&e->n_parked))
        hw_futex_wake(&e->wake, 2);
}

/* Leaves; the last to leave finishes the job. */
static void leave(struct exec_engine *e, struct exec_runner *r)
{
    struct exec_job *job = r->job;
    hw_lock(&e->mu);
    job->users--;
    job->homes &= ~((uint64_t)1 << r->home);
    if (job->queued && !has_pieces(job))
        unqueue_locked(e, job);
    bool last = !job->queued && job->users == 0;
    hw_list_del(&r->link);
    let_go_locked(e, r);
    e->n_active--;
    bool next = !r->worker && e->n_ready > 0;
    hw_unlock(&e->mu);
    if (next) {                                  /* it kept a worker from starting these; pairs with park() */
        atomic_fetch_add(&e->wake, 1);
        wake_two(e);
    }
    if (last) {
        drop_returned(job);                      /* a cancelled job may have some */
        job->done(job);
    }
}

/* Runs chunks until none is left or, on a worker, a more urgent job came. */
static void work(struct exec_engine *e, struct exec_runner *r)
{
    struct exec_job *job = r->job;
    struct exec_runner *outer = running;
    uint64_t first = 0, count;
    running = r;
    while ((count = take(e, job, &first)) > 0) {
        range_begin(r, first, count);
        job->run(job, first, count);
        range_over(r);
        if (exec_urgent_waits(r))
            break;
        if (atomic_load_explicit(&stopping, memory_order_relaxed))
            break;
    }
    running = outer;
    leave(e, r);
}

/* The job may be one of a chain that another job's thread runs: that has one piece. */
bool exec_another(struct exec_job *job, uint64_t *out_piece)
{
    bool ok = job->n_pieces > 1 && job->chunk == 1 && running->job == job && take(running->engine, job, out_piece) > 0;
    if (ok)
        exec_alive();
    return ok;
}

void exec_alive(void)
{
    atomic_store_explicit(&running->held->started_tick, running->engine->tick, memory_order_relaxed);
}

void exec_cancel(struct exec_job *job)
{
    atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
}

bool exec_join(struct exec_job *job, struct exec_runner *r)
{
    struct exec_engine *e = job->engine;
    if (job->no_help)
        return false;
    hw_lock(&e->mu);
    bool ok = job->queued && has_pieces(job) && !stopping && (e->n_active < e->config.n_threads + e->config.helpers || job->users == 0);
    if (ok) {
        memset(r, 0, offsetof(struct exec_runner, own));
        enter_locked(e, job, r);
    }
    hw_unlock(&e->mu);
    return ok;
}

void exec_work(struct exec_runner *r)
{
    work(r->engine, r);
}

/* --- the life of a thread --- */

static struct exec_job *try_pick(struct exec_engine *e)
{
    if (atomic_load_explicit(&e->n_ready, memory_order_relaxed) == 0 || stopping)
        return NULL;
    hw_lock(&e->mu);
    struct exec_job *job = pick_locked(e);
    if (job)
        enter_locked(e, job, &self->runner);
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
        wake_two(e);
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

static void grow_locked(struct exec_engine *e, uint64_t want);

/* A function of the program has ended our thread (pthread_exit()). Its job is over, and another thread takes its place. */
static void thread_lost(void *arg)
{
    struct exec_worker *w = arg;
    struct exec_engine *e = w->engine;
    hw_cancel_off();
    exec_hostfn_inside = false;
    if (running == &w->runner) {
        range_over(&w->runner);
        running = NULL;
        leave(e, &w->runner);
    }
    hw_lock(&e->mu);
    e->n_threads--;
    if (e->n_ready)
        grow_locked(e, e->n_threads + 1);
    hw_unlock(&e->mu);
    self = NULL;
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
            work(e, &self->runner);
        }
    }
}

static void *thread_main(void *arg)
{
    self = arg;
    own_share = self->index;
    struct exec_engine *e = self->engine;
    hw_cancel_off();
    self->thread = pthread_self();
    char name[16];
    snprintf(name, sizeof name, "hw-%.6s-%u", e->config.name, self->index % 1000);
    pthread_setname_np(pthread_self(), name);
    if (e->config.thread_start)
        e->config.thread_start(self->index);
    pthread_cleanup_push(thread_lost, arg);
    serve(e);
    pthread_cleanup_pop(0);
    return NULL;
}

static bool start_thread(struct exec_engine *e, void *(*fn)(void *), void *arg)
{
    int err = hw_thread_start(fn, arg, KABI_STACK, e->config.timeout_s ? e->config.timeout_signal : 0, NULL);
    if (err)
        hw_error("cannot start a thread: %s", strerror(err));
    return err == 0;
}

/* Adds threads while fewer than `want` exist. Called with mu held: threads are rarely made. */
static void grow_locked(struct exec_engine *e, uint64_t want)
{
    while (e->n_threads < want && e->n_threads < MAX_THREADS) {
        struct exec_worker *w = hw_alloc(sizeof *w);
        w->engine = e;
        w->index = e->n_threads;
        w->runner.worker = w;
        w->runner.limit = UINT64_MAX;
        hw_list_init(&w->runner.link);
        if (!start_thread(e, thread_main, w)) {
            hw_free(w);
            return;
        }
        e->n_threads++;
    }
}

/* --- the watchdog --- */

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
    if (!left_of(v) || !cut_range(r->held, v, left_of(v), &first))
        return;
    struct exec_range *range = hw_alloc(sizeof *range);
    *range = (struct exec_range){ r->job->returned, first, left_of(v) };
    r->job->returned = range;
    r->job->n_returned++;
    if (!r->job->queued && has_pieces(r->job))
        queue_locked(e, r->job);
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
        held |= left_of(range) > 0;
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
        if (!has_pieces(job))
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
        grow_locked(e, hw_min_u64(e->n_active + want, most));
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
            e->dog_parked = true;                /* pairs with wake_watchdog() */
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

static void wake_watchdog(struct exec_engine *e)
{
    atomic_fetch_add(&e->dog_wake, 1);
    if (e->dog_parked)
        hw_futex_wake(&e->dog_wake, 1);
}

/* --- submitting --- */

void exec_submit(struct exec_job *job, bool wake)
{
    struct exec_engine *e = job->engine;
    uint64_t chunks = (job->n_pieces + job->chunk - 1) / job->chunk;
    hw_lock(&e->mu);
    queue_locked(e, job);
    unsigned base = e->config.n_threads;
    bool watch = e->n_active + e->n_ready > base || e->n_active + chunks > base || job->chunk > 1 || e->config.timeout_s;
    if (wake && e->n_threads < base)
        grow_locked(e, hw_min_u64(base, e->n_active + e->n_ready - 1 + chunks));     /* other jobs wait for threads too */
    if (job->all_at_once)
        grow_locked(e, e->n_active + (job->rounds ? hw_min_u64(chunks, base) : chunks));
    watch = watch && e->config.max_extra;
    if (watch && !e->watchdog_started)
        e->watchdog_started = start_thread(e, watchdog_main, e);
    hw_unlock(&e->mu);

    if (watch)
        wake_watchdog(e);
    if (!wake)
        return;
    atomic_fetch_add(&e->wake, 1);               /* pairs with park() */
    if (chunks > atomic_load(&e->n_spinning) + (chunks > 1 ? atomic_load(&e->n_waiting) : 0))
        wake_two(e);
}

bool exec_engine_start(struct exec_engine *e)
{
    hw_lock(&e->mu);
    grow_locked(e, 1);
    bool runs = e->n_threads > 0;
    hw_unlock(&e->mu);
    return runs;
}

void exec_stop_all(void)
{
    stopping = true;
}
