// SPDX-License-Identifier: Apache-2.0
// bug: class=race-global line=/*HERE*/ second=/*THERE*/ kind=two-blocks-one-word what="pairs of blocks store their results to the same element"
#include <cstdio>

__global__ void block_max(const int *in, int *out) {
    __shared__ int m;
    if (threadIdx.x == 0) m = 0;
    __syncthreads();
    atomicMax(&m, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
#ifdef BUG
    if (threadIdx.x == 0) out[blockIdx.x / 2] = m + blockIdx.x; /*HERE*/ /*THERE*/
#else
    if (threadIdx.x == 0) out[blockIdx.x] = m + blockIdx.x;
#endif
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 8 * 64 * sizeof(int));
    cudaMalloc(&out, 8 * sizeof(int));
    cudaMemset(in, 1, 8 * 64 * sizeof(int));
    block_max<<<8, 64>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
