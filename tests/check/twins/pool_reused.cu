// SPDX-License-Identifier: Apache-2.0
// Memory of a pool that is freed and given out again while a kernel that was queued before uses it: all in the order of one stream.
#include <cstdio>

__global__ void put(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i;
}

__global__ void add(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] += 1;
}

int main() {
    const int n = 1 << 14;
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *p, *q;
    cudaMallocAsync(&p, n * sizeof(int), s);
    put<<<1, 256, 0, s>>>(p, n);
    cudaFreeAsync(p, s);
    cudaMallocAsync(&q, n * sizeof(int), s);
    cudaMemsetAsync(q, 0, n * sizeof(int), s);
    add<<<1, 256, 0, s>>>(q, n);
    cudaFreeAsync(q, s);
    cudaError_t e = cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    puts("done");
    return e != cudaSuccess;
}
