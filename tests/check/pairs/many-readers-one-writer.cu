// SPDX-License-Identifier: Apache-2.0
// All blocks read a word, and one of them writes it: without the bug behind the meeting of the grid.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void step(int *p, int *out) {
    int v = p[threadIdx.x % 2]; /*THERE*/
#ifndef BUG
    cg::this_grid().sync();
#endif
    if (blockIdx.x == 0 && threadIdx.x == 0) p[0] = v + 1; /*HERE*/
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main() {
    int *p, *out;
    cudaMalloc(&p, 2 * sizeof(int));
    cudaMalloc(&out, 2 * 64 * sizeof(int));
    cudaMemset(p, 0, 2 * sizeof(int));
    void *args[] = { &p, &out };
    cudaError_t e = cudaLaunchCooperativeKernel(reinterpret_cast<void *>(step), dim3(2), dim3(64), args, 0, nullptr);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    cudaFree(p);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
