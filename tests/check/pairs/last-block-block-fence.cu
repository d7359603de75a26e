// SPDX-License-Identifier: Apache-2.0
// bug: class=race-global line=/*HERE*/ second=/*THERE*/ kind=last-block-block-fence what="the last block adds up partial sums that were published with __threadfence_block, which orders nothing for other blocks"
#include <cstdio>

__global__ void total(const float *in, float *part, unsigned *ticket, float *out) {
    __shared__ float s;
    __shared__ bool last;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s; /*THERE*/
#ifdef BUG
        __threadfence_block();
#else
        __threadfence();
#endif
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += part[b]; /*HERE*/
        *out = sum;
    }
}

int main() {
    const int blocks = 16, block = 64;
    float *in, *part, *out;
    unsigned *ticket;
    cudaMalloc(&in, blocks * block * sizeof(float));
    cudaMalloc(&part, blocks * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMalloc(&ticket, sizeof(unsigned));
    cudaMemset(in, 0, blocks * block * sizeof(float));
    cudaMemset(ticket, 0, sizeof(unsigned));
    total<<<blocks, block>>>(in, part, ticket, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(part);
    cudaFree(out);
    cudaFree(ticket);
    puts("done");
    return e != cudaSuccess;
}
