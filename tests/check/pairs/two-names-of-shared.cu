// SPDX-License-Identifier: Apache-2.0
// bug: class=race-shared line=/*HERE*/ second=/*THERE*/ kind=two-names-of-shared what="dynamic shared memory is written by one name and read by another, with no barrier between"
#include <cstdio>

extern __shared__ int words[];
extern __shared__ unsigned marks[];

__global__ void turn(int *out) {
    int t = threadIdx.x;
    words[t] = t;                               /*THERE*/
#ifndef BUG
    __syncthreads();
#endif
    out[t] = (int)marks[blockDim.x - 1 - t];    /*HERE*/
}

int main() {
    int *out;
    cudaMalloc(&out, 256 * sizeof(int));
    turn<<<1, 256, 256 * sizeof(int)>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaFree(out);
    puts("done");
    return 0;
}
