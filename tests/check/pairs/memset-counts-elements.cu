// SPDX-License-Identifier: Apache-2.0
// CudaMemset is given the number of elements, so three quarters stay unwritten.
#include <cstdio>
__global__ void count(int *hist, const unsigned char *v) {
    atomicAdd(&hist[v[threadIdx.x]], 1); /*HERE*/
}
int main() {
    int *hist;
    unsigned char *v, h[256];
    for (int i = 0; i < 256; i++) h[i] = i;
    cudaMalloc(&hist, 256 * sizeof(int)); /*THERE*/
    cudaMalloc(&v, 256);
    cudaMemcpy(v, h, 256, cudaMemcpyHostToDevice);
#ifdef BUG
    cudaMemset(hist, 0, 256);
#else
    cudaMemset(hist, 0, 256 * sizeof(int));
#endif
    count<<<1, 256>>>(hist, v);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(hist); cudaFree(v);
    puts("done");
    return e != cudaSuccess;
}
