// SPDX-License-Identifier: Apache-2.0
// Graphs: built by calls and by capture, launched, changed, copied, asked about.
#include "runtime_check.h"
#include <unistd.h>

/* CUDA 13 has one argument more in calls on edges. */
#if CUDART_VERSION >= 13000
#define NO_EDGE_DATA NULL,
#else
#define NO_EDGE_DATA
#endif

__global__ void set(int *p, int v) { *p = v; }
__global__ void add(int *p, int v) { *p += v; }
__global__ void sum(int *to, const int *a, const int *b) { *to = *a + *b; }
__global__ void wait_for(volatile int *flag) { while (*flag == 0) { } }
__device__ int symbol[4];

static cudaStream_t s, t;
static int *d, *h, host_calls;
static void CUDART_CB count(void *data) { ++*(int *)data; }

static int read(const int *p)
{
    int v = -1;
    NEED(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    return v;
}

static int nodes_of(cudaGraph_t g)
{
    size_t n = 0;
    NEED(cudaGraphGetNodes(g, NULL, &n));
    return (int)n;
}

static void by_capture(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaEvent_t e, f;
    NEED(cudaEventCreate(&e));
    NEED(cudaEventCreate(&f));
    NEED(cudaMemset(d, 0, 64));
    NEED(cudaDeviceSynchronize());
    NEED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    NEED(cudaMemcpyAsync(d, h, 4, cudaMemcpyHostToDevice, s));
    NEED(cudaEventRecord(e, s));
    NEED(cudaStreamWaitEvent(t, e, 0));
    add<<<1, 1, 0, s>>>(d, 1);
    set<<<1, 1, 0, t>>>(d + 1, 100);
    NEED(cudaEventRecord(f, t));
    NEED(cudaStreamWaitEvent(s, f, 0));
    sum<<<1, 1, 0, s>>>(d + 2, d, d + 1);
    NEED(cudaLaunchHostFunc(s, count, &host_calls));
    NEED(cudaMemcpyAsync(h + 1, d + 2, 4, cudaMemcpyDeviceToHost, s));
    enum cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    NEED(cudaStreamIsCapturing(t, &st));
    CHECK("waiting_for_a_captured_event_joins_the_capture", st == cudaStreamCaptureStatusActive);
    CHECK_OK("a_capture_ends", cudaStreamEndCapture(s, &g));
    NEED(cudaStreamIsCapturing(t, &st));
    CHECK("and_so_it_does_for_the_streams_that_joined", st == cudaStreamCaptureStatusNone && id == 0);
    CHECK("nothing_ran_while_capturing", read(d + 2) == 0 && host_calls == 0);
    size_t edges = 0;
    CHECK("every_call_became_a_node", nodes_of(g) == 6);
    NEED(cudaGraphGetEdges(g, NULL, NULL, NO_EDGE_DATA &edges));
    CHECK("with_the_edges_of_fork_and_join", edges == 6);
    CHECK_OK("it_is_instantiated", cudaGraphInstantiate(&x, g, 0));
    CHECK_OK("the_graph_may_go", cudaGraphDestroy(g));
    for (int i = 0; i < 100; i++) {
        h[0] = i;
        NEED(cudaGraphLaunch(x, s));
        NEED(cudaStreamSynchronize(s));
        if (h[1] != i + 101) {
            CHECK("every_launch_reads_memory_anew", 0);
            break;
        }
    }
    CHECK("the_last_launch_gave_its_result", h[1] == 200);
    CHECK("host_functions_ran_once_a_launch", host_calls == 100);
    for (int i = 0; i < 50; i++)
        NEED(cudaGraphLaunch(x, i & 1 ? s : t));
    NEED(cudaDeviceSynchronize());
    CHECK("launches_in_two_streams_run_one_after_another", host_calls == 150);
    NEED(cudaGraphLaunch(x, s));
    CHECK_OK("an_executable_graph_may_be_destroyed_while_it_runs", cudaGraphExecDestroy(x));
    NEED(cudaDeviceSynchronize());
    CHECK("and_its_work_is_still_done", host_calls == 151);
    NEED(cudaEventDestroy(e));
    NEED(cudaEventDestroy(f));
}

// A stream that joined a capture may be destroyed before it ends; what counts is whether its work was joined.
static void streams_that_go(bool joined)
{
    cudaGraph_t g = NULL;
    cudaStream_t other;
    cudaEvent_t e, f;
    NEED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    NEED(cudaEventCreate(&e));
    NEED(cudaEventCreate(&f));
    NEED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    NEED(cudaEventRecord(e, s));
    NEED(cudaStreamWaitEvent(other, e, 0));
    set<<<1, 1, 0, other>>>(d, 1);
    NEED(cudaEventRecord(f, other));
    if (joined)
        NEED(cudaStreamWaitEvent(s, f, 0));
    NEED(cudaStreamDestroy(other));
    NEED(cudaEventDestroy(e));
    NEED(cudaEventDestroy(f));
    if (joined)
        CHECK_OK("a_joined_stream_may_go_before_the_capture_ends", cudaStreamEndCapture(s, &g));
    else
        CHECK_ERR("one_that_was_not_joined_is_missed", cudaStreamEndCapture(s, &g), cudaErrorStreamCaptureUnjoined);
    if (g)
        NEED(cudaGraphDestroy(g));
}

static void by_calls(void)
{
    cudaGraph_t g, copy, child;
    cudaGraphExec_t x;
    cudaGraphNode_t fill, k1, k2, join, get, sub, twin;
    int one = 1, two = 2, *p0 = d, *p1 = d + 1;
    void *a1[] = {&p0, &one}, *a2[] = {&p1, &two};
    NEED(cudaGraphCreate(&g, 0));
    cudaMemsetParams m = {};
    m.dst = d;
    m.elementSize = 4;
    m.value = 7;
    m.width = 4;
    m.height = 1;
    CHECK_OK("a_fill_node", cudaGraphAddMemsetNode(&fill, g, NULL, 0, &m));
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = k.blockDim = dim3(1, 1, 1);
    k.kernelParams = a1;
    CHECK_OK("a_kernel_node", cudaGraphAddKernelNode(&k1, g, &fill, 1, &k));
    k.kernelParams = a2;
    NEED(cudaGraphAddKernelNode(&k2, g, &fill, 1, &k));
    cudaGraphNode_t both[2] = {k1, k2};
    CHECK_OK("an_empty_node_joins", cudaGraphAddEmptyNode(&join, g, both, 2));
    CHECK_OK("a_copy_node", cudaGraphAddMemcpyNode1D(&get, g, &join, 1, h, d, 8, cudaMemcpyDeviceToHost));
    CHECK_OK("instantiated", cudaGraphInstantiate(&x, g, 0));
    NEED(cudaGraphLaunch(x, s));
    NEED(cudaStreamSynchronize(s));
    CHECK("a_graph_built_by_calls_runs", h[0] == 8 && h[1] == 9);
    one = 11;
    k.kernelParams = a1;
    CHECK_OK("parameters_of_an_executable_graph_change", cudaGraphExecKernelNodeSetParams(x, k1, &k));
    NEED(cudaGraphLaunch(x, s));
    NEED(cudaStreamSynchronize(s));
    CHECK("and_the_next_launch_uses_them", h[0] == 18 && h[1] == 9);
    CHECK_OK("a_node_is_switched_off", cudaGraphNodeSetEnabled(x, k2, 0));
    NEED(cudaGraphLaunch(x, s));
    NEED(cudaStreamSynchronize(s));
    CHECK("and_does_nothing", h[1] == 7);
    CHECK_OK("a_copy", cudaGraphClone(&copy, g));
    CHECK_OK("finds_its_twins", cudaGraphNodeFindInClone(&twin, k1, copy));
    NEED(cudaGraphKernelNodeSetParams(twin, &k));
    cudaGraphExecUpdateResultInfo info;
    CHECK_OK("an_update_from_a_graph_of_the_same_shape", cudaGraphExecUpdate(x, copy, &info));
    NEED(cudaGraphCreate(&child, 0));
    CHECK_ERR("not_of_another_shape", cudaGraphExecUpdate(x, child, &info), cudaErrorGraphExecUpdateFailure);
    CHECK("which_is_said", info.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t culprit;
    CHECK_OK("the_older_form_of_an_update", cudaGraphExecUpdate(x, copy, &culprit, &result));
    CHECK("answers_the_same", result == cudaGraphExecUpdateSuccess);
    cudaGraphNode_t c1;
    int *where = d + 3, what = 5;
    void *a3[] = {&where, &what};
    k.func = (void *)set;
    k.kernelParams = a3;
    NEED(cudaGraphAddKernelNode(&c1, child, NULL, 0, &k));
    CHECK_OK("a_child_graph", cudaGraphAddChildGraphNode(&sub, g, &get, 1, child));
    cudaGraphNode_t after;
    NEED(cudaGraphAddMemcpyNode1D(&after, g, &sub, 1, h + 2, d + 3, 4, cudaMemcpyDeviceToHost));
    NEED(cudaGraphExecDestroy(x));
    NEED(cudaGraphInstantiate(&x, g, 0));
    NEED(cudaGraphLaunch(x, s));
    NEED(cudaStreamSynchronize(s));
    CHECK("runs_in_its_place", h[2] == 5);
    cudaGraphNode_t roots[4];
    size_t n = 4;
    NEED(cudaGraphGetRootNodes(g, roots, &n));
    CHECK("roots_are_found", n == 1 && roots[0] == fill && roots[1] == NULL);
    n = 0;
    NEED(cudaGraphNodeGetDependencies(join, NULL, NO_EDGE_DATA &n));
    CHECK("dependencies_too", n == 2);
    enum cudaGraphNodeType type;
    NEED(cudaGraphNodeGetType(get, &type));
    CHECK("and_types", type == cudaGraphNodeTypeMemcpy);
    cudaKernelNodeParams back;
    NEED(cudaGraphKernelNodeGetParams(k2, &back));
    CHECK("and_parameters", *(int *)back.kernelParams[1] == 2 && back.blockDim.x == 1);
    CHECK_ERR("a_dependency_given_twice_is_refused", cudaGraphAddDependencies(g, &fill, &k1, NO_EDGE_DATA 1), cudaErrorInvalidValue);
    NEED(cudaGraphAddDependencies(g, &get, &fill, NO_EDGE_DATA 1));
    cudaGraphExec_t y;
    CHECK_ERR("a_ring_is_refused", cudaGraphInstantiate(&y, g, 0), cudaErrorInvalidValue);
    NEED(cudaGraphRemoveDependencies(g, &get, &fill, NO_EDGE_DATA 1));
    CHECK_OK("a_picture", cudaGraphDebugDotPrint(g, "graph.dot", 0));
    FILE *dot = fopen("graph.dot", "r");
    char line[32] = "";
    CHECK("is_written", dot && fgets(line, sizeof line, dot) && strncmp(line, "digraph", 7) == 0);
    if (dot)
        fclose(dot);
    unlink("graph.dot");
    int four[4] = {1, 2, 3, 4};
    cudaGraphNode_t sym;
    CHECK_OK("a_copy_to_a_variable", cudaGraphAddMemcpyNodeToSymbol(&sym, copy, NULL, 0, symbol, four, 16, 0, cudaMemcpyHostToDevice));
    NEED(cudaGraphExecDestroy(x));
    NEED(cudaGraphInstantiate(&x, copy, 0));
    NEED(cudaGraphLaunch(x, s));
    NEED(cudaStreamSynchronize(s));
    int got[4] = {};
    NEED(cudaMemcpyFromSymbol(got, symbol, 16));
    CHECK("reaches_it", got[3] == 4);
    NEED(cudaGraphExecDestroy(x));
    NEED(cudaGraphDestroy(g));
    NEED(cudaGraphDestroy(copy));
    NEED(cudaGraphDestroy(child));
}

/* Two branches: one waits for a flag that only the other one sets. */
static void branches_run_beside_each_other(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t a, b;
    int *flag, *dflag, one = 1;
    NEED(cudaHostAlloc(&flag, 4, cudaHostAllocMapped));
    NEED(cudaHostGetDevicePointer(&dflag, flag, 0));
    *flag = 0;
    NEED(cudaGraphCreate(&g, 0));
    void *args[] = {&dflag}, *args2[] = {&dflag, &one};
    cudaKernelNodeParams k = {};
    k.func = (void *)wait_for;
    k.gridDim = k.blockDim = dim3(1, 1, 1);
    k.kernelParams = args;
    NEED(cudaGraphAddKernelNode(&a, g, NULL, 0, &k));
    k.func = (void *)set;
    k.kernelParams = args2;
    NEED(cudaGraphAddKernelNode(&b, g, NULL, 0, &k));
    NEED(cudaGraphInstantiate(&x, g, 0));
    NEED(cudaGraphLaunch(x, s));
    CHECK_OK("branches_run_beside_each_other", cudaStreamSynchronize(s));
    NEED(cudaGraphExecDestroy(x));
    NEED(cudaGraphDestroy(g));
    NEED(cudaFreeHost(flag));
}

static void events_and_order(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t k, r;
    cudaEvent_t e;
    int *p = d, v = 42;
    void *args[] = {&p, &v};
    NEED(cudaEventCreate(&e));
    NEED(cudaGraphCreate(&g, 0));
    cudaKernelNodeParams kp = {};
    kp.func = (void *)set;
    kp.gridDim = kp.blockDim = dim3(1, 1, 1);
    kp.kernelParams = args;
    NEED(cudaGraphAddKernelNode(&k, g, NULL, 0, &kp));
    CHECK_OK("an_event_node", cudaGraphAddEventRecordNode(&r, g, &k, 1, e));
    NEED(cudaGraphInstantiate(&x, g, 0));
    NEED(cudaMemset(d, 0, 4));
    NEED(cudaGraphLaunch(x, s));
    NEED(cudaStreamWaitEvent(t, e, 0));
    add<<<1, 1, 0, t>>>(d, 1);
    NEED(cudaStreamSynchronize(t));
    CHECK("is_waited_for_by_other_streams", read(d) == 43);
    NEED(cudaGraphLaunch(x, 0));
    CHECK("a_launch_in_the_default_stream", read(d) == 42);
    CHECK_ERR("no_such_executable_graph", cudaGraphLaunch((cudaGraphExec_t)0, s), cudaErrorInvalidValue);
    NEED(cudaGraphExecDestroy(x));
    NEED(cudaGraphDestroy(g));
    NEED(cudaEventDestroy(e));
}

/* A row of small kernels, the second of which also waits for a host function beside the first: it must not come before. */
static void CUDART_CB look_late(void *data)
{
    usleep(50000);                       /* time enough for a kernel that does not wait */
    ((int *)data)[1] = *(volatile int *)data;
}

static void small_kernels_wait_for_other_branches(void)
{
    cudaEvent_t e, f;
    cudaGraph_t g;
    cudaGraphExec_t x;
    NEED(cudaEventCreate(&e));
    NEED(cudaEventCreate(&f));
    NEED(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    set<<<1, 1, 0, s>>>(d, 1);
    NEED(cudaEventRecord(e, s));
    NEED(cudaStreamWaitEvent(t, e, 0));
    NEED(cudaLaunchHostFunc(t, look_late, h));
    NEED(cudaEventRecord(f, t));
    set<<<1, 1, 0, s>>>(d + 1, 2);
    NEED(cudaStreamWaitEvent(s, f, 0));
    set<<<1, 1, 0, s>>>(h, 3);
    add<<<1, 1, 0, s>>>(h, 4);
    NEED(cudaStreamEndCapture(s, &g));
    NEED(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 5; i++) {
        h[0] = 0;
        h[1] = -1;
        NEED(cudaGraphLaunch(x, s));
        NEED(cudaStreamSynchronize(s));
        CHECK("kernels_wait_for_the_other_branch", h[1] == 0 && h[0] == 7);
    }
    NEED(cudaGraphExecDestroy(x));
    NEED(cudaGraphDestroy(g));
    NEED(cudaEventDestroy(e));
    NEED(cudaEventDestroy(f));
}

int main()
{
    NEED(cudaStreamCreate(&s));
    NEED(cudaStreamCreate(&t));
    NEED(cudaMalloc(&d, 64));
    NEED(cudaHostAlloc(&h, 64, 0));
    by_capture();
    streams_that_go(true);
    streams_that_go(false);
    by_calls();
    branches_run_beside_each_other();
    small_kernels_wait_for_other_branches();
    events_and_order();
    CHECK_OK("all_is_well_at_the_end", cudaDeviceSynchronize());
    return check_failures != 0;
}
