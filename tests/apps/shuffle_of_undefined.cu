// SPDX-License-Identifier: Apache-2.0
// Only the first lane sets what a shuffle takes from it; the others hand over nothing in particular, and that must not count.
#include <cstdio>

struct Warp {
    __device__ __noinline__ int first(int v) const { return __shfl_sync(~0u, v, 0); }
};

__global__ void from_first(const int *in, int *out)
{
    int base;
    if (threadIdx.x == 0)
        base = in[0];
    base = Warp().first(base);
    out[threadIdx.x] = base + (int)threadIdx.x;
}

int main()
{
    int *p, h[32];
    cudaMalloc(&p, 33 * sizeof *p);
    h[0] = 7;
    cudaMemcpy(p, h, sizeof *p, cudaMemcpyHostToDevice);
    from_first<<<1, 32>>>(p, p + 1);
    cudaMemcpy(h, p + 1, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d\n", h[0], h[1], h[31]);
    return cudaGetLastError() != cudaSuccess;
}
