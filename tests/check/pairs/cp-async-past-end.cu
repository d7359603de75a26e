// SPDX-License-Identifier: Apache-2.0
// An asynchronous copy to shared memory reads past the end of its source.
#include <cstdio>
#include <cuda_pipeline.h>
__global__ void tile(const float4 *in, float4 *out, int n) {
    __shared__ float4 s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef BUG
    __pipeline_memcpy_async(&s[threadIdx.x], &in[i], 16); /*HERE*/
#else
    if (i < n) __pipeline_memcpy_async(&s[threadIdx.x], &in[i], 16);
#endif
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i < n) out[i] = s[threadIdx.x];
}
int main() {
    const int n = 100;
    float4 *in, *out;
    cudaMalloc(&in, n * sizeof(float4)); /*THERE*/
    cudaMalloc(&out, n * sizeof(float4));
    cudaMemset(in, 0, n * sizeof(float4));
    tile<<<2, 64>>>(in, out, n);
    cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
    return 0;
}
