// SPDX-License-Identifier: Apache-2.0
// A stream callback prints a buffer that another stream still fills.
#include <cstdio>
static volatile int sink;
__global__ void slow(int *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 20000000) continue;
    p[threadIdx.x] = 1;
}
static void CUDART_CB show(cudaStream_t, cudaError_t, void *p) { sink = static_cast<int *>(p)[3]; } /*HERE*/
int main() {
    int *h, *d;
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreate(&a); cudaStreamCreate(&b);
    cudaEventCreate(&e);
    cudaMallocHost(&h, 256);
    cudaMalloc(&d, 256);
    slow<<<1, 64, 0, a>>>(d);
    cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, a); /*THERE*/
#ifdef BUG
    cudaEventRecord(e, b);
#else
    cudaEventRecord(e, a);
#endif
    cudaStreamWaitEvent(b, e, 0);
    cudaStreamAddCallback(b, show, h, 0);
    cudaDeviceSynchronize();
    cudaFreeHost(h); cudaFree(d);
    cudaEventDestroy(e);
    cudaStreamDestroy(a); cudaStreamDestroy(b);
    puts("done");
    return 0;
}
