/* SPDX-License-Identifier: Apache-2.0 */
/* Capturing streams into graphs: what calls on streams and events do instead of running, and what they must not do. */
#ifndef CORE_CAPTURE_H
#define CORE_CAPTURE_H

#include "base/base.h"

#include <cuda.h>
#include <stdatomic.h>

struct copy_request;
struct ctx;
struct event;
struct function;
struct graph;
struct launch_config;
struct node;
struct stream;

/* --- for everything that puts work into streams --- */

/* Is s being captured? STREAM_CAPTURE_INVALIDATED when its capture was spoiled; STREAM_CAPTURE_IMPLICIT when s is the legacy stream
   and would wait for a stream that is being captured, which spoils that capture. One atomic load while nobody captures. */
CUresult capture_enter(struct stream *s, bool *captures);
CUresult capture_kernel(struct stream *s, struct function *f, const struct launch_config *config, void **params, void **extra);
CUresult capture_copy(struct stream *s, const struct copy_request *req);
CUresult capture_fill(struct stream *s, CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows);
CUresult capture_host(struct stream *s, CUhostFn fn, void *data);
CUresult capture_values(struct stream *s, const CUstreamBatchMemOpParams *ops, unsigned n);
CUresult capture_alloc(struct stream *s, const CUmemPoolProps *props, size_t bytes, CUdeviceptr *out);
CUresult capture_free(struct stream *s, CUdeviceptr ptr);        /* memory that graphs allocate, or INVALID_VALUE */
CUresult capture_child(struct stream *s, const struct graph *child);
/* *over: captured, nothing is left to do. */
CUresult capture_record(struct stream *s, struct event *e, unsigned flags, bool *over);
CUresult capture_wait(struct stream *s, struct event *e, unsigned flags, bool *over);

/* --- calls that spoil a capture --- */

CUresult capture_forbids(struct stream *s);      /* asking or waiting for s */
CUresult capture_event_forbids(struct event *e); /* asking or waiting for e */
CUresult capture_ctx_forbids(struct ctx *ctx);   /* waiting for everything */
/* A call that is unsafe while somebody captures, as the thread's and the captures' modes say. */
CUresult capture_unsafe(void);
extern _Atomic unsigned capture_count;           /* captures that are active */
static inline bool capture_any(void) { return atomic_load_explicit(&capture_count, memory_order_relaxed) != 0; }
CUstreamCaptureMode capture_exchange_mode(CUstreamCaptureMode mode);
void capture_stream_gone(struct stream *s);
void capture_ctx_gone(struct ctx *ctx);          /* what captures any stream of it ends, without a graph */
void capture_event_gone(struct event *e);

/* --- beginning and ending --- */

/* into: NULL makes a graph. deps: nodes of it that the first operations wait for. data: of the edges to them (graph.h), NULL: plain. */
CUresult capture_begin(struct stream *s, CUstreamCaptureMode mode, struct graph *into, struct node *const *deps, const CUgraphEdgeData *data, size_t n);
CUresult capture_end(struct stream *s, CUgraph *out);

struct capture_info {
    CUstreamCaptureStatus status;
    uint64_t id;                                 /* the rest only while it is active */
    CUgraph graph;
    const CUgraphNode *deps;                     /* valid until the next call on the stream */
    const CUgraphEdgeData *edges;                /* of each */
    size_t n_deps;
    bool plain;                                  /* all of them */
};
CUresult capture_info(struct stream *s, struct capture_info *out);
CUresult capture_set_deps(struct stream *s, struct node *const *deps, const CUgraphEdgeData *data, size_t n, bool add);

#endif
