// SPDX-License-Identifier: Apache-2.0
// A named barrier is given a count that is no multiple of the warp size.
#include <cstdio>
#ifdef BUG
#define COUNT 48
#else
#define COUNT 64
#endif
__global__ void half(int *d) {
    if (threadIdx.x < 64) {
        d[threadIdx.x] = 1;
        asm volatile("bar.sync 2, %0;" ::"r"(COUNT) : "memory"); /*HERE*/
        d[64 + threadIdx.x] = d[63 - threadIdx.x];
    }
}
int main() {
    int *d;
    cudaMalloc(&d, 512);
    half<<<1, 128>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
    puts("done");
    return 0;
}
