/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of graphs: each kind is described to the driver in its words. */
#include "runtime/bodies.h"
#include "runtime/copy3d.h"
#include "runtime/graph.h"
#include "runtime/registry.h"

#define GRAPH(x) ((CUgraph)(x))
#define EXEC(x) ((CUgraphExec)(x))
#define NODE(x) ((CUgraphNode)(x))
#define NODES(x) ((CUgraphNode *)(x))
#define DEPS(x) ((const CUgraphNode *)(x))

static inline CUdeviceptr addr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

/* --- kernels --- */

/* func: a kernel of the program, or the driver's handle, which is what asking for a node's parameters gives. */
cudaError_t graph_describe_kernel(const struct cudaKernelNodeParams *in, CUDA_KERNEL_NODE_PARAMS *out)
{
    cudaError_t rc;

    if (!in)
        return hw_refuse(cudaErrorInvalidValue, "the parameters are NULL");
    memset(out, 0, sizeof *out);
    if (!in->func)
        return hw_refuse(cudaErrorInvalidDeviceFunction, "the kernel is NULL");
    if (!registry_is_kernel(in->func))
        out->func = (CUfunction)in->func;
    else if ((rc = registry_function(in->func, &out->func)))
        return rc;
    out->gridDimX = in->gridDim.x;
    out->gridDimY = in->gridDim.y;
    out->gridDimZ = in->gridDim.z;
    out->blockDimX = in->blockDim.x;
    out->blockDimY = in->blockDim.y;
    out->blockDimZ = in->blockDim.z;
    out->sharedMemBytes = in->sharedMemBytes;
    out->kernelParams = in->kernelParams;
    out->extra = in->extra;
    return cudaSuccess;
}

cudaError_t do_cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                      size_t numDependencies, const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    cudaError_t rc = graph_describe_kernel(pNodeParams, &p);

    return rc ? rc : api_error(cuGraphAddKernelNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies, &p));
}

cudaError_t do_cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    cudaError_t rc;

    if (!pNodeParams)
        return hw_refuse(cudaErrorInvalidValue, "pNodeParams is NULL");
    if ((rc = api_error(cuGraphKernelNodeGetParams(NODE(node), &p))))
        return rc;
    pNodeParams->func = (void *)p.func;
    pNodeParams->gridDim = (dim3){p.gridDimX, p.gridDimY, p.gridDimZ};
    pNodeParams->blockDim = (dim3){p.blockDimX, p.blockDimY, p.blockDimZ};
    pNodeParams->sharedMemBytes = p.sharedMemBytes;
    pNodeParams->kernelParams = p.kernelParams;
    pNodeParams->extra = p.extra;
    return cudaSuccess;
}

cudaError_t do_cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    cudaError_t rc = graph_describe_kernel(pNodeParams, &p);

    return rc ? rc : api_error(cuGraphKernelNodeSetParams(NODE(node), &p));
}

cudaError_t do_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS p;
    cudaError_t rc = graph_describe_kernel(pNodeParams, &p);

    return rc ? rc : api_error(cuGraphExecKernelNodeSetParams(EXEC(hGraphExec), NODE(node), &p));
}

static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUlaunchAttributeValue), "attributes are the driver's");

cudaError_t do_cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc)
{
    return api_error(cuGraphKernelNodeCopyAttributes(NODE(hDst), NODE(hSrc)));
}

cudaError_t do_cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value_out)
{
    return api_error(cuGraphKernelNodeGetAttribute(NODE(hNode), (CUlaunchAttributeID)attr, (CUlaunchAttributeValue *)value_out));
}

cudaError_t do_cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                               const cudaLaunchAttributeValue *value)
{
    return api_error(cuGraphKernelNodeSetAttribute(NODE(hNode), (CUlaunchAttributeID)attr, (const CUlaunchAttributeValue *)value));
}

/* --- copies --- */

static cudaError_t describe_row(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, CUDA_MEMCPY3D *out)
{
    struct cudaMemcpy3DParms p = {.srcPtr = {(void *)src, count, count, 1}, .dstPtr = {dst, count, count, 1},
                                  .extent = {count, 1, 1}, .kind = kind};

    return copy3d_describe(&p, out);
}

/* to_symbol: the symbol is written, other is read; else the other way round. */
static cudaError_t describe_symbol(const void *symbol, size_t offset, const void *other, size_t count, enum cudaMemcpyKind kind,
                                   bool to_symbol, CUDA_MEMCPY3D *out)
{
    CUdeviceptr base;
    size_t bytes;
    cudaError_t rc = registry_variable(symbol, &base, &bytes);

    if (rc)
        return rc;
    if (offset > bytes || count > bytes - offset)
        return hw_refuse(cudaErrorInvalidValue, "%zu bytes from %zu are not inside of a variable of %zu bytes", count, offset, bytes);
    void *in = (void *)(uintptr_t)(base + offset);
    return to_symbol ? describe_row(in, other, count, kind, out) : describe_row((void *)other, in, count, kind, out);
}

static cudaError_t add_copy(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, cudaError_t rc,
                            const CUDA_MEMCPY3D *copy)
{
    return rc ? rc : api_error(cuGraphAddMemcpyNode(NODES(out), GRAPH(graph), DEPS(deps), n, copy, NULL));
}

cudaError_t do_cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                      size_t numDependencies, const struct cudaMemcpy3DParms *pCopyParams)
{
    CUDA_MEMCPY3D c;

    return add_copy(pGraphNode, graph, pDependencies, numDependencies, copy3d_describe(pCopyParams, &c), &c);
}

cudaError_t do_cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return add_copy(pGraphNode, graph, pDependencies, numDependencies, describe_row(dst, src, count, kind, &c), &c);
}

cudaError_t do_cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                              size_t numDependencies, const void *symbol, const void *src, size_t count,
                                              size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return add_copy(pGraphNode, graph, pDependencies, numDependencies, describe_symbol(symbol, offset, src, count, kind, true, &c), &c);
}

cudaError_t do_cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                                const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return add_copy(pGraphNode, graph, pDependencies, numDependencies, describe_symbol(symbol, offset, dst, count, kind, false, &c), &c);
}

cudaError_t do_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
    CUDA_MEMCPY3D c;
    cudaError_t rc;

    if (!p)
        return hw_refuse(cudaErrorInvalidValue, "the parameters are NULL");
    if ((rc = api_error(cuGraphMemcpyNodeGetParams(NODE(node), &c))))
        return rc;
    memset(p, 0, sizeof *p);
    void *src = c.srcMemoryType == CU_MEMORYTYPE_HOST ? (void *)c.srcHost : (void *)(uintptr_t)c.srcDevice;
    void *dst = c.dstMemoryType == CU_MEMORYTYPE_HOST ? c.dstHost : (void *)(uintptr_t)c.dstDevice;
    p->srcPos = (struct cudaPos){c.srcXInBytes, c.srcY, c.srcZ};
    p->srcPtr = (struct cudaPitchedPtr){src, c.srcPitch, c.srcPitch, c.srcHeight};
    p->dstPos = (struct cudaPos){c.dstXInBytes, c.dstY, c.dstZ};
    p->dstPtr = (struct cudaPitchedPtr){dst, c.dstPitch, c.dstPitch, c.dstHeight};
    p->extent = (struct cudaExtent){c.WidthInBytes, c.Height, c.Depth};
    p->kind = cudaMemcpyDefault;
    return cudaSuccess;
}

static cudaError_t set_copy(cudaGraphNode_t node, cudaError_t rc, const CUDA_MEMCPY3D *c)
{
    return rc ? rc : api_error(cuGraphMemcpyNodeSetParams(NODE(node), c));
}

cudaError_t do_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams)
{
    CUDA_MEMCPY3D c;

    return set_copy(node, copy3d_describe(pNodeParams, &c), &c);
}

cudaError_t do_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
                                              enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return set_copy(node, describe_row(dst, src, count, kind, &c), &c);
}

cudaError_t do_cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src, size_t count,
                                                    size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return set_copy(node, describe_symbol(symbol, offset, src, count, kind, true, &c), &c);
}

cudaError_t do_cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t count,
                                                      size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return set_copy(node, describe_symbol(symbol, offset, dst, count, kind, false, &c), &c);
}

static cudaError_t exec_copy(cudaGraphExec_t exec, cudaGraphNode_t node, cudaError_t rc, const CUDA_MEMCPY3D *c)
{
    return rc ? rc : api_error(cuGraphExecMemcpyNodeSetParams(EXEC(exec), NODE(node), c, NULL));
}

cudaError_t do_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const struct cudaMemcpy3DParms *pNodeParams)
{
    CUDA_MEMCPY3D c;

    return exec_copy(hGraphExec, node, copy3d_describe(pNodeParams, &c), &c);
}

cudaError_t do_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst, const void *src,
                                                  size_t count, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return exec_copy(hGraphExec, node, describe_row(dst, src, count, kind, &c), &c);
}

cudaError_t do_cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const void *symbol,
                                                        const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return exec_copy(hGraphExec, node, describe_symbol(symbol, offset, src, count, kind, true, &c), &c);
}

cudaError_t do_cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                                          const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c;

    return exec_copy(hGraphExec, node, describe_symbol(symbol, offset, dst, count, kind, false, &c), &c);
}

/* --- fills --- */

static cudaError_t describe_fill(const struct cudaMemsetParams *in, CUDA_MEMSET_NODE_PARAMS *out)
{
    if (!in)
        return hw_refuse(cudaErrorInvalidValue, "the parameters are NULL");
    *out = (CUDA_MEMSET_NODE_PARAMS){addr(in->dst), in->pitch, in->value, in->elementSize, in->width, in->height};
    return cudaSuccess;
}

cudaError_t do_cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                      size_t numDependencies, const struct cudaMemsetParams *pMemsetParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    cudaError_t rc = describe_fill(pMemsetParams, &p);

    return rc ? rc : api_error(cuGraphAddMemsetNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies, &p, NULL));
}

cudaError_t do_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    cudaError_t rc;

    if (!pNodeParams)
        return hw_refuse(cudaErrorInvalidValue, "pNodeParams is NULL");
    if ((rc = api_error(cuGraphMemsetNodeGetParams(NODE(node), &p))))
        return rc;
    pNodeParams->dst = (void *)(uintptr_t)p.dst;
    pNodeParams->pitch = p.pitch;
    pNodeParams->value = p.value;
    pNodeParams->elementSize = p.elementSize;
    pNodeParams->width = p.width;
    pNodeParams->height = p.height;
    return cudaSuccess;
}

cudaError_t do_cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    cudaError_t rc = describe_fill(pNodeParams, &p);

    return rc ? rc : api_error(cuGraphMemsetNodeSetParams(NODE(node), &p));
}

cudaError_t do_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS p;
    cudaError_t rc = describe_fill(pNodeParams, &p);

    return rc ? rc : api_error(cuGraphExecMemsetNodeSetParams(EXEC(hGraphExec), NODE(node), &p, NULL));
}

/* --- host functions: the driver's struct --- */

static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS), "host nodes are the driver's");

cudaError_t do_cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                    size_t numDependencies, const struct cudaHostNodeParams *pNodeParams)
{
    return api_error(cuGraphAddHostNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies,
                                        (const CUDA_HOST_NODE_PARAMS *)pNodeParams));
}

cudaError_t do_cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams)
{
    return api_error(cuGraphHostNodeGetParams(NODE(node), (CUDA_HOST_NODE_PARAMS *)pNodeParams));
}

cudaError_t do_cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams)
{
    return api_error(cuGraphHostNodeSetParams(NODE(node), (const CUDA_HOST_NODE_PARAMS *)pNodeParams));
}

cudaError_t do_cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                              const struct cudaHostNodeParams *pNodeParams)
{
    return api_error(cuGraphExecHostNodeSetParams(EXEC(hGraphExec), NODE(node), (const CUDA_HOST_NODE_PARAMS *)pNodeParams));
}

/* --- child graphs, nothing, events --- */

cudaError_t do_cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                          size_t numDependencies, cudaGraph_t childGraph)
{
    return api_error(
        cuGraphAddChildGraphNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies, GRAPH(childGraph)));
}

cudaError_t do_cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
    return api_error(cuGraphChildGraphNodeGetGraph(NODE(node), (CUgraph *)pGraph));
}

cudaError_t do_cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                     size_t numDependencies)
{
    return api_error(cuGraphAddEmptyNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies));
}

cudaError_t do_cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies, cudaEvent_t event)
{
    return api_error(
        cuGraphAddEventRecordNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies, (CUevent)event));
}

cudaError_t do_cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    return api_error(cuGraphEventRecordNodeGetEvent(NODE(node), (CUevent *)event_out));
}

cudaError_t do_cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return api_error(cuGraphEventRecordNodeSetEvent(NODE(node), (CUevent)event));
}

cudaError_t do_cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                         size_t numDependencies, cudaEvent_t event)
{
    return api_error(cuGraphAddEventWaitNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies, (CUevent)event));
}

cudaError_t do_cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    return api_error(cuGraphEventWaitNodeGetEvent(NODE(node), (CUevent *)event_out));
}

cudaError_t do_cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return api_error(cuGraphEventWaitNodeSetEvent(NODE(node), (CUevent)event));
}

cudaError_t do_cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event)
{
    return api_error(cuGraphExecEventRecordNodeSetEvent(EXEC(hGraphExec), NODE(hNode), (CUevent)event));
}

cudaError_t do_cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event)
{
    return api_error(cuGraphExecEventWaitNodeSetEvent(EXEC(hGraphExec), NODE(hNode), (CUevent)event));
}

/* --- memory: the parameters have the driver's shape --- */

_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "the runtime's parameters are the driver's");

cudaError_t do_cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies, struct cudaMemAllocNodeParams *nodeParams)
{
    return api_error(cuGraphAddMemAllocNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies,
                                            (CUDA_MEM_ALLOC_NODE_PARAMS *)nodeParams));
}

cudaError_t do_cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params_out)
{
    return api_error(cuGraphMemAllocNodeGetParams(NODE(node), (CUDA_MEM_ALLOC_NODE_PARAMS *)params_out));
}

cudaError_t do_cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                       size_t numDependencies, void *dptr)
{
    return api_error(cuGraphAddMemFreeNode(NODES(pGraphNode), GRAPH(graph), DEPS(pDependencies), numDependencies, (CUdeviceptr)(uintptr_t)dptr));
}

cudaError_t do_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
    return api_error(cuGraphMemFreeNodeGetParams(NODE(node), dptr_out));
}

cudaError_t do_cudaDeviceGraphMemTrim(int device) { return api_error(cuDeviceGraphMemTrim(device)); }

cudaError_t do_cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    return api_error(cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}

cudaError_t do_cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    return api_error(cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}
