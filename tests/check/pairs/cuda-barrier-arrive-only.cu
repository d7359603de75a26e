// SPDX-License-Identifier: Apache-2.0
// Producers arrive at a cuda::barrier, and the consumers do not wait for it.
#include <cstdio>
#include <cuda/barrier>
__global__ void hand(const int *in, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t == 0) init(&ready, 64);
    __syncthreads();
    if (t < 32) {
        s[t] = in[t]; /*THERE*/
        (void)ready.arrive();
    } else {
#ifdef BUG
        (void)ready.arrive();
#else
        ready.arrive_and_wait();
#endif
        out[t - 32] = s[63 - t]; /*HERE*/
    }
}
int main() {
    int *in, *out;
    cudaMalloc(&in, 128); cudaMalloc(&out, 128);
    cudaMemset(in, 0, 128);
    hand<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in); cudaFree(out);
    puts("done");
}
