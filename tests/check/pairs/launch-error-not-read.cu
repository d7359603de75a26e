// SPDX-License-Identifier: Apache-2.0
// bug: class=api line=/*HERE*/ kind=launch-error-not-read what="a block of 2048 threads cannot be launched; the kernel never runs and nobody asks"
#include <cstdio>

__global__ void fill(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i;
}

int main() {
    const int n = 2048;
    int *p;
    cudaMalloc(&p, n * sizeof(int));
#ifdef BUG
    fill<<<1, n>>>(p, n); /*HERE*/
#else
    fill<<<1, n / 2>>>(p, n);
    if (cudaGetLastError() != cudaSuccess) return 1;
#endif
    cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return 0;
}
