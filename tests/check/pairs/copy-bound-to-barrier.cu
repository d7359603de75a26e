// SPDX-License-Identifier: Apache-2.0
// A copy is bound to a cuda::barrier, and the tile is read before anybody has waited at it.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__global__ void tile(const int *in, int *out) {
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&bar, 64);
    block.sync();
    cuda::memcpy_async(block, s, in, sizeof s, bar); /*THERE*/
#ifdef BUG
    block.sync();
#else
    bar.arrive_and_wait();
#endif
    out[threadIdx.x] = s[63 - threadIdx.x]; /*HERE*/
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 256); cudaMalloc(&out, 256);
    cudaMemset(in, 0, 256);
    tile<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
}
