// SPDX-License-Identifier: Apache-2.0
// A texture is sampled whose array nobody has filled.
#include <cstdio>
__global__ void sample(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f); }
int main() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    float h[64] = {1, 2, 3}, *out;
    cudaMallocArray(&a, &f, 8, 8); /*THERE*/
    cudaMalloc(&out, 256);
#ifndef BUG
    cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 8, cudaMemcpyHostToDevice);
#endif
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    sample<<<1, 64>>>(t, out); /*HERE*/
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(t);
    cudaFreeArray(a);
    cudaFree(out);
    puts(h[0] > 3 ? "more" : "done");
}
