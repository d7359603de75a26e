/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: FIFOs of commands, drained by the engines in exec/. */
#ifndef CORE_STREAM_H
#define CORE_STREAM_H

#include "base/list.h"
#include "core/obj.h"

#include <cuda.h>

struct capture;
struct cmd;
struct ctx;
struct event;

enum { STREAM_PRIORITY_LEAST = 0, STREAM_PRIORITY_GREATEST = -5 };
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

/* flags: 0 or CU_STREAM_NON_BLOCKING, else INVALID_VALUE; the priority is clamped. */
CUresult stream_create(struct ctx *ctx, unsigned flags, int priority, CUstream *out);
int stream_priority_clamped(int priority);
CUresult stream_destroy(CUstream handle);                        /* INVALID_HANDLE: NULL, 1, 2, stale */
/* Handle to stream: NULL is the legacy stream, or the calling thread's with per_thread_default; 1 and 2 are those two always.
   ctx: the caller's context; a stream of another context is INVALID_HANDLE unless any_ctx. *out is a reference. */
CUresult stream_get(struct ctx *ctx, CUstream handle, bool per_thread_default, bool any_ctx, struct stream **out);
static inline void stream_ref(struct stream *s) { obj_ref(&s->obj); }
static inline void stream_unref(struct stream *s) { obj_unref(s ? &s->obj : NULL); }
static inline CUstream stream_handle(const struct stream *s) { return (CUstream)s->obj.handle; }

CUresult stream_query(struct stream *s);                         /* NOT_READY, the sticky error, or success */
CUresult stream_synchronize(struct stream *s);                   /* waits, flushes printf; the sticky error */
CUresult stream_wait_event(struct stream *s, struct event *e, unsigned flags);

/* In stream order, on the host-function thread. A callback also runs after a context error and is told it; a host
   function does not. handle: what the callback is given as its stream. */
CUresult stream_add_callback(struct stream *s, CUstream handle, CUstreamCallback fn, void *data);
CUresult stream_host_fn(struct stream *s, CUhostFn fn, void *data);
struct cmd *stream_host_cmd(CUhostFn fn, void *data);            /* for graphs */

void stream_dump(const struct stream *s, FILE *out);

#endif
