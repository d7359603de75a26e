// SPDX-License-Identifier: Apache-2.0
// bug: class=memcheck line=/*HERE*/ second=/*THERE*/ kind=global-write-past-end what="the tail guard lets i == n through, which writes one float past the end"
#include <cstdio>

__global__ void ramp(float *y, float f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUG
    if (i <= n)
#else
    if (i < n)
#endif
        y[i] = f * i; /*HERE*/
}

int main() {
    const int n = 1000;
    float *y;
    if (cudaMalloc(&y, n * sizeof(float)) != cudaSuccess) /*THERE*/
        return 2;
    ramp<<<(n + 255) / 256, 256>>>(y, 0.5f, n);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(y);
    puts("done");
    return e != cudaSuccess;
}
