// SPDX-License-Identifier: Apache-2.0
// bug: class=hazard-stream line=/*HERE*/ second=/*THERE*/ kind=overlapping-parts what="two streams work on parts of one buffer that overlap by an element; the twin's parts touch but do not overlap"
#include <cstdio>

__global__ void fill(double *p, int n, double v) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v; /*HERE*/ /*THERE*/
}

int main() {
    const int n = 2001, mid = 1000;
    double *p;
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMalloc(&p, n * sizeof(double));
#ifdef BUG
    const int first = mid + 1;
#else
    const int first = mid;
#endif
    fill<<<1, 64, 0, a>>>(p, first, 1.0);         /*THERE*/
    fill<<<1, 64, 0, b>>>(p + mid, n - mid, 2.0); /*HERE*/
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(p);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    puts("done");
    return e != cudaSuccess;
}
