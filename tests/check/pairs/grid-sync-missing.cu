// SPDX-License-Identifier: Apache-2.0
// A cooperative kernel forgets the grid barrier of its second phase.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void phases(int *a, int *b, int n) {
    cg::grid_group g = cg::this_grid();
    int i = g.thread_rank();
    a[i] = i; /*THERE*/
#ifdef BUG
    cg::this_thread_block().sync();
#else
    g.sync();
#endif
    b[i] = a[(i + n / 2) % n]; /*HERE*/
}
int main() {
    int n = 256, *a, *b;
    cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
    void *args[] = {&a, &b, &n};
    cudaLaunchCooperativeKernel((void *)phases, dim3(4), dim3(64), args, 0, 0);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(a); cudaFree(b);
    puts("done");
    return e != cudaSuccess;
}
