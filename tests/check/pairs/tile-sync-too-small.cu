// SPDX-License-Identifier: Apache-2.0
// A cooperative group of 16 threads synchronises, but data crosses between the groups.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
#ifdef BUG
constexpr int width = 16;
#else
constexpr int width = 32;
#endif
__global__ void mirror(const int *in, int *out) {
    __shared__ int s[32];
    auto tile = cg::tiled_partition<width>(cg::this_thread_block());
    s[threadIdx.x] = in[threadIdx.x]; /*THERE*/
    tile.sync();
    out[threadIdx.x] = s[31 - threadIdx.x]; /*HERE*/
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 128); cudaMalloc(&out, 128);
    cudaMemset(in, 0, 128);
    mirror<<<1, 32>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
