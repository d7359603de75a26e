/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: threads that run jobs. A job is n pieces of anything; the engine does not know what. */
#ifndef EXEC_POOL_H
#define EXEC_POOL_H

#include "base/list.h"
#include "base/lock.h"

struct exec_engine;

/*
 * A job: pieces 0 .. n_pieces-1, handed out in order, `chunk` at a time, to as many threads as care to join.
 * Lifetime  The submitter's. Nobody touches it after done() was called.
 * Locks     The engine's lock guards users, queued, hungry.
 * Threads   run() on several threads at once; done() once, on the thread that left last, with no lock held.
 */
struct exec_job {
    struct exec_engine *engine;  /* where it runs; set before anybody else sees the job */
    void (*run)(struct exec_job *job, uint64_t first, uint64_t count);
    void (*done)(struct exec_job *job);
    uint64_t n_pieces;
    uint32_t chunk;
    int priority;                /* lower runs first */
    bool all_at_once;            /* every piece waits for the others: give each a thread */
    bool no_help;                /* only the engine's own threads may run it */
    /* the engine's */
    struct hw_list link;
    _Atomic uint64_t next;       /* first piece nobody took */
    uint32_t users;
    bool queued;
    bool hungry;                 /* the watchdog wants one more thread on it */
    uint64_t progress_tick;      /* watchdog: when `next` last moved */
    uint64_t progress_next;
};

struct exec_engine_config {
    const char *name;            /* of the threads: "hw-NAME-0" */
    unsigned n_threads;
    unsigned max_extra;          /* threads that may be added while the others are stuck in a piece; 0: no watchdog */
    unsigned spin_us;            /* how long an idle thread looks for work before it sleeps */
    unsigned max_spinning;       /* how many do that at a time; 0 means 1 */
    void (*thread_start)(unsigned index);        /* may be NULL */
    unsigned timeout_s;          /* a thread that stays in one chunk for this long gets timeout_signal; 0: never */
    int timeout_signal;
};

enum { EXEC_MAX_AT_ONCE = 3072 };                /* pieces of a job that must all run at once: a thread each */

/* Threads start when the first job comes. An engine is never freed: its threads may be inside a piece that never ends. */
struct exec_engine *exec_engine_new(const struct exec_engine_config *config);
unsigned exec_engine_threads(const struct exec_engine *e);       /* as configured, without extra ones */
unsigned exec_engine_load(struct exec_engine *e);                /* jobs waiting or running: a hint */

void exec_job_init(struct exec_job *job, uint64_t n_pieces, uint32_t chunk);
/* wake = false: the caller will run it at once with exec_join() and exec_work(). */
void exec_submit(struct exec_job *job, bool wake);

/* For a thread that waits for the job anyway: true when it has pieces left; then exec_work() must follow. The caller makes sure
   that the job is not done yet (the scheduler's lock does). */
bool exec_join(struct exec_job *job);
void exec_work(struct exec_job *job);
/* From run(): the pieces nobody took yet are not wanted any more. */
void exec_cancel(struct exec_job *job);

/* Process exit: threads finish the piece they are in and take no other. Does not wait. */
void exec_stop_all(void);

/* Index of the calling thread in its engine; helpers and strangers are 0. */
unsigned exec_thread_index(void);

#endif
