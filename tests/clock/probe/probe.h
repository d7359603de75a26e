// SPDX-License-Identifier: Apache-2.0
// Times rows of (kernel, parameters, launch): median of 20 by events, caches emptied before by reading 192 MiB. PROBE_ONCE=1: each once and no time, for a profiler
// and for ../probe.py; row k is then announced by a launch of probe_row with k blocks.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t rc_ = (call); if (rc_ != cudaSuccess) { std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); std::exit(1); } } while (0)

__global__ void probe_flush(const float4 *p, size_t n, float *out)
{
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += p[i].x;
    if (s == -1.0f)
        *out = s;
}

__global__ void probe_row() {}

static bool probe_once = false;
static int probe_rows = 0;
static const char *probe_only = nullptr;
static float4 *probe_other;
enum : size_t { PROBE_OTHER = (size_t)192 << 20 };

static void probe_begin(int argc, char **argv)
{
    probe_once = std::getenv("PROBE_ONCE") != nullptr;
    probe_only = argc > 1 ? argv[1] : nullptr;
    if (!probe_once) {
        CHECK(cudaMalloc((void **)&probe_other, PROBE_OTHER));
        CHECK(cudaMemset(probe_other, 0, PROBE_OTHER));
    }
}

static void row(const char *kernel, const char *parameters, const std::function<void()> &launch)
{
    if (probe_only && std::strcmp(probe_only, kernel) != 0)
        return;
    if (probe_once) {
        std::printf("row,%s,%s,%d\n", kernel, parameters, ++probe_rows);
        probe_row<<<probe_rows, 32>>>();
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        return;
    }
    cudaEvent_t a, b;
    std::vector<float> cold, warm;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 23; k++) {
            float ms;
            probe_flush<<<1056, 256>>>(probe_other, pass ? 1 << 16 : PROBE_OTHER / 16, (float *)probe_other);
            CHECK(cudaEventRecord(a));
            launch();
            CHECK(cudaEventRecord(b));
            CHECK(cudaEventSynchronize(b));
            CHECK(cudaGetLastError());
            CHECK(cudaEventElapsedTime(&ms, a, b));
            if (k >= 3)
                (pass ? warm : cold).push_back(1000 * ms);
        }
    std::sort(cold.begin(), cold.end());
    std::sort(warm.begin(), warm.end());
    std::printf("cold,%s,%s,%.3f\nwarm,%s,%s,%.3f\n", kernel, parameters, cold[10], kernel, parameters, warm[10]);
    std::fflush(stdout);
    CHECK(cudaEventDestroy(a));
    CHECK(cudaEventDestroy(b));
}

template <class T> static T *on_device(size_t n, const std::function<T(size_t)> &f)
{
    std::vector<T> h(n);
    T *d;
    for (size_t i = 0; i < n; i++)
        h[i] = f(i);
    CHECK(cudaMalloc((void **)&d, n * sizeof(T)));
    CHECK(cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <class T> static T *zeros(size_t n)
{
    T *d;
    CHECK(cudaMalloc((void **)&d, n * sizeof(T)));
    CHECK(cudaMemset(d, 0, n * sizeof(T)));
    return d;
}
static uint32_t random_state = 2463534242u;
static uint32_t next_random()
{
    uint32_t &s = random_state;
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    return s;
}
static float next_float() { return (float)(next_random() >> 8) * 0x1p-24f; }
