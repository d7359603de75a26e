// SPDX-License-Identifier: Apache-2.0
// bug: class=race-shared line=/*HERE*/ kind=nibbles-of-a-byte what="two threads read, change and write the same shared byte, a nibble each; the twin gives every thread a byte of its own"
#include <cstdio>

__global__ void levels(const float *v, unsigned char *out, int n) {
    __shared__ unsigned char q[128];
    int t = threadIdx.x;
    q[t] = 0;
    __syncthreads();
    unsigned char level = static_cast<unsigned char>(v[t] * 15.0f);
#ifdef BUG
    q[t / 2] |= level << (4 * (t & 1)); /*HERE*/
    __syncthreads();
    out[t] = (q[t / 2] >> (4 * (t & 1))) & 15;
#else
    q[t] |= level;
    __syncthreads();
    out[t] = q[t ^ 1];
#endif
}

int main() {
    float *v;
    unsigned char *out;
    cudaMalloc(&v, 128 * sizeof(float));
    cudaMalloc(&out, 128);
    cudaMemset(v, 0, 128 * sizeof(float));
    levels<<<1, 128>>>(v, out, 128);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(v);
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
