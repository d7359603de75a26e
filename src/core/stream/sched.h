/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler: commands, what each waits for, and the one lock over all of it.
 *
 * A command runs when it is the head of its stream and everything else it waits for has finished. It only ever waits for
 * commands that were queued before it, so no set of calls can make a cycle.
 */
#ifndef CORE_SCHED_H
#define CORE_SCHED_H

#include "exec/exec.h"

#include <cuda.h>
#include <stdatomic.h>

struct condition_run;
struct ctx;
struct event;
struct module;
struct obj;
struct stream;

enum cmd_kind { CMD_KERNEL, CMD_COPY, CMD_HOST_FN, CMD_CALLBACK, CMD_RECORD, CMD_WAIT, CMD_VALUES, CMD_CONDITION };
enum { CMD_PARAM_BYTES = 256 };

/*
 * A command. Small kernels that follow each other in a stream are a chain: the engine gets the first, whose thread runs
 * the others behind it, and all are finished under one hold of the lock. Only the last of a chain has dependents.
 * Lifetime  cmd_new() to sched_push(); from then on the scheduler's, until it has finished and is used again.
 * Locks     The scheduler's lock guards link, in_line, running, n_deps and dependents, and chain until the engine has the command.
 * Threads   ran belongs to the thread that runs the chain.
 */
struct cmd {
    union {                      /* first: exec/ hands the job back, and it is ours */
        struct exec_job job;
        struct exec_launch launch;
        struct exec_copy copy;
        struct exec_hostfn hostfn;
    } x;
    struct hw_list link;         /* stream->queue */
    struct hw_list in_line;      /* stream->line, until it starts */
    struct cmd *next;            /* ready, finished or free list */
    struct stream *stream;
    uint64_t seq;                /* order of queueing in the process */
    enum cmd_kind kind;
    bool small;                  /* CMD_KERNEL: of one block */
    bool running;
    bool ran;
    bool went_idle;              /* the stream's queue became empty: its reference is to be dropped */
    uint32_t n_deps;
    struct cmd_dep *dependents;
    struct cmd *chain;           /* the next of its chain, NULL: none */
    void *timed;                 /* clock/ keeps something here */
    void *watched;               /* whoever listens to the hooks keeps something here */
    void (*own_run)(struct exec_job *job, uint64_t first, uint64_t count);   /* the job's run(), where one of ours is in its place */

    struct module *module;       /* CMD_KERNEL of a graph: referenced */
    struct module *launcher;     /* CMD_KERNEL: its module, where that has kernels that launch; NULL: it has none */
    struct launched *launched;                   /* CMD_KERNEL, ended: what it launched */
    struct cmd *parent;          /* CMD_CONDITION behind all that a kernel launched: that kernel */
    void *params;                /* CMD_KERNEL: own_params, or from hw_alloc() */
    void *staging;               /* CMD_COPY: holds the source; hw_free() */
    struct event *event;         /* CMD_RECORD, CMD_WAIT in a batch: referenced */
    struct values *values;       /* CMD_VALUES: owned */
    struct condition_run *condition;             /* CMD_CONDITION: condition.c's */
    struct verify *verify;       /* CMD_KERNEL: what verify.c knows of it, owned; NULL: it just runs */
    struct obj *keeps;           /* referenced until it is over: CMD_KERNEL's function, a graph */
    union {
        CUhostFn host_fn;
        CUstreamCallback callback;
    } fn;
    CUstream fn_stream;
    void *fn_data;
    _Alignas(16) char own_params[CMD_PARAM_BYTES];
};

void sched_init(void);                           /* core_init() calls it once */

struct cmd *cmd_new(enum cmd_kind kind);         /* x is not initialised */
void cmd_drop(struct cmd *c);                    /* one that was never queued; what it holds is released */

/* Queues; the stream runs it when its turn comes. */
void sched_push(struct stream *s, struct cmd *c);
/* For calls of the program that launch, copy or fill: as sched_push(), but waits where CUDA_LAUNCH_BLOCKING wants it. Answers the context's sticky error then. */
CUresult sched_push_work(struct stream *s, struct cmd *c);
extern bool sched_blocking;                      /* const after sched_init() */
/* Queues and waits; the caller helps. Answers the context's sticky error. */
CUresult sched_push_and_wait(struct stream *s, struct cmd *c);
/* Puts a wait for event's newest record, and the record of an event, into a stream. */
void sched_push_wait_event(struct stream *s, struct event *e);
void sched_push_record(struct stream *s, struct event *e);

/* Several commands at once, none of which starts before all are queued: items[i].cmd goes into items[i].stream and also waits for
   those items, all earlier, that items[i].deps names. after: the first one also waits for that event's newest record. Records
   and waits of events take place in order of the items. */
struct sched_item {
    struct stream *stream;
    struct cmd *cmd;
    const uint32_t *deps;
    uint32_t n_deps;
};
void sched_push_batch(const struct sched_item *items, size_t n, struct event *after);

/* For verify.c: the launch, which was dispatched to it, goes to the engine. */
void sched_submit(struct cmd *c, bool wake);

/* For values.c and condition.c: a command that was dispatched has done its work. */
void sched_values_done(struct cmd *c);

/* The streams that s waited for last, through events. */
struct stream_follows;
void sched_follows(struct stream *s, struct stream_follows *out);
/* The host has waited for all of s, or for all streams of ctx. */
void sched_note_synced(struct stream *s, struct ctx *ctx);

/* Is everything done that a command queued on s now would wait for? */
bool sched_idle(struct stream *s);
void sched_wait_stream(struct stream *s);
void sched_wait_event(struct event *e);
void sched_wait_ctx(struct ctx *ctx);

/* Work that the calling thread does by itself, without a command, because the stream has none to wait for. False: it has. The
   second takes no lock, and says false also when any other stream of the process has work. */
bool sched_begin_direct(struct stream *s);
bool sched_try_direct(void);
void sched_end_direct(void);

/*
 * A thread that calls us. sched_quiet() waits until none is busy, which is: copies by itself; gate_close() until none is inside
 * a context that ends.
 * Lifetime  For ever; the one of a thread that ended is given to another.
 * Threads   Written by its thread, read by all; taken is changed by compare-exchange; next is const once it is in the list.
 */
enum { GATE_DEPTH = 4 };
struct sched_direct {
    _Atomic bool busy, taken;
    unsigned calls;              /* of who likes to do something every so often */
    unsigned n_inside;
    struct ctx *_Atomic inside[GATE_DEPTH];      /* gate.h */
    struct sched_direct *next;
};
extern _Thread_local struct sched_direct *sched_direct;          /* NULL: none yet; sched_direct_make() */
extern struct sched_direct *_Atomic sched_all_direct;
bool sched_direct_make(void);                    /* false: out of memory */
extern _Atomic unsigned sched_n_busy;            /* streams with work, and calls of sched_quiet(); written under the lock */
extern bool sched_fence_needed;                  /* const after sched_init() */
/* sched_try_direct() in place, where d is the thread's own and there. */
static inline bool sched_try_direct_as(struct sched_direct *d)
{
    atomic_store_explicit(&d->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (hw_unlikely(sched_fence_needed))
        atomic_thread_fence(memory_order_seq_cst);
    if (hw_likely(atomic_load_explicit(&sched_n_busy, memory_order_acquire) == 0))
        return true;
    atomic_store_explicit(&d->busy, false, memory_order_release);
    return false;
}
static inline void sched_end_direct_as(struct sched_direct *d)
{
    atomic_store_explicit(&d->busy, false, memory_order_release);        /* pairs with any_direct() */
}
/* Those who watch see a command all the same: between these two it is done. */
void sched_tell_begin(struct stream *s, struct cmd *c);
void sched_tell_end(struct cmd *c);
/* Waits until no stream of any context has work, and calls fn before any can begin. */
void sched_quiet(void (*fn)(void *arg), void *arg);

/* For stream.c and event.c: the fields marked "sched". */
void sched_lock(void);
void sched_unlock(void);

#endif
