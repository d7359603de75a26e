// SPDX-License-Identifier: Apache-2.0
// Two 2-D copies in two streams share a column of the destination.
#include <cstdio>
__global__ void slow(char *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 5000000) continue;
    p[threadIdx.x] = 1;
}
int main() {
    const size_t w = 64, h = 16;
    char *src, *dst, *q;
    size_t pitch;
    cudaStream_t a, b;
    cudaStreamCreate(&a); cudaStreamCreate(&b);
    cudaMalloc(&src, w * h); cudaMalloc(&q, 64);
    cudaMallocPitch(&dst, &pitch, w, h);
    cudaMemset(src, 0, w * h);
    cudaDeviceSynchronize();
    slow<<<1, 32, 0, a>>>(q);
    cudaMemcpy2DAsync(dst, pitch, src, w, w / 2, h, cudaMemcpyDeviceToDevice, a); /*THERE*/
#ifdef BUG
    cudaMemcpy2DAsync(dst + w / 2 - 1, pitch, src, w, w / 2, h, cudaMemcpyDeviceToDevice, b); /*HERE*/
#else
    cudaMemcpy2DAsync(dst + w / 2, pitch, src, w, w / 2, h, cudaMemcpyDeviceToDevice, b);
#endif
    cudaDeviceSynchronize();
    cudaFree(src); cudaFree(dst); cudaFree(q);
    cudaStreamDestroy(a); cudaStreamDestroy(b);
    puts("done");
    return 0;
}
