// SPDX-License-Identifier: Apache-2.0
// bug: class=memcheck line=/*HERE*/ second=/*THERE*/ kind=use-after-free what="a buffer is freed, and a later kernel still reads it"
#include <cstdio>

__global__ void fill(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i;
}

__global__ void total(const int *p, int *sum, int n) {
    int s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += p[i]; /*HERE*/
    atomicAdd(sum, s);
}

int main() {
    const int n = 1 << 20;
    int *p, *sum;
    cudaMalloc(&p, n * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    fill<<<1, 256>>>(p, n);
#ifdef BUG
    cudaFree(p); /*THERE*/
    total<<<1, 256>>>(p, sum, n);
    cudaError_t e = cudaDeviceSynchronize();
#else
    total<<<1, 256>>>(p, sum, n);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(p);
#endif
    cudaFree(sum);
    puts("done");
    return e != cudaSuccess;
}
