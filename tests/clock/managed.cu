// SPDX-License-Identifier: Apache-2.0
// Managed memory: a kernel touches it first, again, after the host wrote to it, after prefetches to both sides.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t rc_ = (call); if (rc_ != cudaSuccess) { std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(rc_)); std::exit(1); } } while (0)

__global__ void read_all(const float4 *p, size_t n, float *out)
{
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += p[i].x;
    if (s == -1)
        *out = s;
}

int main()
{
    const size_t bytes = 64 << 20;
    float4 *p;
    float *out;
    cudaEvent_t a, b;
    CHECK(cudaMallocManaged((void **)&p, bytes));
    CHECK(cudaMalloc((void **)&out, 64));
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    auto timed = [&](const char *what, auto f) {
        float ms;
        CHECK(cudaEventRecord(a));
        f();
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        CHECK(cudaEventElapsedTime(&ms, a, b));
        std::printf("%s %.3f us\n", what, 1000 * ms);
    };
    auto kernel = [&] { read_all<<<1056, 256>>>(p, bytes / 16, out); };
    std::memset(p, 0, bytes);
    timed("first", kernel);
    timed("second", kernel);
    std::memset(p, 1, bytes);
    timed("written", kernel);
    std::memset(p, 2, bytes);
    timed("prefetch", [&] { CHECK(cudaMemPrefetchAsync(p, bytes, 0, 0)); });
    timed("fetched", kernel);
    timed("back", [&] { CHECK(cudaMemPrefetchAsync(p, bytes, cudaCpuDeviceId, 0)); });
    timed("again", kernel);
    return 0;
}
