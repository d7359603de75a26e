/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions of graphs. A conditional node is one command of its launch. When its turn comes a thread looks at the value and queues the
 * body that is to run, as a batch in streams of the body's own, with a command at the end that comes back here. A loop then looks again;
 * when no body is to run, the node's command is over. The thread is later.c's: it only looks and queues.
 */
#include "core/graph/condition.h"

#include "base/log.h"
#include "core/device/ctx.h"
#include "core/mem/mem.h"
#include "core/sched/later.h"
#include "core/sched/sched.h"

#include <stdatomic.h>

/* --- values --- */

CUresult condition_new(struct ctx *ctx, unsigned start, bool assigns, struct condition **out)
{
    CUdeviceptr cell;
    if (!later_ready())
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more threads");
    CUresult rc = mem_alloc_variable(ctx, sizeof(uint32_t), 16, false, &cell);
    if (rc)
        return rc;
    struct condition *c = hw_alloc(sizeof *c);
    ctx_ref(ctx);
    c->refs = 1;
    c->ctx = ctx;
    c->handle = cell;
    c->start = start;
    c->assigns = assigns;
    *(uint32_t *)(uintptr_t)cell = start;
    *out = c;
    return CUDA_SUCCESS;
}

struct condition *condition_ref(struct condition *c)
{
    atomic_fetch_add(&c->refs, 1);
    return c;
}

void condition_unref(struct condition *c)
{
    if (atomic_fetch_sub(&c->refs, 1) > 1)
        return;
    if (!c->ctx->dead)                           /* its context took it along */
        mem_free_variable((CUdeviceptr)c->handle);
    ctx_unref(c->ctx);
    hw_free(c);
}

/* --- runs --- */

/*
 * A run of a conditional node.
 * Lifetime  The node's command owns it; the commands at the ends of bodies point at it.
 * Threads   The scheduler hands it to the thread below; nobody else touches it.
 */
struct condition_run {
    struct cmd *node;
    struct condition *condition;                 /* referenced */
    CUgraphConditionalNodeType type;
    struct exec_graph *const *bodies;
    unsigned n;
    condition_body_fn *run_body;
};

static void look_at(struct cmd *c);

static bool condition_start(struct cmd *c)
{
    later_do(c, look_at);
    return false;
}

static void condition_drop(struct cmd *c)
{
    struct condition_run *run = c->condition;
    if (!run || run->node != c)
        return;
    condition_unref(run->condition);
    hw_free(run);
}

/* The node's, and the ones at the ends of its bodies. In a broken context they see for themselves. */
static const struct cmd_type condition_type = { .kind = CMD_CONDITION, .no_job = true, .always = true, .start = condition_start, .drop = condition_drop };

struct cmd *condition_cmd(struct condition *c, CUgraphConditionalNodeType type, struct exec_graph *const *bodies, unsigned n, condition_body_fn *run_body)
{
    struct condition_run *run = hw_alloc(sizeof *run);
    run->node = cmd_new(&condition_type);
    run->condition = condition_ref(c);
    run->type = type;
    run->bodies = bodies;
    run->n = n;
    run->run_body = run_body;
    run->node->condition = run;
    return run->node;
}

/* The body that the value asks for, or NULL. */
static struct exec_graph *pick(const struct condition_run *run)
{
    uint32_t value = atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)run->condition->handle, memory_order_acquire);
    switch (run->type) {
    case CU_GRAPH_COND_TYPE_IF: return value ? run->bodies[0] : run->n > 1 ? run->bodies[1] : NULL;
    case CU_GRAPH_COND_TYPE_WHILE: return value ? run->bodies[0] : NULL;
    case CU_GRAPH_COND_TYPE_SWITCH: return value < run->n ? run->bodies[value] : NULL;
    default: return NULL;
    }
}

/* ended: a body has just run. */
static void look(struct condition_run *run, bool ended)
{
    struct cmd *node = run->node;
    struct ctx *ctx = node->stream->ctx;
    bool once = ended && run->type != CU_GRAPH_COND_TYPE_WHILE;
    struct exec_graph *body = once || ctx_error(ctx) || ctx->dead ? NULL : pick(run);
    if (body) {
        struct cmd *end = cmd_new(&condition_type);
        end->condition = run;
        CUresult rc = run->run_body(body, end);
        if (!rc)
            return;
        cmd_drop(end);
        ctx_poison(ctx, rc);
    }
    sched_done(node);
}

static void look_at(struct cmd *c)
{
    struct condition_run *run = c->condition;
    bool ended = c != run->node;
    if (ended)
        sched_done(c);
    look(run, ended);
}
