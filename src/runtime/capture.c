/* SPDX-License-Identifier: Apache-2.0 */
/* Stream capture, and the attributes of streams. */
#include "runtime/bodies.h"

cudaError_t do_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return api_error(cuStreamBeginCapture(api_stream(stream), (CUstreamCaptureMode)mode));
}

cudaError_t do_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                             enum cudaStreamCaptureMode mode)
{
    return api_error(cuStreamBeginCaptureToGraph(api_stream(stream), (CUgraph)graph, (const CUgraphNode *)dependencies,
                                                 (const CUgraphEdgeData *)dependencyData, numDependencies,
                                                 (CUstreamCaptureMode)mode));
}

cudaError_t do_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    return api_error(cuStreamEndCapture(api_stream(stream), (CUgraph *)pGraph));
}

cudaError_t do_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    CUstreamCaptureMode m;
    cudaError_t rc;

    if (!mode)
        return hw_refuse(cudaErrorInvalidValue, "mode is NULL");
    m = (CUstreamCaptureMode)*mode;
    if (!(rc = api_error(cuThreadExchangeStreamCaptureMode(&m))))
        *mode = (enum cudaStreamCaptureMode)m;
    return rc;
}

cudaError_t do_cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                           unsigned long long *id_out, cudaGraph_t *graph_out,
                                           const cudaGraphNode_t **dependencies_out, const cudaGraphEdgeData **edgeData_out,
                                           size_t *numDependencies_out)
{
    static_assert(sizeof *captureStatus_out == sizeof(CUstreamCaptureStatus) && sizeof *id_out == sizeof(cuuint64_t), "the driver's");
    return api_error(cuStreamGetCaptureInfo_v3(api_stream(stream), (CUstreamCaptureStatus *)captureStatus_out, (cuuint64_t *)id_out,
                                               (CUgraph *)graph_out, (const CUgraphNode **)dependencies_out,
                                               (const CUgraphEdgeData **)edgeData_out, numDependencies_out));
}

cudaError_t do_cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                           unsigned long long *id_out, cudaGraph_t *graph_out,
                                           const cudaGraphNode_t **dependencies_out, size_t *numDependencies_out)
{
    return do_cudaStreamGetCaptureInfo_v3(stream, captureStatus_out, id_out, graph_out, dependencies_out, NULL,
                                          numDependencies_out);
}

cudaError_t do_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                        unsigned long long *id_out, cudaGraph_t *graph_out,
                                        const cudaGraphNode_t **dependencies_out, size_t *numDependencies_out)
{
    return do_cudaStreamGetCaptureInfo_v2(stream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
}

cudaError_t do_cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                      const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                                      unsigned int flags)
{
    return api_error(cuStreamUpdateCaptureDependencies_v2(api_stream(stream), (CUgraphNode *)dependencies,
                                                          (const CUgraphEdgeData *)dependencyData, numDependencies, flags));
}

cudaError_t do_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies, size_t numDependencies,
                                                   unsigned int flags)
{
    return do_cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, NULL, numDependencies, flags);
}

/* --- attributes --- */

cudaError_t do_cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value_out)
{
    return api_error(cuStreamGetAttribute(api_stream(hStream), (CUlaunchAttributeID)attr, (CUlaunchAttributeValue *)value_out));
}

cudaError_t do_cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value)
{
    return api_error(cuStreamSetAttribute(api_stream(hStream), (CUlaunchAttributeID)attr, (const CUlaunchAttributeValue *)value));
}

cudaError_t do_cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    return api_error(cuStreamCopyAttributes(api_stream(dst), api_stream(src)));
}
