/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: making them, nodes and edges, copies, questions. */
#include "driver/graph.h"

#include "core/graph/condition.h"
#include "core/device/ctx.h"
#include "core/graph/user_object.h"
#include "driver/bodies.h"

/* --- handles --- */

void graph_nodes_put(struct node **nodes, size_t n)
{
    for (size_t i = 0; nodes && i < n; i++)
        node_unref(nodes[i]);
    hw_free(nodes);
}

CUresult graph_nodes_get(const CUgraphNode *handles, size_t n, struct node ***out)
{
    if (n && !handles)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the list of %zu nodes is NULL", n);
    struct node **nodes = hw_alloc(sizeof *nodes * (n + 1));
    for (size_t i = 0; i < n; i++)
        if (!(nodes[i] = node_get(handles[i]))) {
            graph_nodes_put(nodes, i);
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "node %zu of the list is none, or was destroyed", i);
        }
    *out = nodes;
    return CUDA_SUCCESS;
}

struct node *graph_node_of(CUgraphNode handle, CUgraphNodeType type)
{
    struct node *n = node_get(handle);

    if (n && n->params.type == type)
        return n;
    node_unref(n);
    return NULL;
}

static CUresult check_edges(struct node *const *from, const struct node_params *to, const CUgraphEdgeData *data, size_t n)
{
    for (size_t i = 0; data && i < n; i++)
        if (!edge_is_valid(from[i], to, &data[i]))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the data of edge %zu does not fit its nodes", i);
    return CUDA_SUCCESS;
}

CUresult graph_add_node_edges(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n, CUresult made,
                              struct node_params *params)
{
    struct graph *g = graph_get(graph);
    struct node **nodes = NULL, *node;
    CUresult rc = made;

    if (!rc && (!g || !out || (rc = graph_nodes_get(deps, n, &nodes)) || (rc = check_edges(nodes, params, data, n)))) {
        node_params_fini(params);
        rc = rc ? rc : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed; or the node's place is NULL");
    } else if (!rc && !(rc = graph_add(g, params, nodes, data, n, &node))) {
        *out = node_handle(node);
    }
    graph_nodes_put(nodes, n);
    graph_unref(g);
    return rc;
}

CUresult graph_add_node(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps, size_t n, CUresult made, struct node_params *params)
{
    return graph_add_node_edges(out, graph, deps, NULL, n, made, params);
}

/* --- life --- */

CUresult do_cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    if (!phGraph || flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "phGraph is NULL, or flags 0x%x are not 0", flags);
    *phGraph = graph_handle(graph_new());
    return CUDA_SUCCESS;
}

CUresult do_cuGraphDestroy(CUgraph hGraph) { return graph_destroy(hGraph); }

CUresult do_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    struct graph *g = graph_get(originalGraph);
    CUresult rc = g && phGraphClone ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed; or phGraphClone is NULL");

    if (!rc && graph_has_memory(g))              /* there would be two owners of one address */
        rc = hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "the graph allocates or frees memory, and such a graph cannot be cloned");
    if (!rc && (g->parent || graph_has(g, CU_GRAPH_NODE_TYPE_CONDITIONAL)))
        rc = hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "the graph has a condition or is a condition's body, and a condition's handle belongs to one graph");
    if (!rc)
        *phGraphClone = graph_handle(graph_clone(g));
    graph_unref(g);
    return rc;
}

CUresult do_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph, CUcontext ctx,
                                           unsigned int defaultLaunchValue, unsigned int flags)
{
    struct graph *g = graph_get(hGraph);
    struct ctx *where = ctx ? ctx_get(ctx) : ctx_current();
    struct condition *c;
    CUresult rc = !pHandle_out || !g || (flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT)
        ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "pHandle_out is NULL, or that is no graph, or flags 0x%x are not known", flags)
        : !where ? hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed; or none is current") : CUDA_SUCCESS;

    if (!rc && !(rc = condition_new(where, defaultLaunchValue, (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0, &c))) {
        hw_vec_push(&g->conditions, c);
        *pHandle_out = c->handle;
    }
    if (ctx && where)
        ctx_unref(where);
    graph_unref(g);
    return rc;
}

CUresult do_cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph)
{
    struct graph *g = graph_get(hClonedGraph);
    struct node *n = g && phNode ? graph_find_copy(g, hOriginalNode) : NULL;

    if (n)
        *phNode = node_handle(n);
    graph_unref(g);
    return n ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "phNode is NULL, or the graph is no clone of one with this node");
}

CUresult do_cuGraphDestroyNode(CUgraphNode hNode)
{
    struct node *n = node_get(hNode);

    if (!n)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed");
    bool fixed = n->graph && graph_has_memory(n->graph);
    if (!fixed)
        graph_remove(n);
    node_unref(n);
    return fixed ? hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "no node of a graph that allocates or frees memory can be destroyed") : CUDA_SUCCESS;
}

CUresult do_cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    struct graph *g = graph_get(hGraph);
    CUresult rc = g && path ? graph_print_dot(g, path, flags) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed; or path is NULL");

    graph_unref(g);
    return rc;
}

/* --- questions --- */

/* How every list is given: its length when there is no room; else as much as fits, the rest of the room set to NULL. */
static void give(struct node *const *nodes, size_t n, CUgraphNode *out, size_t *count)
{
    if (!out) {
        *count = n;
        return;
    }
    for (size_t i = 0; i < *count; i++)
        out[i] = i < n ? node_handle(nodes[i]) : NULL;
    if (*count > n)
        *count = n;
}

/* Edges with their ends: as give() gives each end. Who asks for nodes and not for data must not miss any. */
struct edges {
    HW_VEC(struct node *) from, to;
    HW_VEC(CUgraphEdgeData) data;
};

static void edges_add(struct edges *e, struct node *from, struct node *to)
{
    hw_vec_push(&e->from, from);
    hw_vec_push(&e->to, to);
    hw_vec_push(&e->data, *edge_between(from, to));
}

static CUresult edges_give(struct edges *e, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count)
{
    size_t n = e->data.n, room = *count;
    CUresult rc = data && !from && !to ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "data of edges is asked for without the nodes") : CUDA_SUCCESS;

    for (size_t i = 0; i < n && !rc && !data && (from || to); i++)
        if (!edge_is_plain(&e->data.v[i]))
            rc = hw_refuse(CUDA_ERROR_LOSSY_QUERY, "edge %zu has data (a port or a type), and there is no room given for it: use the _v2 function", i);
    if (!rc && !from && !to)
        *count = n;
    if (!rc && from)
        give(e->from.v, n, from, &(size_t){room});
    if (!rc && to)
        give(e->to.v, n, to, &(size_t){room});
    if (!rc && (from || to))
        *count = room < n ? room : n;
    if (!rc && data) {
        memset(data, 0, sizeof *data * room);
        memcpy(data, e->data.v, sizeof *data * (room < n ? room : n));
    }
    hw_vec_fini(&e->from);
    hw_vec_fini(&e->to);
    hw_vec_fini(&e->data);
    return rc;
}

CUresult do_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    struct node *n = node_get(hNode);
    CUresult rc = n && type ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or type is NULL");

    if (!rc)
        *type = n->params.type;
    node_unref(n);
    return rc;
}

CUresult do_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    struct graph *g = graph_get(hGraph);
    CUresult rc = g && numNodes ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed; or numNodes is NULL");

    if (!rc)
        give(g->nodes.v, g->nodes.n, nodes, numNodes);
    graph_unref(g);
    return rc;
}

CUresult do_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
    struct graph *g = graph_get(hGraph);
    CUresult rc = g && numRootNodes ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed; or numRootNodes is NULL");
    HW_VEC(struct node *) roots = {0};

    for (size_t i = 0; !rc && i < g->nodes.n; i++)
        if (g->nodes.v[i]->deps.n == 0)
            hw_vec_push(&roots, g->nodes.v[i]);
    if (!rc)
        give(roots.v, roots.n, rootNodes, numRootNodes);
    hw_vec_fini(&roots);
    graph_unref(g);
    return rc;
}

CUresult do_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges)
{
    struct graph *g = graph_get(hGraph);
    CUresult rc = g && numEdges && !from == !to ? CUDA_SUCCESS
        : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed; or numEdges is NULL; or only one of from and to is");
    struct edges e = {0};

    for (size_t i = 0; !rc && i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->dependents.n; k++)
            edges_add(&e, g->nodes.v[i], g->nodes.v[i]->dependents.v[k]);
    if (!rc)
        rc = edges_give(&e, from, to, edgeData, numEdges);
    graph_unref(g);
    return rc;
}

CUresult do_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
    return do_cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

CUresult do_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
                                          size_t *numDependencies)
{
    struct node *n = node_get(hNode);
    CUresult rc = n && numDependencies ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or numDependencies is NULL");

    struct edges e = {0};

    for (size_t i = 0; !rc && i < n->deps.n; i++)
        edges_add(&e, n->deps.v[i], n);
    if (!rc)
        rc = edges_give(&e, dependencies, NULL, edgeData, numDependencies);
    node_unref(n);
    return rc;
}

CUresult do_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies)
{
    return do_cuGraphNodeGetDependencies_v2(hNode, dependencies, NULL, numDependencies);
}

CUresult do_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
                                            size_t *numDependentNodes)
{
    struct node *n = node_get(hNode);
    CUresult rc = n && numDependentNodes ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or numDependentNodes is NULL");

    struct edges e = {0};

    for (size_t i = 0; !rc && i < n->dependents.n; i++)
        edges_add(&e, n, n->dependents.v[i]);
    if (!rc)
        rc = edges_give(&e, NULL, dependentNodes, edgeData, numDependentNodes);
    node_unref(n);
    return rc;
}

CUresult do_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes)
{
    return do_cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, NULL, numDependentNodes);
}

/* --- edges --- */

/* add: with this data, NULL: plain ones. Taking away does not look at it (measured). */
static CUresult change_edges(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n, bool add, const CUgraphEdgeData *data)
{
    struct graph *g = graph_get(graph);
    struct node **a = NULL, **b = NULL;
    CUresult rc = g ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed");

    if (!rc && !(rc = graph_nodes_get(from, n, &a)) && !(rc = graph_nodes_get(to, n, &b)))
        for (size_t i = 0; i < n && !rc; i++)
            rc = add ? graph_add_edge(g, a[i], b[i], data ? &data[i] : NULL) : graph_remove_edge(g, a[i], b[i]);
    graph_nodes_put(a, n);
    graph_nodes_put(b, n);
    graph_unref(g);
    return rc;
}

CUresult do_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    return change_edges(hGraph, from, to, numDependencies, true, edgeData);
}

CUresult do_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies)
{
    return change_edges(hGraph, from, to, numDependencies, true, NULL);
}

CUresult do_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                         const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    return change_edges(hGraph, from, to, numDependencies, false, NULL);
}

CUresult do_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies)
{
    return change_edges(hGraph, from, to, numDependencies, false, NULL);
}

/* --- things of the program's that a graph keeps alive --- */

CUresult do_cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy, unsigned int initialRefcount,
                               unsigned int flags)
{
    if (!object_out || !destroy || !initialRefcount || initialRefcount > INT32_MAX || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "object_out or destroy is NULL, the count %u is not 1 to 2^31 - 1, or flags 0x%x are not CU_USER_OBJECT_NO_DESTRUCTOR_SYNC", initialRefcount, flags);
    *object_out = user_object_create(ptr, destroy, initialRefcount);
    return CUDA_SUCCESS;
}

CUresult do_cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    struct user_object *u = user_object_get(object);

    if (!u || !count || count > INT32_MAX) {
        user_object_unref(u);
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no user object, or the count %u is not 1 to 2^31 - 1", count);
    }
    user_object_hold(u, count);
    user_object_unref(u);
    return CUDA_SUCCESS;
}

CUresult do_cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    struct user_object *u = user_object_get(object);

    if (!u || !count || count > INT32_MAX) {
        user_object_unref(u);
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no user object, or the count %u is not 1 to 2^31 - 1", count);
    }
    user_object_drop(u, count);
    user_object_unref(u);
    return CUDA_SUCCESS;
}

/* What the graph holds of it; nothing yet is fine. */
static struct graph_user *user_of(struct graph *g, struct user_object *u)
{
    for (size_t i = 0; i < g->users.n; i++)
        if (g->users.v[i].object == u)
            return &g->users.v[i];
    user_object_ref(u);
    hw_vec_push(&g->users, ((struct graph_user){ u, 0 }));
    return &g->users.v[g->users.n - 1];
}

CUresult do_cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags)
{
    struct user_object *u = user_object_get(object);
    struct graph *g = graph_get(graph);
    CUresult rc = u && g && count && count <= INT32_MAX && flags <= CU_GRAPH_USER_OBJECT_MOVE ? CUDA_SUCCESS
        : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no user object or no graph, or a count of %u, or unknown flags 0x%x", count, flags);

    if (!rc && flags != CU_GRAPH_USER_OBJECT_MOVE)
        user_object_hold(u, count);
    if (!rc)
        user_of(g, u)->count += count;
    graph_unref(g);
    user_object_unref(u);
    return rc;
}

CUresult do_cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    struct user_object *u = user_object_get(object);
    struct graph *g = graph_get(graph);
    CUresult rc = u && g && count ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no user object or no graph, or a count of 0");

    if (!rc) {
        struct graph_user *held = user_of(g, u);
        uint64_t n = hw_min_u64(count, held->count);
        held->count -= n;
        if (!held->count) {
            *held = hw_vec_pop(&g->users);
            user_object_unref(u);                /* not the last: there is the one above */
        }
        user_object_drop(u, n);
    }
    graph_unref(g);
    user_object_unref(u);
    return rc;
}
