/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: threads that run jobs. A job is n pieces of anything; the engine does not know what. */
#ifndef EXEC_POOL_H
#define EXEC_POOL_H

#include "base/list.h"
#include "base/lock.h"

#include <stddef.h>

struct exec_engine;
struct exec_range;

/*
 * A job: pieces 0 .. n_pieces-1, handed out in order, `chunk` at a time, to as many threads as care to join; towards the end
 * fewer and fewer, so that all threads end together. With shares a thread begins with its own part of the pieces, the same in every job, and
 * helps others when that is done, with what they have not begun: what one kernel leaves in a CPU's cache the next one finds there.
 * Lifetime  The submitter's. Nobody touches it after done() was called.
 * Locks     The engine's lock guards users, queued, returned, hungry and fresh_tick.
 * Threads   run() on several threads at once; done() once, on the thread that left last, with no lock held.
 */
enum { EXEC_SHARES = 32 };
struct exec_job {
    struct exec_engine *engine;  /* where it runs; set before anybody else sees the job */
    void (*run)(struct exec_job *job, uint64_t first, uint64_t count);
    void (*leave)(struct exec_job *job);         /* NULL, or called by each thread that ran some, before it leaves the job */
    void (*done)(struct exec_job *job);
    uint64_t n_pieces;
    _Atomic uint32_t chunk, least;               /* the most and the fewest pieces that are handed out at a time; run() may change them */
    uint32_t parts;              /* so many parts of what is left are handed out at least; 0: always whole chunks */
    uint32_t n_shares;           /* exec_job_share(); 0: all in one order */
    uint64_t piece_ns;           /* with shares: about how long a piece takes, 0: nobody knows */
    int priority;                /* lower runs first */
    bool all_at_once;            /* every piece waits for the others: give each a thread */
    bool rounds;                 /* a thread whose piece waits takes another one besides (exec_another()): a few threads are enough */
    bool no_help;                /* only the engine's own threads may run it */
    /* the engine's */
    struct hw_list link;
    _Atomic uint64_t next;       /* how many pieces were taken: without shares, the first that nobody took */
    uint64_t homes;              /* bits: shares that a thread began with and is still at */
    _Atomic bool cancelled;
    _Atomic bool spent;          /* with shares: no thread has enough before it that another one could take */
    uint32_t users;
    bool queued, wide;           /* wide: it had several chunks when it was queued */
    struct exec_range *returned; /* pieces that were taken from a thread stuck in the one before them */
    _Atomic unsigned n_returned; /* length of that list */
    unsigned hungry;             /* the watchdog wants so many more threads on it */
    uint64_t fresh_tick;         /* when the watchdog last saw a thread in it that is not stuck */
    _Atomic uint64_t taken[EXEC_SHARES];         /* of each share; the others are never looked at, nor set */
};

struct exec_engine_config {
    const char *name;            /* of the threads: "hw-NAME-0" */
    unsigned n_threads;
    unsigned helpers;            /* threads of the program that may join a job besides those */
    unsigned max_extra;          /* threads that may be added while the others are stuck in a piece; 0: no watchdog */
    unsigned spin_us;            /* how long an idle thread looks for work before it sleeps */
    unsigned max_spinning;       /* how many do that at a time for any job; 0 means 1 */
    unsigned max_waiting;        /* how many more for jobs of several chunks */
    void (*thread_start)(unsigned index);        /* may be NULL */
    unsigned timeout_s;          /* a thread that stays in one chunk for this long gets timeout_signal; 0: never */
    int timeout_signal;
};

enum { EXEC_MAX_AT_ONCE = 3072 };                /* pieces of a job that must all run at once: a thread each */

/* Threads start when the first job comes. An engine is never freed: its threads may be inside a piece that never ends. */
struct exec_engine *exec_engine_new(const struct exec_engine_config *config);
unsigned exec_engine_threads(const struct exec_engine *e);       /* as configured, without extra ones */
unsigned exec_engine_most(const struct exec_engine *e);          /* that work on a job while a thread of the program waits for it */
bool exec_engine_start(struct exec_engine *e);                   /* one thread at least; false: none is to be had now */
unsigned exec_engine_load(struct exec_engine *e);                /* jobs waiting or running: a hint */
unsigned exec_engine_wide(const struct exec_engine *e);          /* of them with work for several threads: a hint */

enum { EXEC_CHUNK_MAX = 1 << 20 };
static inline void exec_job_init(struct exec_job *job, uint64_t n_pieces, uint32_t chunk)
{
    memset(job, 0, offsetof(struct exec_job, taken));
    job->n_pieces = n_pieces;
    atomic_init(&job->chunk, chunk < 1 ? 1 : chunk > EXEC_CHUNK_MAX ? EXEC_CHUNK_MAX : chunk);
    atomic_init(&job->least, 1);
}
static inline void exec_job_share(struct exec_job *job, unsigned n)
{
    job->n_shares = n < EXEC_SHARES ? n : EXEC_SHARES;
    for (unsigned k = 0; k < job->n_shares; k++)
        atomic_init(&job->taken[k], 0);
}
/* wake = false: the caller will run it at once with exec_join() and exec_work(). */
void exec_submit(struct exec_job *job, bool wake);

/*
 * The chunk a thread has: what of it has begun, and where it ends.
 * Lifetime  One of the engine's, which are for ever, so that who takes from it needs no lock; a runner's own when those are all in use.
 * Threads   Its thread goes on by compare-exchange. Others cut the end off in the same way: threads of the same job that have nothing
 *           left, and the watchdog when the thread is stuck.
 */
struct exec_held {
    _Atomic(struct exec_job *) job;
    _Atomic uint64_t base;       /* the chunk's first piece */
    _Atomic uint64_t range;      /* generation (22 bits), place in the chunk (21), its length (21) */
    _Atomic uint64_t piece_ns;   /* about how long each of its pieces takes: exec_piece_takes() */
    _Atomic uint64_t started_tick;               /* the watchdog's count when the present piece began, 0: none */
    char pad[24];                /* a cache line each */
};

/*
 * A thread inside a job.
 * Lifetime  A worker's own, or on the stack of a thread that helps.
 */
struct exec_runner {
    struct hw_list link;         /* the engine's runners; its lock */
    struct exec_job *job;
    struct exec_engine *engine;
    struct exec_worker *worker;  /* NULL: a helper */
    struct exec_held *held;
    unsigned home;               /* the share it begins with */
    uint64_t limit;              /* for run() of the one who joined: how far to go; a worker's is UINT64_MAX */
    struct exec_held own;        /* when the engine has no other */
};

/* For a thread that waits for the job anyway: true when it has pieces left; then exec_work() must follow. The caller makes sure
   that the job is not done yet (the scheduler's lock does). */
bool exec_join(struct exec_job *job, struct exec_runner *runner);
void exec_work(struct exec_runner *runner);

/*
 * From run(), before each piece of its chunk but the first: how many of the next pieces, `most` and at best half of what is left (but `least`), are still
 * ours; 0: the rest is not. A job with shares must ask: others take from a chunk what its thread has not claimed.
 */
struct exec_runner *exec_runner(void);           /* of the calling thread */
enum { EXEC_REST_NS = 2000 };                    /* work that is worth taking from another thread when there is no other */
void exec_piece_takes(struct exec_runner *runner, uint64_t ns);  /* from now on, for those who look what they could take; 0: nobody knows */
uint64_t exec_claim(struct exec_runner *runner, uint64_t least, uint64_t most);
/* From run(), when its one piece is many things in turn: false when it should come to an end, for a job waits that is not less
   urgent, or the program ends. The next thing has a watchdog's time of its own. */
bool exec_goes_on(struct exec_runner *runner);
bool exec_urgent_waits(const struct exec_runner *runner);        /* a more urgent job waits for this thread */
bool exec_on_worker(void);                       /* the calling thread is an engine's own */
/* From run() of a job with rounds: one more piece to run besides those this thread has; false: there is none. */
bool exec_another(struct exec_job *job, uint64_t *out_piece);
/* From run(): a piece is over, or has begun: the watchdog's time starts anew. */
void exec_alive(void);
/* From run(): the pieces nobody took yet are not wanted any more. */
void exec_cancel(struct exec_job *job);

/* Process exit: threads finish the piece they are in and take no other. Does not wait. */
void exec_stop_all(void);

/* Index of the calling thread in its engine; helpers and strangers are 0. */
unsigned exec_thread_index(void);

#endif
