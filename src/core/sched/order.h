/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream order: streams and events as the scheduler sees them. What can be asked of them is in stream.h and event.h; the scheduler's own calls are in sched.h.
 *
 * The contract. A command starts when it is the first of its stream and all else that it waits for is over. It waits for
 *
 *   1. what was queued in its stream before it;
 *   2. the record that an event had when the stream was told to wait for that event (cuStreamWaitEvent): for this command and all that follow it in the stream;
 *   3. in the legacy default stream: the last command, at the time of queueing, of every blocking stream of the context; in a blocking stream: the last command
 *      of the legacy stream;
 *   4. in a graph: the nodes that it depends on.
 *
 * Each of these was queued before it, under one lock that numbers all commands of the process (cmd->seq). So what waits always has a larger number than what
 * it waits for, and no set of calls can make a circle. Nothing else is promised: commands of two streams without such an order may run at the same time, or
 * either before the other. When a command is over, what it wrote is seen by those that waited for it, and by a host thread that waited.
 *
 * A command's states, and who moves it on:
 *
 *     made ----------> queued ----------> ready ----------> running ----------> over ----------> used again
 *      |   sched_push()   |  first of its     | dispatch: the     |  the engine's     | finish: off the
 *      |                  |  stream, n_deps   | engine of x.job,  |  done(), or       | queue, dependents
 *   cmd_drop()            |  is 0             | or type->start()  |  sched_done()     | lose one, drop()
 *                         |                                                           |
 *                         +------ at_once, or the context is broken ------------------+
 *
 * A stream is busy from its first queued command to the end of its last; it holds a reference of itself for so long. An event is pending from the queueing of
 * its newest record to that record's end: an event that was never recorded, or is not pending, is not waited for.
 *
 * An example. A and B are blocking streams, both idle; e is an event.
 *
 *     call                          number   queued in   waits for
 *     copy in A                       1          A        nothing: it starts at once
 *     record e in A                   2          A        1 (rule 1)
 *     kernel in B                     3          B        nothing: beside 1
 *     B waits for e                   4          B        3 (rule 1), 2 (rule 2)
 *     kernel in B                     5          B        4
 *     kernel in the legacy stream     6        legacy     2, the last of A, and 5, the last of B (rule 3)
 *     copy in A                       7          A        6 (rule 3)
 *
 * When 1 is over, 2 is the first of A and a record, over at once: e has its time, and 4 has one thing less to wait for. Had e been recorded again between 3 and
 * 4, 4 would wait for that record; recorded again after 4, it would not.
 */
#ifndef CORE_ORDER_H
#define CORE_ORDER_H

#include "base/list.h"
#include "core/obj.h"

#include <cuda.h>

struct capture;
struct capture_mark;
struct cmd;
struct ctx;
struct ipc_event;

enum { STREAM_FOLLOWS = 4 };                     /* how many other streams one remembers to have waited for */

/*
 * A stream: a FIFO of commands. Only its head runs; what else the head must wait for is counted in the command (sched.h).
 * Lifetime  The handle owns one reference, every queued command one more. Destroy drops the handle's only, so pending
 *           work still completes, as CUDA promises. The legacy stream's memory is its context's.
 * Locks     The scheduler's lock (rank STREAM) guards what is marked "sched".
 * Threads   App threads append; the engine that finished the head pops it.
 */
struct stream {
    struct obj obj;
    struct ctx *ctx;                             /* const, referenced */
    unsigned flags;                              /* const; CU_STREAM_NON_BLOCKING or 0 */
    _Atomic int priority;                        /* 0 to -5 */
    uint64_t id;                                 /* const; unique in the process */
    bool legacy, per_thread, of_graph;           /* const; of_graph: a lane of an executable graph */
    struct hw_list in_ctx;                       /* sched: ctx->streams */
    struct hw_list in_busy;                      /* sched: ctx->busy */
    struct hw_list queue;                        /* sched: struct cmd.link */
    struct hw_list in_work;                      /* sched: streams whose head may have become ready */
    struct hw_list *line;                        /* const; sched: what has not started of all streams that share a queue of the device; NULL: it shares none */
    struct cmd *open_first;                      /* sched: the first of the chain (sched.h) that the queue ends with, NULL: none grows */
    uint32_t open_length;                        /* sched: of that chain */
    uint64_t legacy_seen;                        /* sched: the legacy stream's command that ours already wait for */
    uint64_t seen_by_legacy;                     /* sched: our command that the legacy stream's already wait for */
    struct capture *_Atomic capture;             /* capture.c: what captures it now, NULL: it runs */
    _Atomic int sync_policy;                     /* CUsynchronizationPolicy, a hint; 0: never set */
    CUaccessPolicyWindow window;                 /* ctx->mu: which memory to keep near, a hint that caches of CPUs do not take */
    _Atomic uint64_t n_pushed, n_done;           /* written under sched; anyone may compare them */
    _Atomic uint64_t n_synced;                   /* n_done when the host last waited for all of it */
    struct stream_follows { uint64_t stream, at; } follows[STREAM_FOLLOWS];  /* sched: waits for that stream's commands up to n_pushed == at */
    unsigned next_follows;                       /* sched */
    _Atomic bool hurry;                          /* written under sched: somebody waits for its commands; false while it has none */
};

static inline void stream_ref(struct stream *s) { obj_ref(&s->obj); }
static inline void stream_unref(struct stream *s) { obj_unref(s ? &s->obj : NULL); }
static inline CUstream stream_handle(const struct stream *s) { return (CUstream)s->obj.handle; }

/*
 * An event.
 * Lifetime  The handle owns one reference, a queued record one more.
 * Locks     The scheduler's lock guards what is marked "sched".
 */
struct event {
    struct obj obj;
    struct ctx *ctx;                             /* const, referenced */
    unsigned flags;                              /* const */
    struct hw_list in_ctx;                       /* ctx->events */
    struct cmd *pending;                         /* sched: the newest record while it has not executed */
    bool recorded;                               /* sched: was ever recorded */
    struct capture_mark *_Atomic mark;           /* capture.c: its newest record was captured */
    uint64_t record_stream, record_at;           /* sched: where the newest record is: the stream's id, and its n_pushed then */
    uint64_t time_ns;                            /* sched: when the newest executed record did */
    struct ipc_event *shared;                    /* const; CU_EVENT_INTERPROCESS: this counts, not pending */
    int shared_fd;                               /* const; -1: another process made it */
};

static inline void event_ref(struct event *e) { obj_ref(&e->obj); }
static inline void event_unref(struct event *e) { obj_unref(e ? &e->obj : NULL); }
static inline CUevent event_handle(const struct event *e) { return (CUevent)e->obj.handle; }

#endif
