// SPDX-License-Identifier: Apache-2.0
// Addresses of shared memory have 32 bits: indices made of complements and differences without a sign wrap around, for one thread and for all, in loads,
// stores, atomics and vectors.
#include <cstdio>

__global__ void look_back(unsigned *out, unsigned back, unsigned n)
{
    __shared__ unsigned word[128];
    __shared__ uint2 pair[64];
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 128; i += 32)
        word[i] = i;
    for (unsigned i = t; i < 64; i += 32)
        pair[i] = make_uint2(2 * i, 2 * i + 1);
    __syncthreads();
    unsigned *end = word + 40;
    uint2 *pairs = pair + 40;
    out[t] = end[~t];                                   // all lanes, falling
    out[t + 32] = end[0u - back];                       // one place
    out[t + 64] = end[t - back];                        // rising, from a negative start
    out[t + 96] = end[t * 3 % 7 - back];                // scattered
    uint2 v = pairs[~t], w = pairs[t * 5 % 11 - back];
    out[t + 128] = v.x + 1000 * v.y;
    out[t + 160] = w.x + 1000 * w.y;
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)                    // a loop's variable
        sum = sum * 3 + end[i - back];
    out[t + 192] = sum;
    __syncthreads();
    end[~t] = t + 500;
    __syncthreads();
    atomicAdd(&end[t / 8 - back], 1);
    __syncthreads();
    out[t + 224] = word[39 - t] + 10000 * word[40 - back + t / 8];
}

int main()
{
    unsigned *out, host[256] = {0};
    cudaMalloc(&out, sizeof host);
    look_back<<<1, 32>>>(out, 17, 9);
    cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++)
        printf("%u%c", host[i], i % 32 == 31 ? '\n' : ' ');
    puts(cudaGetErrorString(e));
}
