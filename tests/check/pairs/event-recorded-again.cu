// SPDX-License-Identifier: Apache-2.0
// The host waits for an event that is recorded before the second kernel, and reads on into what that one writes: the same page.
#include <cstdio>
__global__ void slow(int *p, int n) { int i = threadIdx.x; float v = i; for (int k = 0; k < n; k++) v = v * 0.999f + 1; p[i] = (int)v; }
int main() {
    int *m, sum = 0;
    cudaEvent_t e;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
    cudaHostAlloc(&m, 2048, cudaHostAllocMapped);
    slow<<<1, 256, 0, s>>>(m, 100);
    cudaEventRecord(e, s);
    slow<<<1, 256, 0, s>>>(m + 256, 100000); /*THERE*/
#ifndef BUG
    cudaEventRecord(e, s);
#endif
    cudaEventSynchronize(e);
    for (int i = 0; i < 512; i++) sum += m[i]; /*HERE*/
    cudaDeviceSynchronize();
    cudaFreeHost(m);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    puts(sum < 0 ? "less" : "done");
}
