// SPDX-License-Identifier: Apache-2.0
// A reduction reads shared slots that the last, smaller tile left alone.
#include <cstdio>
__global__ void sum(const float *in, float *out, int n) {
    __shared__ float s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
#ifdef BUG
    if (i < n) s[threadIdx.x] = in[i];
#else
    s[threadIdx.x] = i < n ? in[i] : 0;
#endif
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; /*HERE*/
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
int main() {
    const int n = 200;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, 2 * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    sum<<<2, 128>>>(in, out, n);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
