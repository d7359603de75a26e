// SPDX-License-Identifier: Apache-2.0
// Access policy windows (persisting L2): what streams, launches and limits answer.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
__global__ void k(int *p) { *p = 1; }
static void say(const char *key, long long v) { printf("%s = %lld\n", key, v); fflush(stdout); }
static void err(const char *key, CUresult e) { const char *n = "?"; cuGetErrorName(e, &n); printf("%s = %s\n", key, n); fflush(stdout); }
static void show(const char *key, CUstream s)
{
    CUstreamAttrValue v; memset(&v, 0x5a, sizeof v);
    CUresult e = cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v);
    printf("%s.get = %d base_is_null %d bytes %zu ratio %g hit %d miss %d\n", key, (int)e, v.accessPolicyWindow.base_ptr == nullptr,
           (size_t)v.accessPolicyWindow.num_bytes, v.accessPolicyWindow.hitRatio, (int)v.accessPolicyWindow.hitProp, (int)v.accessPolicyWindow.missProp);
}
int main()
{
    cuInit(0); cudaFree(0);
    int *p; cudaMalloc(&p, 256 << 20);
    CUstream s, t; cuStreamCreate(&s, 0); cuStreamCreate(&t, 0);
    int a = 0; cuDeviceGetAttribute(&a, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0); say("attr.108", a);
    cuDeviceGetAttribute(&a, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0); say("attr.109", a);
    size_t l = 0; err("limit.set_max", cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 39321600)); cuCtxGetLimit(&l, CU_LIMIT_PERSISTING_L2_CACHE_SIZE); say("limit.max", l);
    err("limit.set_more", cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 39321601)); cuCtxGetLimit(&l, CU_LIMIT_PERSISTING_L2_CACHE_SIZE); say("limit.more", l);
    err("limit.set_far_more", cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)1 << 40)); cuCtxGetLimit(&l, CU_LIMIT_PERSISTING_L2_CACHE_SIZE); say("limit.far_more", l);
    err("limit.set_0", cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0)); cuCtxGetLimit(&l, CU_LIMIT_PERSISTING_L2_CACHE_SIZE); say("limit.0", l);
    cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 39321600);
    show("fresh", s);
    struct { const char *key; void *base; size_t bytes; float ratio; int hit, miss; } rows[] = {
        {"plain", p, 1 << 20, 1.f, 2, 0}, {"half", p, 1 << 20, .5f, 2, 1}, {"ratio_0", p, 1 << 20, 0.f, 2, 0}, {"ratio_2", p, 1 << 20, 2.f, 2, 0}, {"ratio_negative", p, 1 << 20, -1.f, 2, 0},
        {"bytes_max", p, 134217728, 1.f, 2, 0}, {"bytes_more", p, 134217729, 1.f, 2, 0}, {"bytes_0", p, 0, 1.f, 2, 0}, {"null", nullptr, 1 << 20, 1.f, 2, 0}, {"null_0", nullptr, 0, 0.f, 0, 0},
        {"hit_normal", p, 4096, 1.f, 0, 0}, {"hit_streaming", p, 4096, 1.f, 1, 0}, {"miss_streaming", p, 4096, 1.f, 2, 1}, {"miss_persisting", p, 4096, 1.f, 2, 2}, {"hit_3", p, 4096, 1.f, 3, 0}, {"miss_3", p, 4096, 1.f, 2, 3},
        {"odd_base", (char *)p + 1, 4096, 1.f, 2, 0}, {"host_memory", rows, 4096, 1.f, 2, 0}, {"wild", (void *)0x1234567000, 4096, 1.f, 2, 0},
    };
    for (auto &r : rows) {
        CUstreamAttrValue v; memset(&v, 0, sizeof v);
        v.accessPolicyWindow.base_ptr = r.base; v.accessPolicyWindow.num_bytes = r.bytes; v.accessPolicyWindow.hitRatio = r.ratio;
        v.accessPolicyWindow.hitProp = (CUaccessProperty)r.hit; v.accessPolicyWindow.missProp = (CUaccessProperty)r.miss;
        char key[64]; snprintf(key, sizeof key, "set.%s", r.key);
        err(key, cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
        show(key, s);
        CUlaunchAttribute la; memset(&la, 0, sizeof la); la.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW; la.value.accessPolicyWindow = v.accessPolicyWindow;
        cudaLaunchConfig_t c = {}; c.gridDim = dim3(1); c.blockDim = dim3(1); c.stream = t; c.attrs = (cudaLaunchAttribute *)&la; c.numAttrs = 1;
        cudaError_t e = cudaLaunchKernelEx(&c, k, p); printf("launch.%s = %s\n", r.key, cudaGetErrorName(e)); cudaGetLastError();
    }
    err("sync", cuStreamSynchronize(t));
    show("copy.before", t); err("copy", cuStreamCopyAttributes(t, s)); show("copy.after", t);
    CUstreamAttrValue v; memset(&v, 0, sizeof v); v.accessPolicyWindow.base_ptr = p; v.accessPolicyWindow.num_bytes = 4096; v.accessPolicyWindow.hitRatio = 1; v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    err("legacy.set", cuStreamSetAttribute(CU_STREAM_LEGACY, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v)); show("legacy", CU_STREAM_LEGACY);
    memset(&v, 0, sizeof v); v.priority = -1; err("priority.set", cuStreamSetAttribute(t, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
    int pr = 9; cuStreamGetPriority(t, &pr); say("priority", pr);
    memset(&v, 0, sizeof v); v.priority = 7; err("priority.set_7", cuStreamSetAttribute(t, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v)); cuStreamGetPriority(t, &pr); say("priority_7", pr);
    err("reset", cuCtxResetPersistingL2Cache());
    // graph kernel nodes
    CUgraph g; cuGraphCreate(&g, 0); cudaGraphNode_t n; cudaKernelNodeParams kp = {}; void *args[] = {&p}; kp.func = (void *)k; kp.gridDim = dim3(1); kp.blockDim = dim3(1); kp.kernelParams = args;
    cudaGraphAddKernelNode(&n, (cudaGraph_t)g, nullptr, 0, &kp);
    memset(&v, 0, sizeof v); v.accessPolicyWindow.base_ptr = p; v.accessPolicyWindow.num_bytes = 4096; v.accessPolicyWindow.hitRatio = 1; v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    err("node.set", cuGraphKernelNodeSetAttribute((CUgraphNode)n, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    memset(&v, 0x5a, sizeof v); err("node.get", cuGraphKernelNodeGetAttribute((CUgraphNode)n, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v)); say("node.bytes", v.accessPolicyWindow.num_bytes); say("node.hit", v.accessPolicyWindow.hitProp);
}
