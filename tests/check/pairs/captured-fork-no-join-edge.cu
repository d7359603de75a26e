// SPDX-License-Identifier: Apache-2.0
// In a captured graph the second branch does not wait for the memset of the first.
#include <cstdio>
__global__ void count(int *c) { atomicAdd(c, 1); } /*HERE*/
__global__ void slow(int *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    p[threadIdx.x] = 1;
}
int main() {
    int *c, *q;
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamCreate(&a); cudaStreamCreate(&b);
    cudaEventCreate(&fork); cudaEventCreate(&join);
    cudaMalloc(&c, 4); cudaMalloc(&q, 256);
    cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
    slow<<<1, 64, 0, a>>>(q);
#ifdef BUG
    cudaEventRecord(fork, a);
    cudaMemsetAsync(c, 0, 4, a); /*THERE*/
#else
    cudaMemsetAsync(c, 0, 4, a);
    cudaEventRecord(fork, a);
#endif
    cudaStreamWaitEvent(b, fork, 0);
    count<<<2, 32, 0, b>>>(c); /*HERE*/
    cudaEventRecord(join, b);
    cudaStreamWaitEvent(a, join, 0);
    cudaStreamEndCapture(a, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, a);
    cudaStreamSynchronize(a);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaFree(c); cudaFree(q);
    cudaEventDestroy(fork); cudaEventDestroy(join);
    cudaStreamDestroy(a); cudaStreamDestroy(b);
    puts("done");
    return 0;
}
