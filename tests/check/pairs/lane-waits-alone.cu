// SPDX-License-Identifier: Apache-2.0
// One lane waits for the other block's flag; the lanes beside it read what the flag protects, with and without __syncwarp() behind the wait.
#include <cstdio>

__global__ void pass(int *data, unsigned *flag, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x; /*THERE*/
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(flag, 1u);
        }
        return;
    }
    if (threadIdx.x == 0) {
        for (int i = 0; i < 100000 && atomicAdd(flag, 0u) == 0; i++) __nanosleep(100);
        __threadfence();
    }
#ifndef BUG
    __syncwarp();
#endif
    out[threadIdx.x] = data[31 - threadIdx.x]; /*HERE*/
}

int main() {
    int *p;
    cudaMalloc(&p, 96 * sizeof(int));
    cudaMemset(p, 0, 96 * sizeof(int));
    pass<<<2, 32>>>(p, reinterpret_cast<unsigned *>(p + 64), p + 32);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return e != cudaSuccess;
}
