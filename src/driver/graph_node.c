/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of graphs: adding each kind, asking and changing what it does. */
#include "base/log.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/module/module.h"
#include "driver/bodies.h"
#include "driver/graph.h"

static void copy_attributes(struct node_params *to, const struct node_params *from)
{
    to->u.kernel.config.cooperative = from->u.kernel.config.cooperative;
    to->u.kernel.window = from->u.kernel.window;
}

/* Replaces what a node of that type does. Takes params over. */
static CUresult set_params(CUgraphNode handle, CUresult made, struct node_params *params)
{
    struct node *n;

    if (made)
        return made;
    if (!(n = graph_node_of(handle, params->type))) {
        node_params_fini(params);
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no node of this type, or it was destroyed");
    }
    if (params->type == CU_GRAPH_NODE_TYPE_KERNEL)
        copy_attributes(params, &n->params);
    node_params_fini(&n->params);
    n->params = *params;
    node_unref(n);
    return CUDA_SUCCESS;
}

/* --- kernels --- */

CUresult do_cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                    size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, graph_kernel_params(nodeParams, &p), &p);
}

static CUDA_KERNEL_NODE_PARAMS widen(const CUDA_KERNEL_NODE_PARAMS_v1 *old)
{
    CUDA_KERNEL_NODE_PARAMS p = {0};

    memcpy(&p, old, sizeof *old);
    return p;
}

CUresult do_cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    if (!nodeParams)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "nodeParams is NULL");
    CUDA_KERNEL_NODE_PARAMS p = widen(nodeParams);
    return do_cuGraphAddKernelNode_v2(phGraphNode, hGraph, dependencies, numDependencies, &p);
}

CUresult do_cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_KERNEL);

    if (!n || !nodeParams) {
        node_unref(n);
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no kernel node, or nodeParams is NULL");
    }
    const struct launch_config *c = &n->params.u.kernel.config;
    memset(nodeParams, 0, sizeof *nodeParams);
    nodeParams->func = function_handle(n->params.u.kernel.fn);
    nodeParams->gridDimX = c->grid[0];
    nodeParams->gridDimY = c->grid[1];
    nodeParams->gridDimZ = c->grid[2];
    nodeParams->blockDimX = c->block[0];
    nodeParams->blockDimY = c->block[1];
    nodeParams->blockDimZ = c->block[2];
    nodeParams->sharedMemBytes = c->shared_bytes;
    nodeParams->kernelParams = n->params.u.kernel.pointers;
    nodeParams->ctx = ctx_handle(n->params.ctx);
    node_unref(n);
    return CUDA_SUCCESS;
}

CUresult do_cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    CUresult rc = nodeParams ? do_cuGraphKernelNodeGetParams_v2(hNode, &p) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "nodeParams is NULL");

    if (!rc)
        memcpy(nodeParams, &p, sizeof *nodeParams);
    return rc;
}

CUresult do_cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return set_params(hNode, graph_kernel_params(nodeParams, &p), &p);
}

CUresult do_cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    if (!nodeParams)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "nodeParams is NULL");
    CUDA_KERNEL_NODE_PARAMS p = widen(nodeParams);
    return do_cuGraphKernelNodeSetParams_v2(hNode, &p);
}

/* Only one attribute changes how a kernel runs here; of the hints, one is kept. */
CUresult do_cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_KERNEL);
    CUresult rc = n && value ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or value is NULL");

    if (!rc && attr == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        struct launch_config config = n->params.u.kernel.config;
        config.cooperative = value->cooperative != 0;
        if (!(rc = launch_check(n->params.u.kernel.fn, &config)))
            n->params.u.kernel.config = config;
    } else if (!rc && attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
        if (api_window_valid(&value->accessPolicyWindow))
            n->params.u.kernel.window = value->accessPolicyWindow;
        else
            rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "the access policy's window of %zu bytes is too large, its ratio is not 0 to 1, or its misses are to persist", value->accessPolicyWindow.num_bytes);
    } else if (!rc) {
        hw_warn("attribute %d of kernel nodes is not supported", (int)attr);
        rc = hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "attribute %d of kernel nodes is not supported", (int)attr);
    }
    node_unref(n);
    return rc;
}

CUresult do_cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue *value_out)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_KERNEL);
    CUresult rc = n && value_out ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no kernel node, or it was destroyed; or value_out is NULL");

    if (!rc && attr == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        value_out->cooperative = n->params.u.kernel.config.cooperative;
    else if (!rc && attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        value_out->accessPolicyWindow = n->params.u.kernel.window;
    else if (!rc)
        rc = hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "attribute %d of kernel nodes is not supported", (int)attr);
    node_unref(n);
    return rc;
}

CUresult do_cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    struct node *to = graph_node_of(dst, CU_GRAPH_NODE_TYPE_KERNEL), *from = graph_node_of(src, CU_GRAPH_NODE_TYPE_KERNEL);
    CUresult rc = to && from ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "dst or src is no kernel node, or was destroyed");

    if (!rc)
        copy_attributes(&to->params, &from->params);
    node_unref(to);
    node_unref(from);
    return rc;
}

/* --- copies and fills --- */

CUresult do_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, graph_copy_params(copyParams, ctx, &p), &p);
}

CUresult do_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_MEMCPY);
    CUresult rc = n && nodeParams ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or nodeParams is NULL");

    if (!rc)
        *nodeParams = n->params.u.copy.desc;
    node_unref(n);
    return rc;
}

CUresult do_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    struct node_params p;

    return set_params(hNode, graph_copy_params(nodeParams, NULL, &p), &p);
}

CUresult do_cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, graph_fill_params(memsetParams, ctx, &p), &p);
}

CUresult do_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_MEMSET);
    CUresult rc = n && nodeParams ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or nodeParams is NULL");

    if (!rc)
        *nodeParams = n->params.u.fill;
    node_unref(n);
    return rc;
}

CUresult do_cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return set_params(hNode, graph_fill_params(nodeParams, NULL, &p), &p);
}

/* --- host functions --- */

static CUresult host_params(const CUDA_HOST_NODE_PARAMS *in, struct node_params *out)
{
    return in ? node_params_host(ctx_current(), in->fn, in->userData, out) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "the parameters are NULL");
}

CUresult do_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                               const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, host_params(nodeParams, &p), &p);
}

CUresult do_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_HOST);
    CUresult rc = n && nodeParams ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or nodeParams is NULL");

    if (!rc)
        *nodeParams = n->params.u.host;
    node_unref(n);
    return rc;
}

CUresult do_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return set_params(hNode, host_params(nodeParams, &p), &p);
}

/* --- child graphs and nothing --- */

CUresult do_cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                     size_t numDependencies, CUgraph childGraph)
{
    CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = childGraph}};
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, graph_any_params(&any, &p), &p);
}

CUresult do_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_GRAPH);
    CUresult rc = n && phGraph ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or phGraph is NULL");

    if (!rc)
        *phGraph = graph_handle(n->params.u.child);
    node_unref(n);
    return rc;
}

CUresult do_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies)
{
    struct node_params p;

    node_params_empty(ctx_current(), &p);
    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, CUDA_SUCCESS, &p);
}

/* --- events --- */

CUresult do_cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                      size_t numDependencies, CUevent event)
{
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, graph_event_params(event, true, &p), &p);
}

CUresult do_cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                    size_t numDependencies, CUevent event)
{
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, graph_event_params(event, false, &p), &p);
}

static CUresult event_of(CUgraphNode handle, CUgraphNodeType type, CUevent *out)
{
    struct node *n = graph_node_of(handle, type);
    CUresult rc = n && out ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or out is NULL");

    if (!rc)
        *out = event_handle(n->params.u.event);
    node_unref(n);
    return rc;
}

CUresult do_cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return event_of(hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out);
}

CUresult do_cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return event_of(hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out);
}

CUresult do_cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    struct node_params p;

    return set_params(hNode, graph_event_params(event, true, &p), &p);
}

CUresult do_cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    struct node_params p;

    return set_params(hNode, graph_event_params(event, false, &p), &p);
}

/* --- values in memory --- */

CUresult do_cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                     size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, graph_values_params(nodeParams, &p), &p);
}

CUresult do_cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    CUresult rc = n && nodeParams_out ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or nodeParams_out is NULL");

    if (!rc)
        *nodeParams_out = (CUDA_BATCH_MEM_OP_NODE_PARAMS){ctx_handle(n->params.ctx), n->params.u.values.n, n->params.u.values.ops, 0};
    node_unref(n);
    return rc;
}

CUresult do_cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    struct node_params p;

    return set_params(hNode, graph_values_params(nodeParams, &p), &p);
}

/* --- any kind --- */

CUresult do_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              const CUgraphEdgeData *dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams)
{
    struct node_params p;
    bool conditional = nodeParams && nodeParams->type == CU_GRAPH_NODE_TYPE_CONDITIONAL;

    CUresult rc = conditional ? graph_conditional_params(&nodeParams->conditional, hGraph, &p) : graph_any_params(nodeParams, &p);
    rc = graph_add_node_edges(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, rc, &p);
    if (!rc && conditional)
        nodeParams->conditional.phGraph_out = p.u.conditional.handles;           /* the node has them now */
    return rc;
}

CUresult do_cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                           CUgraphNodeParams *nodeParams)
{
    return do_cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies, nodeParams);
}

CUresult do_cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    struct node_params p;

    return set_params(hNode, graph_any_params(nodeParams, &p), &p);
}
