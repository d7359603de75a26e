// SPDX-License-Identifier: Apache-2.0
// What tutorials say and no other probe asks: implicit synchronisation, kernels of two contexts, mapped memory that is read several times.
// Times are figures to compare with; everything else is stable from run to run.
#include "probe.h"
#include <chrono>
static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
template <class F> static double best(F f) { double b = 1e30; for (int i = 0; i < 5; i++) { double t = now(); f(); t = now() - t; b = t < b ? t : b; } return b; }

__global__ void read_times(const float4 *p, size_t n, int times, float *out)
{
    float s = 0;
    for (int t = 0; t < times; t++)
        for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
            s += p[i].x + t;
    if (s == -1.0f)
        *out = s;
}
__global__ void add(int *n) { atomicAdd_system(n, 1); }

// A kernel holds stream a until the flag is set; `between` is called; does a kernel of stream b run before?
template <class F> static void between(const char *name, int *flag, int *done, F f)
{
    cudaStream_t a, b;
    char key[96];
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    *flag = *done = 0;
    spin_until<<<1, 1, 0, a>>>(flag);
    f();
    store<<<1, 1, 0, b>>>(done, 1);
    double end = now() + 0.5;
    while (*(volatile int *)done == 0 && now() < end)
        ;
    std::snprintf(key, sizeof key, "implicit.%s.overlaps", name);
    V(key, "%d", *(volatile int *)done);
    *flag = 1;
    cudaDeviceSynchronize();
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

int main()
{
    int *flag, *done;
    char *device, *other;
    void *p = nullptr;
    const size_t bytes = (size_t)64 << 20;
    cudaHostAlloc((void **)&flag, 64, cudaHostAllocMapped);
    cudaHostAlloc((void **)&done, 64, cudaHostAllocMapped);
    cudaMalloc((void **)&device, bytes);
    cudaMalloc((void **)&other, bytes);
    *flag = 1;
    spin_until<<<1, 1>>>(flag);
    store<<<1, 1>>>(done, 1);                    // loads both
    cudaDeviceSynchronize();
    cudaStream_t side;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    between("nothing", flag, done, [] {});
    between("host_alloc", flag, done, [&] { cudaHostAlloc(&p, 1 << 20, 0); });
    between("malloc", flag, done, [&] { void *q; cudaMalloc(&q, 1 << 20); });
    between("malloc_64MiB", flag, done, [&] { void *q; cudaMalloc(&q, 64 << 20); });
    between("memset_async", flag, done, [&] { cudaMemsetAsync(device, 0, 1 << 20, side); });
    between("device_copy_async", flag, done, [&] { cudaMemcpyAsync(device, device + (1 << 20), 1 << 20, cudaMemcpyDeviceToDevice, side); });
    between("peer_range_copy_async", flag, done, [&] { cudaMemcpyAsync(device, other, 1 << 20, cudaMemcpyDeviceToDevice, side); });

    // kernels of two contexts
    CUcontext first, second;
    CUdevice dev;
    cuCtxGetCurrent(&first);
    cuCtxGetDevice(&dev);
    *flag = *done = 0;
    spin_until<<<1, 1>>>(flag);
    D("contexts.second", cuCtxCreate(&second, 0, dev));
    CUdeviceptr word = 0;
    cuMemAlloc(&word, 4);
    CUevent e;
    cuEventCreate(&e, 0);
    cuMemsetD32Async(word, 1, 1, nullptr);
    cuEventRecord(e, nullptr);
    double end = now() + 0.5;
    while (cuEventQuery(e) == CUDA_ERROR_NOT_READY && now() < end)
        ;
    V("contexts.overlap", "%d", cuEventQuery(e) == CUDA_SUCCESS);
    cuCtxSetCurrent(first);
    *flag = 1;
    R("contexts.first_done", cudaDeviceSynchronize());

    // mapped memory, read again and again; and atomics of both sides
    float4 *mapped;
    cudaHostAlloc((void **)&mapped, bytes, cudaHostAllocMapped);
    memset(mapped, 0, bytes);
    for (int times : {1, 2, 9}) {
        char key[64];
        std::snprintf(key, sizeof key, "mapped.read_%d_times_us", times);
        double t = best([&] { read_times<<<1056, 256>>>(mapped, bytes / 16, times, (float *)device); cudaDeviceSynchronize(); });
        V(key, "%.1f", t * 1e6);
    }
    *done = 0;
    add<<<1024, 256>>>(done);
    for (int i = 0; i < 100000; i++)
        __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
    cudaDeviceSynchronize();
    V("mapped.atomics_of_both_sides_lost", "%d", *done != 1024 * 256 + 100000);

    // managed memory that a kernel touches, after the host and again; a first copy of pageable memory, and the next
    float4 *managed;
    cudaMallocManaged((void **)&managed, bytes);
    memset(managed, 0, bytes);
    for (int k = 0; k < 2; k++) {
        double t = now();
        read_times<<<1056, 256>>>(managed, bytes / 16, 1, (float *)device);
        cudaDeviceSynchronize();
        V(k ? "managed.second_touch_us" : "managed.first_touch_us", "%.1f", 1e6 * (now() - t));
    }
    char *pageable = (char *)malloc(1 << 20);
    memset(pageable, 1, 1 << 20);
    for (int k = 0; k < 2; k++) {
        double t = now();
        cudaMemcpy(device, pageable, 1 << 20, cudaMemcpyHostToDevice);
        V(k ? "pageable.second_copy_us" : "pageable.first_copy_us", "%.1f", 1e6 * (now() - t));
    }
    R("final", cudaDeviceSynchronize());
}
