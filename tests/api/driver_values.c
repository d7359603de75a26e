/* SPDX-License-Identifier: Apache-2.0 */
/* Values that streams write and wait for, alone, in batches, and in graphs; attributes of streams. */
#include "driver_check.h"

#include <unistd.h>

static CUstream a, b;
static CUdeviceptr d;

static unsigned word(int i)
{
    unsigned v = 0;

    NEED(cuMemcpyDtoH(&v, d + 4 * (CUdeviceptr)i, 4));
    return v;
}

static void each_condition_is_waited_for(void)
{
    static const struct {
        const char *why;
        unsigned flags, want, too_little, enough;
    } cases[] = {
        {"at_least", CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6},
        {"at_least_is_cyclic", CU_STREAM_WAIT_VALUE_GEQ, 0xfffffff0u, 0xffffff00u, 3},
        {"equal", CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
        {"a_common_bit", CU_STREAM_WAIT_VALUE_AND, 6, 8, 2},
        {"a_bit_set_in_neither", CU_STREAM_WAIT_VALUE_NOR, 0x0fffffffu, 0xf0000000u, 0x70000000u},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        NEED(cuMemsetD32(d, cases[i].too_little, 1));
        NEED(cuCtxSynchronize());
        NEED(cuStreamWaitValue32(a, d, cases[i].want, cases[i].flags));
        usleep(5000);
        int waited = cuStreamQuery(a) == CUDA_ERROR_NOT_READY;
        NEED(cuStreamWriteValue32(b, d, cases[i].enough, 0));
        check_true(cases[i].why, waited && cuStreamSynchronize(a) == CUDA_SUCCESS);
    }
}

static void batches_and_words_of_64_bits(void)
{
    CUstreamBatchMemOpParams ops[3];

    memset(ops, 0, sizeof ops);
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[0].writeValue.address = d;
    ops[0].writeValue.value = 1;
    ops[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    ops[1].waitValue.address = d + 8;
    ops[1].waitValue.value64 = 1ull << 40;
    ops[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[2].writeValue.address = d + 16;
    ops[2].writeValue.value = 3;
    NEED(cuMemsetD32(d, 0, 8));
    NEED(cuCtxSynchronize());
    check_result("a_batch", cuStreamBatchMemOp(a, 3, ops, 0), CUDA_SUCCESS);
    usleep(5000);
    check_true("stops_at_its_wait", word(0) == 1 && word(4) == 0);
    NEED(cuStreamWriteValue64(b, d + 8, 1ull << 41, 0));
    NEED(cuStreamSynchronize(a));
    check_true("and_goes_on_after_it", word(4) == 3);
    for (int i = 0; i < 100000; i++)
        NEED(cuStreamWriteValue32(a, d, (unsigned)i, 0));
    NEED(cuStreamSynchronize(a));
    check_value("many_writes_keep_their_order", word(0), 99999);
}

static void in_graphs(void)
{
    CUgraph g;
    CUgraphExec x;

    NEED(cuMemsetD32(d, 0, 8));
    NEED(cuCtxSynchronize());
    NEED(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    NEED(cuStreamWaitValue32(a, d, 1, CU_STREAM_WAIT_VALUE_EQ));
    NEED(cuStreamWriteValue32(a, d + 4, 2, 0));
    NEED(cuStreamEndCapture(a, &g));
    NEED(cuGraphInstantiate(&x, g, 0));
    NEED(cuGraphLaunch(x, a));
    usleep(5000);
    check_result("a_graph_waits_for_a_value", cuStreamQuery(a), CUDA_ERROR_NOT_READY);
    NEED(cuStreamWriteValue32(b, d, 1, 0));
    NEED(cuStreamSynchronize(a));
    check_value("and_writes_one", word(1), 2);
    NEED(cuGraphExecDestroy(x));
    NEED(cuGraphDestroy(g));
}

static void bad_input(void)
{
    CUgraph g;
    CUgraphNode n;
    CUgraphNodeParams p;

    check_result("an_address_nobody_knows", cuStreamWaitValue32(a, 16, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("no_address", cuStreamWriteValue32(a, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("an_odd_address", cuStreamWriteValue32(a, d + 2, 0, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("a_forged_stream", cuStreamWriteValue32((CUstream)(size_t)0x1234560, d, 0, 0), CUDA_ERROR_INVALID_HANDLE);
    check_result("a_forged_graph", cuGraphDestroy((CUgraph)(size_t)0x1234567), CUDA_ERROR_INVALID_VALUE);
    check_result("a_stream_as_a_graph", cuGraphDestroy((CUgraph)a), CUDA_ERROR_INVALID_VALUE);
    NEED(cuGraphCreate(&g, 0));
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
#if CUDA_VERSION >= 13000
    check_true("a_conditional_node_without_a_handle_is_refused", cuGraphAddNode(&n, g, NULL, 0, &p) != CUDA_SUCCESS);
#else
    check_true("a_conditional_node_without_a_handle_is_refused", cuGraphAddNode(&n, g, NULL, 0, &p) != CUDA_SUCCESS);
#endif
    NEED(cuGraphDestroy(g));
    check_result("a_graph_is_destroyed_once", cuGraphDestroy(g), CUDA_ERROR_INVALID_VALUE);
}

static void destroy_object(void *data) { ++*(int *)data; }

static void user_objects_live_as_long_as_their_graphs(void)
{
    CUuserObject u;
    CUgraph g, copy;
    int destroyed = 0;

    NEED(cuUserObjectCreate(&u, &destroyed, destroy_object, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphRetainUserObject(g, u, 1, CU_GRAPH_USER_OBJECT_MOVE));
    NEED(cuGraphClone(&copy, g));
    NEED(cuGraphDestroy(g));
    check_value("a_copy_keeps_the_object", destroyed, 0);
    NEED(cuGraphDestroy(copy));
    check_value("and_the_last_graph_ends_it", destroyed, 1);

    destroyed = 0;               /* counts are numbers: many cost no more than one */
    NEED(cuUserObjectCreate(&u, &destroyed, destroy_object, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    NEED(cuGraphCreate(&g, 0));
    for (int k = 0; k < 5; k++)
        check_result("a_graph_holds_two_thousand_million_counts", cuGraphRetainUserObject(g, u, 0x7fffffff, 0), CUDA_SUCCESS);
    NEED(cuUserObjectRelease(u, 1));
    check_value("which_keep_the_object", destroyed, 0);
    for (int k = 0; k < 4; k++)
        NEED(cuGraphReleaseUserObject(g, u, 0x7fffffff));
    check_value("until_the_last", destroyed, 0);
    NEED(cuGraphReleaseUserObject(g, u, 0x7fffffff));
    check_value("is_given_back", destroyed, 1);
    NEED(cuGraphDestroy(g));
}

static void a_switch_has_as_many_bodies_as_there_is_memory_for(void)
{
    CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
    CUgraphConditionalHandle h;
    CUgraphNode n;
    CUgraph g;
    CUcontext ctx;

    NEED(cuCtxGetCurrent(&ctx));
    NEED(cuGraphCreate(&g, 0));
    NEED(cuGraphConditionalHandleCreate(&h, g, ctx, 0, 0));
    p.conditional.handle = h;
    p.conditional.type = CU_GRAPH_COND_TYPE_SWITCH;
    p.conditional.ctx = ctx;
    p.conditional.size = 0xfffffff0;
    check_true("not_four_thousand_million", cuGraphAddNode(&n, g, NULL, 0, &p) != CUDA_SUCCESS);
    p.conditional.size = 100;
    check_result("but_a_hundred", cuGraphAddNode(&n, g, NULL, 0, &p), CUDA_SUCCESS);
    NEED(cuGraphDestroy(g));
}

static void attributes(void)
{
    CUstreamAttrValue v;
    CUevent e;

    check_result("an_interprocess_event_has_no_time", cuEventCreate(&e, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    check_result("and_works_without", cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    NEED(cuEventRecord(e, a));
    NEED(cuEventSynchronize(e));
    NEED(cuEventDestroy(e));

    memset(&v, 0, sizeof v);
    v.syncPolicy = CU_SYNC_POLICY_YIELD;
    check_result("how_to_wait_is_set", cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v), CUDA_SUCCESS);
    check_result("and_copied", cuStreamCopyAttributes(b, a), CUDA_SUCCESS);
    memset(&v, 0, sizeof v);
    NEED(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &v));
    check_value("and_read", v.syncPolicy, CU_SYNC_POLICY_YIELD);
}

/* What a stream's kernels shall find in the cache: a hint, but one that is checked, kept and copied. */
static void windows(void)
{
    CUstreamAttrValue v;
    int most = 0, persisting = 0;

    NEED(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0));
    NEED(cuDeviceGetAttribute(&persisting, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0));
    check_value("there_are_windows", most > 0 && persisting > 0, 1);
    check_result("their_part_of_the_cache", cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)persisting), CUDA_SUCCESS);
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = (void *)(uintptr_t)d;
    v.accessPolicyWindow.num_bytes = 4096;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    v.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    check_result("a_window_is_set", cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v), CUDA_SUCCESS);
    check_result("and_copied_with_the_rest", cuStreamCopyAttributes(b, a), CUDA_SUCCESS);
    v.accessPolicyWindow.num_bytes = (size_t)most + 1;
    check_result("one_that_is_too_long_is_not", cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v), CUDA_ERROR_INVALID_VALUE);
    memset(&v, 0, sizeof v);
    NEED(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    check_value("and_read", v.accessPolicyWindow.base_ptr == (void *)(uintptr_t)d && v.accessPolicyWindow.num_bytes == 4096
                && v.accessPolicyWindow.hitRatio == 0.5f, 1);
    check_result("lines_are_let_go", cuCtxResetPersistingL2Cache(), CUDA_SUCCESS);
}

int main(void)
{
    check_start();
    NEED(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    NEED(cuMemAlloc(&d, 4096));
    each_condition_is_waited_for();
    batches_and_words_of_64_bits();
    in_graphs();
    bad_input();
    user_objects_live_as_long_as_their_graphs();
    a_switch_has_as_many_bodies_as_there_is_memory_for();
    attributes();
    windows();
    return n_failed != 0;
}
