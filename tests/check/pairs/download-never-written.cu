// SPDX-License-Identifier: Apache-2.0
// The result buffer is downloaded although the kernel writes to another.
#include <cstdio>
__global__ void sq(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x]; }
int main() {
    int h[128] = {}, *a, *b, *c;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMalloc(&c, sizeof h); /*THERE*/
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    sq<<<1, 128>>>(a, b);
#ifdef BUG
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost); /*HERE*/
#else
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
#endif
    cudaFree(a); cudaFree(b); cudaFree(c);
    puts("done");
    return 0;
}
