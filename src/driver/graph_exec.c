/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: instantiating, launching, changing. */
#include "base/log.h"
#include "core/graph/exec_graph.h"

#include "core/device/ctx.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"
#include "driver/graph.h"

/* --- instantiating --- */

static CUresult instantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags, enum exec_graph_problem *why)
{
    const unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
        | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    struct graph *g;
    CUresult rc;

    *why = EXEC_GRAPH_OK;
    if (!out || (flags & ~known))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the place for the result is NULL, or flags 0x%llx are not known", (unsigned long long)flags);
    if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "kernels cannot launch graphs here (CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)");
    if (!(g = graph_get(graph)))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed");
    rc = exec_graph_create(g, flags, out, why);
    graph_unref(g);
    return rc;
}

CUresult do_cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    enum exec_graph_problem why;

    return instantiate(phGraphExec, hGraph, flags, &why);
}

CUresult do_cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                                  size_t bufferSize)
{
    enum exec_graph_problem why;

    if (phErrorNode)
        *phErrorNode = NULL;
    if (logBuffer && bufferSize)
        logBuffer[0] = 0;
    return instantiate(phGraphExec, hGraph, 0, &why);
}

CUresult do_cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                               size_t bufferSize)
{
    return do_cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize);
}

CUresult do_cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    enum exec_graph_problem why;
    CUresult rc;

    if (!instantiateParams)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "instantiateParams is NULL");
    rc = instantiate(phGraphExec, hGraph, instantiateParams->flags, &why);
    instantiateParams->hErrNode_out = NULL;
    instantiateParams->result_out = rc == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
        : why == EXEC_GRAPH_RING ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
        : why == EXEC_GRAPH_UNUSED ? CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED : CUDA_GRAPH_INSTANTIATE_ERROR;
    return rc;
}

CUresult do_cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    struct exec_graph *x = exec_graph_get(hGraphExec);
    CUresult rc = x && flags ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph, or it was destroyed; or flags is NULL");

    if (!rc)
        *flags = x->flags;
    exec_graph_unref(x);
    return rc;
}

CUresult do_cuGraphExecDestroy(CUgraphExec hGraphExec) { return exec_graph_destroy(hGraphExec); }

/* --- launching --- */

CUresult do_cuGraphLaunch(CUgraphExec hGraph, CUstream hStream)
{
    struct exec_graph *x = exec_graph_get(hGraph);
    struct stream *s = NULL;
    CUresult rc;

    if (!x)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph, or it was destroyed");
    if (!(rc = api_stream(hStream, &s)))
        rc = exec_graph_launch(x, s);
    stream_unref(s);
    exec_graph_unref(x);
    return rc;
}

/* There is nothing to upload to: instantiating compiled everything. */
CUresult do_cuGraphUpload(CUgraphExec hGraph, CUstream hStream)
{
    struct exec_graph *x = exec_graph_get(hGraph);
    struct stream *s = NULL;
    CUresult rc = x ? api_stream(hStream, &s) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph, or it was destroyed");

    stream_unref(s);
    exec_graph_unref(x);
    return rc;
}

/* --- changing --- */

static CUresult exec_set(CUgraphExec exec, CUgraphNode node, CUresult made, struct node_params *params)
{
    struct exec_graph *x = exec_graph_get(exec);
    CUresult rc = made;

    if (!rc && !x) {
        node_params_fini(params);
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph, or it was destroyed");
    } else if (!rc) {
        rc = exec_graph_set(x, node, params);
    }
    exec_graph_unref(x);
    return rc;
}

CUresult do_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return exec_set(hGraphExec, hNode, graph_kernel_params(nodeParams, &p), &p);
}

CUresult do_cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS wide = {0};

    if (!nodeParams)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "nodeParams is NULL");
    memcpy(&wide, nodeParams, sizeof *nodeParams);
    return do_cuGraphExecKernelNodeSetParams_v2(hGraphExec, hNode, &wide);
}

CUresult do_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    struct node_params p;

    return exec_set(hGraphExec, hNode, graph_copy_params(copyParams, ctx, &p), &p);
}

CUresult do_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                           CUcontext ctx)
{
    struct node_params p;

    return exec_set(hGraphExec, hNode, graph_fill_params(memsetParams, ctx, &p), &p);
}

CUresult do_cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    if (!nodeParams)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "nodeParams is NULL");
    return exec_set(hGraphExec, hNode, node_params_host(ctx_current(), nodeParams->fn, nodeParams->userData, &p), &p);
}

CUresult do_cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    struct node_params p;

    return exec_set(hGraphExec, hNode, graph_event_params(event, true, &p), &p);
}

CUresult do_cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    struct node_params p;

    return exec_set(hGraphExec, hNode, graph_event_params(event, false, &p), &p);
}

CUresult do_cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return exec_set(hGraphExec, hNode, graph_values_params(nodeParams, &p), &p);
}

CUresult do_cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    struct node_params p;

    return exec_set(hGraphExec, hNode, graph_any_params(nodeParams, &p), &p);
}

/* The real driver lets only these be switched, or asked whether they are. */
static struct exec_step *switchable(struct exec_graph *x, CUgraphNode node)
{
    struct exec_step *step = exec_graph_step(x, node);
    CUgraphNodeType type = step ? step->node->params.type : CU_GRAPH_NODE_TYPE_EMPTY;
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET ? step : NULL;
}

CUresult do_cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
    struct exec_graph *x = exec_graph_get(hGraphExec);
    struct exec_step *step = x ? switchable(x, hNode) : NULL;

    if (step)
        step->enabled = isEnabled != 0;
    exec_graph_unref(x);
    return step ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph, or it has no such node that can be switched (kernels, copies, fills)");
}

CUresult do_cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
    struct exec_graph *x = exec_graph_get(hGraphExec);
    struct exec_step *step = x && isEnabled ? switchable(x, hNode) : NULL;

    if (step)
        *isEnabled = step->enabled;
    exec_graph_unref(x);
    return step ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph, or it has no such node that can be switched (kernels, copies, fills), or isEnabled is NULL");
}

CUresult do_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo)
{
    struct exec_graph *x = exec_graph_get(hGraphExec);
    struct graph *g = graph_get(hGraph);
    CUresult rc;

    if (!x || !g || !resultInfo) {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no executable graph or no graph, or it was destroyed; or resultInfo is NULL");
    } else {
        memset(resultInfo, 0, sizeof *resultInfo);
        rc = exec_graph_update(x, g, &resultInfo->result, &resultInfo->errorNode);
    }
    graph_unref(g);
    exec_graph_unref(x);
    return rc;
}

CUresult do_cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                              CUgraphExecUpdateResult *updateResult_out)
{
    CUgraphExecUpdateResultInfo info = {0};
    CUresult rc = do_cuGraphExecUpdate_v2(hGraphExec, hGraph, &info);

    if (hErrorNode_out)
        *hErrorNode_out = info.errorNode;
    if (updateResult_out)
        *updateResult_out = info.result;
    return rc;
}
