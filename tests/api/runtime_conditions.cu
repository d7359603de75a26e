// SPDX-License-Identifier: Apache-2.0
// Conditional nodes of graphs: if, while, switch, bodies in bodies, values at the start, captured bodies, and what is refused.
#include "runtime_check.h"

__global__ void set(cudaGraphConditionalHandle h, unsigned int v) { cudaGraphSetConditional(h, v); }
__global__ void count(int *p) { ++*p; }
/* One step of a loop that ends when *left is 0. */
__global__ void step(int *left, int *done, cudaGraphConditionalHandle h)
{
    ++*done;
    cudaGraphSetConditional(h, --*left > 0);
}
/* One step of the loop outside: the inner one has rounds[0] to go again. */
__global__ void refill(int *rounds, int *left, int inner, cudaGraphConditionalHandle h_inner, cudaGraphConditionalHandle h_outer)
{
    *left = inner;
    cudaGraphSetConditional(h_inner, inner > 0);
    cudaGraphSetConditional(h_outer, --*rounds > 0);
}

static int *numbers;             /* managed */

static cudaGraphNode_t kernel(cudaGraph_t g, const void *f, void **args, const cudaGraphNode_t *dep)
{
    cudaGraphNode_t n = NULL;
    cudaKernelNodeParams k = {};
    k.func = (void *)f;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args;
    if (cudaGraphAddKernelNode(&n, g, dep, dep ? 1 : 0, &k) != cudaSuccess)
        printf("# no kernel node\n");
    return n;
}

static cudaError_t add(cudaGraphNode_t *n, cudaGraph_t g, const cudaGraphNode_t *dep, cudaGraphConditionalHandle h,
                       cudaGraphConditionalNodeType type, unsigned int size, cudaGraph_t *bodies)
{
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaError_t rc = cudaGraphAddNode(n, g, dep, NULL, dep ? 1 : 0, &p);
    for (unsigned int i = 0; rc == cudaSuccess && i < size; i++)
        bodies[i] = p.conditional.phGraph_out[i];
    return rc;
}

static void choices(void)
{
    static const struct { const char *rule; cudaGraphConditionalNodeType type; unsigned int size, value; int first, second; } cases[] = {
        { "if_runs_its_body_for_any_value_but_0", cudaGraphCondTypeIf, 1, 5, 1, 0 },
        { "if_does_nothing_for_0", cudaGraphCondTypeIf, 1, 0, 0, 0 },
        { "else_is_the_second_body", cudaGraphCondTypeIf, 2, 0, 0, 1 },
        { "if_with_else_runs_the_first_only", cudaGraphCondTypeIf, 2, 1, 1, 0 },
        { "switch_runs_body_0", cudaGraphCondTypeSwitch, 2, 0, 1, 0 },
        { "switch_runs_body_1", cudaGraphCondTypeSwitch, 2, 1, 0, 1 },
        { "switch_runs_nothing_beyond_its_bodies", cudaGraphCondTypeSwitch, 2, 2, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cudaGraph_t g, body[2] = {};
        cudaGraphExec_t x;
        cudaGraphNode_t first, n;
        cudaGraphConditionalHandle h;
        unsigned int value = cases[i].value;
        int *p[] = { &numbers[0], &numbers[1] };
        void *set_args[] = { &h, &value }, *args[2][1] = { { &p[0] }, { &p[1] } };
        numbers[0] = numbers[1] = 0;
        cudaGraphCreate(&g, 0);
        cudaGraphConditionalHandleCreate(&h, g);
        first = kernel(g, (const void *)set, set_args, NULL);
        add(&n, g, &first, h, cases[i].type, cases[i].size, body);
        for (unsigned int k = 0; k < cases[i].size; k++)
            kernel(body[k], (const void *)count, args[k], NULL);
        bool ok = cudaGraphInstantiate(&x, g, 0) == cudaSuccess && cudaGraphLaunch(x, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
        printf("# %d %d\n", numbers[0], numbers[1]);
        CHECK(cases[i].rule, ok && numbers[0] == cases[i].first && numbers[1] == cases[i].second);
        cudaGraphExecDestroy(x);
        cudaGraphDestroy(g);
    }
}

/* A loop in a loop; the node behind it runs once, after all of it. */
static void loops(void)
{
    cudaGraph_t g, outer[1], inner[1];
    cudaGraphExec_t x;
    cudaGraphNode_t n_outer, n_inner, head;
    cudaGraphConditionalHandle h_outer, h_inner;
    int *rounds = &numbers[0], *left = &numbers[1], *done = &numbers[2], *after = &numbers[3], five = 5;
    void *refill_args[] = { &rounds, &left, &five, &h_inner, &h_outer }, *step_args[] = { &left, &done, &h_inner }, *after_args[] = { &after };
    cudaGraphCreate(&g, 0);
    CHECK_OK("a_value_at_the_start", cudaGraphConditionalHandleCreate(&h_outer, g, 1, cudaGraphCondAssignDefault));
    CHECK_OK("while", add(&n_outer, g, NULL, h_outer, cudaGraphCondTypeWhile, 1, outer));
    CHECK_OK("a_handle_for_a_body", cudaGraphConditionalHandleCreate(&h_inner, outer[0]));
    head = kernel(outer[0], (const void *)refill, refill_args, NULL);
    CHECK_OK("while_in_while", add(&n_inner, outer[0], &head, h_inner, cudaGraphCondTypeWhile, 1, inner));
    kernel(inner[0], (const void *)step, step_args, NULL);
    kernel(g, (const void *)count, after_args, &n_outer);
    CHECK_OK("instantiate", cudaGraphInstantiate(&x, g, 0));
    for (int launch = 0; launch < 2; launch++) {
        numbers[0] = 20;
        numbers[2] = numbers[3] = 0;
        cudaGraphLaunch(x, 0);
        CHECK_OK("loops_end", cudaDeviceSynchronize());
        printf("# %d steps, %d after\n", numbers[2], numbers[3]);
        CHECK(launch ? "the_value_at_the_start_is_set_by_every_launch" : "the_inner_loop_runs_anew_in_every_round_of_the_outer",
              numbers[2] == 100 && numbers[3] == 1);
    }
    /* the kernel of the inner body is changed in the executable graph, then all of it is taken from the graph again */
    cudaGraphExecUpdateResultInfo info;
    CHECK_OK("update", cudaGraphExecUpdate(x, g, &info));
    /* launches that follow each other, and the handle goes while they run */
    numbers[0] = 3;
    numbers[2] = numbers[3] = 0;
    cudaGraphLaunch(x, 0);
    CHECK_OK("the_executable_graph_may_go_while_it_runs", cudaGraphExecDestroy(x));
    cudaGraphDestroy(g);
    CHECK_OK("and_ends", cudaDeviceSynchronize());
    CHECK("and_does_all", numbers[2] == 15 && numbers[3] == 1);
}

static void captured(void)
{
    cudaStream_t s;
    cudaGraph_t g, body[1];
    cudaGraphExec_t x;
    cudaGraphNode_t n;
    cudaGraphConditionalHandle h;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *deps;
    size_t n_deps;
    int *left = &numbers[0], *done = &numbers[1], *after = &numbers[2];
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamGetCaptureInfo(s, &status, NULL, &g, &deps, NULL, &n_deps);
    CHECK_OK("a_handle_while_capturing", cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CHECK_OK("a_node_while_capturing", add(&n, g, NULL, h, cudaGraphCondTypeWhile, 1, body));
    CHECK_OK("the_stream_goes_on_behind_it", cudaStreamUpdateCaptureDependencies(s, &n, NULL, 1, cudaStreamSetCaptureDependencies));
    count<<<1, 1, 0, s>>>(after);
    CHECK_OK("end", cudaStreamEndCapture(s, &g));
    CHECK_OK("capture_into_the_body", cudaStreamBeginCaptureToGraph(s, body[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    step<<<1, 1, 0, s>>>(left, done, h);
    CHECK_OK("whose_handle_need_not_be_asked_for", cudaStreamEndCapture(s, NULL));
    CHECK_OK("instantiate", cudaGraphInstantiate(&x, g, 0));
    numbers[0] = 7;
    numbers[1] = numbers[2] = 0;
    cudaGraphLaunch(x, s);
    CHECK_OK("launch", cudaStreamSynchronize(s));
    CHECK("captured_loop_runs_7_times", numbers[1] == 7 && numbers[2] == 1);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    CHECK_OK("nor_that_of_an_ordinary_capture", cudaStreamEndCapture(s, NULL));
    cudaStreamIsCapturing(s, &status);
    CHECK("which_is_over_then", status == cudaStreamCaptureStatusNone);
    cudaGraphExecDestroy(x);
    cudaStreamDestroy(s);
}

static void refused(void)
{
    cudaGraph_t g, other, body[3];
    cudaGraphExec_t x, second;
    cudaGraphNode_t n, child;
    cudaStream_t s;
    cudaGraphConditionalHandle h;
    cudaGraphInstantiateParams params = {};
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&other, 0);
    CHECK_ERR("no_place_for_the_handle", cudaGraphConditionalHandleCreate(NULL, g, 0, 0), cudaErrorInvalidValue);
    CHECK_ERR("no_graph", cudaGraphConditionalHandleCreate(&h, NULL, 0, 0), cudaErrorInvalidValue);
    CHECK_ERR("unknown_flags", cudaGraphConditionalHandleCreate(&h, g, 0, 2), cudaErrorInvalidValue);
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    CHECK_ERR("an_unused_handle_does_not_instantiate", cudaGraphInstantiateWithParams(&x, g, &params), cudaErrorInvalidValue);
    CHECK("and_the_result_says_so", params.result_out == cudaGraphInstantiateConditionalHandleUnused);
    cudaGetLastError();
    CHECK_ERR("no_handle", add(&n, g, NULL, 0, cudaGraphCondTypeIf, 1, body), cudaErrorInvalidValue);
    CHECK_ERR("another_graphs_handle", add(&n, other, NULL, h, cudaGraphCondTypeIf, 1, body), cudaErrorInvalidValue);
    CHECK_ERR("no_bodies", add(&n, g, NULL, h, cudaGraphCondTypeIf, 0, body), cudaErrorInvalidValue);
    CHECK_ERR("if_has_two_bodies_at_most", add(&n, g, NULL, h, cudaGraphCondTypeIf, 3, body), cudaErrorInvalidValue);
    CHECK_ERR("while_has_one_body", add(&n, g, NULL, h, cudaGraphCondTypeWhile, 2, body), cudaErrorInvalidValue);
    CHECK_OK("if", add(&n, g, NULL, h, cudaGraphCondTypeIf, 1, body));
    cudaGraphNodeType type;
    CHECK_ERR("one_node_for_a_handle", add(&n, g, NULL, h, cudaGraphCondTypeIf, 1, body + 1), cudaErrorInvalidValue);
    CHECK_OK("type", cudaGraphNodeGetType(n, &type));
    CHECK("it_is_a_conditional_node", type == cudaGraphNodeTypeConditional);
    CHECK_ERR("a_body_belongs_to_its_node", cudaGraphDestroy(body[0]), cudaErrorInvalidValue);
    CHECK_ERR("no_copies", cudaGraphClone(&other, g), cudaErrorNotSupported);
    CHECK_ERR("nor_of_a_body", cudaGraphClone(&other, body[0]), cudaErrorNotSupported);
    CHECK_ERR("no_child_of_another_graph", cudaGraphAddChildGraphNode(&child, other, NULL, 0, g), cudaErrorNotSupported);
    CHECK_OK("an_empty_body_is_fine", cudaGraphInstantiate(&x, g, 0));
    cudaGraphLaunch(x, 0);
    CHECK_OK("and_runs", cudaDeviceSynchronize());
    CHECK_ERR("one_executable_graph_at_a_time", cudaGraphInstantiate(&second, g, 0), cudaErrorNotSupported);
    cudaGraphNodeParams same = {cudaGraphNodeTypeConditional};
    same.conditional.handle = h;
    same.conditional.size = 1;
    CHECK_ERR("its_parameters_stay", cudaGraphNodeSetParams(n, &same), cudaErrorNotSupported);
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    CHECK_ERR("its_launch_is_not_captured", cudaGraphLaunch(x, s), cudaErrorStreamCaptureUnsupported);
    CHECK_ERR("and_ends_the_capture", cudaStreamEndCapture(s, &other), cudaErrorStreamCaptureInvalidated);
    cudaStreamDestroy(s);
    cudaGraphExecDestroy(x);
    CHECK_OK("another_one_when_that_is_gone", cudaGraphInstantiate(&x, g, 0));
    CHECK_OK("the_node_may_be_taken_out", cudaGraphDestroyNode(n));
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
}

int main()
{
    cudaMallocManaged(&numbers, 64);
    choices();
    loops();
    captured();
    refused();
    return check_failures != 0;
}
