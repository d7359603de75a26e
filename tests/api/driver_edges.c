/* SPDX-License-Identifier: Apache-2.0 */
/* Data of edges in graphs and captures: which is valid, who is told of it, and who must not miss it. */
#include "driver_check.h"

#include <cuda_runtime_api.h>

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
static CUfunction k;
static CUstream s;
static const CUgraphEdgeData plain, early = {.from_port = 1, .type = 1}, ordered = {.from_port = 2};

static int same(const CUgraphEdgeData *a, const CUgraphEdgeData *b) { return a && memcmp(a, b, sizeof *a) == 0; }

static void launch(CUstream where) { NEED(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, where, NULL, NULL)); }

/* The kernel node that a capture stands at. */
static CUgraphNode begin(void)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *deps = NULL;
    const CUgraphEdgeData *edges;
    size_t n = 0;

    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    launch(s);
    NEED(cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, &deps, &edges, &n));
    return n == 1 ? deps[0] : NULL;
}

static CUgraph end(void)
{
    CUgraph g = NULL;

    cuStreamEndCapture(s, &g);
    return g;
}

static CUresult ask(const CUgraphNode **deps, const CUgraphEdgeData **edges, size_t *n)
{
    CUstreamCaptureStatus status;

    return cuStreamGetCaptureInfo_v3(s, &status, NULL, NULL, deps, edges, n);
}

static void what_a_capture_says(void)
{
    const CUgraphNode *deps;
    const CUgraphEdgeData *edges;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    size_t n = 77;

    check_result("nothing is asked of a stream that does not capture", ask(NULL, &edges, &n), CUDA_SUCCESS);
    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    deps = (const CUgraphNode *)8;
    edges = (const CUgraphEdgeData *)8;
    check_true("an empty capture has no nodes and no edges", !ask(&deps, &edges, &n) && !deps && !edges && n == 0);
    end();
    CUgraphNode node = begin();
    check_true("a plain edge has data of zeros", !ask(&deps, &edges, &n) && n == 1 && same(edges, &plain));
    check_result("no data without nodes", ask(NULL, &edges, &n), CUDA_ERROR_INVALID_VALUE);
    check_result("plain edges need no data", ask(&deps, NULL, &n), CUDA_SUCCESS);
    NEED(cuStreamUpdateCaptureDependencies_v2(s, &node, &early, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    check_true("data comes back", !ask(&deps, &edges, &n) && n == 1 && deps[0] == node && same(edges, &early));
    check_result("nodes without their data are refused", ask(&deps, NULL, &n), CUDA_ERROR_LOSSY_QUERY);
    n = 77;
    check_result("so are nodes alone", ask(&deps, NULL, NULL), CUDA_ERROR_LOSSY_QUERY);
    check_result("their number is not", ask(NULL, NULL, &n), CUDA_SUCCESS);
    check_value("and is right", (long long)n, 1);
    check_result("the older call cannot say it", cuStreamGetCaptureInfo_v2(s, &status, NULL, NULL, &deps, &n), CUDA_ERROR_LOSSY_QUERY);
    check_value("but tells that it captures", status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    enum cudaStreamCaptureStatus rt = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *rt_deps;
    const cudaGraphEdgeData *rt_edges;
    check_value("the runtime says the same", cudaStreamGetCaptureInfo_v3(s, &rt, NULL, NULL, &rt_deps, NULL, &n), cudaErrorLossyQuery);
    check_value("with the status", rt, cudaStreamCaptureStatusActive);
    check_true("and gives the data", cudaStreamGetCaptureInfo_v3(s, &rt, NULL, NULL, &rt_deps, &rt_edges, &n) == cudaSuccess && rt_edges->from_port == 1);
    end();
}

static void what_a_capture_takes(void)
{
    CUgraphNode node = begin(), none = NULL;
    CUgraphEdgeData odd = {.reserved = {1}};
    int wrong = 0;

#define UPDATE(...) cuStreamUpdateCaptureDependencies_v2(s, __VA_ARGS__)
    check_result("a number without nodes", UPDATE(NULL, NULL, 1, 1), CUDA_ERROR_INVALID_VALUE);
    check_result("data without nodes", UPDATE(NULL, &plain, 1, 1), CUDA_ERROR_INVALID_VALUE);
    check_result("a node that is none", UPDATE(&none, &plain, 1, 1), CUDA_ERROR_INVALID_VALUE);
    check_result("nothing", UPDATE(NULL, NULL, 0, 0), CUDA_SUCCESS);
    check_result("data for nothing", UPDATE(NULL, &plain, 0, 0), CUDA_SUCCESS);
    check_result("no data is plain data", UPDATE(&node, NULL, 1, 1), CUDA_SUCCESS);
    check_result("reserved bytes are zero", UPDATE(&node, &odd, 1, 1), CUDA_ERROR_INVALID_VALUE);
    for (int type = 0; type < 3; type++)
        for (int port = 0; port < 4; port++)
            for (int to = 0; to < 2; to++) {
                CUgraphEdgeData x = {.from_port = (unsigned char)port, .to_port = (unsigned char)to, .type = (unsigned char)type};
                int good = to == 0 && (type == 0 ? port == 0 || port == 2 : type == 1 && (port == 1 || port == 2));
                wrong += (UPDATE(&node, &x, 1, 1) == CUDA_SUCCESS) != good;
            }
    check_value("ports and types of a kernel", wrong, 0);
    end();
}

/* The data of the only edge of a graph; its number of edges in *n. */
static CUgraphEdgeData edge_of(CUgraph g, size_t *n)
{
    CUgraphNode from[4], to[4];
    CUgraphEdgeData data[4];

    *n = 4;
    memset(data, 0xff, sizeof data);
    NEED(cuGraphGetEdges_v2(g, from, to, data, n));
    return data[0];
}

static void nothing_to_do(void *unused) { (void)unused; }

static void how_captures_go_on(void)
{
    const CUgraphNode *deps;
    const CUgraphEdgeData *edges;
    size_t n;
    CUgraphEdgeData e;
    CUgraphNode node = begin();
    CUgraph g;

    NEED(cuStreamUpdateCaptureDependencies_v2(s, &node, &early, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    launch(s);
    g = end();
    e = edge_of(g, &n);
    check_true("the next node has the edge", n == 1 && same(&e, &early));
    CUgraphExec x;
    NEED(cuGraphInstantiate(&x, g, 0));
    NEED(cuGraphLaunch(x, s));
    check_result("it runs", cuStreamSynchronize(s), CUDA_SUCCESS);
    node = begin();
    NEED(cuStreamUpdateCaptureDependencies_v2(s, &node, &early, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    check_true("a plain edge is stronger", !ask(&deps, &edges, &n) && n == 1 && same(edges, &plain));
    NEED(cuStreamUpdateCaptureDependencies_v2(s, &node, &early, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    CUevent event;
    CUstream t;
    NEED(cuEventCreate(&event, 0));
    NEED(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    NEED(cuEventRecord(event, s));
    NEED(cuStreamWaitEvent(t, event, 0));
    launch(t);
    NEED(cuEventRecord(event, t));
    NEED(cuStreamWaitEvent(s, event, 0));
    check_true("events carry it to other streams", !ask(&deps, &edges, &n) && n == 2 && same(&edges[0], &early) && same(&edges[1], &plain));
    e = edge_of(end(), &n);
    check_true("where it is used", n == 1 && same(&e, &early));
    node = begin();
    NEED(cuStreamUpdateCaptureDependencies_v2(s, &node, &ordered, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    NEED(cuLaunchHostFunc(s, nothing_to_do, NULL));
    e = edge_of(end(), &n);
    check_true("also before a host function", n == 1 && same(&e, &ordered));
}

static void edges_of_graphs(void)
{
    CUDA_KERNEL_NODE_PARAMS params = {.func = k, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CUgraphNode a, b, empty, from[4], to[4];
    CUgraphEdgeData data[4], e;
    CUgraph g, copy;
    size_t n;

    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddKernelNode(&a, g, NULL, 0, &params));
    NEED(cuGraphAddKernelNode(&b, g, NULL, 0, &params));
    NEED(cuGraphAddEmptyNode(&empty, g, NULL, 0));
    check_result("no kernel begins early for others", cuGraphAddDependencies_v2(g, &a, &empty, &early, 1), CUDA_ERROR_INVALID_VALUE);
    check_result("and nothing else begins early", cuGraphAddDependencies_v2(g, &empty, &a, &early, 1), CUDA_ERROR_INVALID_VALUE);
    check_result("nor in a new node", cuGraphAddNode_v2(&to[0], g, &a, &early, 1, &any), CUDA_ERROR_INVALID_VALUE);
    check_result("a kernel for a kernel", cuGraphAddDependencies_v2(g, &a, &b, &early, 1), CUDA_SUCCESS);
    check_result("once", cuGraphAddDependencies_v2(g, &a, &b, &early, 1), CUDA_ERROR_INVALID_VALUE);
    check_result("whatever its data", cuGraphAddDependencies(g, &a, &b, 1), CUDA_ERROR_INVALID_VALUE);
    e = edge_of(g, &n);
    check_true("edges have their data", n == 1 && same(&e, &early));
    n = 4;
    check_result("edges without it", cuGraphGetEdges(g, from, to, &n), CUDA_ERROR_LOSSY_QUERY);
    check_value("leave the number alone", (long long)n, 4);
    check_result("their number", cuGraphGetEdges(g, NULL, NULL, &n), CUDA_SUCCESS);
    check_value("is one", (long long)n, 1);
    check_result("data without edges", cuGraphGetEdges_v2(g, NULL, NULL, data, &n), CUDA_ERROR_INVALID_VALUE);
    n = 4;
    check_true("what a node waits for", !cuGraphNodeGetDependencies_v2(b, from, data, &n) && n == 1 && from[0] == a && same(data, &early));
    n = 4;
    check_result("without data", cuGraphNodeGetDependencies(b, from, &n), CUDA_ERROR_LOSSY_QUERY);
    check_true("what waits for it", !cuGraphNodeGetDependentNodes_v2(a, to, data, &n) && n == 1 && to[0] == b && same(data, &early));
    check_result("the same without data", cuGraphNodeGetDependentNodes(a, to, &n), CUDA_ERROR_LOSSY_QUERY);
    NEED(cuGraphClone(&copy, g));
    e = edge_of(copy, &n);
    check_true("a copy has it", n == 1 && same(&e, &early));
    check_result("an edge goes whatever its data", cuGraphRemoveDependencies_v2(g, &a, &b, &plain, 1), CUDA_SUCCESS);
    n = 4;
    check_true("and is gone", !cuGraphGetEdges(g, from, to, &n) && n == 0);
    check_result("into a graph, behind a kernel", cuStreamBeginCaptureToGraph(s, g, &b, &early, 1, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    launch(s);
    end();
    e = edge_of(g, &n);
    check_true("the first node has that edge", n == 1 && same(&e, &early));
    check_result("into a graph, behind nothing", cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    CUmodule module;

    check_start();
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&k, module, "k"));
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    what_a_capture_says();
    what_a_capture_takes();
    how_captures_go_on();
    edges_of_graphs();
    return n_failed != 0;
}
