// SPDX-License-Identifier: Apache-2.0
// run: -lcuda
// Kernels that launch kernels, in the PTX that nvcc 12 and 13 make of <<<>>> in device code. Needs libcudadevrt on a real GPU, hence PTX by hand.
#include "driver_check.h"

#include <stdlib.h>
#include <string.h>

#define DECLARATIONS                                                                                                                        \
    ".version 7.0\n.target sm_80\n.address_size 64\n"                                                                                       \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n" \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 p, .param .b64 s);\n"                                              \
    ".extern .func (.param .b32 r) __cudaCDP2MemcpyAsync (.param .b64 d, .param .b64 s, .param .b64 n, .param .b32 k, .param .b64 t);\n"    \
    ".extern .func (.param .b32 r) __cudaCDP2GetLastError ();\n"

/* Launches FUNCTION with a grid of GRID blocks of BLOCK threads in STREAM: %rd1 and %r1 are its parameters, %rd9 becomes the buffer. */
#define LAUNCH(FUNCTION, GRID, BLOCK, STREAM)                                                                                               \
    "mov.u64 %rd8, " FUNCTION ";\n"                                                                                                         \
    "{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"                                \
    "st.param.b64 [f], %rd8; st.param.b32 [g], " GRID "; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"                                   \
    "st.param.b32 [b], " BLOCK "; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;\n"                                     \
    "call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd9, [r]; }\n"                                                   \
    "setp.ne.u64 %p1, %rd9, 0;\n"                                                                                                           \
    "@%p1 st.u64 [%rd9], %rd1;\n"                                                                                                           \
    "@%p1 st.u32 [%rd9+8], %r1;\n"                                                                                                          \
    "{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd9; st.param.b64 [s], " STREAM ";\n"                                \
    "call (r), __cudaCDP2LaunchDeviceV2, (p, s); ld.param.b32 %r9, [r]; }\n"
#define HEAD(name) ".visible .entry " name "(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %rd<10>; .reg .b32 %r<10>; .reg .pred %p<3>;\n" \
                   "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\n"
#define END "ret;\n}\n"

static char ptx[] = DECLARATIONS
    /* count: every thread adds 1 to p[0]; p[1] is what p[0] was when one of n == 100 came. */
    HEAD("count")
    "setp.eq.u32 %p1, %r1, 100;\n"
    "@%p1 ld.volatile.global.u32 %r2, [%rd1];\n"
    "@%p1 st.global.u32 [%rd1+4], %r2;\n"
    "red.global.add.u32 [%rd1], 1;\n" END
    /* tree: launches itself twice with n - 1, and counts. */
    HEAD("tree")
    "red.global.add.u32 [%rd1], 1;\n"
    "setp.eq.u32 %p2, %r1, 0;\n"
    "@%p2 bra done;\n"
    "sub.u32 %r1, %r1, 1;\n"
    LAUNCH("tree", "1", "1", "0") LAUNCH("tree", "1", "1", "0")
    "done:\n" END
    /* fan: each of its threads launches 3 blocks of 5. The first of them launches one more in the tail stream before the others'. */
    HEAD("fan")
    "mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; or.b32 %r5, %r3, %r4;\n"
    "setp.ne.u32 %p2, %r5, 0;\n"
    "@%p2 bra rest;\n"
    "mov.u32 %r6, %r1; mov.u32 %r1, 100;\n"
    LAUNCH("count", "1", "1", "3")
    "mov.u32 %r1, %r6;\n"
    "rest:\n"
    LAUNCH("count", "3", "5", "0") END
    /* copies: counts, then p[8..9] = p[0..1], then counts again: in this order. */
    HEAD("copies")
    LAUNCH("count", "1", "7", "0")
    "add.u64 %rd2, %rd1, 32;\n"
    "{ .param .b64 d; .param .b64 s; .param .b64 n; .param .b32 k; .param .b64 t; .param .b32 r;\n"
    "st.param.b64 [d], %rd2; st.param.b64 [s], %rd1; st.param.b64 [n], 8; st.param.b32 [k], 3; st.param.b64 [t], 0;\n"
    "call (r), __cudaCDP2MemcpyAsync, (d, s, n, k, t); }\n"
    LAUNCH("count", "1", "2", "0") END
    /* wrong: blocks of no thread and of 2000: p[2] = the last error, p[3] = the one after it. */
    HEAD("wrong")
    LAUNCH("count", "1", "0", "0") LAUNCH("count", "1", "2000", "0")
    "{ .param .b32 r; call (r), __cudaCDP2GetLastError, (); ld.param.b32 %r5, [r]; }\n"
    "st.global.u32 [%rd1+8], %r5;\n"
    "{ .param .b32 r; call (r), __cudaCDP2GetLastError, (); ld.param.b32 %r5, [r]; }\n"
    "st.global.u32 [%rd1+12], %r5;\n" END;

static CUmodule module;
static CUdeviceptr d;
static unsigned got[10];

static void launch(CUstream s, const char *name, unsigned grid, unsigned block, unsigned n)
{
    CUfunction f;
    void *args[] = {&d, &n};
    NEED(cuModuleGetFunction(&f, module, name));
    NEED(cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, s, args, NULL));
}

static void run(const char *name, unsigned grid, unsigned block, unsigned n)
{
    NEED(cuMemsetD8(d, 0, sizeof got));
    launch(NULL, name, grid, block, n);
    NEED(cuMemcpyDtoH(got, d, sizeof got));
}

/* Grids of one module at a time in two streams: each stream's next command comes after all that its grid launched. */
static void streams_wait_for_their_own(void)
{
    CUstream s[2];
    CUdeviceptr both, first = d;
    unsigned seen[2] = {0};
    NEED(cuMemAlloc(&both, 2 * sizeof got));
    NEED(cuMemsetD8(both, 0, 2 * sizeof got));
    NEED(cuCtxSynchronize());                    /* the streams below do not wait for the one that fills */
    for (int i = 0; i < 2; i++)
        NEED(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 2; i++) {
        d = both + i * sizeof got;
        for (int k = 0; k < 3; k++)
            launch(s[i], "tree", 1, 1, 6);
        NEED(cuMemcpyDtoHAsync(&seen[i], d, 4, s[i]));
    }
    for (int i = 0; i < 2; i++) {
        NEED(cuStreamSynchronize(s[i]));
        check_value(i ? "and_so_does_the_other" : "a_stream_waits_for_all_generations", seen[i], 3 * 127);
        NEED(cuStreamDestroy(s[i]));
    }
    d = first;
    NEED(cuMemFree(both));
}

int main(void)
{
    check_start();
    NEED(cuMemAlloc(&d, sizeof got));
    check_result("ptx_that_launches_is_loaded", cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
    run("tree", 1, 1, 7);
    check_value("every_generation_has_run", got[0], 255);
    run("fan", 4, 64, 0);
    check_value("every_thread_s_launch_has_run", got[0], 4 * 64 * 15 + 1);
    check_value("the_tail_after_all_others", got[1], 4 * 64 * 15);
    run("copies", 1, 1, 0);
    check_value("what_follows_a_copy_has_run", got[0], 9);
    check_value("the_copy_saw_what_was_before_it", got[8], 7);
    run("wrong", 1, 1, 0);
    check_value("wrong_shapes_are_errors", got[2], 9);
    check_value("that_are_told_once", got[3], 0);
    check_value("and_nothing_ran", got[0], 0);
    streams_wait_for_their_own();

    CUgraph graph;
    CUgraphExec exec;
    CUstream s;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    NEED(cuMemsetD8(d, 0, sizeof got));
    NEED(cuCtxSynchronize());
    NEED(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch(s, "tree", 1, 1, 3);
    launch(s, "count", 1, 1, 100);
    NEED(cuStreamEndCapture(s, &graph));
    NEED(cuGraphInstantiate(&exec, graph, 0));
    NEED(cuGraphLaunch(exec, s));
    NEED(cuStreamSynchronize(s));
    NEED(cuMemcpyDtoH(got, d, sizeof got));
    check_value("a_graph_s_next_node_comes_after_all_that_was_launched", got[1], 15);
    NEED(cuGraphExecDestroy(exec));
    NEED(cuGraphDestroy(graph));
    check_result("nothing_is_left", cuModuleUnload(module), CUDA_SUCCESS);
    return n_failed != 0;
}
