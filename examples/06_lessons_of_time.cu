// SPDX-License-Identifier: Apache-2.0
// What tutorials say about the time of memory and streams, measured. On a CPU the bus is memory, so ask for a GPU's clock:
//
//   HOSTWARP_GPU=h200 hostwarp run 06_lessons_of_time.cu          (hostwarp info --gpus lists the cards; docs/lessons.md has the answers)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        cudaError_t rc = (call);                                                               \
        if (rc != cudaSuccess) {                                                               \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(rc)); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

static double now_us()
{
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// The best of five, in microseconds. The first one compiles, touches and makes buffers.
template <class F> static double best(F &&once)
{
    double least = 1e30;
    for (int i = 0; i < 5; i++) {
        double start = now_us();
        once();
        double took = now_us() - start;
        least = took < least ? took : least;
    }
    return least;
}

__global__ void sum(const float4 *x, int n, int times, float *out)
{
    float v = 0;
    for (int t = 0; t < times; t++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            v += x[i].x + t;
    if (v == -1.0f)
        *out = v;
}

__global__ void work(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    for (int k = 0; k < rounds; k++)
        v = v * 0.5f + 1.0f;
    x[i] = v;
}

int main()
{
    const size_t bytes = 16 << 20;
    const int n = int(bytes / sizeof(float)), chunks = 8;
    char *pageable = (char *)std::malloc(bytes), *pinned, *combined, *device;
    float4 *seen;
    cudaStream_t s[4];
    std::memset(pageable, 0, bytes);
    CHECK(cudaMalloc((void **)&device, bytes));
    CHECK(cudaHostAlloc((void **)&pinned, bytes, cudaHostAllocMapped));
    CHECK(cudaHostAlloc((void **)&combined, bytes, cudaHostAllocWriteCombined));
    std::memset(pinned, 0, bytes);
    std::memset(combined, 0, bytes);
    CHECK(cudaHostGetDevicePointer((void **)&seen, pinned, 0));
    for (cudaStream_t &one : s)
        CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));

    std::printf("16 MiB to the device\n");
    const struct { const char *name; char *host; } kinds[] = {{"pageable", pageable}, {"page-locked", pinned}, {"write-combined", combined}};
    for (const auto &k : kinds)
        std::printf("  %-34s %9.1f us\n", k.name, best([&] { CHECK(cudaMemcpy(device, k.host, bytes, cudaMemcpyHostToDevice)); }));

    std::printf("getting 16 MiB of page-locked memory\n");
    std::printf("  %-34s %9.1f us\n", "cudaHostAlloc, cudaFreeHost", best([&] { void *p; CHECK(cudaHostAlloc(&p, bytes, 0)); CHECK(cudaFreeHost(p)); }));
    std::printf("  %-34s %9.1f us\n", "cudaHostRegister, Unregister", best([&] { CHECK(cudaHostRegister(pageable, bytes, 0)); CHECK(cudaHostUnregister(pageable)); }));

    std::printf("a kernel reads 16 MiB, once and nine times\n");
    for (int times : {1, 9}) {
        double mapped = best([&] { sum<<<528, 256>>>(seen, n / 4, times, (float *)device); CHECK(cudaDeviceSynchronize()); });
        double copied = best([&] {
            CHECK(cudaMemcpy(device, pinned, bytes, cudaMemcpyHostToDevice));
            sum<<<528, 256>>>((float4 *)device, n / 4, times, (float *)device);
            CHECK(cudaDeviceSynchronize());
        });
        std::printf("  %-34s %9.1f us, copied first %9.1f us\n", times == 1 ? "mapped, read once" : "mapped, read nine times", mapped, copied);
    }

    std::printf("8 chunks: copy in, kernel, copy out\n");
    for (int streams : {1, 4}) {
        double took = best([&] {
            for (int c = 0; c < chunks; c++) {
                size_t at = size_t(c) * (n / chunks);
                cudaStream_t in = s[c % streams];
                CHECK(cudaMemcpyAsync((float *)device + at, (float *)pinned + at, bytes / chunks, cudaMemcpyHostToDevice, in));
                work<<<n / chunks / 256, 256, 0, in>>>((float *)device + at, n / chunks, 2048);
                CHECK(cudaMemcpyAsync((float *)pinned + at, (float *)device + at, bytes / chunks, cudaMemcpyDeviceToHost, in));
            }
            CHECK(cudaDeviceSynchronize());
        });
        std::printf("  %d %-32s %9.1f us\n", streams, streams == 1 ? "stream" : "streams", took);
    }
    return 0;
}
