/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of any kind through one function, and conditions. */
#include "runtime/graph.h"
#include "base/log.h"

#include "runtime/copy3d.h"

static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams), "programs give room for the driver's");

static cudaError_t describe_kernel(const struct cudaKernelNodeParamsV2 *in, CUgraphNodeParams *out)
{
    struct cudaKernelNodeParams k = {.func = in->func, .gridDim = in->gridDim, .blockDim = in->blockDim,
                                     .sharedMemBytes = in->sharedMemBytes, .kernelParams = in->kernelParams, .extra = in->extra};
    CUDA_KERNEL_NODE_PARAMS d;
    cudaError_t rc = graph_describe_kernel(&k, &d);

    static_assert(sizeof d == sizeof out->kernel, "two names of one struct");
    if (!rc)
        memcpy(&out->kernel, &d, sizeof d);
    return rc;
}

/* The driver's words for a node. Kinds that need none are refused by the driver itself, by their type. */
static cudaError_t describe(const struct cudaGraphNodeParams *in, CUgraphNodeParams *out)
{
    memset(out, 0, sizeof *out);
    if (!in)
        return hw_refuse(cudaErrorInvalidValue, "the parameters are NULL");
    out->type = (CUgraphNodeType)in->type;
    switch (in->type) {
    case cudaGraphNodeTypeKernel:
        return describe_kernel(&in->kernel, out);
    case cudaGraphNodeTypeMemcpy:
        return copy3d_describe(&in->memcpy.copyParams, &out->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        out->memset.dst = (CUdeviceptr)(uintptr_t)in->memset.dst;
        out->memset.pitch = in->memset.pitch;
        out->memset.value = in->memset.value;
        out->memset.elementSize = in->memset.elementSize;
        out->memset.width = in->memset.width;
        out->memset.height = in->memset.height;
        return cudaSuccess;
    case cudaGraphNodeTypeHost:
        out->host.fn = in->host.fn;
        out->host.userData = in->host.userData;
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        out->graph.graph = (CUgraph)in->graph.graph;
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        out->eventWait.event = (CUevent)in->eventWait.event;
        return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
        out->eventRecord.event = (CUevent)in->eventRecord.event;
        return cudaSuccess;
    case cudaGraphNodeTypeConditional:
        out->conditional.handle = in->conditional.handle;
        out->conditional.type = (CUgraphConditionalNodeType)in->conditional.type;
        out->conditional.size = in->conditional.size;
        return cudaSuccess;
    default:
        return cudaSuccess;
    }
}

cudaError_t do_cudaGraphAddNode_v2(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                   struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams p;
    cudaError_t rc = describe(nodeParams, &p);

    if (rc)
        return rc;
    rc = api_error(cuGraphAddNode_v2((CUgraphNode *)pGraphNode, (CUgraph)graph, (const CUgraphNode *)pDependencies,
                                     (const CUgraphEdgeData *)dependencyData, numDependencies, &p));
    if (!rc && nodeParams->type == cudaGraphNodeTypeConditional)
        nodeParams->conditional.phGraph_out = (cudaGraph_t *)p.conditional.phGraph_out;
    return rc;
}

cudaError_t do_cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                size_t numDependencies, struct cudaGraphNodeParams *nodeParams)
{
    return do_cudaGraphAddNode_v2(pGraphNode, graph, pDependencies, NULL, numDependencies, nodeParams);
}

cudaError_t do_cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams p;
    cudaError_t rc = describe(nodeParams, &p);

    return rc ? rc : api_error(cuGraphNodeSetParams((CUgraphNode)node, &p));
}

cudaError_t do_cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams p;
    cudaError_t rc = describe(nodeParams, &p);

    return rc ? rc : api_error(cuGraphExecNodeSetParams((CUgraphExec)graphExec, (CUgraphNode)node, &p));
}

cudaError_t do_cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph,
                                                unsigned int defaultLaunchValue, unsigned int flags)
{
    return api_error(cuGraphConditionalHandleCreate((CUgraphConditionalHandle *)pHandle_out, (CUgraph)graph, NULL, defaultLaunchValue, flags));
}
