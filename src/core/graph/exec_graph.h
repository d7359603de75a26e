/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: a copy of a graph, laid out over streams of its own, that is queued as a whole. */
#ifndef CORE_EXEC_GRAPH_H
#define CORE_EXEC_GRAPH_H

#include "base/vec.h"
#include "core/obj.h"
#include "core/sched/sched.h"

#include <cuda.h>

struct event;
struct graph;
struct node;
struct node_params;
struct stream;

/* One command of a launch. Child graphs are laid out flat; each then ends in a step of its own that does nothing. */
struct exec_step {
    struct node *node;                           /* of the copy */
    uint32_t lane;
    bool enabled;
    bool is_end;                                 /* the end of a child graph */
    HW_VEC(uint32_t) deps;                       /* places in a launch's batch: 0 is its begin, i + 1 is step i */
    struct exec_graph **bodies;                  /* of a conditional node; owned */
};

/*
 * An executable graph.
 * Lifetime  The handle owns one reference. Queued launches need none: commands hold what they use.
 * Threads   Like CUDA's: one thread at a time. Launches of one run one after another, whatever their streams.
 */
struct exec_graph {
    struct obj obj;
    struct graph *copy;                          /* owned; of a body: its node's */
    struct graph *users;                         /* what queued launches keep alive for the program; owned, NULL: nothing. An update makes a new one */
    bool is_body;
    unsigned long long flags;
    HW_VEC(struct exec_step) steps;              /* each behind those it waits for */
    HW_VEC(struct stream *) lanes;               /* referenced; not blocking */
    HW_VEC(uint32_t) ends;                       /* what the end of a launch waits for */
    struct event *done;                          /* recorded at the end of each launch; referenced */
    struct sched_item *items;                    /* room for a launch */
    bool claimed;                                /* the memory it allocates is its own until the handle goes */
    bool has_memory;                             /* it allocates or frees: launches keep it alive */
    bool has_conditions;                         /* it has conditional nodes: the same */
    bool claims;                                 /* their conditions are taken by it */
    struct stream *own;                          /* of a body: where it begins and ends; one of lanes */
};

enum exec_graph_problem { EXEC_GRAPH_OK, EXEC_GRAPH_RING, EXEC_GRAPH_BODY, EXEC_GRAPH_UNUSED };   /* a body holds what it may not; an unused condition */
CUresult exec_graph_create(const struct graph *g, unsigned long long flags, CUgraphExec *out, enum exec_graph_problem *why);
struct exec_graph *exec_graph_get(CUgraphExec handle);           /* a reference, or NULL */
CUresult exec_graph_destroy(CUgraphExec handle);                 /* launches that are queued still complete */
static inline void exec_graph_unref(struct exec_graph *x) { obj_unref(x ? &x->obj : NULL); }

CUresult exec_graph_launch(struct exec_graph *x, struct stream *s);
/* For condition.c: one run of a body. end comes behind all of it; it is the caller's still when this fails. */
CUresult exec_graph_run_body(struct exec_graph *x, struct cmd *end);

/* The step of a node of the graph it was made of; NULL when there is none. */
struct exec_step *exec_graph_step(struct exec_graph *x, CUgraphNode node);
/* Takes params over, also when it fails: INVALID_VALUE when the type or the context differs. */
CUresult exec_graph_set(struct exec_graph *x, CUgraphNode node, struct node_params *params);
/* Every node does what its twin in g does. GRAPH_EXEC_UPDATE_FAILURE, with *why and the node of g, when they are not alike. */
CUresult exec_graph_update(struct exec_graph *x, const struct graph *g, CUgraphExecUpdateResult *why, CUgraphNode *node);

#endif
