// SPDX-License-Identifier: Apache-2.0
// Streams: two queues. Each runs in order; copies of one run beside kernels of the other.
#include "check.h"

__global__ void work(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    for (int k = 0; k < 200; k++)
        v = v * 0.5f + 1.0f;
    if (i < n)
        x[i] = v;
}

int main()
{
    const int n = 1 << 18, parts = 8;
    float *host, *device;
    cudaStream_t stream[2];
    CHECK(cudaHostAlloc((void **)&host, parts * n * sizeof(float), cudaHostAllocDefault));
    CHECK(cudaMalloc(&device, parts * n * sizeof(float)));
    for (int i = 0; i < parts * n; i++)
        host[i] = 0;
    for (cudaStream_t &s : stream)
        CHECK(cudaStreamCreate(&s));
    for (int p = 0; p < parts; p++) {
        cudaStream_t s = stream[p % 2];
        float *h = host + p * n, *d = device + p * n;
        CHECK(cudaMemcpyAsync(d, h, n * sizeof(float), cudaMemcpyHostToDevice, s));
        work<<<n / 256, 256, 0, s>>>(d, n);
        CHECK(cudaMemcpyAsync(h, d, n * sizeof(float), cudaMemcpyDeviceToHost, s));
    }
    CHECK(cudaDeviceSynchronize());
    for (cudaStream_t s : stream)
        CHECK(cudaStreamDestroy(s));
    std::printf("%g %g\n", host[0], host[parts * n - 1]);
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}
