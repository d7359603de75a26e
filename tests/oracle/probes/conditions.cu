// SPDX-License-Identifier: Apache-2.0
// Conditional graph nodes: answers to wrong and unusual calls, and what bodies may hold.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
__global__ void set(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void down(int *p, cudaGraphConditionalHandle h) { int left = --p[1]; p[0]++; cudaGraphSetConditional(h, left > 0); }
static void say(const char *k, int v) { printf("%s = %d\n", k, v); fflush(stdout); cudaGetLastError(); }
static void err(const char *k, cudaError_t e) { printf("%s = %s\n", k, cudaGetErrorName(e)); fflush(stdout); cudaGetLastError(); }
static void host_fn(void *) {}
static cudaError_t add_cond(cudaGraphNode_t *n, cudaGraph_t g, cudaGraphConditionalHandle h, cudaGraphConditionalNodeType t, unsigned size, cudaGraph_t *bodies, const cudaGraphNode_t *dep = nullptr, size_t nd = 0)
{
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h; p.conditional.type = t; p.conditional.size = size;
    cudaError_t e = cudaGraphAddNode(n, g, dep, nullptr, nd, &p);
    if (!e && bodies) for (unsigned i = 0; i < size; i++) bodies[i] = p.conditional.phGraph_out[i];
    return e;
}
static cudaGraphNode_t kernel(cudaGraph_t g, void *f, void **args, const cudaGraphNode_t *dep = nullptr, size_t nd = 0, const char *key = nullptr)
{
    cudaGraphNode_t n = nullptr; cudaKernelNodeParams k = {}; k.func = f; k.gridDim = dim3(1); k.blockDim = dim3(1); k.kernelParams = args;
    cudaError_t e = cudaGraphAddKernelNode(&n, g, dep, nd, &k); if (key) err(key, e); return n;
}
int main()
{
    cudaFree(0);
    int *p; cudaMallocManaged(&p, 64);
    cudaGraph_t g, g2, b[8]; cudaGraphNode_t n, n2; cudaGraphConditionalHandle h = 7, h2; cudaGraphExec_t x, y;
    cudaGraphCreate(&g, 0);
    err("handle.null_out", cudaGraphConditionalHandleCreate(nullptr, g, 0, 0));
    err("handle.null_graph", cudaGraphConditionalHandleCreate(&h, nullptr, 0, 0));
    err("handle.flags2", cudaGraphConditionalHandleCreate(&h, g, 0, 2));
    err("handle.default_without_flag", cudaGraphConditionalHandleCreate(&h, g, 5, 0));
    err("handle.default", cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    cudaGraphInstantiateParams ip = {};
    err("unused.instantiate", cudaGraphInstantiateWithParams(&x, g, &ip)); say("unused.result", ip.result_out);
    err("unused.instantiate_plain", cudaGraphInstantiate(&x, g, 0));
    cudaGraphDestroy(g);
    cudaGraphCreate(&g, 0); cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    err("add.handle0", add_cond(&n, g, 0, cudaGraphCondTypeIf, 1, b));
    err("add.handle_wrong", add_cond(&n, g, 12345, cudaGraphCondTypeIf, 1, b));
    err("add.if_size0", add_cond(&n, g, h, cudaGraphCondTypeIf, 0, b));
    err("add.if_size3", add_cond(&n, g, h, cudaGraphCondTypeIf, 3, b));
    err("add.while_size2", add_cond(&n, g, h, cudaGraphCondTypeWhile, 2, b));
    err("add.switch_size0", add_cond(&n, g, h, cudaGraphCondTypeSwitch, 0, b));
    err("add.type9", add_cond(&n, g, h, (cudaGraphConditionalNodeType)9, 1, b));
    cudaGraphCreate(&g2, 0); err("add.other_graph", add_cond(&n, g2, h, cudaGraphCondTypeIf, 1, b));
    err("add.if", add_cond(&n, g, h, cudaGraphCondTypeIf, 1, b));
    err("add.same_handle_again", add_cond(&n2, g, h, cudaGraphCondTypeIf, 1, b + 1));
    cudaGraphNodeType t; err("type", cudaGraphNodeGetType(n, &t)); say("type.value", t);
    err("body.handle_in_body", cudaGraphConditionalHandleCreate(&h2, b[0], 0, 0));
    err("body.destroy", cudaGraphDestroy(b[0]));
    err("body.clone", cudaGraphClone(&g2, b[0]));
    err("clone", cudaGraphClone(&g2, g));
    cudaGraphCreate(&g2, 0); err("child", cudaGraphAddChildGraphNode(&n2, g2, nullptr, 0, g));
    err("body.host_node", cudaGraphAddHostNode(&n2, b[0], nullptr, 0, [] { static cudaHostNodeParams hp = {host_fn, nullptr}; return &hp; }()));
    cudaEvent_t ev; cudaEventCreate(&ev);
    err("body.event_node", cudaGraphAddEventRecordNode(&n2, b[0], nullptr, 0, ev));
    cudaMemAllocNodeParams ma = {}; ma.poolProps.allocType = cudaMemAllocationTypePinned; ma.poolProps.location = {cudaMemLocationTypeDevice, 0}; ma.bytesize = 64;
    err("body.alloc_node", cudaGraphAddMemAllocNode(&n2, b[0], nullptr, 0, &ma));
    err("body.empty_node", cudaGraphAddEmptyNode(&n2, b[0], nullptr, 0));
    ip = {}; err("body_with_host.instantiate", cudaGraphInstantiateWithParams(&x, g, &ip)); say("body_with_host.result", ip.result_out);
    cudaGraphDestroy(g);
    // two instantiations, an update, a launch in which the value is not set
    cudaGraphCreate(&g, 0); cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    add_cond(&n, g, h, cudaGraphCondTypeWhile, 1, b); void *a[] = {&p, &h}; kernel(b[0], (void *)down, a, nullptr, 0, "body.kernel");
    err("instantiate", cudaGraphInstantiate(&x, g, 0)); err("instantiate_again", cudaGraphInstantiate(&y, g, 0));
    cudaGraphExecUpdateResultInfo info = {}; err("update", cudaGraphExecUpdate(x, g, &info)); say("update.result", info.result);
    p[0] = 0; p[1] = 5; err("while.launch", cudaGraphLaunch(x, 0)); err("while.sync", cudaDeviceSynchronize()); say("while.count", p[0]);
    p[0] = 0; p[1] = 1; cudaGraphLaunch(x, 0); cudaDeviceSynchronize(); say("while.again_with_default", p[0]);
    unsigned en = 9; err("enabled", cudaGraphNodeGetEnabled(x, n, &en)); err("disable", cudaGraphNodeSetEnabled(x, n, 0));
    cudaGraphExecDestroy(x); err("after_destroy.instantiate", cudaGraphInstantiate(&x, g, 0));
    size_t nodes = 0; cudaGraphGetNodes(g, nullptr, &nodes); say("nodes", (int)nodes); cudaGraphGetNodes(b[0], nullptr, &nodes); say("body.nodes", (int)nodes);
    cudaGraphNodeParams sp = {cudaGraphNodeTypeConditional}; sp.conditional.handle = h; sp.conditional.type = cudaGraphCondTypeWhile; sp.conditional.size = 1;
    err("set_params", cudaGraphNodeSetParams(n, &sp));
    err("remove", cudaGraphDestroyNode(n)); nodes = 99; err("body_after_remove", cudaGraphGetNodes(b[0], nullptr, &nodes));
    // switch out of range, if/else, nested
    for (unsigned v = 0; v < 4; v++) {
        cudaGraphCreate(&g, 0); cudaGraphConditionalHandleCreate(&h, g, v, cudaGraphCondAssignDefault);
        add_cond(&n, g, h, cudaGraphCondTypeSwitch, 2, b); int *q0 = p, *q1 = p + 1; void *a0[] = {&q0}, *a1[] = {&q1};
        kernel(b[0], (void *)count, a0); kernel(b[1], (void *)count, a1); p[0] = p[1] = 0;
        cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, 0); cudaDeviceSynchronize();
        char k[32]; snprintf(k, sizeof k, "switch.%u", v); say(k, p[0] * 10 + p[1]);
        cudaGraphCreate(&g, 0); cudaGraphConditionalHandleCreate(&h, g, v, cudaGraphCondAssignDefault);
        add_cond(&n, g, h, cudaGraphCondTypeIf, 2, b); kernel(b[0], (void *)count, a0); kernel(b[1], (void *)count, a1); p[0] = p[1] = 0;
        cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, 0); cudaDeviceSynchronize(); snprintf(k, sizeof k, "ifelse.%u", v); say(k, p[0] * 10 + p[1]);
    }
    cudaStream_t s; cudaStreamCreate(&s); cudaGraphCreate(&g, 0); cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    add_cond(&n, g, h, cudaGraphCondTypeIf, 1, b); err("body.empty.instantiate", cudaGraphInstantiate(&x, g, 0)); err("body.empty.launch", cudaGraphLaunch(x, s)); err("body.empty.sync", cudaStreamSynchronize(s));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); err("capture.launch_of_conditional", cudaGraphLaunch(x, s)); g2 = nullptr; err("capture.end", cudaStreamEndCapture(s, &g2));
    err("last", cudaDeviceSynchronize());
    return 0;
}
