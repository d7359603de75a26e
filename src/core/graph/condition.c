/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions of graphs. A conditional node is one command of its launch. When its turn comes a thread looks at the value and queues the
 * body that is to run, as a batch in streams of the body's own, with a command at the end that comes back here. A loop then looks again;
 * when no body is to run, the node's command is over. One thread for all: it only looks and queues. What kernels launch is queued by it too.
 */
#include "core/graph/condition.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "core/device/ctx.h"
#include "core/module/device_launch.h"
#include "core/graph/exec_graph.h"
#include "core/mem/mem.h"
#include "core/stream/sched.h"
#include "core/stream/stream.h"

#include <stdatomic.h>

/* --- values --- */

CUresult condition_new(struct ctx *ctx, unsigned start, bool assigns, struct condition **out)
{
    CUdeviceptr cell;
    if (!condition_ready())
        return CUDA_ERROR_OUT_OF_MEMORY;
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
};

struct cmd *condition_cmd(struct condition *c, CUgraphConditionalNodeType type, struct exec_graph *const *bodies, unsigned n)
{
    struct condition_run *run = hw_alloc(sizeof *run);
    run->node = cmd_new(CMD_CONDITION);
    run->condition = condition_ref(c);
    run->type = type;
    run->bodies = bodies;
    run->n = n;
    run->node->condition = run;
    return run->node;
}

void condition_run_free(struct cmd *c)
{
    struct condition_run *run = c->condition;
    if (!run || run->node != c)
        return;
    condition_unref(run->condition);
    hw_free(run);
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
        struct cmd *end = cmd_new(CMD_CONDITION);
        end->condition = run;
        CUresult rc = exec_graph_run_body(body, end);
        if (!rc)
            return;
        cmd_drop(end);
        ctx_poison(ctx, rc);
    }
    sched_values_done(node);
}

/* --- the thread --- */

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct cmd *fresh HW_GUARDED_BY(mu), **fresh_end HW_GUARDED_BY(mu) = &fresh;          /* by cmd.next, first come first */
static _Atomic uint32_t n_fresh;                                  /* the thread sleeps on it */

static void *look_at_all(void *unused)
{
    (void)unused;
    for (;;) {
        uint32_t seen = atomic_load(&n_fresh);
        hw_lock(&mu);
        struct cmd *c = fresh;
        if (c && !(fresh = c->next))
            fresh_end = &fresh;
        hw_unlock(&mu);
        if (!c) {
            hw_futex_wait(&n_fresh, seen, 0);
            continue;
        }
        if (c->kind == CMD_KERNEL || c->parent) {
            c->parent ? device_launch_over(c) : device_launch_queue(c);
            continue;
        }
        struct condition_run *run = c->condition;
        bool ended = c != run->node;
        if (ended)
            sched_values_done(c);
        look(run, ended);
    }
    return NULL;
}

bool condition_ready(void)
{
    static struct hw_service service = HW_SERVICE_INIT;
    return hw_service_start(&service, look_at_all);
}

void condition_start(struct cmd *c)
{
    c->next = NULL;
    hw_lock(&mu);
    *fresh_end = c;
    fresh_end = &c->next;
    hw_unlock(&mu);
    atomic_fetch_add(&n_fresh, 1);
    hw_futex_wake(&n_fresh, 1);
}
