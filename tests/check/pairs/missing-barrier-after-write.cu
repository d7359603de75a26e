// SPDX-License-Identifier: Apache-2.0
// bug: class=race-shared line=/*HERE*/ second=/*THERE*/ kind=missing-barrier-after-write what="threads read the mirrored element of a shared array without a barrier after the writes"
#include <cstdio>

__global__ void reverse(int *d) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[t]; /*THERE*/
#ifndef BUG
    __syncthreads();
#endif
    d[t] = s[255 - t]; /*HERE*/
}

int main() {
    int *d;
    cudaMalloc(&d, 256 * sizeof(int));
    cudaMemset(d, 0, 256 * sizeof(int));
    reverse<<<1, 256>>>(d);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d);
    puts("done");
    return e != cudaSuccess;
}
