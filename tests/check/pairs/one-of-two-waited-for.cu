// SPDX-License-Identifier: Apache-2.0
// The host waits for one of two kernels that touch the same words, and runs others, before the second has come to them.
#include <cstdio>
__global__ void quick(int *p) { p[threadIdx.x] = 1; } /*HERE*/
__global__ void other(int *q) { q[threadIdx.x]++; }
__global__ void slow(int *p)
{
    long long t0 = clock64();
    while (clock64() - t0 < 100000000) continue;
    p[threadIdx.x + 60] = 2; /*THERE*/
}
int main()
{
    int *p, *q;
    cudaStream_t a, b, c;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMalloc(&p, 512);
    cudaMalloc(&q, 256);
    cudaMemset(p, 0, 512);
    cudaMemset(q, 0, 256);
    cudaDeviceSynchronize();
    quick<<<1, 64, 0, a>>>(p);
#ifndef BUG
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
#endif
    slow<<<1, 64, 0, b>>>(p);
    cudaStreamSynchronize(a);
    for (int k = 0; k < 4; k++) {
        other<<<1, 64, 0, c>>>(q);
        cudaStreamSynchronize(c);
    }
    cudaDeviceSynchronize();
    cudaFree(p);
    cudaFree(q);
    cudaEventDestroy(e);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaStreamDestroy(c);
    puts("done");
    return 0;
}
