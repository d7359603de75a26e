/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs: updates of conditional nodes and of what is kept alive for the program; how the memory of graphs is counted, as an H200 with driver 580 counts it; what a kernel's parameters need. */
#include "driver_check.h"

#include <stdatomic.h>
#include <unistd.h>

static const char *const ptx = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry add(.param .u64 p) { .reg .u64 %r<2>; .reg .u32 %x<2>; ld.param.u64 %r1, [p]; atom.global.add.u32 %x1, [%r1], 1; ret; }\n";
static CUcontext ctx;
static CUstream s;
static CUfunction add;

/* --- conditional nodes --- */

/* A switch of n bodies, where body i adds one to word i as often as there are nodes in it. */
static CUgraph switch_graph(CUdeviceptr words, unsigned value, unsigned n, int nodes)
{
    CUgraph g;
    CUgraphConditionalHandle condition;
    CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
    CUgraphNode node, last;
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphConditionalHandleCreate(&condition, g, ctx, value, CU_GRAPH_COND_ASSIGN_DEFAULT));
    p.conditional.handle = condition;
    p.conditional.type = CU_GRAPH_COND_TYPE_SWITCH;
    p.conditional.size = n;
    p.conditional.ctx = ctx;
    NEED(cuGraphAddNode_v2(&node, g, NULL, NULL, 0, &p));
    for (unsigned i = 0; i < n; i++) {
        CUdeviceptr word = words + 4 * i;
        void *args[] = { &word };
        CUDA_KERNEL_NODE_PARAMS kernel = { .func = add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .kernelParams = args };
        for (int k = 0; k < nodes; k++) {
            NEED(cuGraphAddKernelNode(&node, p.conditional.phGraph_out[i], k ? &last : NULL, k ? 1 : 0, &kernel));
            last = node;
        }
    }
    return g;
}

static void conditions(void)
{
    CUdeviceptr words;
    NEED(cuMemAllocManaged(&words, 64, CU_MEM_ATTACH_GLOBAL));
    volatile int *x = (int *)(size_t)words;
    memset((void *)(size_t)words, 0, 64);
    CUgraph g[3] = { switch_graph(words, 0, 3, 3), switch_graph(words, 1, 3, 3), switch_graph(words, 2, 3, 3) }, fewer = switch_graph(words, 1, 2, 3), shorter = switch_graph(words, 1, 3, 2);
    CUgraphExecUpdateResultInfo info;
    CUgraphExec e, second;
    NEED(cuGraphInstantiate(&e, g[0], 0));
    for (int k = 0; k < 3; k++) {
        if (k)
            check_result("another_condition_comes_in", cuGraphExecUpdate(e, g[k], &info), CUDA_SUCCESS);
        NEED(cuGraphLaunch(e, s));
        if (k == 1)
            NEED(cuGraphLaunch(e, s));           /* the next update finds launches that are queued */
    }
    NEED(cuStreamSynchronize(s));
    check_true("and_each_launch_goes_by_that_of_its_time", x[0] == 3 && x[1] == 6 && x[2] == 3);
    check_result("the_first_condition_is_free_again", cuGraphInstantiate(&second, g[0], 0), CUDA_SUCCESS);
    check_result("another_number_of_bodies_is_no_update", cuGraphExecUpdate(e, fewer, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    check_result("nor_is_another_body", cuGraphExecUpdate(e, shorter, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    NEED(cuGraphLaunch(e, s));
    NEED(cuStreamSynchronize(s));
    check_true("which_leaves_it_as_it_was", x[2] == 6);
}

/* --- user objects --- */

static atomic_int gone[2], waiting, open_gate;
static void CUDA_CB on_gone(void *p) { atomic_fetch_add((atomic_int *)p, 1); }
static void CUDA_CB wait_for_gate(void *p)
{
    (void)p;
    waiting = 1;
    while (!open_gate)
        usleep(100);
}
static void CUDA_CB nothing(void *p) { (void)p; }

static int soon(atomic_int *what)
{
    for (int i = 0; i < 5000 && !*what; i++)
        usleep(1000);
    return *what;
}

static CUgraph graph_with(CUhostFn fn, atomic_int *user)
{
    CUgraph g;
    CUgraphNode node;
    CUuserObject object;
    CUDA_HOST_NODE_PARAMS p = { .fn = fn };
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddHostNode(&node, g, NULL, 0, &p));
    NEED(cuUserObjectCreate(&object, user, on_gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    NEED(cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    return g;
}

static void users(void)
{
    CUgraph before = graph_with(wait_for_gate, &gone[0]), after = graph_with(nothing, &gone[1]);
    CUgraphExecUpdateResultInfo info;
    CUgraphExec e;
    NEED(cuGraphInstantiate(&e, before, 0));
    NEED(cuGraphLaunch(e, s));
    while (!waiting)
        usleep(100);
    NEED(cuGraphExecUpdate(e, after, &info));
    NEED(cuGraphDestroy(before));
    NEED(cuGraphDestroy(after));
    usleep(20000);
    check_true("a_launch_keeps_what_its_graph_kept", gone[0] == 0);
    open_gate = 1;
    NEED(cuStreamSynchronize(s));
    check_true("until_it_ends", soon(&gone[0]) == 1);
    check_true("an_updated_graph_keeps_what_the_new_one_kept", gone[1] == 0);
    open_gate = waiting = 0;
    CUgraph again = graph_with(wait_for_gate, &gone[0]);
    gone[0] = 0;
    NEED(cuGraphExecUpdate(e, again, &info));
    check_true("until_the_next_update", soon(&gone[1]) == 1);
    NEED(cuGraphDestroy(again));
    NEED(cuGraphLaunch(e, s));
    while (!waiting)
        usleep(100);
    NEED(cuGraphExecDestroy(e));
    usleep(20000);
    check_true("a_launch_outlives_its_executable_graph", gone[0] == 0);
    open_gate = 1;
    check_true("and_lets_go_at_its_end", soon(&gone[0]) == 1);
}

/* --- memory of graphs --- */

static CUdeviceptr p[4];

static CUgraphExec allocate(size_t bytes, int n, int frees)
{
    CUgraph g;
    CUgraphExec e;
    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < n; i++)
        NEED(cuMemAllocAsync(&p[i], bytes, s));
    for (int i = 0; i < n && frees; i++)
        NEED(cuMemFreeAsync(p[i], s));
    NEED(cuStreamEndCapture(s, &g));
    NEED(cuGraphInstantiate(&e, g, 0));
    NEED(cuGraphLaunch(e, s));
    NEED(cuStreamSynchronize(s));
    return e;
}

static void is_used(const char *rule, int mib, int trim)
{
    cuuint64_t used, reserved;
    if (trim)
        NEED(cuDeviceGraphMemTrim(0));
    NEED(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    NEED(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    check_value(rule, (long long)(used >> 20), mib);
    check_value("  and_reserved", (long long)(reserved >> 20), mib);
}

static void memory(void)
{
    CUgraphExec e = allocate(1024, 1, 0);
    is_used("a_block", 32, 0);
    NEED(cuGraphExecDestroy(e));
    NEED(cuMemFreeAsync(p[0], s));
    NEED(cuStreamSynchronize(s));
    is_used("freed_memory_is_used", 32, 0);
    is_used("until_it_is_trimmed", 0, 1);
    allocate(3 << 20, 1, 1);
    is_used("so_is_what_a_graph_frees_itself", 32, 0);
    is_used("trimmed_while_the_graph_lives", 0, 1);
    allocate(20 << 20, 3, 0);
    is_used("memory_of_a_graph_is_close_together", 64, 0);
    NEED(cuMemFree(p[0]));
    is_used("a_block_that_another_part_is_in_stays", 64, 1);
    NEED(cuMemFree(p[1]));
    is_used("then_it_goes", 32, 1);
    NEED(cuMemFree(p[2]));
    is_used("and_the_last", 0, 1);
    allocate(40 << 20, 1, 0);
    CUdeviceptr first = p[0];
    allocate(1024, 1, 0);
    is_used("graphs_share_no_blocks", 96, 0);
    NEED(cuMemFree(first));
    is_used("one_was_freed", 32, 1);
    allocate(40 << 20, 1, 0);
    NEED(cuMemFree(p[0]));
    allocate(40 << 20, 1, 0);
    is_used("free_blocks_are_taken_again", 96, 0);
    CUgraph g;
    CUgraphNode alloc, other;
    CUDA_MEM_ALLOC_NODE_PARAMS params = { .poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } }, .bytesize = 1024 };
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &params));
    NEED(cuGraphAddEmptyNode(&other, g, NULL, 0));
    check_result("a_node_that_allocates_stays", cuGraphDestroyNode(alloc), CUDA_ERROR_NOT_SUPPORTED);
    check_result("and_so_do_those_beside_it", cuGraphDestroyNode(other), CUDA_ERROR_NOT_SUPPORTED);
}

static void parameters(CUmodule module)
{
    CUlibrary library;
    CUkernel kernel;
    size_t offset, size;
    NEED(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    NEED(cuLibraryGetKernel(&kernel, library, "add"));
    NEED(cuModuleGetFunction(&add, module, "add"));
    check_result("parameters_of_a_kernel", cuKernelGetParamInfo(kernel, 0, &offset, &size), CUDA_SUCCESS);
    NEED(cuCtxSetCurrent(NULL));
    check_result("need_a_context", cuKernelGetParamInfo(kernel, 0, &offset, &size), CUDA_ERROR_INVALID_CONTEXT);
    check_result("those_of_a_function_do_not", cuFuncGetParamInfo(add, 0, &offset, &size), CUDA_SUCCESS);
    NEED(cuCtxSetCurrent(ctx));
}

int main(void)
{
    CUmodule module;
    ctx = check_start();
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&add, module, "add"));
    parameters(module);
    memory();
    conditions();
    users();
    return n_failed != 0;
}
