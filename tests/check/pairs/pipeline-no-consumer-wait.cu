// SPDX-License-Identifier: Apache-2.0
// A thread's own pipeline is committed, but the stage is read without consumer_wait.
#include <cstdio>
#include <cuda/pipeline>
__global__ void twice(const int4 *in, int4 *out, int n) {
    __shared__ int4 s[2][64];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][t], &in[t], sizeof(int4), pipe); /*THERE*/
    pipe.producer_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 64 + t], sizeof(int4), pipe); /*THERE*/
            pipe.producer_commit();
        }
#ifndef BUG
        pipe.consumer_wait();
#endif
        out[i * 64 + t] = s[i & 1][t]; /*HERE*/
        pipe.consumer_release();
    }
}
int main() {
    int4 *in, *out;
    cudaMalloc(&in, 4096); cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    twice<<<1, 64>>>(in, out, 4);
    cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
}
