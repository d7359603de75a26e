// SPDX-License-Identifier: Apache-2.0
// Priorities: blocks of an urgent stream go before blocks of a large grid that has not ended.
#include "check.h"
#include <vector>

__global__ void grind(unsigned *x)
{
    unsigned v = blockIdx.x;
    for (int i = 0; i < 200000; i++)
        v = v * 1664525u + 1013904223u;
    x[blockIdx.x] = v;
}

int main()
{
    const int blocks = 4096;
    int lowest, highest;
    unsigned *x;
    cudaStream_t slow, urgent;
    cudaEvent_t slow_done, urgent_done;
    float ms;
    CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CHECK(cudaStreamCreateWithPriority(&slow, cudaStreamNonBlocking, lowest));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, highest));
    CHECK(cudaEventCreate(&slow_done));
    CHECK(cudaEventCreate(&urgent_done));
    CHECK(cudaMalloc(&x, 2 * blocks * sizeof *x));
    grind<<<blocks, 1, 0, slow>>>(x);
    CHECK(cudaEventRecord(slow_done, slow));
    grind<<<1, 1, 0, urgent>>>(x + blocks);              // queued later, done earlier
    CHECK(cudaEventRecord(urgent_done, urgent));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, urgent_done, slow_done));
    std::printf("the urgent kernel was done %s the large one\n", ms > 0 ? "before" : "after");
    CHECK(cudaFree(x));
}
