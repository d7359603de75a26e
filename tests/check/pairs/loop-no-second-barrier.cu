// SPDX-License-Identifier: Apache-2.0
// A tile is refilled in the next round while slower threads still read it.
#include <cstdio>
__global__ void dots(const float *a, const float *b, float *out, int rounds) {
    __shared__ float s[64];
    float acc = 0;
    for (int r = 0; r < rounds; r++) {
        s[threadIdx.x] = a[r * 64 + threadIdx.x]; /*THERE*/
        __syncthreads();
        for (int k = 0; k < 64; k++) acc += s[k] * b[r * 64 + k]; /*HERE*/
#ifndef BUG
        __syncthreads();
#endif
    }
    out[threadIdx.x] = acc;
}
int main() {
    float *a, *b, *out;
    cudaMalloc(&a, 1024); cudaMalloc(&b, 1024); cudaMalloc(&out, 256);
    cudaMemset(a, 0, 1024); cudaMemset(b, 0, 1024);
    dots<<<1, 64>>>(a, b, out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(a); cudaFree(b); cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
