/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that allocate and free memory, and what is known of that memory. */
#include "base/log.h"
#include "core/mem/graph_mem.h"

#include "core/device/ctx.h"
#include "core/device/device.h"
#include "driver/bodies.h"
#include "driver/graph.h"

CUresult do_cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                   CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    struct graph_memory *m;
    struct node_params p;
    CUdeviceptr ptr = 0;
    CUresult rc;

    if (!nodeParams || (nodeParams->accessDescCount && !nodeParams->accessDescs))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "nodeParams is NULL, or its list of access descriptors is");
    if (!(rc = graph_memory_new(ctx_current(), &nodeParams->poolProps, nodeParams->bytesize, &m))) {
        ptr = graph_memory_ptr(m);
        rc = node_params_memory(ctx_current(), m, true, &p);
    }
    if (!(rc = graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, rc, &p)))
        nodeParams->dptr = ptr;
    return rc;
}

CUresult do_cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    CUresult rc = n && params_out ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or params_out is NULL");

    if (!rc)
        graph_memory_describe(n->params.u.memory, params_out);
    node_unref(n);
    return rc;
}

CUresult do_cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
                                  CUdeviceptr dptr)
{
    struct graph_memory *m = graph_memory_get(dptr);
    struct node_params p;
    CUresult rc = m ? node_params_memory(ctx_current(), m, false, &p)
        : hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is no memory that a node of a graph allocates", (unsigned long long)dptr);

    return graph_add_node(phGraphNode, hGraph, dependencies, numDependencies, rc, &p);
}

CUresult do_cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    struct node *n = graph_node_of(hNode, CU_GRAPH_NODE_TYPE_MEM_FREE);
    CUresult rc = n && dptr_out ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no such node, or it was destroyed; or dptr_out is NULL");

    if (!rc)
        *dptr_out = graph_memory_ptr(n->params.u.memory);
    node_unref(n);
    return rc;
}

/* Memory goes back with the last graph that uses it: what is kept until now is the account of it. */
CUresult do_cuDeviceGraphMemTrim(CUdevice device)
{
    if (!device_peek(device))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d; cuDeviceGetCount() says how many there are", (int)device);
    graph_memory_trim(device);
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    if (!device_peek(device))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d; cuDeviceGetCount() says how many there are", (int)device);
    return value ? graph_memory_attribute(device, attr, value) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "value is NULL");
}

/* The marks can only be begun anew. */
CUresult do_cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
    cuuint64_t v;

    if (!device_peek(device))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d; cuDeviceGetCount() says how many there are", (int)device);
    if (!value)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "value is NULL");
    memcpy(&v, value, sizeof v);
    return v ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "a mark can only be set to 0, not to %llu", (unsigned long long)v) : graph_memory_reset_high(device, attr);
}
