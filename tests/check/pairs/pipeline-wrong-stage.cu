// SPDX-License-Identifier: Apache-2.0
// Cuda_pipeline waits for one batch too few.
#include <cstdio>
#include <cuda_pipeline.h>
__global__ void run(const int *in, int *out, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, acc = 0;
    __pipeline_memcpy_async(&s[0][t], in + t, 4); /*THERE*/
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n) __pipeline_memcpy_async(&s[(i + 1) & 1][t], in + (i + 1) * 64 + t, 4); /*THERE*/
        __pipeline_commit();
#ifdef BUG
        __pipeline_wait_prior(2);
#else
        __pipeline_wait_prior(1);
#endif
        __syncthreads();
        acc += s[i & 1][63 - t]; /*HERE*/
        __syncthreads();
    }
    out[t] = acc;
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 4 * 256); cudaMalloc(&out, 256);
    cudaMemset(in, 0, 4 * 256);
    run<<<1, 64>>>(in, out, 4);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
