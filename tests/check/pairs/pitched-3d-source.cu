// SPDX-License-Identifier: Apache-2.0
// The host writes a slice of a page-locked volume that a 3-D copy still reads.
#include <cstdio>
__global__ void slow(char *p) {
    long long t0 = clock64();
    while (clock64() - t0 < 10000000) continue;
    p[threadIdx.x] = 1;
}
int main() {
    const size_t w = 64, h = 16, d = 8;
    unsigned char *host;
    char *dev;
    cudaPitchedPtr p;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&host, w * h * d);
    cudaMalloc(&dev, 64);
    cudaMalloc3D(&p, make_cudaExtent(w / 2, h / 2, d / 2));
    for (size_t i = 0; i < w * h * d; i++) host[i] = i;
    slow<<<1, 32, 0, s>>>(dev);
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(host, w, w, h);
    c.dstPtr = p;
    c.extent = make_cudaExtent(w / 2, h / 2, d / 2);
    c.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3DAsync(&c, s); /*THERE*/
#ifdef BUG
    host[(1 * h + 2) * w + w / 2 - 1] = 0; /*HERE*/
#else
    host[(1 * h + 2) * w + w / 2] = 0;
#endif
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    cudaFreeHost(host); cudaFree(dev); cudaFree(p.ptr);
    puts("done");
    return 0;
}
