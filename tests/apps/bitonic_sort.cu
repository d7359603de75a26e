// SPDX-License-Identifier: Apache-2.0
// A bitonic sort: large steps one launch each, small ones together in shared memory.
#include "app.h"
#include <algorithm>
#include <vector>

enum { TILE = 512 };

__device__ void order(uint32_t &a, uint32_t &b, bool up)
{
    if ((a > b) == up) {
        uint32_t t = a;
        a = b;
        b = t;
    }
}

__global__ void step(uint32_t *v, unsigned distance, unsigned size)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (distance - 1));
    order(v[i], v[i + distance], (i & size) == 0);
}

__global__ void small_steps(uint32_t *v, unsigned from, unsigned size)
{
    __shared__ uint32_t s[TILE];
    unsigned base = blockIdx.x * TILE, t = threadIdx.x;
    s[t] = v[base + t];
    s[t + TILE / 2] = v[base + t + TILE / 2];
    for (unsigned distance = from; distance > 0; distance /= 2) {
        __syncthreads();
        unsigned i = 2 * t - (t & (distance - 1));
        order(s[i], s[i + distance], ((base + i) & size) == 0);
    }
    __syncthreads();
    v[base + t] = s[t];
    v[base + t + TILE / 2] = s[t + TILE / 2];
}

int main()
{
    const unsigned n = 1 << 16;
    std::vector<uint32_t> v(n), sorted;
    for (unsigned i = 0; i < n; i++)
        v[i] = app_random(i) % 100000;
    sorted = v;
    std::sort(sorted.begin(), sorted.end());
    uint32_t *d;
    CUDA(cudaMalloc(&d, n * 4));
    CUDA(cudaMemcpy(d, v.data(), n * 4, cudaMemcpyHostToDevice));
    for (unsigned size = 2; size <= n; size *= 2) {
        unsigned distance = size / 2;
        for (; distance > TILE / 2; distance /= 2)
            step<<<n / 2 / 256, 256>>>(d, distance, size);
        small_steps<<<n / TILE, TILE / 2>>>(d, distance, size);
    }
    CUDA(cudaMemcpy(v.data(), d, n * 4, cudaMemcpyDeviceToHost));
    printf("%u numbers: %s; smallest %u, median %u, largest %u, hash %016llx\n", n, v == sorted ? "sorted" : "not sorted", v[0], v[n / 2],
           v[n - 1], (unsigned long long)app_hash(v.data(), n * 4));
    return v != sorted;
}
