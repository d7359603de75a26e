// SPDX-License-Identifier: Apache-2.0
// Copies, kernels, events, streams and threads; prints every time that the device tells. The output must be the same in every run.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t rc_ = (call); if (rc_ != cudaSuccess) { std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(rc_)); std::exit(1); } } while (0)

__global__ void work(float *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    for (int k = 0; k < rounds; k++)
        v = v * 0.5f + 1.0f;
    if (i < n)
        x[i] = v;
}

__global__ void delay(long long cycles, int *out)
{
    long long start = clock64();
    int n = 0;
    while (clock64() - start < cycles)
        n++;
    if (out && threadIdx.x == 0)
        *out = n;
}

static float between(cudaEvent_t a, cudaEvent_t b)
{
    float ms;
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaEventElapsedTime(&ms, a, b));
    return ms * 1000;
}

int main()
{
    const int n = 1 << 20, bytes = n * 4;
    float *pageable = (float *)std::calloc(n, 4), *pinned, *device;
    int *rounds;
    cudaEvent_t e[2];
    cudaStream_t s[4];
    CHECK(cudaMallocHost((void **)&pinned, bytes));
    CHECK(cudaMalloc((void **)&device, bytes));
    CHECK(cudaMallocHost((void **)&rounds, sizeof(int)));
    std::memset(pinned, 0, bytes);
    for (cudaEvent_t &one : e)
        CHECK(cudaEventCreate(&one));
    for (cudaStream_t &one : s)
        CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaMemcpy(device, pageable, bytes, cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; k++) {
        float *host = k ? pinned : pageable;
        CHECK(cudaEventRecord(e[0]));
        CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
        CHECK(cudaEventRecord(e[1]));
        std::printf("%s %.3f us\n", k ? "pinned" : "pageable", between(e[0], e[1]));
    }
    for (int streams = 1; streams <= 4; streams *= 4) {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(e[0]));
        CHECK(cudaEventSynchronize(e[0]));
        for (int c = 0; c < 8; c++) {
            float *h = pinned + c * (n / 8), *d = device + c * (n / 8);
            cudaStream_t at = s[c % streams];
            CHECK(cudaMemcpyAsync(d, h, bytes / 8, cudaMemcpyHostToDevice, at));
            work<<<n / 8 / 256, 256, 0, at>>>(d, n / 8, 2000);
            CHECK(cudaMemcpyAsync(h, d, bytes / 8, cudaMemcpyDeviceToHost, at));
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(e[1]));
        std::printf("%d streams %.3f us\n", streams, between(e[0], e[1]));
    }
    CHECK(cudaEventRecord(e[0]));
    delay<<<1, 32>>>(100000, rounds);
    CHECK(cudaEventRecord(e[1]));
    std::printf("delay %.3f us, %d rounds\n", between(e[0], e[1]), *rounds);
    // each thread has its own stream, and begins when the one that made it did
    std::thread threads[3];
    float took[3];
    for (int t = 0; t < 3; t++)
        threads[t] = std::thread([&, t] {
            cudaEvent_t a, b;
            CHECK(cudaEventCreate(&a));
            CHECK(cudaEventCreate(&b));
            CHECK(cudaEventRecord(a, s[t]));
            for (int k = 0; k < 5; k++)
                work<<<4, 64, 0, s[t]>>>(device + t * 1024, 256, 100 * (t + 1));
            CHECK(cudaEventRecord(b, s[t]));
            took[t] = between(a, b);
        });
    for (std::thread &one : threads)
        one.join();
    for (float t : took)
        std::printf("thread %.3f us\n", t);
    return 0;
}
