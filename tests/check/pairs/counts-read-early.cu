// SPDX-License-Identifier: Apache-2.0
/* Threads count in shared memory by atomics, which are no race with each other; the counts are read with no barrier between. */
#include <cuda_runtime.h>

__global__ void count(const unsigned *in, unsigned *out)
{
    __shared__ unsigned counts[64];
    unsigned t = threadIdx.x;
    if (t < 64)
        counts[t] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 16; k++)
        atomicAdd(&counts[in[t * 16 + k] % 64], 1u);     /*THERE*/
#ifndef BUG
    __syncthreads();
#endif
    if (t < 64)
        atomicAdd(&out[t], counts[t]);                   /*HERE*/
}

int main()
{
    unsigned *in, *out, values[256 * 16];
    for (unsigned k = 0; k < 256 * 16; k++)
        values[k] = k * 2654435761u >> 7;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, 64 * sizeof *out);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 64 * sizeof *out);
    count<<<4, 256>>>(in, out);
    return cudaDeviceSynchronize();
}
