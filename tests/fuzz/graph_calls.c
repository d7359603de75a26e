/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls for graphs and captures in any order, with handles that are alive, dead, of another kind or nobody's, cycles, odd numbers and captures that are left open. Whatever is
 * answered is fine; a crash or a hang is not, and what is dead must not be taken. graphs.c asks whether results are right.
 */
#include "fuzz_driver.h"

#include <stdio.h>
#include <string.h>

enum { CALLS = 200, DEPS = 3, BYTES = 4096, BUFFERS = 2 };
enum kind { GRAPH, NODE, EXEC, STREAM, EVENT, CONDITION, KINDS };
enum { KEPT = 24, ARRAY = 64 };

static void *kept[KINDS][KEPT];                  /* alive or not */
static unsigned n_kept[KINDS];
static CUdeviceptr buffers[BUFFERS];
static CUuserObject user;
static struct fuzz_random r;

static unsigned pick(unsigned n) { return fuzz_below(&r, n); }

static void keep(enum kind k, void *h) { kept[k][n_kept[k] < KEPT ? n_kept[k]++ : pick(KEPT)] = h; }

static void *any(enum kind k)
{
    unsigned how = pick(24);
    if (how == 0)
        return (void *)(uintptr_t)fuzz_odd(&r);
    if (how == 1)
        k = (enum kind)pick(KINDS);
    return n_kept[k] ? kept[k][pick(n_kept[k])] : NULL;
}

static CUgraph graph(void) { return any(GRAPH); }
static CUgraphNode node(void) { return any(NODE); }
static CUgraphExec exec(void) { return any(EXEC); }
static CUstream stream(void) { return pick(16) ? any(STREAM) : NULL; }
static CUevent event(void) { return any(EVENT); }

static size_t some_nodes(CUgraphNode *out)
{
    size_t n = pick(DEPS + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = node();
    return n;
}

/* --- parameters --- */

static CUDA_MEMSET_NODE_PARAMS set_params(void)
{
    CUDA_MEMSET_NODE_PARAMS p = { .dst = buffers[pick(BUFFERS)], .pitch = 64, .value = pick(1000), .elementSize = 1u << pick(4),
        .width = 1 + pick(16), .height = 1 + pick(3) };
    size_t *sizes[] = { &p.pitch, &p.width, &p.height };
    if (pick(6) == 0)
        *FUZZ_ANY(&r, sizes) = (size_t)fuzz_odd(&r);
    return p;
}

static CUDA_MEMCPY3D copy_params(void)
{
    CUDA_MEMCPY3D p = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = buffers[0], .srcPitch = 64,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = buffers[1], .dstPitch = 64, .WidthInBytes = 1 + pick(64),
        .Height = 1 + pick(8), .Depth = 1 };
    size_t *sizes[] = { &p.srcXInBytes, &p.srcY, &p.srcZ, &p.srcPitch, &p.srcHeight, &p.dstXInBytes, &p.dstY, &p.dstZ, &p.dstPitch,
        &p.dstHeight, &p.WidthInBytes, &p.Height, &p.Depth };
    if (pick(6) == 0)
        *FUZZ_ANY(&r, sizes) = (size_t)fuzz_odd(&r);
    return p;
}

/* A list of parameters lives until the call has returned. */
static CUDA_KERNEL_NODE_PARAMS kernel_params(void)
{
    static unsigned n, value;
    static void *list[3];
    static const unsigned wrong[] = { 0, 1025, 65536, 0xffffffff };
    n = 1 + pick(64), value = pick(1000);
    list[0] = &buffers[0], list[1] = &n, list[2] = &value;
    CUDA_KERNEL_NODE_PARAMS p = { .func = pick(8) ? driver_fill : (CUfunction)any(NODE), .gridDimX = 1 + pick(3), .gridDimY = 1,
        .gridDimZ = 1, .blockDimX = 1 + 31 * pick(3), .blockDimY = 1, .blockDimZ = 1, .kernelParams = list };
    if (pick(6) == 0)
        *(pick(2) ? &p.gridDimY : &p.blockDimX) = FUZZ_ANY(&r, wrong);
    return p;
}

static void CUDA_CB nothing(void *arg) { (void)arg; }

/* --- nodes --- */

static void add_node(void)
{
    CUgraphNode deps[DEPS], made = NULL;
    size_t n = some_nodes(deps);
    CUcontext ctx;
    CUresult rc = CUDA_ERROR_UNKNOWN;
    CUDA_MEMSET_NODE_PARAMS set = set_params();
    CUDA_MEMCPY3D copy = copy_params();
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_params();
    CUDA_HOST_NODE_PARAMS host = { nothing, NULL };
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = { .poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } }, .bytesize = pick(8) ? 1024 : (size_t)fuzz_odd(&r) };
    CUstreamBatchMemOpParams write = { .writeValue = { .operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = buffers[0], .value = 5 } };
    CUgraph at = graph();
    cuCtxGetCurrent(&ctx);
    CUDA_BATCH_MEM_OP_NODE_PARAMS batch = { .ctx = ctx, .count = 1, .paramArray = &write };
    switch (pick(11)) {
    case 0: fuzz_doing("cuGraphAddEmptyNode"); rc = cuGraphAddEmptyNode(&made, at, deps, n); break;
    case 1: fuzz_doing("cuGraphAddMemsetNode"); rc = cuGraphAddMemsetNode(&made, at, deps, n, &set, ctx); break;
    case 2: fuzz_doing("cuGraphAddMemcpyNode"); rc = cuGraphAddMemcpyNode(&made, at, deps, n, &copy, ctx); break;
    case 3: fuzz_doing("cuGraphAddKernelNode"); rc = cuGraphAddKernelNode(&made, at, deps, n, &kernel); break;
    case 4: fuzz_doing("cuGraphAddHostNode"); rc = cuGraphAddHostNode(&made, at, deps, n, &host); break;
    case 5: fuzz_doing("cuGraphAddChildGraphNode"); rc = pick(4) ? CUDA_ERROR_UNKNOWN : cuGraphAddChildGraphNode(&made, at, deps, n, graph()); break;
    case 6: fuzz_doing("cuGraphAddEventRecordNode"); rc = cuGraphAddEventRecordNode(&made, at, deps, n, event()); break;
    case 7: fuzz_doing("cuGraphAddEventWaitNode"); rc = cuGraphAddEventWaitNode(&made, at, deps, n, event()); break;
    case 8: fuzz_doing("cuGraphAddMemAllocNode"); rc = cuGraphAddMemAllocNode(&made, at, deps, n, &alloc); break;
    case 9: fuzz_doing("cuGraphAddMemFreeNode"); rc = cuGraphAddMemFreeNode(&made, at, deps, n, pick(2) ? buffers[0] : (CUdeviceptr)fuzz_odd(&r)); break;
    default: fuzz_doing("cuGraphAddBatchMemOpNode"); rc = cuGraphAddBatchMemOpNode(&made, at, deps, n, &batch); break;
    }
    if (!rc)
        keep(NODE, made);
}

static void add_condition(void)
{
    CUgraphConditionalHandle h = 0;
    CUgraph bodies[8] = { 0 };
    CUgraphNode deps[DEPS], made;
    size_t n = some_nodes(deps);
    CUcontext ctx;
    cuCtxGetCurrent(&ctx);
    fuzz_doing("cuGraphConditionalHandleCreate");
    if (cuGraphConditionalHandleCreate(&h, graph(), ctx, 0, pick(4) ? CU_GRAPH_COND_ASSIGN_DEFAULT : (unsigned)fuzz_odd(&r)) == CUDA_SUCCESS)
        keep(CONDITION, (void *)(uintptr_t)h);
    CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
    p.conditional.handle = (CUgraphConditionalHandle)(uintptr_t)any(CONDITION);
    p.conditional.type = pick(8) ? (CUgraphConditionalNodeType)pick(3) : (CUgraphConditionalNodeType)fuzz_odd(&r);
    p.conditional.size = pick(8) ? 1 + pick(2) : (unsigned)fuzz_odd(&r);
    p.conditional.phGraph_out = bodies;
    p.conditional.ctx = ctx;
    fuzz_doing("cuGraphAddNode");
    if (cuGraphAddNode_v2(&made, graph(), deps, NULL, n, &p) == CUDA_SUCCESS) {
        keep(NODE, made);
        if (p.conditional.phGraph_out && p.conditional.phGraph_out[0])
            keep(GRAPH, p.conditional.phGraph_out[0]);
    }
}

static void set_node(void)
{
    CUDA_MEMSET_NODE_PARAMS set = set_params();
    CUDA_MEMCPY3D copy = copy_params();
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_params();
    CUDA_HOST_NODE_PARAMS host = { nothing, NULL };
    CUkernelNodeAttrValue value;
    CUcontext ctx;
    cuCtxGetCurrent(&ctx);
    memset(&value, 0, sizeof value);
    fuzz_mutate(&r, &value, sizeof value);
    fuzz_doing("parameters of nodes");
    switch (pick(13)) {
    case 0: cuGraphMemsetNodeSetParams(node(), &set); break;
    case 1: cuGraphMemcpyNodeSetParams(node(), &copy); break;
    case 2: cuGraphKernelNodeSetParams(node(), &kernel); break;
    case 3: cuGraphHostNodeSetParams(node(), &host); break;
    case 4: cuGraphEventRecordNodeSetEvent(node(), event()); break;
    case 5: cuGraphExecMemsetNodeSetParams(exec(), node(), &set, ctx); break;
    case 6: cuGraphExecMemcpyNodeSetParams(exec(), node(), &copy, ctx); break;
    case 7: cuGraphExecKernelNodeSetParams(exec(), node(), &kernel); break;
    case 8: cuGraphExecEventWaitNodeSetEvent(exec(), node(), event()); break;
    case 9: cuGraphNodeSetEnabled(exec(), node(), pick(3)); break;
    case 10: cuGraphKernelNodeSetAttribute(node(), (CUkernelNodeAttrID)pick(20), &value); break;
    case 11: cuGraphKernelNodeCopyAttributes(node(), node()); break;
    default: cuGraphExecChildGraphNodeSetParams(exec(), node(), graph()); break;
    }
}

static void ask_node(void)
{
    CUDA_MEMSET_NODE_PARAMS set;
    CUDA_MEMCPY3D copy;
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUgraphNodeType type;
    CUgraphNode list[ARRAY], other[ARRAY];
    CUgraph child;
    size_t n = pick(2) ? ARRAY : pick(4);
    unsigned on;
    fuzz_doing("questions about nodes");
    switch (pick(11)) {
    case 0: cuGraphMemsetNodeGetParams(node(), &set); break;
    case 1: cuGraphMemcpyNodeGetParams(node(), &copy); break;
    case 2: cuGraphKernelNodeGetParams(node(), &kernel); break;
    case 3: cuGraphNodeGetType(node(), &type); break;
    case 4: cuGraphGetNodes(graph(), list, &n); break;
    case 5: cuGraphGetRootNodes(graph(), list, &n); break;
    case 6: cuGraphGetEdges_v2(graph(), list, other, NULL, &n); break;
    case 7: cuGraphNodeGetDependencies_v2(node(), list, NULL, &n); break;
    case 8: cuGraphNodeGetDependentNodes_v2(node(), list, NULL, &n); break;
    case 9: if (cuGraphChildGraphNodeGetGraph(node(), &child) == CUDA_SUCCESS) keep(GRAPH, child); break;
    default: cuGraphNodeGetEnabled(exec(), node(), &on); break;
    }
}

/* --- graphs --- */

static void change_graph(void)
{
    CUgraph g = graph(), made;
    CUgraphNode from[DEPS], to[DEPS], found;
    size_t n = pick(DEPS + 1);
    for (size_t i = 0; i < n; i++)
        from[i] = node(), to[i] = node();
    switch (pick(9)) {
    case 0: case 1: fuzz_doing("cuGraphCreate"); if (cuGraphCreate(&made, pick(8) ? 0 : (unsigned)fuzz_odd(&r)) == CUDA_SUCCESS) keep(GRAPH, made); break;
    case 2: fuzz_doing("cuGraphDestroy"); cuGraphDestroy(g); break;
    case 3: fuzz_doing("cuGraphClone"); if (cuGraphClone(&made, g) == CUDA_SUCCESS) keep(GRAPH, made); break;
    case 4: fuzz_doing("cuGraphAddDependencies"); cuGraphAddDependencies_v2(g, from, to, NULL, n); break;
    case 5: fuzz_doing("cuGraphRemoveDependencies"); cuGraphRemoveDependencies_v2(g, from, to, NULL, n); break;
    case 6: fuzz_doing("cuGraphDestroyNode"); cuGraphDestroyNode(node()); break;
    case 7: fuzz_doing("cuGraphNodeFindInClone"); if (cuGraphNodeFindInClone(&found, node(), g) == CUDA_SUCCESS) keep(NODE, found); break;
    default: fuzz_doing("cuGraphDebugDotPrint"); cuGraphDebugDotPrint(g, "/dev/null", (unsigned)fuzz_odd(&r)); break;
    }
}

static void use_graph(void)
{
    CUgraphExec made;
    CUgraphExecUpdateResultInfo info;
    cuuint64_t flags;
    switch (pick(8)) {
    case 0: case 1: fuzz_doing("cuGraphInstantiate"); if (cuGraphInstantiateWithFlags(&made, graph(), pick(6) ? 0 : fuzz_odd(&r)) == CUDA_SUCCESS) keep(EXEC, made); break;
    case 2: fuzz_doing("cuGraphExecDestroy"); cuGraphExecDestroy(exec()); break;
    case 3: fuzz_doing("cuGraphExecUpdate"); cuGraphExecUpdate(exec(), graph(), &info); break;
    case 4: fuzz_doing("cuGraphUpload"); cuGraphUpload(exec(), stream()); break;
    case 5: case 6: fuzz_doing("cuGraphLaunch"); cuGraphLaunch(exec(), stream()); break;
    default: fuzz_doing("cuGraphExecGetFlags"); cuGraphExecGetFlags(exec(), &flags); break;
    }
}

static void user_objects(void)
{
    fuzz_doing("user objects");
    switch (pick(3)) {
    case 0: cuGraphRetainUserObject(graph(), user, pick(4) ? 1 : (unsigned)fuzz_odd(&r), pick(4) ? 0 : (unsigned)fuzz_odd(&r)); break;
    case 1: cuGraphReleaseUserObject(graph(), user, pick(4) ? 1 : (unsigned)fuzz_odd(&r)); break;
    default: cuUserObjectRetain(user, 1); break;
    }
}

/* --- captures --- */

static void queue_something(void)
{
    CUstream s = stream();
    CUDA_KERNEL_NODE_PARAMS k = kernel_params();
    switch (pick(6)) {
    case 0: fuzz_doing("cuMemsetD32Async"); cuMemsetD32Async(buffers[0], 1, 1 + pick(64), s); break;
    case 1: fuzz_doing("cuMemcpyDtoDAsync"); cuMemcpyDtoDAsync(buffers[1], buffers[0], 1 + pick(BYTES), s); break;
    case 2: fuzz_doing("cuLaunchKernel"); cuLaunchKernel(driver_fill, k.gridDimX, 1, 1, 32, 1, 1, 0, s, k.kernelParams, NULL); break;
    case 3: fuzz_doing("cuLaunchHostFunc"); cuLaunchHostFunc(s, nothing, NULL); break;
    case 4: fuzz_doing("cuEventRecord"); cuEventRecord(event(), s); break;
    default: fuzz_doing("cuStreamWaitEvent"); cuStreamWaitEvent(s, event(), 0); break;
    }
}

static void capture(void)
{
    CUgraph g = NULL;
    CUstreamCaptureStatus status;
    CUstreamCaptureMode mode = (CUstreamCaptureMode)pick(3);
    cuuint64_t id;
    const CUgraphNode *deps;
    const CUgraphEdgeData *edges;
    size_t n;
    CUgraphNode some[DEPS];
    switch (pick(9)) {
    case 0: case 1: fuzz_doing("cuStreamBeginCapture"); cuStreamBeginCapture(stream(), pick(8) ? mode : (CUstreamCaptureMode)fuzz_odd(&r)); break;
    case 2: fuzz_doing("cuStreamBeginCaptureToGraph"); n = some_nodes(some); cuStreamBeginCaptureToGraph(stream(), graph(), some, NULL, n, mode); break;
    case 3: case 4: fuzz_doing("cuStreamEndCapture"); if (cuStreamEndCapture(stream(), &g) == CUDA_SUCCESS && g) keep(GRAPH, g); break;
    case 5: fuzz_doing("cuStreamGetCaptureInfo"); if (cuStreamGetCaptureInfo_v3(stream(), &status, &id, &g, &deps, &edges, &n) == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE && n) keep(NODE, deps[0]); break;
    case 6: fuzz_doing("cuStreamUpdateCaptureDependencies"); n = some_nodes(some); cuStreamUpdateCaptureDependencies_v2(stream(), some, NULL, n, pick(4) ? pick(2) : (unsigned)fuzz_odd(&r)); break;
    case 7: fuzz_doing("cuThreadExchangeStreamCaptureMode"); cuThreadExchangeStreamCaptureMode(&mode); break;
    default: fuzz_doing("cuStreamIsCapturing"); cuStreamIsCapturing(stream(), &status); break;
    }
}

static void streams_and_events(void)
{
    CUstream s;
    CUevent e;
    switch (pick(6)) {
    case 0: fuzz_doing("cuStreamCreate"); if (cuStreamCreate(&s, pick(2)) == CUDA_SUCCESS) keep(STREAM, s); break;
    case 1: fuzz_doing("cuEventCreate"); if (cuEventCreate(&e, pick(4) ? CU_EVENT_DISABLE_TIMING : 0) == CUDA_SUCCESS) keep(EVENT, e); break;
    case 2: fuzz_doing("cuStreamDestroy"); if ((s = stream())) cuStreamDestroy(s); break;
    case 3: fuzz_doing("cuEventDestroy"); cuEventDestroy(event()); break;
    case 4: fuzz_doing("cuStreamSynchronize"); cuStreamSynchronize(stream()); break;
    default: fuzz_doing("cuCtxSynchronize"); cuCtxSynchronize(); break;
    }
}

/* --- cases --- */

static void before(void)
{
    driver_start();
    freopen("/dev/null", "w", stderr);
    for (unsigned b = 0; b < BUFFERS; b++)
        NEED(cuMemAlloc(&buffers[b], BYTES));
    NEED(cuUserObjectCreate(&user, NULL, nothing, 1000000, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
}

static void end_captures(void)
{
    CUgraph g;
    for (unsigned i = 0; i < n_kept[STREAM]; i++) {
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        if (cuStreamIsCapturing(kept[STREAM][i], &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE &&
            cuStreamEndCapture(kept[STREAM][i], &g) == CUDA_SUCCESS && g)
            cuGraphDestroy(g);
    }
}

/* All is given back, twice: the second time it must not be there. */
static void give_back(uint64_t number)
{
    end_captures();
    for (unsigned i = 0; i < n_kept[EXEC]; i++)
        cuGraphExecDestroy(kept[EXEC][i]);
    for (unsigned i = 0; i < n_kept[GRAPH]; i++)
        cuGraphDestroy(kept[GRAPH][i]);
    for (unsigned i = 0; i < n_kept[STREAM]; i++)
        cuStreamDestroy(kept[STREAM][i]);
    for (unsigned i = 0; i < n_kept[EVENT]; i++)
        cuEventDestroy(kept[EVENT][i]);
    for (unsigned i = 0; i < n_kept[GRAPH]; i++)
        if (cuGraphDestroy(kept[GRAPH][i]) == CUDA_SUCCESS)
            fuzz_bad_in(number, "a graph is destroyed twice");
    memset(n_kept, 0, sizeof n_kept);
}

static void one(uint64_t number)
{
    static void (*const kinds[])(void) = { add_node, add_node, add_node, add_condition, set_node, ask_node, change_graph, change_graph,
        use_graph, use_graph, user_objects, queue_something, capture, capture, streams_and_events };
    r = fuzz_random(fuzz_plan.seed, number);
    for (unsigned k = 0; k < CALLS; k++) {
        FUZZ_ANY(&r, kinds)();
        fuzz_count(1);
    }
    fuzz_doing("giving back");
    give_back(number);
    fuzz_doing("cuCtxSynchronize at the end");
    if (cuCtxSynchronize())                      /* a copy that led nowhere: the context is done for */
        fuzz_fresh();
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "graph_calls", .seed = 1, .seconds = 3, .things = "calls" }, argc, argv, NULL);
    return fuzz_cases(before, one, 50, 5);
}
