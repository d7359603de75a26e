/* SPDX-License-Identifier: Apache-2.0 */
/* Capturing streams into graphs: what calls on streams and events do instead of running, and what they must not do. */
#ifndef CORE_CAPTURE_H
#define CORE_CAPTURE_H

#include "core/sched/capturing.h"

struct graph;
struct node;

/* --- work and calls that only graphs have; the rest is in capturing.h --- */

CUresult capture_child(struct stream *s, const struct graph *child);
/* A call that is unsafe while somebody captures, as the thread's and the captures' modes say. */
CUresult capture_unsafe(void);
CUstreamCaptureMode capture_exchange_mode(CUstreamCaptureMode mode);
void capture_ctx_gone(struct ctx *ctx);          /* what captures any stream of it ends, without a graph */

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
