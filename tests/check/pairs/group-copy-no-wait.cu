// SPDX-License-Identifier: Apache-2.0
// A group copies a tile with memcpy_async and only synchronises; nobody waits for the copy.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void tile(const int *in, int *out) {
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 128, sizeof s); /*THERE*/
#ifdef BUG
    block.sync();
#else
    cg::wait(block);
#endif
    out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x]; /*HERE*/
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 1024); cudaMalloc(&out, 1024);
    cudaMemset(in, 0, 1024);
    tile<<<2, 128>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
}
