/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs. */
#include "core/graph/exec_graph.h"
#include "base/log.h"

#include "core/graph/capture.h"
#include "core/graph/condition.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/sched/gate.h"
#include "core/sched/mark.h"
#include "core/mem/graph_mem.h"
#include "core/graph/graph.h"
#include "core/hooks.h"
#include "core/internal.h"
#include "core/stream/stream.h"
#include "core/stream/values.h"

enum { MAX_LANES = 16 };

static void exec_graph_free(struct obj *obj)
{
    struct exec_graph *x = hw_container_of(obj, struct exec_graph, obj);
    for (size_t i = 0; i < x->steps.n; i++) {
        struct exec_step *step = &x->steps.v[i];
        for (unsigned k = 0; step->bodies && k < step->node->params.u.conditional.n; k++)
            if (step->bodies[k])
                obj_close(&step->bodies[k]->obj);
        hw_free(step->bodies);
        hw_vec_fini(&step->deps);
    }
    for (size_t i = 0; i < x->lanes.n; i++) {
        obj_close(&x->lanes.v[i]->obj);
        stream_unref(x->lanes.v[i]);
    }
    if (x->done)
        obj_close(&x->done->obj);
    event_unref(x->done);
    if (!x->is_body)
        graph_close(x->copy);
    graph_close(x->users);
    hw_vec_fini(&x->steps);
    hw_vec_fini(&x->lanes);
    hw_vec_fini(&x->ends);
    hw_free(x->items);
    hw_free(x);
}

/* --- laying out --- */

static void add_dep(struct exec_step *step, uint32_t place)
{
    for (size_t i = 0; i < step->deps.n; i++)
        if (step->deps.v[i] == place)
            return;
    hw_vec_push(&step->deps, place);
}

/* Appends a graph's steps. before: what its roots wait for. out_ends gets what waits for all of it has to wait for. */
static bool flatten(struct exec_graph *x, struct graph *g, const uint32_t *before, size_t n_before, struct exec_step *out_ends)
{
    struct node **order = graph_order(g);
    if (!order)
        return false;
    bool ok = true;
    for (size_t i = 0; i < g->nodes.n && ok; i++) {
        struct node *n = order[i];
        struct exec_step step = { .node = n, .enabled = true };
        for (size_t k = 0; k < n->deps.n; k++)
            add_dep(&step, n->deps.v[k]->place);
        if (n->deps.n == 0)
            for (size_t k = 0; k < n_before; k++)
                add_dep(&step, before[k]);
        if (n->params.type == CU_GRAPH_NODE_TYPE_GRAPH) {
            struct exec_step end = { .node = n, .enabled = true, .is_end = true };
            ok = flatten(x, n->params.u.child, step.deps.v, step.deps.n, &end);
            hw_vec_fini(&step.deps);
            step = end;
        }
        hw_vec_push(&x->steps, step);
        n->place = (uint32_t)x->steps.n;         /* its place in the batch */
        if (n->dependents.n == 0)
            add_dep(out_ends, n->place);
    }
    if (g->nodes.n == 0)
        for (size_t k = 0; k < n_before; k++)
            add_dep(out_ends, before[k]);
    hw_free(order);
    return ok;
}

static uint32_t new_lane(struct exec_graph *x, struct ctx *ctx)
{
    struct stream *s = stream_new(ctx, CU_STREAM_NON_BLOCKING, 0);
    s->of_graph = true;
    stream_ref(s);                               /* ours, beside the handle's: a context closes its streams' handles */
    hw_vec_push(&x->lanes, s);
    return (uint32_t)x->lanes.n - 1;
}

/* Follows the first step waited for that nobody follows yet, else opens a lane, else shares one of the same context. */
static uint32_t choose_lane(struct exec_graph *x, const struct exec_step *step, bool *followed, size_t index)
{
    struct ctx *ctx = step->node->params.ctx;
    for (size_t i = 0; i < step->deps.n; i++) {
        uint32_t place = step->deps.v[i];
        if (place && !followed[place - 1] && x->lanes.v[x->steps.v[place - 1].lane]->ctx == ctx) {
            followed[place - 1] = true;
            return x->steps.v[place - 1].lane;
        }
    }
    if (x->lanes.n < MAX_LANES)
        return new_lane(x, ctx);
    for (size_t i = 0; i < x->lanes.n; i++)
        if (x->lanes.v[(index + i) % x->lanes.n]->ctx == ctx)
            return (uint32_t)((index + i) % x->lanes.n);
    return new_lane(x, ctx);
}

/* A lane is a stream: what is earlier in it need not be waited for. */
static void lay_out(struct exec_graph *x)
{
    bool *followed = hw_alloc(x->steps.n + 1);
    for (size_t i = 0; i < x->steps.n; i++) {
        struct exec_step *step = &x->steps.v[i];
        step->lane = choose_lane(x, step, followed, i);
        size_t kept = 0;
        for (size_t k = 0; k < step->deps.n; k++) {
            uint32_t place = step->deps.v[k];
            if (place == 0 || x->steps.v[place - 1].lane != step->lane)
                step->deps.v[kept++] = place;
        }
        step->deps.n = kept;
    }
    hw_free(followed);
}

/* The memory that step i allocates, or NULL. */
static struct graph_memory *allocated(const struct exec_graph *x, size_t i)
{
    const struct exec_step *step = &x->steps.v[i];
    return !step->is_end && step->node->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? step->node->params.u.memory : NULL;
}

static void release_memory(struct exec_graph *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (allocated(x, i))
            graph_memory_end(allocated(x, i));
}

/* False: another executable graph has some of it. */
static bool claim_memory(struct exec_graph *x)
{
    struct graph_blocks *blocks = x->has_memory ? graph_blocks_new() : NULL;
    x->claimed = x->has_memory;
    for (size_t i = 0; blocks && x->claimed && i < x->steps.n; i++) {
        if (allocated(x, i) && !graph_memory_begin(allocated(x, i), blocks)) {
            release_memory(x, i);
            x->claimed = false;
        }
    }
    graph_blocks_unref(blocks);
    return x->claimed == x->has_memory;
}

/* What the body of a conditional node may hold; of child graphs in it too. */
static bool may_be_in_body(const struct graph *g)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        const struct node_params *p = &g->nodes.v[i]->params;
        switch (p->type) {
        case CU_GRAPH_NODE_TYPE_GRAPH:
            if (!may_be_in_body(p->u.child))
                return false;
            break;
        case CU_GRAPH_NODE_TYPE_KERNEL:
        case CU_GRAPH_NODE_TYPE_MEMCPY:
        case CU_GRAPH_NODE_TYPE_MEMSET:
        case CU_GRAPH_NODE_TYPE_EMPTY:
        case CU_GRAPH_NODE_TYPE_CONDITIONAL:
            break;
        default: return false;
        }
    }
    return true;
}

static CUresult prepare(struct exec_graph *x, enum exec_graph_problem *why);

static CUresult add_bodies(struct exec_graph *x, struct exec_step *step, enum exec_graph_problem *why)
{
    const struct node_params *p = &step->node->params;
    CUresult rc = CUDA_SUCCESS;
    x->has_conditions = true;
    step->bodies = hw_alloc(sizeof *step->bodies * p->u.conditional.n);
    for (unsigned k = 0; k < p->u.conditional.n && !rc; k++) {
        struct exec_graph *body = hw_alloc(sizeof *body);
        obj_init(&body->obj, OBJ_EXEC, exec_graph_free);
        step->bodies[k] = body;
        body->copy = p->u.conditional.bodies[k];
        body->is_body = true;
        if (!may_be_in_body(body->copy)) {
            *why = EXEC_GRAPH_BODY;
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the body of a conditional node holds a node that may not be there");
        }
        rc = prepare(body, why);
        if (!rc) {
            uint32_t lane = new_lane(body, p->ctx);
            body->own = body->lanes.v[lane];
        }
    }
    return rc;
}

/* Lays out the copy, and compiles now what would be compiled by the first launch. */
static CUresult prepare(struct exec_graph *x, enum exec_graph_problem *why)
{
    struct exec_step ends = { 0 };
    const uint32_t begin = 0;
    CUresult rc = CUDA_SUCCESS;
    if (!flatten(x, x->copy, &begin, 1, &ends)) {
        hw_vec_fini(&ends.deps);
        *why = EXEC_GRAPH_RING;
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the graph's nodes depend on each other in a circle");
    }
    lay_out(x);
    hw_vec_reserve(&x->ends, ends.deps.n + 1);
    for (size_t i = 0; i < ends.deps.n; i++)
        hw_vec_push(&x->ends, ends.deps.v[i]);
    hw_vec_fini(&ends.deps);
    x->items = hw_alloc(sizeof *x->items * (x->steps.n + 2));
    for (size_t i = 0; i < x->steps.n && !rc; i++) {
        struct cmd *c;
        struct exec_step *step = &x->steps.v[i];
        CUgraphNodeType type = step->is_end ? CU_GRAPH_NODE_TYPE_EMPTY : step->node->params.type;
        x->has_memory |= type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
        if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
            rc = add_bodies(x, step, why);
        else if (type == CU_GRAPH_NODE_TYPE_KERNEL && !(rc = node_params_cmd(&step->node->params, &c)))
            cmd_drop(c);
    }
    return rc;
}

static void set_taken(struct exec_graph *x, bool taken)
{
    for (size_t i = 0; i < x->steps.n; i++) {
        struct exec_step *step = &x->steps.v[i];
        if (!step->bodies)
            continue;
        step->node->params.u.conditional.condition->taken = taken;
        for (unsigned k = 0; k < step->node->params.u.conditional.n; k++)
            if (step->bodies[k])
                set_taken(step->bodies[k], taken);
    }
}

/* A condition has one value: one executable graph at a time goes by it. */
static CUresult claim(struct exec_graph *x)
{
    for (size_t i = 0; i < x->steps.n; i++)
        if (x->steps.v[i].bodies && x->steps.v[i].node->params.u.conditional.condition->taken)
            return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "another executable graph uses a condition of this one; destroy it first");
    set_taken(x, true);
    x->claims = true;
    return CUDA_SUCCESS;
}

CUresult exec_graph_create(const struct graph *g, unsigned long long flags, CUgraphExec *out, enum exec_graph_problem *why)
{
    struct exec_graph *x = hw_alloc(sizeof *x);
    CUevent done;
    CUresult rc = CUDA_SUCCESS;
    obj_init(&x->obj, OBJ_EXEC, exec_graph_free);
    x->copy = graph_clone(g);
    x->users = graph_users(x->copy);
    x->flags = flags;
    *why = EXEC_GRAPH_OK;
    if (graph_condition_unused(g)) {
        *why = EXEC_GRAPH_UNUSED;
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "the graph has a handle of a condition that no node uses");
    }
    if (!rc && !(rc = prepare(x, why)) && !claim_memory(x))
        rc = hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "the graph allocates memory, and another executable graph of it exists");
    if (!rc && !(rc = claim(x)) && !(rc = event_create(ctx_current(), CU_EVENT_DISABLE_TIMING, &done)))
        x->done = event_get(done);
    if (rc && x->claims)
        set_taken(x, false);
    if (rc && x->claimed)
        release_memory(x, x->steps.n);
    if (rc)
        obj_close(&x->obj);
    else
        *out = (CUgraphExec)x->obj.handle;
    return rc;
}

struct exec_graph *exec_graph_get(CUgraphExec handle)
{
    struct obj *obj = obj_get(handle, OBJ_EXEC);
    return obj ? hw_container_of(obj, struct exec_graph, obj) : NULL;
}

CUresult exec_graph_destroy(CUgraphExec handle)
{
    struct exec_graph *x = exec_graph_get(handle);
    if (x && x->claims)
        set_taken(x, false);
    bool closed = x && obj_close(&x->obj);
    if (closed && x->claimed)
        release_memory(x, x->steps.n);
    exec_graph_unref(x);
    return closed ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph, or it was destroyed");
}

/* --- launching --- */

static CUresult make_cmds(struct exec_graph *x)
{
    CUresult rc = CUDA_SUCCESS;
    size_t made = 0;
    for (size_t i = 0; i < x->steps.n && !rc; i++) {
        struct exec_step *step = &x->steps.v[i];
        struct sched_item *item = &x->items[i + 1];
        item->stream = x->lanes.v[step->lane];
        item->deps = step->deps.v;
        item->n_deps = (uint32_t)step->deps.n;
        if (item->stream->ctx->dead)
            rc = hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context of node %zu was destroyed", i);
        else if (step->is_end || !step->enabled)
            item->cmd = mark_nothing();
        else if (step->bodies)
            item->cmd = condition_cmd(step->node->params.u.conditional.condition, step->node->params.u.conditional.type, step->bodies,
                                      step->node->params.u.conditional.n, exec_graph_run_body);
        else
            rc = node_params_cmd(&step->node->params, &item->cmd);
        made += rc == CUDA_SUCCESS;
    }
    for (size_t i = 0; rc && i < made; i++)
        cmd_drop(x->items[i + 1].cmd);
    return rc;
}

/* To those who watch, kernels and copies of a graph are like any other. */
static void tell_made(struct exec_graph *x)
{
    for (size_t i = 0; i < x->steps.n; i++) {
        const struct node_params *p = &x->steps.v[i].node->params;
        struct cmd *c = x->items[i + 1].cmd;
        if (c->kind == CMD_KERNEL)
            hook_launch_made(c, p->u.kernel.fn, &p->u.kernel.config);
        else if (c->kind == CMD_COPY)
            hook_copy_made(c, true);
        if (c->kind == CMD_KERNEL || c->kind == CMD_COPY)
            hook_node_cmd(c, &p->added);
    }
}

static bool has_node(const struct exec_graph *x, CUgraphNodeType type, const struct graph_memory *m)
{
    for (size_t i = 0; i < x->steps.n; i++)
        if (!x->steps.v[i].is_end && x->steps.v[i].node->params.type == type && x->steps.v[i].node->params.u.memory == m)
            return true;
    return false;
}

/* Memory that a launch allocates and does not free becomes the program's, which must have freed what the last launch gave it; and
   memory of others that it frees is theirs no longer. check: nothing is changed yet. */
static CUresult pass_memory(struct exec_graph *x, bool check)
{
    for (size_t i = 0; x->has_memory && i < x->steps.n; i++) {
        if (x->steps.v[i].is_end)
            continue;
        const struct node_params *p = &x->steps.v[i].node->params;
        bool alloc = p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && !has_node(x, CU_GRAPH_NODE_TYPE_MEM_FREE, p->u.memory);
        bool release = p->type == CU_GRAPH_NODE_TYPE_MEM_FREE && !has_node(x, CU_GRAPH_NODE_TYPE_MEM_ALLOC, p->u.memory);
        if (check && alloc && graph_memory_is_out(p->u.memory) && !(x->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "memory that node %zu allocates is still allocated by an earlier launch", i);
        if (check && release && !graph_memory_is_out(p->u.memory))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "memory that node %zu frees is not allocated", i);
        if (!check && p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
            graph_memory_launching(p->u.memory, true);
        if (!check && alloc)
            graph_memory_give_out(p->u.memory);
        if (!check && release)
            graph_memory_take_back(p->u.memory);
    }
    for (size_t i = 0; x->has_memory && !check && i < x->steps.n; i++)
        if (allocated(x, i))
            graph_memory_launching(allocated(x, i), false);
    return CUDA_SUCCESS;
}

typedef HW_VEC(CUstreamBatchMemOpParams) value_writes;

/* Conditions begin with their first value where the program wants that. */
static void add_values(const struct exec_graph *x, value_writes *out)
{
    for (size_t i = 0; i < x->steps.n; i++) {
        const struct exec_step *step = &x->steps.v[i];
        for (unsigned k = 0; step->bodies && k < step->node->params.u.conditional.n; k++)
            add_values(step->bodies[k], out);
        const struct condition *c = step->bodies ? step->node->params.u.conditional.condition : NULL;
        if (!c || !c->assigns)
            continue;
        CUstreamBatchMemOpParams write = { .writeValue = { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = (CUdeviceptr)c->handle,
                                                           .value = c->start } };
        hw_vec_push(out, write);
    }
}

static struct cmd *begin_cmd(const struct exec_graph *x)
{
    value_writes writes = { 0 };
    if (x->has_conditions)
        add_values(x, &writes);
    struct cmd *c = writes.n ? values_cmd(writes.v, (unsigned)writes.n) : mark_nothing();
    hw_vec_fini(&writes);
    return c;
}

CUresult exec_graph_run_body(struct exec_graph *x, struct cmd *end)
{
    size_t last = x->steps.n + 1;
    CUresult rc = make_cmds(x);
    if (rc)
        return rc;
    x->items[0] = (struct sched_item){ .stream = x->own, .cmd = mark_nothing() };
    x->items[last] = (struct sched_item){ .stream = x->own, .cmd = end, .deps = x->ends.v, .n_deps = (uint32_t)x->ends.n };
    sched_push_batch(x->items, last + 1, NULL);
    return CUDA_SUCCESS;
}

CUresult exec_graph_launch(struct exec_graph *x, struct stream *s)
{
    size_t last = x->steps.n + 1;
    bool captures;
    CUresult rc = capture_enter(s, &captures);
    if (rc)
        return rc;
    if (captures)
        return capture_child(s, x->copy);
    for (size_t i = 0; i < x->lanes.n; i++)      /* a graph may reach into contexts that are not current */
        if (!gate_also(x->lanes.v[i]->ctx))
            return hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "a context that the graph has nodes in was destroyed");
    if ((rc = pass_memory(x, true)) || (rc = make_cmds(x)))
        return rc;
    pass_memory(x, false);
    x->items[0] = (struct sched_item){ .stream = s, .cmd = begin_cmd(x) };
    x->items[last] = (struct sched_item){ .stream = s, .cmd = mark_record(x->done), .deps = x->ends.v,
                                          .n_deps = (uint32_t)x->ends.n };
    struct obj *kept = x->has_memory || x->has_conditions ? &x->obj : x->users ? &x->users->obj : NULL;
    if (kept) {
        obj_ref(kept);
        x->items[last].cmd->keeps = kept;
    }
    if (hw_unlikely(hook_any))
        tell_made(x);
    ctx_flush_printf(s->ctx);
    sched_push_batch(x->items, last + 1, x->done);
    if (hw_unlikely(sched_blocking)) {
        sched_wait_stream(s);
        return ctx_error(s->ctx);
    }
    return CUDA_SUCCESS;
}

/* --- changing --- */

struct exec_step *exec_graph_step(struct exec_graph *x, CUgraphNode node)
{
    for (size_t i = 0; i < x->steps.n; i++) {
        struct exec_step *step = &x->steps.v[i], *inner = NULL;
        if (step->node->origin == node)
            return step;
        for (unsigned k = 0; step->bodies && !inner && k < step->node->params.u.conditional.n; k++)
            inner = exec_graph_step(step->bodies[k], node);
        if (inner)
            return inner;
    }
    return NULL;
}

static void replace(struct node *n, struct node_params *params)
{
    node_params_fini(&n->params);
    n->params = *params;
}

CUresult exec_graph_set(struct exec_graph *x, CUgraphNode node, struct node_params *params)
{
    struct exec_step *step = exec_graph_step(x, node);
    if (!step || step->node->params.type != params->type || step->node->params.ctx != params->ctx
        || params->type == CU_GRAPH_NODE_TYPE_GRAPH || params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        node_params_fini(params);
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no such node, or its type or context is another, or it is a child graph or a condition, which cannot be changed");
    }
    replace(step->node, params);
    return CUDA_SUCCESS;
}

/* Another condition may come in, unless another executable graph goes by it. */
static bool same_condition(const struct node_params *a, const struct node_params *b)
{
    const struct condition *own = a->u.conditional.condition, *other = b->u.conditional.condition;
    return (own == other || !other->taken) && a->u.conditional.type == b->u.conditional.type && a->u.conditional.n == b->u.conditional.n;
}

/* Same nodes in the same order, waiting for the same. bad: the node of g that differs. */
static CUgraphExecUpdateResult alike(const struct graph *copy, const struct graph *g, const struct node **bad)
{
    CUgraphExecUpdateResult why;
    *bad = NULL;
    if (copy->nodes.n != g->nodes.n)
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < g->nodes.n; i++)
        g->nodes.v[i]->place = copy->nodes.v[i]->place = (uint32_t)i;
    for (size_t i = 0; i < g->nodes.n; i++) {
        const struct node *a = copy->nodes.v[i], *b = g->nodes.v[i];
        *bad = b;
        if (a->params.type != b->params.type)
            return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        if (a->deps.n != b->deps.n)
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        for (size_t k = 0; k < a->deps.n; k++)
            if (a->deps.v[k]->place != b->deps.v[k]->place)
                return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        if (a->params.ctx != b->params.ctx)
            return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
        if (a->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL && !same_condition(&a->params, &b->params))
            return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    }
    for (size_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.v[i]->params.type == CU_GRAPH_NODE_TYPE_GRAPH
            && (why = alike(copy->nodes.v[i]->params.u.child, g->nodes.v[i]->params.u.child, bad)))
            return why;
    for (size_t i = 0; i < g->nodes.n; i++) {
        const struct node_params *p = &g->nodes.v[i]->params;
        for (unsigned k = 0; p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL && k < p->u.conditional.n; k++)
            if ((why = alike(copy->nodes.v[i]->params.u.conditional.bodies[k], p->u.conditional.bodies[k], bad)))
                return why;
    }
    *bad = NULL;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static void take_condition(struct node_params *own, const struct node_params *other)
{
    struct condition *old = own->u.conditional.condition;
    old->taken = false;
    own->u.conditional.condition = condition_ref(other->u.conditional.condition);
    own->u.conditional.condition->taken = true;
    condition_unref(old);
}

static void take_over(struct graph *copy, const struct graph *g)
{
    graph_take_users(copy, g);
    for (size_t i = 0; i < g->nodes.n; i++) {
        struct node_params params;
        if (g->nodes.v[i]->params.type == CU_GRAPH_NODE_TYPE_GRAPH) {
            take_over(copy->nodes.v[i]->params.u.child, g->nodes.v[i]->params.u.child);
            continue;
        }
        if (g->nodes.v[i]->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
            take_condition(&copy->nodes.v[i]->params, &g->nodes.v[i]->params);
            for (unsigned k = 0; k < g->nodes.v[i]->params.u.conditional.n; k++)
                take_over(copy->nodes.v[i]->params.u.conditional.bodies[k], g->nodes.v[i]->params.u.conditional.bodies[k]);
            continue;
        }
        node_params_dup(&g->nodes.v[i]->params, &params);
        replace(copy->nodes.v[i], &params);
    }
}

CUresult exec_graph_update(struct exec_graph *x, const struct graph *g, CUgraphExecUpdateResult *why, CUgraphNode *node)
{
    const struct node *bad;
    *why = alike(x->copy, g, &bad);
    *node = bad ? node_handle(bad) : NULL;
    if (*why)
        return hw_refuse(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graphs differ in more than can be updated: CUgraphExecUpdateResult %d", (int)*why);
    if (x->has_conditions || x->has_memory)      /* a launch reads the bodies of conditional nodes while it runs, and keeps x alive instead of users */
        event_synchronize(x->done);
    struct graph *users = x->users;
    take_over(x->copy, g);
    x->users = graph_users(x->copy);
    graph_close(users);
    return CUDA_SUCCESS;
}
