// SPDX-License-Identifier: Apache-2.0
// A program with a mistake: a kernel in one stream reads what a copy in another stream may not have written yet. On a quiet day it works.
#include "check.h"

__global__ void read(const int *x, int *y) { *y = *x; }

int main()
{
    int *host, *x, *y;
    cudaStream_t a, b;
    CHECK(cudaHostAlloc((void **)&host, sizeof(int), cudaHostAllocDefault));
    CHECK(cudaMalloc(&x, sizeof(int)));
    CHECK(cudaMalloc(&y, sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    *host = 42;
    CHECK(cudaMemcpyAsync(x, host, sizeof(int), cudaMemcpyHostToDevice, a));
    read<<<1, 1, 0, b>>>(x, y);                          // nothing makes b wait for a
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFreeHost(host));
}
