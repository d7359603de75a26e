// SPDX-License-Identifier: Apache-2.0
// bug: class=sync line=/*HERE*/ second=/*THERE*/ kind=barrier-in-branch what="__syncthreads stands in a branch that only 48 of 64 threads take; the others wait at the next barrier"
#include <cstdio>

__global__ void shift(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0;
#ifdef BUG
    if (t < n) {
        s[t] = in[t];
        __syncthreads(); /*HERE*/
    }
#else
    if (t < n) s[t] = in[t];
    __syncthreads();
#endif
    int v = s[(t + 1) % 64];
    __syncthreads(); /*THERE*/
    s[t] = v;
    out[t] = s[t];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 0, 64 * sizeof(int));
    shift<<<1, 64>>>(in, out, 48);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
