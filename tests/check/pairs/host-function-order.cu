// SPDX-License-Identifier: Apache-2.0
// A host function in one stream writes mapped memory that a kernel of another reads.
#include <cstdio>
static void write_it(void *p) { static_cast<int *>(p)[0] = 1; } /*THERE*/
__global__ void read_it(const int *p, int *o) { *o = *p; } /*HERE*/
int main() {
    int *h, *o;
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMallocHost(&h, 64);
    h[0] = 0;
    cudaMalloc(&o, 4);
    cudaLaunchHostFunc(a, write_it, h); /*THERE*/
    cudaEventRecord(e, a);
#ifndef BUG
    cudaStreamWaitEvent(b, e, 0);
#endif
    read_it<<<1, 1, 0, b>>>(h, o); /*HERE*/
    cudaDeviceSynchronize();
    cudaFreeHost(h); cudaFree(o);
    cudaEventDestroy(e);
    cudaStreamDestroy(a); cudaStreamDestroy(b);
    puts("done");
    return 0;
}
