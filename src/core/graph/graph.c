/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: nodes, edges, copies, the picture for graphviz. */
#include "core/graph/graph.h"
#include "base/log.h"

#include "core/graph/condition.h"
#include "core/module/module.h"
#include "core/graph/user_object.h"

/* --- nodes --- */

static void node_free(struct obj *obj)
{
    struct node *n = hw_container_of(obj, struct node, obj);
    node_params_fini(&n->params);
    hw_vec_fini(&n->deps);
    hw_vec_fini(&n->edges);
    hw_vec_fini(&n->dependents);
    hw_free(n);
}

struct node *node_get(CUgraphNode handle)
{
    struct obj *obj = obj_get(handle, OBJ_NODE);
    return obj ? hw_container_of(obj, struct node, obj) : NULL;
}

/* --- edges --- */

static const CUgraphEdgeData plain;

bool edge_is_plain(const CUgraphEdgeData *data)
{
    return !data || memcmp(data, &plain, sizeof plain) == 0;
}

/* Measured: only kernels have other ports than 0, and an edge that is programmatic leads from one to another. */
bool edge_is_valid(const struct node *from, const struct node_params *to, const CUgraphEdgeData *data)
{
    static const CUgraphEdgeData early[] = {
        { .from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER },
        { .from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC },
        { .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC },
    };
    if (edge_is_plain(data))
        return true;
    if (from->params.type != CU_GRAPH_NODE_TYPE_KERNEL)
        return false;
    if (data->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC && to && to->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return false;
    for (size_t i = 0; i < HW_LEN(early); i++)
        if (memcmp(data, &early[i], sizeof *data) == 0)
            return true;
    return false;
}

const CUgraphEdgeData *edge_between(const struct node *from, const struct node *to)
{
    for (size_t i = 0; i < to->deps.n; i++)
        if (to->deps.v[i] == from)
            return &to->edges.v[i];
    return NULL;
}

static void link_nodes(struct node *from, struct node *to, const CUgraphEdgeData *data)
{
    hw_vec_push(&to->deps, from);
    hw_vec_push(&to->edges, data ? *data : plain);
    hw_vec_push(&from->dependents, to);
}

static struct node *append(struct graph *g, const struct node_params *params)
{
    struct node *n = hw_alloc(sizeof *n);
    n->graph = g;
    n->params = *params;
    n->id = g->last_id++;
    obj_init(&n->obj, OBJ_NODE, node_free);
    hw_vec_push(&g->nodes, n);
    return n;
}

CUresult graph_add(struct graph *g, struct node_params *params, struct node *const *deps, const CUgraphEdgeData *data, size_t n, struct node **out)
{
    for (size_t i = 0; i < n; i++) {
        bool bad = !deps[i] || deps[i]->graph != g;
        for (size_t k = 0; k < i && !bad; k++)
            bad = deps[k] == deps[i];
        if (bad) {
            node_params_fini(params);
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "dependency %zu is no node of this graph, or is there twice", i);
        }
    }
    struct node *node = append(g, params);
    for (size_t i = 0; i < n; i++)
        link_nodes(deps[i], node, data ? &data[i] : NULL);
    *out = node;
    return CUDA_SUCCESS;
}

CUresult graph_add_edge(struct graph *g, struct node *from, struct node *to, const CUgraphEdgeData *data)
{
    if (!from || !to || from == to || from->graph != g || to->graph != g || edge_between(from, to) || !edge_is_valid(from, &to->params, data))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "an edge's ends are no two nodes of the graph, or it is there already, or its data is not valid");
    link_nodes(from, to, data);
    return CUDA_SUCCESS;
}

/* Takes one pointer out of an array, keeping the order of the rest. */
static bool drop(struct node **v, size_t *n, const struct node *what)
{
    for (size_t i = 0; i < *n; i++)
        if (v[i] == what) {
            memmove(v + i, v + i + 1, (*n - i - 1) * sizeof *v);
            --*n;
            return true;
        }
    return false;
}

static bool drop_dep(struct node *n, const struct node *dep)
{
    const CUgraphEdgeData *data = edge_between(dep, n);
    if (!data)
        return false;
    size_t at = (size_t)(data - n->edges.v);
    memmove(n->edges.v + at, n->edges.v + at + 1, (--n->edges.n - at) * sizeof *data);
    return drop(n->deps.v, &n->deps.n, dep);
}

CUresult graph_remove_edge(struct graph *g, struct node *from, struct node *to)
{
    if (!from || !to || from->graph != g || to->graph != g || !drop_dep(to, from))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no such edge in the graph");
    drop(from->dependents.v, &from->dependents.n, to);
    return CUDA_SUCCESS;
}

static void detach(struct node *n)
{
    for (size_t i = 0; i < n->deps.n; i++)
        drop(n->deps.v[i]->dependents.v, &n->deps.v[i]->dependents.n, n);
    for (size_t i = 0; i < n->dependents.n; i++)
        drop_dep(n->dependents.v[i], n);
    n->deps.n = n->edges.n = n->dependents.n = 0;
    n->graph = NULL;
    obj_close(&n->obj);
}

void graph_remove(struct node *n)
{
    if (!n->graph)
        return;
    drop(n->graph->nodes.v, &n->graph->nodes.n, n);
    detach(n);
}

/* --- what graphs keep alive for the program --- */

static void users_drop(struct graph *g)
{
    while (g->users.n) {
        struct graph_user user = hw_vec_pop(&g->users);
        user_object_drop(user.object, user.count);
        user_object_unref(user.object);
    }
}

static void users_hold(const struct graph *from, struct graph *into)
{
    for (size_t i = 0; i < from->users.n; i++) {
        user_object_ref(from->users.v[i].object);
        user_object_hold(from->users.v[i].object, from->users.v[i].count);
        hw_vec_push(&into->users, from->users.v[i]);
    }
}

void graph_take_users(struct graph *g, const struct graph *from)
{
    struct graph old = { .users = g->users };
    memset(&g->users, 0, sizeof g->users);
    users_hold(from, g);                         /* first: both may hold the same */
    users_drop(&old);
    hw_vec_fini(&old.users);
}

static void users_of_all(const struct graph *g, struct graph *into)
{
    users_hold(g, into);
    for (size_t i = 0; i < g->nodes.n; i++) {
        const struct node_params *p = &g->nodes.v[i]->params;
        if (p->type == CU_GRAPH_NODE_TYPE_GRAPH)
            users_of_all(p->u.child, into);
        for (unsigned k = 0; p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && k < p->u.conditional.n; k++)
            users_of_all(p->u.conditional.bodies[k], into);
    }
}

struct graph *graph_users(const struct graph *g)
{
    struct graph *all = graph_new();
    users_of_all(g, all);
    if (all->users.n)
        return all;
    graph_close(all);
    return NULL;
}

/* --- graphs --- */

static void graph_free(struct obj *obj)
{
    struct graph *g = hw_container_of(obj, struct graph, obj);
    while (g->nodes.n)
        detach(hw_vec_pop(&g->nodes));
    users_drop(g);
    for (size_t i = 0; i < g->conditions.n; i++)
        condition_unref(g->conditions.v[i]);
    hw_vec_fini(&g->nodes);
    hw_vec_fini(&g->users);
    hw_vec_fini(&g->conditions);
    hw_free(g);
}

struct graph *graph_new(void)
{
    struct graph *g = hw_alloc(sizeof *g);
    obj_init(&g->obj, OBJ_GRAPH, graph_free);
    return g;
}

struct graph *graph_get(CUgraph handle)
{
    struct obj *obj = obj_get(handle, OBJ_GRAPH);
    return obj ? hw_container_of(obj, struct graph, obj) : NULL;
}

void graph_close(struct graph *g)
{
    if (g)
        obj_close(&g->obj);
}

CUresult graph_destroy(CUgraph handle)
{
    struct graph *g = graph_get(handle);
    bool closed = g && !g->origin_of_child && obj_close(&g->obj);
    graph_unref(g);
    return closed ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed, or it belongs to a node");
}

bool graph_has_memory(const struct graph *g)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        const struct node_params *p = &g->nodes.v[i]->params;
        if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || p->type == CU_GRAPH_NODE_TYPE_MEM_FREE
            || (p->type == CU_GRAPH_NODE_TYPE_GRAPH && graph_has_memory(p->u.child)))
            return true;
    }
    return false;
}

struct graph *graph_clone(const struct graph *g)
{
    struct graph *copy = graph_new();
    for (size_t i = 0; i < g->nodes.n; i++) {
        struct node_params params;
        node_params_dup(&g->nodes.v[i]->params, &params);
        append(copy, &params)->origin = node_handle(g->nodes.v[i]);
        g->nodes.v[i]->place = (uint32_t)i;
    }
    for (size_t i = 0; i < g->nodes.n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->deps.n; k++)
            link_nodes(copy->nodes.v[g->nodes.v[i]->deps.v[k]->place], copy->nodes.v[i], &g->nodes.v[i]->edges.v[k]);
    users_hold(g, copy);
    return copy;
}

struct condition *graph_condition(const struct graph *g, CUgraphConditionalHandle handle)
{
    for (; g; g = g->parent)
        for (size_t i = 0; i < g->conditions.n; i++)
            if (g->conditions.v[i]->handle == handle)
                return g->conditions.v[i];
    return NULL;
}

/* Calls fn for every node of g and of the graphs in it until it answers true. */
static bool any_node(const struct graph *g, bool (*fn)(const struct node_params *p, const void *what), const void *what)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        const struct node_params *p = &g->nodes.v[i]->params;
        if (fn(p, what) || (p->type == CU_GRAPH_NODE_TYPE_GRAPH && any_node(p->u.child, fn, what)))
            return true;
        for (unsigned k = 0; p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && k < p->u.conditional.n; k++)
            if (any_node(p->u.conditional.bodies[k], fn, what))
                return true;
    }
    return false;
}

static bool is_of_type(const struct node_params *p, const void *type)
{
    return p->type == *(const CUgraphNodeType *)type;
}

bool graph_has(const struct graph *g, CUgraphNodeType type)
{
    return any_node(g, is_of_type, &type);
}

static bool goes_by(const struct node_params *p, const void *condition)
{
    return p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && p->u.conditional.condition == condition;
}

bool graph_uses(const struct graph *g, const struct condition *c)
{
    return any_node(g, goes_by, c);
}

static bool has_unused(const struct node_params *p, const void *unused)
{
    (void)unused;
    for (unsigned k = 0; p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && k < p->u.conditional.n; k++)
        if (graph_condition_unused(p->u.conditional.bodies[k]))
            return true;
    return false;
}

bool graph_condition_unused(const struct graph *g)
{
    for (size_t i = 0; i < g->conditions.n; i++)
        if (!graph_uses(g, g->conditions.v[i]))
            return true;
    return any_node(g, has_unused, NULL);
}

struct node *graph_find_copy(const struct graph *copy, CUgraphNode origin)
{
    for (size_t i = 0; i < copy->nodes.n; i++)
        if (copy->nodes.v[i]->origin == origin)
            return copy->nodes.v[i];
    return NULL;
}

struct node **graph_order(const struct graph *g)
{
    struct node **order = hw_alloc(sizeof *order * (g->nodes.n + 1));
    size_t n = 0;
    for (size_t i = 0; i < g->nodes.n; i++) {
        struct node *node = g->nodes.v[i];
        node->place = (uint32_t)node->deps.n;    /* how many it still waits for */
        if (node->place == 0)
            order[n++] = node;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < order[i]->dependents.n; k++)
            if (--order[i]->dependents.v[k]->place == 0)
                order[n++] = order[i]->dependents.v[k];
    if (n == g->nodes.n)
        return order;
    hw_free(order);
    return NULL;
}

/* --- the picture --- */

static void print_node(const struct node *n, const char *prefix, FILE *out)
{
    fprintf(out, "\"%s%u\" [shape=%s label=\"%u: %s", prefix, n->id,
            n->params.type == CU_GRAPH_NODE_TYPE_KERNEL ? "octagon" : "box", n->id, node_type_name(n->params.type));
    switch (n->params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        const struct launch_config *c = &n->params.u.kernel.config;
        fprintf(out, "\\n%s\\n<<<(%u,%u,%u), (%u,%u,%u), %u>>>", n->params.u.kernel.fn->name, c->grid[0], c->grid[1], c->grid[2],
                c->block[0], c->block[1], c->block[2], c->shared_bytes);
        break;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        fprintf(out, "\\n%#llx to %#llx, %zu x %zu x %zu bytes", (unsigned long long)n->params.u.copy.req.src.addr,
                (unsigned long long)n->params.u.copy.req.dst.addr, n->params.u.copy.req.width, n->params.u.copy.req.rows,
                n->params.u.copy.req.slices);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        fprintf(out, "\\n%#llx, %u, %zu x %zu elements of %u", (unsigned long long)n->params.u.fill.dst, n->params.u.fill.value,
                n->params.u.fill.width, n->params.u.fill.height, n->params.u.fill.elementSize);
        break;
    default: break;
    }
    fprintf(out, "\"];\n");
}

static void print_graph(const struct graph *g, const char *prefix, FILE *out)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        const struct node *n = g->nodes.v[i];
        print_node(n, prefix, out);
        for (size_t k = 0; k < n->deps.n; k++)
            fprintf(out, "\"%s%u\" -> \"%s%u\";\n", prefix, n->deps.v[k]->id, prefix, n->id);
        if (n->params.type == CU_GRAPH_NODE_TYPE_GRAPH) {
            char *inner = hw_sprintf("%s%u_", prefix, n->id);
            fprintf(out, "subgraph \"cluster_%s\" {\n", inner);
            print_graph(n->params.u.child, inner, out);
            fprintf(out, "}\n");
            hw_free(inner);
        }
        for (unsigned k = 0; n->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL && k < n->params.u.conditional.n; k++) {
            char *inner = hw_sprintf("%s%u_%u_", prefix, n->id, k);
            fprintf(out, "subgraph \"cluster_%s\" {\n", inner);
            print_graph(n->params.u.conditional.bodies[k], inner, out);
            fprintf(out, "}\n");
            hw_free(inner);
        }
    }
}

CUresult graph_print_dot(const struct graph *g, const char *path, unsigned flags)
{
    FILE *out = fopen(path, "w");
    (void)flags;                                 /* they ask for more detail; there is one level of it */
    if (!out)
        return hw_refuse(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written", path);
    fprintf(out, "digraph dot {\n");
    print_graph(g, "graph_node_", out);
    fprintf(out, "}\n");
    return fclose(out) ? hw_refuse(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written", path) : CUDA_SUCCESS;
}
