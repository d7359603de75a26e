// SPDX-License-Identifier: Apache-2.0
// Page-locked memory: the same copy from ordinary and from page-locked memory, timed with events.
#include "check.h"

static float milliseconds(void *device, const void *host, size_t bytes)
{
    cudaEvent_t start, stop;
    float ms;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < 20; i++)
        CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms / 20;
}

int main()
{
    const size_t bytes = 4 << 20;
    void *device, *locked, *pageable = std::calloc(1, bytes);
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaHostAlloc(&locked, bytes, cudaHostAllocDefault));
    std::printf("pageable     %.3f ms\n", milliseconds(device, pageable, bytes));
    std::printf("page-locked  %.3f ms\n", milliseconds(device, locked, bytes));
    CHECK(cudaHostRegister(pageable, bytes, cudaHostRegisterDefault));      // ordinary memory can be locked later
    std::printf("registered   %.3f ms\n", milliseconds(device, pageable, bytes));
    CHECK(cudaHostUnregister(pageable));
    CHECK(cudaFreeHost(locked));
    CHECK(cudaFree(device));
    std::free(pageable);
}
