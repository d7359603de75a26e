// SPDX-License-Identifier: Apache-2.0
// The kernel that fills the array through a surface is not launched before the one that samples it.
#include <cstdio>
__global__ void fill(cudaSurfaceObject_t s) { surf2Dwrite((float)threadIdx.x, s, threadIdx.x % 8 * 4, threadIdx.x / 8); }
__global__ void sample(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f); }
int main() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    float *out;
    cudaMallocArray(&a, &f, 8, 8, cudaArraySurfaceLoadStore); /*THERE*/
    cudaMalloc(&out, 256);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    cudaCreateSurfaceObject(&s, &r);
#ifndef BUG
    fill<<<1, 64>>>(s);
#endif
    sample<<<1, 64>>>(t, out); /*HERE*/
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(t);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(a);
    cudaFree(out);
    puts("done");
}
