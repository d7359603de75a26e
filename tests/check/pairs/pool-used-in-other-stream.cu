// SPDX-License-Identifier: Apache-2.0
// Memory of cudaMallocAsync is used in another stream with no event between.
#include <cstdio>
__global__ void put(int *p) { p[threadIdx.x] = 1; } /*HERE*/
__global__ void slow(int *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 10000000) continue;
    p[threadIdx.x] = 1;
}
int main() {
    int *p, *q;
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMalloc(&q, 256);
    slow<<<1, 64, 0, a>>>(q);
    cudaMallocAsync(&p, 256, a); /*THERE*/
#ifndef BUG
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
#endif
    put<<<1, 64, 0, b>>>(p); /*HERE*/
    cudaEventRecord(e, b);
    cudaStreamWaitEvent(a, e, 0);
    cudaFreeAsync(p, a);
    cudaDeviceSynchronize();
    cudaFree(q);
    cudaEventDestroy(e);
    cudaStreamDestroy(a); cudaStreamDestroy(b);
    puts("done");
    return 0;
}
