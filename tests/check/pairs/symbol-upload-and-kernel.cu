// SPDX-License-Identifier: Apache-2.0
// A __constant__ table is uploaded in one stream while a kernel of another reads it.
#include <cstdio>
__constant__ int table[64];
__global__ void look(int *o) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    o[threadIdx.x] = table[63 - threadIdx.x]; /*THERE*/
}
int main() {
    int *h, *o;
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaMallocHost(&h, 256);
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&o, 256);
    look<<<1, 64, 0, a>>>(o); /*THERE*/
#ifndef BUG
    cudaStreamSynchronize(a);
#endif
    cudaMemcpyToSymbolAsync(table, h, 256, 0, cudaMemcpyHostToDevice, b); /*HERE*/
    cudaDeviceSynchronize();
    cudaFreeHost(h); cudaFree(o);
    cudaStreamDestroy(a); cudaStreamDestroy(b);
    puts("done");
    return 0;
}
