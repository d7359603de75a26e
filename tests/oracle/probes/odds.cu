// SPDX-License-Identifier: Apache-2.0
// Questions about calls that few programs make: grid.sync() in a plain launch, shared memory beside other blocks, names of nothing, edges of captures, clocks.
#include "probe.h"
#include <cooperative_groups.h>
#include <chrono>
namespace cg = cooperative_groups;

__global__ void meet(int *out)
{
    cg::grid_group g = cg::this_grid();
    out[0] = g.is_valid();
    g.sync();
    out[1] = 1;
}

__global__ void empty(int *out) { extern __shared__ int s[]; out[0] = s[0]; }
__global__ void with_static(int *out) { __shared__ int t[1024]; extern __shared__ int s[]; t[threadIdx.x] = s[0]; out[0] = t[0]; }

__global__ void ticks(long long *out, long long ns)
{
    unsigned long long begin, now;
    long long first = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while ((long long)(now - begin) < ns);
    out[0] = clock64() - first;
    out[1] = (long long)(now - begin);
}

static void clocks()
{
    long long *out, host[2];
    int rate = 0;
    cudaMalloc(&out, 16);
    cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0);
    ticks<<<1, 1>>>(out, 200000000), ticks<<<1, 1>>>(out, 500000000);
    cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost);
    double ratio = (double)host[0] / (double)host[1] * 1e6 / rate;
    V("clock.rate_within_a_tenth", "%d", ratio > 0.9 && ratio < 1.1);
}

static void shared_beside()
{
    size_t n = 0;
    int *out;
    cudaMalloc(&out, 64);
    const struct { const char *key; const void *f; } kernels[] = { { "dynamic", (const void *)empty }, { "static", (const void *)with_static } };
    for (auto &k : kernels)
        for (int opt_in = 0; opt_in < 2; opt_in++) {
            char key[96];
            if (opt_in)
                cudaFuncSetAttribute(k.f, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 1024);
            for (int blocks : { 1, 2, 3, 4, 8, 16, 32, 33, 64 })
                for (int threads : { 32, 256, 1024, 1025 }) {
                    snprintf(key, sizeof key, "smem.%s.%s.%dx%d", k.key, opt_in ? "128k" : "plain", blocks, threads);
                    n = 12345;
                    cudaError_t e = cudaOccupancyAvailableDynamicSMemPerBlock(&n, k.f, blocks, threads);
                    V(key, "%s %zu", cudaGetErrorName(e), n);
                    cudaGetLastError();
                }
        }
    R("smem.zero_blocks", cudaOccupancyAvailableDynamicSMemPerBlock(&n, (const void *)empty, 0, 32));
    R("smem.zero_threads", cudaOccupancyAvailableDynamicSMemPerBlock(&n, (const void *)empty, 1, 0));
}

static void names()
{
    const char *name = "untouched";
    D("name.function_null", cuFuncGetName(&name, nullptr));
    D("name.kernel_null", cuKernelGetName(&name, nullptr));
    V("name.after", "%s", name);
    CUfunction f = nullptr;
    cudaGetFuncBySymbol((cudaFunction_t *)&f, (const void *)empty);
    D("name.function_out_null", cuFuncGetName(nullptr, f));
    D("name.function", cuFuncGetName(&name, f));
    V("name.is", "%d", strstr(name, "empty") != nullptr);
    D("name.kernel_from_function", cuKernelGetName(&name, (CUkernel)f));
    D("name.function_module_null", cuFuncGetModule(nullptr, f));
    CUmodule m;
    D("name.module_of_null", cuFuncGetModule(&m, nullptr));
    size_t offset, size;
    D("name.param_null", cuFuncGetParamInfo(nullptr, 0, &offset, &size));
    D("name.param_0", cuFuncGetParamInfo(f, 0, &offset, &size));
    V("name.param_0_is", "%zu %zu", offset, size);
    D("name.param_1", cuFuncGetParamInfo(f, 1, &offset, &size));
    D("name.param_no_size", cuFuncGetParamInfo(f, 0, &offset, nullptr));
    CUfunctionLoadingState state;
    D("name.loaded", cuFuncIsLoaded(&state, f));
    D("name.loaded_null", cuFuncIsLoaded(&state, nullptr));
    D("name.load_null", cuFuncLoad(nullptr));
    CUlibrary lib;
    D("name.library_of_null", cuKernelGetLibrary(&lib, nullptr));
    CUfunction g;
    D("name.function_of_null", cuKernelGetFunction(&g, nullptr));
    int value;
    D("name.attribute_null", cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr, 0));
    D("name.function_attribute_null", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
    D("name.function_attribute_out_null", cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
}

static void edges()
{
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking), cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    CUstreamCaptureStatus status;
    cuuint64_t id;
    CUgraph g;
    const CUgraphNode *deps;
    const CUgraphEdgeData *data;
    size_t n = 99;
    int *out;
    cudaMalloc(&out, 64);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    D("edges.empty_no_data", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &deps, nullptr, &n));
    V("edges.empty_n", "%zu", n);
    store<<<1, 1, 0, s>>>(out, 1);
    D("edges.plain_no_data", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &deps, nullptr, &n));
    V("edges.plain_n", "%zu", n);
    data = (const CUgraphEdgeData *)1;
    D("edges.plain_data", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &deps, &data, &n));
    V("edges.plain_data_null", "%d %zu", data == nullptr, n);
    if (data)
        V("edges.plain_data_is", "%d %d %d", data[0].from_port, data[0].to_port, data[0].type);
    D("edges.plain_data_only", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, nullptr, &data, &n));
    D("edges.no_n", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &deps, &data, nullptr));
    CUgraphNode node = deps ? deps[0] : nullptr;
    CUgraphEdgeData port = {};
    port.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, port.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    D("edges.set_programmatic", cuStreamUpdateCaptureDependencies_v2(s, &node, &port, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    D("edges.programmatic_no_data", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &deps, nullptr, &n));
    data = nullptr;
    D("edges.programmatic_data", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &deps, &data, &n));
    if (data)
        V("edges.programmatic_data_is", "%d %d %d", data[0].from_port, data[0].to_port, data[0].type);
    D("edges.set_null_data", cuStreamUpdateCaptureDependencies_v2(s, &node, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    D("edges.null_data_no_data", cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &deps, nullptr, &n));
    D("edges.set_none", cuStreamUpdateCaptureDependencies_v2(s, nullptr, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    D("edges.set_null_nodes", cuStreamUpdateCaptureDependencies_v2(s, nullptr, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    cudaGraph_t graph;
    cudaStreamEndCapture(s, &graph);
    D("edges.not_capturing", cuStreamGetCaptureInfo_v3(s, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
    cudaGetLastError();
}

static void plain_grid_sync()
{
    int *out, host[2] = { -1, -1 };
    cudaMalloc(&out, 64);
    cudaMemset(out, 0, 64);
    meet<<<1, 32>>>(out);
    R("grid.launch", cudaGetLastError());
    R("grid.sync", cudaDeviceSynchronize());
    R("grid.after", cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost));
    V("grid.valid_and_past", "%d %d", host[0], host[1]);
}

int main()
{
    limit_time();
    cudaFree(0);
    clocks();
    shared_beside();
    names();
    edges();
    plain_grid_sync();
}
