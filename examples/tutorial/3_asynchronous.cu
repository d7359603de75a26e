// SPDX-License-Identifier: Apache-2.0
// Asynchronous calls: launches and copies of page-locked memory return at once; the host goes on until it asks.
#include "check.h"
#include <chrono>

__global__ void spin(int *done, int rounds)
{
    unsigned x = threadIdx.x;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    if (x != 12345u)
        *done = 1;
}

int main()
{
    int *device, *host;
    CHECK(cudaMalloc(&device, sizeof(int)));
    CHECK(cudaHostAlloc((void **)&host, sizeof(int), cudaHostAllocDefault));
    *host = 0;
    spin<<<1, 1>>>(device, 1);                           // compiles the kernel, so that the times below are of the calls
    CHECK(cudaDeviceSynchronize());
    auto start = std::chrono::steady_clock::now();
    auto us = [&] { return (long)std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count(); };
    spin<<<1, 1>>>(device, 20000000);
    CHECK(cudaMemcpyAsync(host, device, sizeof(int), cudaMemcpyDeviceToHost));
    long queued = us();
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady ? cudaSuccess : cudaErrorUnknown);      // it still runs
    CHECK(cudaStreamSynchronize(0));
    std::printf("queued in less than a tenth of the time: %s, result %d\n", queued * 10 < us() ? "yes" : "no", *host);
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}
