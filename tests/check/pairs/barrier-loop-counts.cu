// SPDX-License-Identifier: Apache-2.0
// Warps go through a barrier in a loop a different number of times.
#include <cstdio>
__global__ void rounds(int *d, const int *len) {
    __shared__ int s[96];
    int w = threadIdx.x / 32;
    s[threadIdx.x] = 0;
#ifdef BUG
    int n = len[w];
#else
    int n = len[0];
#endif
    for (int i = 0; i < n; i++) {
        s[threadIdx.x] += i;
        __syncthreads(); /*HERE*/
    }
    d[threadIdx.x] = s[threadIdx.x];
    __syncthreads(); /*HERE*/
}
int main() {
    int h[3] = {4, 3, 4}, *d, *len;
    cudaMalloc(&d, 96 * 4); cudaMalloc(&len, 12);
    cudaMemcpy(len, h, 12, cudaMemcpyHostToDevice);
    rounds<<<1, 96>>>(d, len);
    cudaDeviceSynchronize();
    cudaFree(d); cudaFree(len);
    puts("done");
    return 0;
}
