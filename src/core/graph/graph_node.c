/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes of graphs do: checked, kept, copied, and turned into commands. */
#include "base/log.h"
#include "core/graph/graph.h"

#include "core/graph/condition.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/mem/graph_mem.h"
#include "core/module/module.h"
#include "core/sched/mark.h"
#include "core/sched/sched.h"
#include "core/stream/stream.h"
#include "core/stream/values.h"

static void start(struct node_params *p, CUgraphNodeType type, struct ctx *ctx)
{
    memset(p, 0, sizeof *p);
    p->type = type;
    p->ctx = ctx;
    ctx_ref(ctx);
    hook_node_made(&p->added);
}

void node_params_empty(struct ctx *ctx, struct node_params *out)
{
    start(out, CU_GRAPH_NODE_TYPE_EMPTY, ctx);
}

static void **point_into(const struct function *f, void *packed)
{
    void **pointers = hw_alloc(sizeof *pointers * (f->n_params + 1));
    for (uint32_t i = 0; i < f->n_params; i++)
        pointers[i] = (char *)packed + f->params[i].offset;
    return pointers;
}

CUresult node_params_kernel(struct function *f, const struct launch_config *config, void **params, void **extra,
                            struct node_params *out)
{
    void *packed;
    CUresult rc = launch_check(f, config);
    if (rc || (rc = launch_pack(f, params, extra, &packed)))
        return rc;
    start(out, CU_GRAPH_NODE_TYPE_KERNEL, f->module->ctx);
    out->u.kernel.fn = f;
    module_ref(f->module);                       /* what keeps a function: see function_put() */
    out->u.kernel.config = *config;
    out->u.kernel.packed = packed;
    out->u.kernel.pointers = point_into(f, packed);
    return CUDA_SUCCESS;
}

/* As the program would have described a copy that was captured. */
static void describe(const struct copy_request *r, CUDA_MEMCPY3D *d)
{
    memset(d, 0, sizeof *d);
    d->srcMemoryType = r->src.side == COPY_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
    d->srcDevice = r->src.addr;
    d->srcPitch = r->src.pitch ? r->src.pitch : r->width;
    d->srcHeight = r->rows;
    d->dstMemoryType = r->dst.side == COPY_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
    d->dstDevice = r->dst.addr;
    d->dstPitch = r->dst.pitch ? r->dst.pitch : r->width;
    d->dstHeight = r->rows;
    if (d->srcPitch && r->src.slice)
        d->srcHeight = r->src.slice / d->srcPitch;
    if (d->dstPitch && r->dst.slice)
        d->dstHeight = r->dst.slice / d->dstPitch;
    d->WidthInBytes = r->width;
    d->Height = r->rows;
    d->Depth = r->slices;
}

CUresult node_params_copy(struct ctx *ctx, const struct copy_request *req, const CUDA_MEMCPY3D *desc, struct node_params *out)
{
    struct cmd *c;
    CUresult rc = copy_cmd(req, &c);             /* the same checks as when it runs */
    if (rc)
        return rc;
    cmd_drop(c);
    start(out, CU_GRAPH_NODE_TYPE_MEMCPY, ctx);
    out->u.copy.req = *req;
    if (desc)
        out->u.copy.desc = *desc;
    else
        describe(req, &out->u.copy.desc);
    return CUDA_SUCCESS;
}

CUresult node_params_fill(struct ctx *ctx, const CUDA_MEMSET_NODE_PARAMS *fill, struct node_params *out)
{
    struct cmd *c;
    CUresult rc;
    if (fill->elementSize != 1 && fill->elementSize != 2 && fill->elementSize != 4)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "elements of %u bytes; a fill takes 1, 2 or 4", fill->elementSize);
    if ((rc = copy_fill_cmd(fill->dst, fill->pitch, fill->value, fill->elementSize, fill->width, fill->height, &c)))
        return rc;
    cmd_drop(c);
    start(out, CU_GRAPH_NODE_TYPE_MEMSET, ctx);
    out->u.fill = *fill;
    return CUDA_SUCCESS;
}

CUresult node_params_host(struct ctx *ctx, CUhostFn fn, void *data, struct node_params *out)
{
    if (!fn)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "fn is NULL");
    start(out, CU_GRAPH_NODE_TYPE_HOST, ctx);
    out->u.host.fn = fn;
    out->u.host.userData = data;
    return CUDA_SUCCESS;
}

CUresult node_params_event(struct event *e, bool record, struct node_params *out)
{
    start(out, record ? CU_GRAPH_NODE_TYPE_EVENT_RECORD : CU_GRAPH_NODE_TYPE_WAIT_EVENT, e->ctx);
    event_ref(e);
    out->u.event = e;
    return CUDA_SUCCESS;
}

CUresult node_params_values(struct ctx *ctx, const CUstreamBatchMemOpParams *ops, unsigned n, struct node_params *out)
{
    CUresult rc = values_check(ops, n);
    if (rc)
        return rc;
    start(out, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, ctx);
    out->u.values.ops = hw_alloc(sizeof *ops * (n + 1));
    if (n)
        memcpy(out->u.values.ops, ops, sizeof *ops * n);
    out->u.values.n = n;
    return CUDA_SUCCESS;
}

CUresult node_params_memory(struct ctx *ctx, struct graph_memory *m, bool alloc, struct node_params *out)
{
    start(out, alloc ? CU_GRAPH_NODE_TYPE_MEM_ALLOC : CU_GRAPH_NODE_TYPE_MEM_FREE, ctx);
    out->u.memory = m;
    return CUDA_SUCCESS;
}

CUresult node_params_child(struct ctx *ctx, const struct graph *child, struct node_params *out)
{
    if (graph_has(child, CU_GRAPH_NODE_TYPE_CONDITIONAL))
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "a child graph with conditional nodes is not supported: its copy would go by the same values");         /* a copy would go by the same values */
    start(out, CU_GRAPH_NODE_TYPE_GRAPH, ctx);
    out->u.child = graph_clone(child);
    out->u.child->origin_of_child = out->u.child;
    return CUDA_SUCCESS;
}

static void add_bodies(struct node_params *p, struct graph *const *from, struct graph *parent)
{
    unsigned n = p->u.conditional.n;
    p->u.conditional.bodies = hw_alloc(sizeof *p->u.conditional.bodies * n);
    p->u.conditional.handles = hw_alloc(sizeof *p->u.conditional.handles * n);
    for (unsigned k = 0; k < n; k++) {
        struct graph *body = from ? graph_clone(from[k]) : graph_new();
        body->origin_of_child = body;
        body->parent = parent;
        p->u.conditional.bodies[k] = body;
        p->u.conditional.handles[k] = graph_handle(body);
    }
}

/* Each body is a graph, whether anything is in it or not. */
enum { MOST_BODIES = 1 << 14 };

CUresult node_params_conditional(struct graph *parent, CUgraphConditionalHandle handle, CUgraphConditionalNodeType type, unsigned n,
                                 struct node_params *out)
{
    const struct graph *top = parent;
    struct condition *c = graph_condition(parent, handle);
    while (top->parent)
        top = top->parent;
    bool fits = type == CU_GRAPH_COND_TYPE_IF ? n == 1 || n == 2 : type == CU_GRAPH_COND_TYPE_WHILE ? n == 1
        : type == CU_GRAPH_COND_TYPE_SWITCH && n > 0;
    if (!c || !fits || graph_uses(top, c))       /* one node for each */
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no condition of this graph, or it has a node already, or %u bodies do not fit the type %d", (unsigned)n, (int)type);
    if (n > MOST_BODIES)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "%u bodies are more than %d", (unsigned)n, (int)MOST_BODIES);
    start(out, CU_GRAPH_NODE_TYPE_CONDITIONAL, c->ctx);
    out->u.conditional.condition = condition_ref(c);
    out->u.conditional.type = type;
    out->u.conditional.n = n;
    add_bodies(out, NULL, parent);
    return CUDA_SUCCESS;
}

void node_params_dup(const struct node_params *from, struct node_params *out)
{
    *out = *from;
    ctx_ref(out->ctx);
    switch (from->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        const struct function *f = from->u.kernel.fn;
        module_ref(f->module);
        out->u.kernel.packed = f->param_bytes ? hw_alloc(f->param_bytes) : NULL;
        if (f->param_bytes)
            memcpy(out->u.kernel.packed, from->u.kernel.packed, f->param_bytes);
        out->u.kernel.pointers = point_into(f, out->u.kernel.packed);
        break;
    }
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        event_ref(from->u.event);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        graph_memory_ref(from->u.memory);
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        out->u.child = graph_clone(from->u.child);
        out->u.child->origin_of_child = out->u.child;
        break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        condition_ref(from->u.conditional.condition);
        add_bodies(out, from->u.conditional.bodies, NULL);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        out->u.values.ops = hw_alloc(sizeof *out->u.values.ops * (from->u.values.n + 1));
        memcpy(out->u.values.ops, from->u.values.ops, sizeof *out->u.values.ops * from->u.values.n);
        break;
    default: break;
    }
}

void node_params_fini(struct node_params *p)
{
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        hw_free(p->u.kernel.packed);
        hw_free(p->u.kernel.pointers);
        module_unref(p->u.kernel.fn->module);
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        event_unref(p->u.event);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        graph_memory_unref(p->u.memory);
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        graph_close(p->u.child);
        break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        for (unsigned k = 0; k < p->u.conditional.n; k++) {
            p->u.conditional.bodies[k]->parent = NULL;
            graph_close(p->u.conditional.bodies[k]);
        }
        hw_free(p->u.conditional.bodies);
        hw_free(p->u.conditional.handles);
        condition_unref(p->u.conditional.condition);
        break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        hw_free(p->u.values.ops);
        break;
    default: break;
    }
    ctx_unref(p->ctx);
}

CUresult node_params_cmd(const struct node_params *p, struct cmd **out)
{
    const CUDA_MEMSET_NODE_PARAMS *f = &p->u.fill;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return launch_cmd(p->u.kernel.fn, &p->u.kernel.config, p->u.kernel.packed, out);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return copy_cmd(&p->u.copy.req, out);
    case CU_GRAPH_NODE_TYPE_MEMSET: return copy_fill_cmd(f->dst, f->pitch, f->value, f->elementSize, f->width, f->height, out);
    case CU_GRAPH_NODE_TYPE_HOST: *out = stream_host_cmd(p->u.host.fn, p->u.host.userData); return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: *out = mark_record(p->u.event); return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: *out = mark_wait(p->u.event); return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:           /* the memory is there already, and stays */
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
    case CU_GRAPH_NODE_TYPE_EMPTY: *out = mark_nothing(); return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        if (!values_ready())
            return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more threads");
        *out = values_cmd(p->u.values.ops, p->u.values.n);
        return CUDA_SUCCESS;
    default: return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no command for a node of type %d", (int)p->type);
    }
}

const char *node_type_name(CUgraphNodeType type)
{
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return "kernel";
    case CU_GRAPH_NODE_TYPE_MEMCPY: return "copy";
    case CU_GRAPH_NODE_TYPE_MEMSET: return "fill";
    case CU_GRAPH_NODE_TYPE_HOST: return "host function";
    case CU_GRAPH_NODE_TYPE_GRAPH: return "child graph";
    case CU_GRAPH_NODE_TYPE_EMPTY: return "empty";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return "event wait";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return "event record";
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return "memory values";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return "allocation";
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return "release";
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return "conditional";
    default: return "?";
    }
}
