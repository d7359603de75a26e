// SPDX-License-Identifier: Apache-2.0
// An index into a __constant__ table is one too large.
#include <cstdio>
__constant__ float weights[9];
__constant__ float other[9];
__global__ void blur(float *out, int taps) {
    float s = 0;
    for (int i = 0; i < taps; i++) s += weights[i]; /*HERE*/
    out[threadIdx.x] = s + other[threadIdx.x % 9];
}
int main() {
    float h[9] = {1, 2, 3, 4, 5, 4, 3, 2, 1}, *out;
    cudaMemcpyToSymbol(weights, h, sizeof h);
    cudaMemcpyToSymbol(other, h, sizeof h);
    cudaMalloc(&out, 64 * sizeof(float));
#ifdef BUG
    blur<<<1, 64>>>(out, 10);
#else
    blur<<<1, 64>>>(out, 9);
#endif
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
