// SPDX-License-Identifier: Apache-2.0
// Events: a mark in one stream that another stream waits for, and that measures time.
#include "check.h"

__global__ void put(int *x, int value) { *x = value; }
__global__ void add(int *x, int value) { *x += value; }

int main()
{
    int *x, result;
    cudaStream_t first, second;
    cudaEvent_t written, done;
    float ms;
    CHECK(cudaMalloc(&x, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&written));
    CHECK(cudaEventCreate(&done));
    put<<<1, 1, 0, first>>>(x, 40);
    CHECK(cudaEventRecord(written, first));
    CHECK(cudaStreamWaitEvent(second, written, 0));      // without this line the order is anybody's guess
    add<<<1, 1, 0, second>>>(x, 2);
    CHECK(cudaEventRecord(done, second));
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaEventElapsedTime(&ms, written, done));
    CHECK(cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("%d, %s\n", result, ms >= 0 ? "measured" : "?");
    CHECK(cudaEventDestroy(written));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(x));
}
