// SPDX-License-Identifier: Apache-2.0
// A stream waits for an event that is recorded only afterwards.
#include <cstdio>
__global__ void put(int *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 10000000) continue;
    p[threadIdx.x] = 1; /*THERE*/
}
int main() {
    int *p, *q;
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreate(&a); cudaStreamCreate(&b);
    cudaEventCreate(&e);
    cudaMalloc(&p, 256); cudaMalloc(&q, 256);
#ifdef BUG
    cudaStreamWaitEvent(b, e, 0);
    put<<<1, 64, 0, a>>>(p); /*THERE*/
    cudaEventRecord(e, a);
#else
    put<<<1, 64, 0, a>>>(p);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
#endif
    cudaMemcpyAsync(q, p, 256, cudaMemcpyDeviceToDevice, b); /*HERE*/
    cudaDeviceSynchronize();
    cudaFree(p); cudaFree(q);
    cudaEventDestroy(e);
    cudaStreamDestroy(a); cudaStreamDestroy(b);
    puts("done");
    return 0;
}
