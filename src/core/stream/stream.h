/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: FIFOs of commands, drained by the engines in exec/. */
#ifndef CORE_STREAM_H
#define CORE_STREAM_H

#include "core/sched/order.h"

#include <cuda.h>

struct cmd;
struct ctx;
struct event;

enum { STREAM_PRIORITY_LEAST = 0, STREAM_PRIORITY_GREATEST = -5 };
/* flags: 0 or CU_STREAM_NON_BLOCKING, else INVALID_VALUE; the priority is clamped. */
CUresult stream_create(struct ctx *ctx, unsigned flags, int priority, CUstream *out);
int stream_priority_clamped(int priority);
CUresult stream_destroy(CUstream handle);                        /* INVALID_HANDLE: NULL, 1, 2, stale */
/* Handle to stream: NULL is the legacy stream, or the calling thread's with per_thread_default; 1 and 2 are those two always.
   ctx: the caller's context; a stream of another context is INVALID_HANDLE unless any_ctx. *out is a reference. */
CUresult stream_get(struct ctx *ctx, CUstream handle, bool per_thread_default, bool any_ctx, struct stream **out);

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
