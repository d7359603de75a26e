/* SPDX-License-Identifier: Apache-2.0 */
/* Stream capture: beginning, ending, questions; which calls are unsafe meanwhile. */
#include "base/log.h"
#include "core/graph/capture.h"

#include "core/graph/graph.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"
#include "driver/capture.h"
#include "driver/graph.h"

/* --- beginning and ending --- */

CUresult do_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = capture_begin(s, mode, NULL, NULL, NULL, 0);
    stream_unref(s);
    return rc;
}

CUresult do_cuStreamBeginCapture(CUstream hStream)
{
    return do_cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult do_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                        const CUgraphEdgeData *dependencyData, size_t numDependencies, CUstreamCaptureMode mode)
{
    struct graph *g = graph_get(hGraph);
    struct node **deps = NULL;
    struct stream *s = NULL;
    CUresult rc = g ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no graph, or it was destroyed");

    if (!rc && !(rc = graph_nodes_get(dependencies, numDependencies, &deps)) && !(rc = api_stream(hStream, &s)))
        rc = capture_begin(s, mode, g, deps, dependencyData, numDependencies);
    stream_unref(s);
    graph_nodes_put(deps, numDependencies);
    graph_unref(g);
    return rc;
}

CUresult do_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = capture_end(s, phGraph);
    stream_unref(s);
    return rc;
}

/* --- questions --- */

static CUresult info_call(CUstream hStream, struct capture_info *out)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = capture_info(s, out);
    stream_unref(s);
    return rc;
}

CUresult do_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    struct capture_info info;
    CUresult rc;

    if (!captureStatus)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "captureStatus is NULL");
    if (!(rc = info_call(hStream, &info)))
        *captureStatus = info.status;
    return rc;
}

/* While a stream is not capturing, the other places are left alone. Who does not ask for the data of edges must not miss any: an H200 says so
   after the nodes and before their number. */
CUresult do_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                      CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                      const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    struct capture_info info;
    CUresult rc;

    if (!captureStatus_out)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "captureStatus_out is NULL");
    if ((rc = info_call(hStream, &info)))
        return rc;
    *captureStatus_out = info.status;
    if (info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS;
    if (edgeData_out && !dependencies_out)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "edgeData_out without dependencies_out");
    if (id_out)
        *id_out = info.id;
    if (graph_out)
        *graph_out = info.graph;
    if (dependencies_out)
        *dependencies_out = info.deps;
    if (edgeData_out)
        *edgeData_out = info.edges;
    if (dependencies_out && !edgeData_out && !info.plain)
        return hw_refuse(CUDA_ERROR_LOSSY_QUERY, "some edges have data, and edgeData_out is NULL");
    if (numDependencies_out)
        *numDependencies_out = info.n_deps;
    return CUDA_SUCCESS;
}

CUresult do_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                      CUgraph *graph_out, const CUgraphNode **dependencies_out, size_t *numDependencies_out)
{
    return do_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out, NULL,
                                        numDependencies_out);
}

CUresult do_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
    return do_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, NULL, NULL, NULL, NULL);
}

CUresult do_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                 const CUgraphEdgeData *dependencyData, size_t numDependencies, unsigned int flags)
{
    struct node **deps = NULL;
    struct stream *s = NULL;
    CUresult rc;

    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there are no flags 0x%x", flags);
    if (!(rc = graph_nodes_get(dependencies, numDependencies, &deps)) && !(rc = api_stream(hStream, &s)))
        rc = capture_set_deps(s, deps, dependencyData, numDependencies, flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
    stream_unref(s);
    graph_nodes_put(deps, numDependencies);
    return rc;
}

CUresult do_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
                                              unsigned int flags)
{
    return do_cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL, numDependencies, flags);
}

/* Which calls the thread wants refused while somebody captures; libraries set it around their own allocations. */
CUresult do_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "mode is NULL, or there is no such mode");
    *mode = capture_exchange_mode(*mode);
    return CUDA_SUCCESS;
}

/* --- calls that may wait for other work or for the whole device, and so are unsafe during a capture --- */

CUresult capture_check_call(enum api_id id)
{
    switch (id) {
    case API_cuMemAlloc_v2:
    case API_cuMemAllocPitch_v2:
    case API_cuMemAllocManaged:
    case API_cuMemFree_v2:
    case API_cuMemAllocHost_v2:
    case API_cuMemHostAlloc:
    case API_cuMemFreeHost:
    case API_cuMemHostRegister_v2:
    case API_cuMemHostUnregister:
    case API_cuModuleUnload:
        return capture_unsafe();
    default:
        return CUDA_SUCCESS;
    }
}
