/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: operations and what each waits for, built by calls or by capturing streams (capture.h), run by exec_graph.h. */
#ifndef CORE_GRAPH_H
#define CORE_GRAPH_H

#include "base/vec.h"
#include "core/hooks.h"
#include "core/mem/copy.h"
#include "core/module/launch.h"
#include "core/obj.h"

#include <cuda.h>

struct cmd;
struct condition;
struct ctx;
struct event;
struct function;
struct graph;
struct graph_memory;
struct user_object;

/*
 * What a node does.
 * Lifetime  node_params_*() make one that owns what it names; node_params_fini() gives that back.
 */
struct node_params {
    CUgraphNodeType type;
    struct ctx *ctx;                             /* where it runs; referenced */
    struct hook_node added;
    union {
        struct {
            struct function *fn;                 /* referenced */
            struct launch_config config;
            void *packed;                        /* the parameters */
            void **pointers;                     /* one into packed for each */
            CUaccessPolicyWindow window;         /* a hint that is remembered */
        } kernel;
        struct {
            struct copy_request req;
            CUDA_MEMCPY3D desc;                  /* as the program said it */
        } copy;
        CUDA_MEMSET_NODE_PARAMS fill;
        CUDA_HOST_NODE_PARAMS host;
        struct event *event;                     /* referenced */
        struct graph *child;                     /* owned */
        struct {
            CUstreamBatchMemOpParams *ops;
            unsigned n;
        } values;
        struct graph_memory *memory;             /* allocated or freed; referenced */
        struct {
            struct condition *condition;         /* referenced */
            CUgraphConditionalNodeType type;
            unsigned n;
            struct graph **bodies;               /* owned */
            CUgraph *handles;                    /* of the bodies, for the program */
        } conditional;
    } u;
};

/* These check what they are given; out is written on success only. */
CUresult node_params_kernel(struct function *f, const struct launch_config *config, void **params, void **extra,
                            struct node_params *out);
CUresult node_params_copy(struct ctx *ctx, const struct copy_request *req, const CUDA_MEMCPY3D *desc, struct node_params *out);
CUresult node_params_fill(struct ctx *ctx, const CUDA_MEMSET_NODE_PARAMS *fill, struct node_params *out);
CUresult node_params_host(struct ctx *ctx, CUhostFn fn, void *data, struct node_params *out);
CUresult node_params_event(struct event *e, bool record, struct node_params *out);
CUresult node_params_values(struct ctx *ctx, const CUstreamBatchMemOpParams *ops, unsigned n, struct node_params *out);
CUresult node_params_memory(struct ctx *ctx, struct graph_memory *m, bool alloc, struct node_params *out);   /* takes m over */
CUresult node_params_child(struct ctx *ctx, const struct graph *child, struct node_params *out);   /* a copy of child */
/* With empty bodies, which belong to parent's node. */
CUresult node_params_conditional(struct graph *parent, CUgraphConditionalHandle handle, CUgraphConditionalNodeType type, unsigned n,
                                 struct node_params *out);
void node_params_empty(struct ctx *ctx, struct node_params *out);
void node_params_dup(const struct node_params *from, struct node_params *out);
void node_params_fini(struct node_params *p);
/* The command of one run of it. Child graphs and conditional nodes have none: INVALID_VALUE. */
CUresult node_params_cmd(const struct node_params *p, struct cmd **out);
const char *node_type_name(CUgraphNodeType type);

/*
 * A node.
 * Lifetime  The graph's, which holds the handle's reference; others may take one and find graph NULL later.
 */
struct node {
    struct obj obj;
    struct graph *graph;                         /* NULL: taken out */
    struct node_params params;
    HW_VEC(struct node *) deps;                  /* what it waits for */
    HW_VEC(CUgraphEdgeData) edges;               /* of each of them: how the program wants it to be waited for */
    HW_VEC(struct node *) dependents;
    CUgraphNode origin;                          /* in a copy: the node it was copied from */
    uint32_t id;                                 /* in its graph */
    uint32_t place;                              /* scratch of whoever walks the graph */
};

/* How many counts of a user object a graph holds, and a reference besides: a program may drop more than it has. */
struct graph_user {
    struct user_object *object;
    uint64_t count;
};

/*
 * A graph.
 * Lifetime  The handle owns one reference, a capture into it one more. Child graphs belong to their node.
 * Threads   Like CUDA's: one thread at a time, except that captures into it come under capture.c's lock.
 */
struct graph {
    struct obj obj;
    HW_VEC(struct node *) nodes;                 /* in order of making */
    struct graph *origin_of_child;               /* not NULL: belongs to a child node (points at itself) */
    struct graph *parent;                        /* a body of a conditional node: the graph of that node, while it has it; not referenced */
    HW_VEC(struct condition *) conditions;       /* made for this graph; referenced */
    uint32_t last_id;
    HW_VEC(struct graph_user) users;
};

struct graph *graph_new(void);
struct graph *graph_get(CUgraph handle);                         /* a reference, or NULL */
CUresult graph_destroy(CUgraph handle);                          /* a child graph: INVALID_VALUE */
static inline void graph_ref(struct graph *g) { obj_ref(&g->obj); }
static inline void graph_unref(struct graph *g) { obj_unref(g ? &g->obj : NULL); }
static inline CUgraph graph_handle(const struct graph *g) { return (CUgraph)g->obj.handle; }
bool graph_has_memory(const struct graph *g);    /* it allocates or frees some */
struct graph *graph_clone(const struct graph *g);
void graph_take_users(struct graph *g, const struct graph *from);   /* g keeps alive what from does, and no longer what it did */
/* An empty graph that keeps alive what g and the graphs in it do, for graph_close(); NULL: that is nothing. */
struct graph *graph_users(const struct graph *g);
void graph_close(struct graph *g);               /* takes the handle away, and with it the handle's reference */

struct node *node_get(CUgraphNode handle);                       /* a reference, or NULL */
static inline void node_ref(struct node *n) { obj_ref(&n->obj); }
static inline void node_unref(struct node *n) { obj_unref(n ? &n->obj : NULL); }
static inline CUgraphNode node_handle(const struct node *n) { return (CUgraphNode)n->obj.handle; }

/*
 * Data of edges. A kernel may let those that wait for it begin early, when its blocks say so or have begun; who uses that waits for its end in its own
 * code. Here everything waits for the end: that is always right, and the data is only kept.
 */
bool edge_is_plain(const CUgraphEdgeData *data);                 /* NULL is */
/* Is it data that an edge from such a node may carry? to: NULL, not known yet. */
bool edge_is_valid(const struct node *from, const struct node_params *to, const CUgraphEdgeData *data);
const CUgraphEdgeData *edge_between(const struct node *from, const struct node *to);     /* NULL: there is none */

/* Takes params over, also when it fails. Dependencies: nodes of g, no one twice, else INVALID_VALUE. data: of each edge, NULL: plain ones; it is not checked. */
CUresult graph_add(struct graph *g, struct node_params *params, struct node *const *deps, const CUgraphEdgeData *data, size_t n, struct node **out);
/* from before to. There already, the same node, foreign nodes, or wrong data: INVALID_VALUE. Rings are found when instantiating. */
CUresult graph_add_edge(struct graph *g, struct node *from, struct node *to, const CUgraphEdgeData *data);
CUresult graph_remove_edge(struct graph *g, struct node *from, struct node *to);
void graph_remove(struct node *n);
/* Nodes in an order in which each comes behind what it waits for; hw_free() it. NULL: there is a ring. */
struct node **graph_order(const struct graph *g);
/* The value that handle names, if it was made for g or for a graph around it; borrowed. NULL: there is none. */
struct condition *graph_condition(const struct graph *g, CUgraphConditionalHandle handle);
bool graph_has(const struct graph *g, CUgraphNodeType type);     /* also in child graphs and bodies */
/* Does a conditional node of g, or of a graph in it, go by c? And is there a condition of theirs that none goes by? */
bool graph_uses(const struct graph *g, const struct condition *c);
bool graph_condition_unused(const struct graph *g);
struct node *graph_find_copy(const struct graph *copy, CUgraphNode origin);      /* borrowed */
CUresult graph_print_dot(const struct graph *g, const char *path, unsigned flags);

#endif
