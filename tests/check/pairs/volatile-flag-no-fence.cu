// SPDX-License-Identifier: Apache-2.0
// A volatile flag is set behind plain data, with no __threadfence between.
#include <cstdio>
__global__ void send(volatile int *flag, int *data, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x; /*THERE*/
        __syncthreads();
#ifndef BUG
        __threadfence();
#endif
        if (threadIdx.x == 0) *flag = 1;
    } else {
        __shared__ int ok;
        if (threadIdx.x == 0) {
            ok = 0;
            for (int i = 0; i < 10000 && !ok; i++) ok = *flag;
            __threadfence();
        }
        __syncthreads();
        if (ok) out[threadIdx.x] = data[31 - threadIdx.x]; /*HERE*/
    }
}
int main() {
    int *p;
    cudaMalloc(&p, 384);
    cudaMemset(p, 0, 384);
    send<<<2, 32>>>(p, p + 32, p + 64);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return e != cudaSuccess;
}
