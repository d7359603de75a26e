// SPDX-License-Identifier: Apache-2.0
// Threads arrive at a cuda::barrier and go on without waiting.
#include <cstdio>
#include <cuda/barrier>
#include <utility>
__global__ void meet(const int *in, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; /*THERE*/
    auto token = bar.arrive();
#ifdef BUG
    int v = s[63 - threadIdx.x]; /*HERE*/
    bar.wait(std::move(token));
#else
    bar.wait(std::move(token));
    int v = s[63 - threadIdx.x];
#endif
    out[threadIdx.x] = v;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 256); cudaMalloc(&out, 256);
    cudaMemset(in, 0, 256);
    meet<<<1, 64>>>(in, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
