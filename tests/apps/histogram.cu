// SPDX-License-Identifier: Apache-2.0
// A histogram: atomics in shared memory for each block, then in global memory.
#include "app.h"
#include <vector>

enum { BINS = 64 };

__global__ void histogram(const uint32_t *data, int n, unsigned *bins)
{
    __shared__ unsigned mine[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i] % BINS], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], mine[i]);
}

int main()
{
    const int n = 300007;
    std::vector<uint32_t> data(n);
    std::vector<unsigned> got(BINS), want(BINS);
    for (int i = 0; i < n; i++) {
        data[i] = app_random((uint32_t)i) >> (i % 20);
        want[data[i] % BINS]++;
    }
    uint32_t *d;
    unsigned *bins;
    CUDA(cudaMalloc(&d, n * sizeof *d));
    CUDA(cudaMalloc(&bins, BINS * sizeof *bins));
    CUDA(cudaMemcpy(d, data.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    for (int block : {32, 100, 256}) {
        CUDA(cudaMemset(bins, 0, BINS * sizeof *bins));
        histogram<<<13, block>>>(d, n, bins);
        CUDA(cudaMemcpy(got.data(), bins, BINS * sizeof *bins, cudaMemcpyDeviceToHost));
        printf("blocks of %d: %s, bins 0 to 7: %u %u %u %u %u %u %u %u\n", block, got == want ? "right" : "wrong", got[0], got[1], got[2],
               got[3], got[4], got[5], got[6], got[7]);
    }
    return got != want;
}
