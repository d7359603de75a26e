// SPDX-License-Identifier: Apache-2.0
// A counter of the grid is raised through an atomic_ref of block scope.
#include <cstdio>
#include <cuda/atomic>
#ifdef BUG
constexpr auto scope = cuda::thread_scope_block;
#else
constexpr auto scope = cuda::thread_scope_device;
#endif
__global__ void count(int *n) {
    cuda::atomic_ref<int, scope> c(*n);
    c.fetch_add(1, cuda::memory_order_relaxed); /*HERE*/ /*THERE*/
}
int main() {
    int *n;
    cudaMalloc(&n, 4);
    cudaMemset(n, 0, 4);
    count<<<4, 64>>>(n);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(n);
    puts("done");
    return e != cudaSuccess;
}
