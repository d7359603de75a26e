/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands, and their kinds. What a kind of command does is in one table, struct cmd_type, in the file that makes such commands: kernels in launch.c, copies
 * in copy.c, functions of the program in stream.c, records and waits in mark.c, values in values.c, conditions in condition.c. The scheduler calls what the
 * table has, and knows no kinds.
 */
#ifndef CORE_CMD_H
#define CORE_CMD_H

#include "exec/exec.h"

#include <cuda.h>
#include <stdatomic.h>

struct cmd;
struct condition_run;
struct ctx;
struct event;
struct module;
struct obj;
struct stream;

enum cmd_kind { CMD_KERNEL, CMD_COPY, CMD_HOST_FN, CMD_CALLBACK, CMD_RECORD, CMD_WAIT, CMD_VALUES, CMD_CONDITION };      /* for those who watch */
enum { CMD_PARAM_BYTES = 256 };

/*
 * A kind of command. All functions may be NULL. Those marked "locked" are called with the scheduler's lock held: short, leaf locks only.
 *
 *     queueing        numbered, (hook_cmd_queued), depends, queued       locked
 *     its turn        start, or without one the engine of x.job runs it
 *     the engine ran  fault, ran
 *     it is over      finish (locked), then drop
 */
struct cmd_type {
    enum cmd_kind kind;
    bool no_job;                                 /* x.job is not used: nobody can help to run it */
    bool at_once;                                /* over as soon as its turn comes: there is nothing to run */
    bool always;                                 /* its turn comes also in a context that is broken */
    void (*numbered)(struct cmd *c);             /* locked: stream and seq are set */
    void (*depends)(struct cmd *c);              /* locked: sched_depend() on what else it waits for */
    void (*queued)(struct cmd *c);               /* locked: it is in its stream's queue */
    bool (*start)(struct cmd *c);                /* true: it is over already; false: sched_done() is called when it is, or sched_submit() first */
    int (*fault)(const struct cmd *c);           /* enum exec_fault of what the engine ran */
    bool (*ran)(struct cmd *c);                  /* the engine is done with it. True: the command is not: sched_done() is called when it is */
    void (*finish)(struct cmd *c);               /* locked */
    void (*drop)(struct cmd *c);                 /* releases what it holds, except keeps; also of one that was never queued */
};

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
    const struct cmd_type *type;
    enum cmd_kind kind;          /* type->kind */
    bool small;                  /* CMD_KERNEL: of one block */
    bool running;
    bool ran;
    bool went_idle;              /* the stream's queue became empty: its reference is to be dropped */
    uint32_t n_deps;
    struct cmd_dep *dependents;
    struct cmd *chain;           /* the next of its chain, NULL: none */
    void *timed;                 /* clock/ keeps something here */
    void *watched;               /* whoever listens to the hooks keeps something here */
    void (*later)(struct cmd *c);                /* later.c's */
    void (*own_run)(struct exec_job *job, uint64_t first, uint64_t count);   /* the job's run(), where one of ours is in its place */

    struct module *module;       /* CMD_KERNEL of a graph: referenced */
    struct module *launcher;     /* CMD_KERNEL: its module, where that has kernels that launch; NULL: it has none */
    struct launched *launched;                   /* CMD_KERNEL, ended: what it launched */
    struct cmd *parent;          /* at the end of all that a kernel launched: that kernel */
    void *params;                /* CMD_KERNEL: own_params, or from hw_alloc() */
    void *staging;               /* CMD_COPY: holds the source; hw_free() */
    struct event *event;         /* CMD_RECORD, CMD_WAIT in a batch: referenced */
    struct values *values;       /* CMD_VALUES: owned */
    struct condition_run *condition;             /* condition.c's */
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

void cmd_init(void);                             /* sched_init() calls it once */
struct cmd *cmd_new(const struct cmd_type *type);                /* x is not initialised */
void cmd_drop(struct cmd *c);                    /* one that was never queued; what it holds is released */
void cmd_drop_all(struct cmd *first);            /* a list by next, of which neighbours often keep the same; and streams that went idle */

#endif
