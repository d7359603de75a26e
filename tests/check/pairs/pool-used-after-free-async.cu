// SPDX-License-Identifier: Apache-2.0
// A kernel is queued behind the cudaFreeAsync of its buffer in the same stream.
#include <cstdio>
__global__ void inc(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += 1; /*HERE*/
}
int main() {
    const int n = 4096;
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *p;
    cudaMallocAsync(&p, n * sizeof(int), s);
    cudaMemsetAsync(p, 0, n * sizeof(int), s);
    inc<<<n / 256, 256, 0, s>>>(p, n);
#ifdef BUG
    cudaFreeAsync(p, s); /*THERE*/
    inc<<<n / 256, 256, 0, s>>>(p, n); /*HERE*/
#else
    inc<<<n / 256, 256, 0, s>>>(p, n);
    cudaFreeAsync(p, s);
#endif
    cudaError_t e = cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    puts("done");
    return e != cudaSuccess;
}
