// SPDX-License-Identifier: Apache-2.0
// bug: class=race-shared line=/*HERE*/ second=/*THERE*/ kind=counter-reset what="thread 0 clears a shared counter, and other warps count before it has"
#include <cstdio>
__global__ void compact(const int *in, int *out, int *total) {
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) count = 0; /*THERE*/
#ifndef BUG
    __syncthreads();
#endif
    if (in[t] >= 0) out[atomicAdd(&count, 1)] = in[t]; /*HERE*/
    __syncthreads();
    if (t == 0) *total = count;
}
int main() {
    int *in, *out, *total;
    cudaMalloc(&in, 128 * sizeof(int));
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(in, 0, 128 * sizeof(int));
    compact<<<1, 128>>>(in, out, total);
    cudaError_t err = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    cudaFree(total);
    puts("done");
    return err != cudaSuccess;
}
