/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: making them, edges, copies, questions; executable graphs. */
#include "runtime/bodies.h"

#define GRAPH(x) ((CUgraph)(x))
#define EXEC(x) ((CUgraphExec)(x))
#define NODE(x) ((CUgraphNode)(x))
#define NODES(x) ((CUgraphNode *)(x))
#define DEPS(x) ((const CUgraphNode *)(x))
#define EDGES(x) ((const CUgraphEdgeData *)(x))

static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "edges are the driver's");
static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS), "so are these");
static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo), "and these");

/* --- life --- */

cudaError_t do_cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) { return api_error(cuGraphCreate((CUgraph *)pGraph, flags)); }
cudaError_t do_cudaGraphDestroy(cudaGraph_t graph) { return api_error(cuGraphDestroy(GRAPH(graph))); }
cudaError_t do_cudaGraphDestroyNode(cudaGraphNode_t node) { return api_error(cuGraphDestroyNode(NODE(node))); }

cudaError_t do_cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    return api_error(cuGraphClone((CUgraph *)pGraphClone, GRAPH(originalGraph)));
}

cudaError_t do_cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph)
{
    return api_error(cuGraphNodeFindInClone(NODES(pNode), NODE(originalNode), GRAPH(clonedGraph)));
}

cudaError_t do_cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    return api_error(cuGraphDebugDotPrint(GRAPH(graph), path, flags));
}

/* --- questions --- */

cudaError_t do_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    CUgraphNodeType type;
    cudaError_t rc;

    if (!pType)
        return hw_refuse(cudaErrorInvalidValue, "pType is NULL");
    if (!(rc = api_error(cuGraphNodeGetType(NODE(node), &type))))
        *pType = (enum cudaGraphNodeType)type;
    return rc;
}

cudaError_t do_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    return api_error(cuGraphGetNodes(GRAPH(graph), NODES(nodes), numNodes));
}

cudaError_t do_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes)
{
    return api_error(cuGraphGetRootNodes(GRAPH(graph), NODES(pRootNodes), pNumRootNodes));
}

cudaError_t do_cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
                                    size_t *numEdges)
{
    return api_error(cuGraphGetEdges_v2(GRAPH(graph), NODES(from), NODES(to), (CUgraphEdgeData *)edgeData, numEdges));
}

cudaError_t do_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *numEdges)
{
    return do_cudaGraphGetEdges_v2(graph, from, to, NULL, numEdges);
}

cudaError_t do_cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *pDependencies, cudaGraphEdgeData *edgeData,
                                               size_t *pNumDependencies)
{
    return api_error(cuGraphNodeGetDependencies_v2(NODE(node), NODES(pDependencies), (CUgraphEdgeData *)edgeData, pNumDependencies));
}

cudaError_t do_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies, size_t *pNumDependencies)
{
    return do_cudaGraphNodeGetDependencies_v2(node, pDependencies, NULL, pNumDependencies);
}

cudaError_t do_cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                                 cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes)
{
    return api_error(
        cuGraphNodeGetDependentNodes_v2(NODE(node), NODES(pDependentNodes), (CUgraphEdgeData *)edgeData, pNumDependentNodes));
}

cudaError_t do_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes, size_t *pNumDependentNodes)
{
    return do_cudaGraphNodeGetDependentNodes_v2(node, pDependentNodes, NULL, pNumDependentNodes);
}

/* --- edges --- */

cudaError_t do_cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    return api_error(cuGraphAddDependencies_v2(GRAPH(graph), DEPS(from), DEPS(to), EDGES(edgeData), numDependencies));
}

cudaError_t do_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t numDependencies)
{
    return do_cudaGraphAddDependencies_v2(graph, from, to, NULL, numDependencies);
}

cudaError_t do_cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                              const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    return api_error(cuGraphRemoveDependencies_v2(GRAPH(graph), DEPS(from), DEPS(to), EDGES(edgeData), numDependencies));
}

cudaError_t do_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           size_t numDependencies)
{
    return do_cudaGraphRemoveDependencies_v2(graph, from, to, NULL, numDependencies);
}

/* --- things of the program's that a graph keeps alive --- */

cudaError_t do_cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy, unsigned int initialRefcount,
                                    unsigned int flags)
{
    return api_error(cuUserObjectCreate((CUuserObject *)object_out, ptr, destroy, initialRefcount, flags));
}

cudaError_t do_cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    return api_error(cuUserObjectRetain((CUuserObject)object, count));
}

cudaError_t do_cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    return api_error(cuUserObjectRelease((CUuserObject)object, count));
}

cudaError_t do_cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags)
{
    return api_error(cuGraphRetainUserObject(GRAPH(graph), (CUuserObject)object, count, flags));
}

cudaError_t do_cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
    return api_error(cuGraphReleaseUserObject(GRAPH(graph), (CUuserObject)object, count));
}

/* --- executable graphs --- */

cudaError_t do_cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
    return api_error(cuGraphInstantiateWithFlags((CUgraphExec *)pGraphExec, GRAPH(graph), flags));
}

cudaError_t do_cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph, unsigned long long flags)
{
    return do_cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

cudaError_t do_cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                              cudaGraphInstantiateParams *instantiateParams)
{
    return api_error(cuGraphInstantiateWithParams((CUgraphExec *)pGraphExec, GRAPH(graph),
                                                  (CUDA_GRAPH_INSTANTIATE_PARAMS *)instantiateParams));
}

cudaError_t do_cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
    cuuint64_t value;
    cudaError_t rc;

    if (!flags)
        return hw_refuse(cudaErrorInvalidValue, "flags is NULL");
    if (!(rc = api_error(cuGraphExecGetFlags(EXEC(graphExec), &value))))
        *flags = value;
    return rc;
}

cudaError_t do_cudaGraphExecDestroy(cudaGraphExec_t graphExec) { return api_error(cuGraphExecDestroy(EXEC(graphExec))); }

cudaError_t do_cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return api_error(cuGraphLaunch(EXEC(graphExec), api_stream(stream)));
}

cudaError_t do_cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return api_error(cuGraphUpload(EXEC(graphExec), api_stream(stream)));
}

cudaError_t do_cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphExecUpdateResultInfo *resultInfo)
{
    return api_error(cuGraphExecUpdate_v2(EXEC(hGraphExec), GRAPH(hGraph), (CUgraphExecUpdateResultInfo *)resultInfo));
}

cudaError_t do_cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled)
{
    return api_error(cuGraphNodeSetEnabled(EXEC(hGraphExec), NODE(hNode), isEnabled));
}

cudaError_t do_cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int *isEnabled)
{
    return api_error(cuGraphNodeGetEnabled(EXEC(hGraphExec), NODE(hNode), isEnabled));
}
