/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of nodes as programs give them, turned into core's. */
#include "driver/graph.h"

#include "base/log.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/module/module.h"
#include "driver/api.h"
#include "driver/copy.h"

/* NULL stands for the current context. A borrowed one is enough: the node takes a reference of its own. */
static CUresult context_of(CUcontext handle, struct ctx **out)
{
    struct ctx *ctx = handle ? ctx_get(handle) : ctx_current();

    if (!ctx)
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "the context was destroyed, or none is current");
    if (handle)
        ctx_unref(ctx);
    *out = ctx;
    return CUDA_SUCCESS;
}

CUresult graph_kernel_params(const CUDA_KERNEL_NODE_PARAMS *in, struct node_params *out)
{
    struct function *f;
    CUresult rc;

    if (!in)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "in is NULL");
    if (!(f = api_function(in->func ? in->func : (CUfunction)in->kern)))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no kernel, or its module was unloaded");
    struct launch_config config = {{in->gridDimX, in->gridDimY, in->gridDimZ}, {in->blockDimX, in->blockDimY, in->blockDimZ},
                                   in->sharedMemBytes, false};
    rc = node_params_kernel(f, &config, in->kernelParams, in->extra, out);
    function_put(f);
    return rc;
}

CUresult graph_copy_params(const CUDA_MEMCPY3D *in, CUcontext handle, struct node_params *out)
{
    struct copy_request req;
    struct ctx *ctx;
    CUresult rc;

    if (!in)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "in is NULL");
    if ((rc = context_of(handle, &ctx)) || (rc = copy_request_3d(in, &req)))
        return rc;
    return node_params_copy(ctx, &req, in, out);
}

CUresult graph_fill_params(const CUDA_MEMSET_NODE_PARAMS *in, CUcontext handle, struct node_params *out)
{
    struct ctx *ctx;
    CUresult rc;

    if (!in)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "in is NULL");
    if ((rc = context_of(handle, &ctx)))
        return rc;
    return node_params_fill(ctx, in, out);
}

CUresult graph_event_params(CUevent event, bool record, struct node_params *out)
{
    struct event *e = event_get(event);
    CUresult rc;

    if (!e)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no event, or it was destroyed");
    rc = node_params_event(e, record, out);
    event_unref(e);
    return rc;
}

CUresult graph_values_params(const CUDA_BATCH_MEM_OP_NODE_PARAMS *in, struct node_params *out)
{
    struct ctx *ctx;
    CUresult rc;

    if (!in || in->flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the parameters are NULL, or their flags are not 0");
    if ((rc = context_of(in->ctx, &ctx)))
        return rc;
    return node_params_values(ctx, in->paramArray, in->count, out);
}

CUresult graph_conditional_params(const CUDA_CONDITIONAL_NODE_PARAMS *in, CUgraph graph, struct node_params *out)
{
    struct graph *g = graph_get(graph);
    CUresult rc = g ? node_params_conditional(g, in->handle, in->type, in->size, out) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed");

    graph_unref(g);
    return rc;
}

static CUresult child_params(CUgraph child, struct node_params *out)
{
    struct graph *g = graph_get(child);
    CUresult rc;

    if (!g)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed");
    rc = node_params_child(ctx_current(), g, out);
    graph_unref(g);
    return rc;
}

CUresult graph_any_params(CUgraphNodeParams *in, struct node_params *out)
{
    if (!in)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "in is NULL");
    switch (in->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return graph_kernel_params((const CUDA_KERNEL_NODE_PARAMS *)&in->kernel, out);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return graph_copy_params(&in->memcpy.copyParams, in->memcpy.copyCtx, out);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return graph_fill_params((const CUDA_MEMSET_NODE_PARAMS *)&in->memset, in->memset.ctx, out);
    case CU_GRAPH_NODE_TYPE_HOST:
        return node_params_host(ctx_current(), in->host.fn, in->host.userData, out);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return child_params(in->graph.graph, out);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        node_params_empty(ctx_current(), out);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return graph_event_params(in->eventWait.event, false, out);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return graph_event_params(in->eventRecord.event, true, out);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return graph_values_params((const CUDA_BATCH_MEM_OP_NODE_PARAMS *)&in->memOp, out);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        hw_warn("graph nodes of type %d (semaphores or memory) are not supported", (int)in->type);
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "nodes of type %d (semaphores or memory) are not supported", (int)in->type);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:         /* made by graph_conditional_params(); it cannot be changed */
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "a conditional node cannot be changed");
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no node type %d", (int)in->type);
    }
}
