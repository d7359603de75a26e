// SPDX-License-Identifier: Apache-2.0
// Every thread of a block has a fence behind its store, then a barrier, then one thread takes the ticket. With the bug only the one with the ticket has a fence.
#include <cstdio>

__global__ void total(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[i] = i; /*THERE*/
#ifdef BUG
    if (threadIdx.x == 0)
#endif
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        if (last) __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += part[b * blockDim.x + threadIdx.x]; /*HERE*/
        out[threadIdx.x] = sum;
    }
}

int main() {
    int *p;
    cudaMalloc(&p, 1024 * sizeof(int));
    cudaMemset(p, 0, 1024 * sizeof(int));
    total<<<4, 64>>>(p, reinterpret_cast<unsigned *>(p + 512), p + 600);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return e != cudaSuccess;
}
