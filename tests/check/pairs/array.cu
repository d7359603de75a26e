// SPDX-License-Identifier: Apache-2.0
// bug: class=leak line=/*HERE*/ kind=array what="a CUDA array outlives the texture made of it and is never freed"
#include <cstdio>
#include <vector>

__global__ void sample(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 3.5f);
}

int main() {
    const int w = 32, h = 16;
    std::vector<float> host(w * h, 1.0f);
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    if (cudaMallocArray(&a, &f, w, h) != cudaSuccess) /*HERE*/
        return 1;
    cudaMemcpy2DToArray(a, 0, 0, host.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    float *out;
    cudaMalloc(&out, w * sizeof(float));
    sample<<<1, w>>>(t, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaDestroyTextureObject(t);
    cudaFree(out);
#ifndef BUG
    cudaFreeArray(a);
#endif
    cudaDeviceReset();
    puts("done");
    return e != cudaSuccess;
}
