// SPDX-License-Identifier: Apache-2.0
// What handles answer after their context was destroyed (streams and executable graphs are not asked: the real driver crashes) (each question in a process of its own), and cudaStreamEndCapture(s, NULL).
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>
static const char *name(CUresult r) { const char *n = "?"; cuGetErrorName(r, &n); return n; }
#define D(key, call) (printf("%s = %s\n", key, name(call)), fflush(stdout))
#define R(key, call) (printf("%s = %s\n", key, cudaGetErrorName(call)), fflush(stdout), cudaGetLastError())
static int ctx(CUcontext *c) { CUctxCreateParams p; memset(&p, 0, sizeof p); return cuCtxCreate_v4(c, &p, 0, 0); }
static const char *ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.global .u32 v;\n.visible .entry k() { ret; }\n";
static CUcontext a, b;
static CUevent e, e2; static CUstream s; static CUmodule m; static CUfunction f; static CUdeviceptr p, vp; static void *host; static CUarray arr; static CUmemoryPool pool; static CUgraph g; static CUgraphExec x;
static void make() {
    cuInit(0); ctx(&a); ctx(&b);
    cuEventCreate(&e, 0); cuEventCreate(&e2, 0); cuStreamCreate(&s, 0); cuEventRecord(e, s); cuEventRecord(e2, s);
    cuModuleLoadData(&m, ptx); cuModuleGetFunction(&f, m, "k"); size_t n; cuModuleGetGlobal(&vp, &n, m, "v");
    cuMemAlloc(&p, 4096); cuMemHostAlloc(&host, 4096, 0);
    CUDA_ARRAY_DESCRIPTOR ad = {16, 16, CU_AD_FORMAT_FLOAT, 1}; cuArrayCreate(&arr, &ad);
    cuGraphCreate(&g, 0); CUgraphNode node; CUDA_KERNEL_NODE_PARAMS kp; memset(&kp, 0, sizeof kp); kp.func = f; kp.gridDimX = kp.gridDimY = kp.gridDimZ = kp.blockDimX = kp.blockDimY = kp.blockDimZ = 1;
    cuGraphAddKernelNode(&node, g, 0, 0, &kp); cuGraphInstantiate(&x, g, 0); cuCtxSynchronize();
}
static struct { pid_t pid; char what[64]; } open_[8]; static int n_open;      // eight at a time: contexts take their time
static void join_all() { for (int i = 0; i < n_open; i++) { int st; waitpid(open_[i].pid, &st, 0); if (WIFSIGNALED(st)) printf("%s = signal %d\n", open_[i].what, WTERMSIG(st)); } fflush(stdout); n_open = 0; }
static void in_child(const char *what, bool current, std::function<void()> q) {
    fflush(stdout); pid_t pid = fork();
    if (pid == 0) { alarm(50); make(); cuCtxSetCurrent(a); cuCtxDestroy(b); if (!current) cuCtxSetCurrent(nullptr); q(); fflush(stdout); _exit(0); }
    open_[n_open].pid = pid; snprintf(open_[n_open].what, 64, "%s", what); if (++n_open == 8) join_all();
}
static float ms; static int v; 
static void capture() {
    cudaStream_t s; cudaStreamCreate(&s); cudaGraph_t g = nullptr; cudaStreamCaptureStatus st; unsigned char *p; cudaMalloc(&p, 64);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaMemsetAsync(p, 1, 64, s);
    R("end_null.first", cudaStreamEndCapture(s, nullptr));
    R("end_null.status", cudaStreamIsCapturing(s, &st)); printf("end_null.state = %d\n", (int)st);
    R("end_null.second", cudaStreamEndCapture(s, nullptr));
    R("end_null.with_graph", cudaStreamEndCapture(s, &g)); printf("end_null.has_graph = %d\n", g != nullptr);
    R("end_null.begin_again", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    R("end_null.empty", cudaStreamEndCapture(s, nullptr));
    R("end_null.no_capture", cudaStreamEndCapture(s, nullptr));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaMemset(p, 0, 64); cudaGetLastError();
    R("end_null.invalidated", cudaStreamEndCapture(s, nullptr));
    cudaStream_t t; cudaStreamCreate(&t); cudaEvent_t ev; cudaEventCreate(&ev);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaEventRecord(ev, s); cudaStreamWaitEvent(t, ev, 0); cudaMemsetAsync(p, 1, 64, t);
    R("end_null.unjoined", cudaStreamEndCapture(s, nullptr));
    R("end_null.legacy", cudaStreamEndCapture(0, nullptr));
    D("end_null.driver_none", cuStreamEndCapture((CUstream)s, nullptr));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); cudaMemsetAsync(p, 1, 64, s);
    D("end_null.driver", cuStreamEndCapture((CUstream)s, nullptr));
    cudaGraphCreate(&g, 0); cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal); cudaMemsetAsync(p, 1, 64, s);
    R("end_null.to_graph", cudaStreamEndCapture(s, nullptr)); size_t n = 9; cudaGraphGetNodes(g, nullptr, &n); printf("end_null.to_graph_nodes = %zu\n", n);
    R("end_null.sync", cudaDeviceSynchronize());
}
int main() {
    for (int cur = 1; cur >= 0; cur--) {
        static char k[64]; const char *pre = cur ? "gone" : "gone_without";
        auto key = [pre](const char *w) { snprintf(k, sizeof k, "%s.%s", pre, w); return (const char *)k; };
        struct { const char *n; std::function<CUresult()> f; } q[] = {
            {"event_query", [] { return cuEventQuery(e); }}, {"event_synchronize", [] { return cuEventSynchronize(e); }},
            {"event_elapsed", [] { return cuEventElapsedTime(&ms, e, e2); }}, {"event_record", [] { return cuEventRecord(e, 0); }},
            {"stream_wait_event", [] { return cuStreamWaitEvent(0, e, 0); }}, {"event_destroy", [] { return cuEventDestroy(e); }},
            {"module_function", [] { CUfunction y; return cuModuleGetFunction(&y, m, "k"); }}, {"module_unload", [] { return cuModuleUnload(m); }},
            {"function_attribute", [] { return cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, f); }}, {"launch", [] { return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr); }},
            {"mem_free", [] { return cuMemFree(p); }}, {"host_free", [] { return cuMemFreeHost(host); }}, {"array_destroy", [] { return cuArrayDestroy(arr); }},
            {"graph_destroy", [] { return cuGraphDestroy(g); }},
            {"ctx_set", [] { return cuCtxSetCurrent(b); }}, {"ctx_destroy", [] { return cuCtxDestroy(b); }},
        };
        for (auto &i : q) in_child(key(i.n), cur, [&] { D(key(i.n), i.f()); });
        join_all();
    }
    fflush(stdout); pid_t pid = fork(); if (pid == 0) { alarm(50); capture(); _exit(0); } int st; waitpid(pid, &st, 0);
    printf("end_null.ended = %d\n", WIFEXITED(st) ? 0 : WTERMSIG(st));
}
