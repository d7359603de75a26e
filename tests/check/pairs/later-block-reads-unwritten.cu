// SPDX-License-Identifier: Apache-2.0
// bug: class=initcheck line=/*HERE*/ kind=later-block-reads-unwritten what="the first blocks fill all of their shared memory, the last one half of it and reads the rest"
#include <cstdio>

__global__ void sums(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
#ifdef BUG
    if (blockIdx.x + 1 < gridDim.x || t < 128)
#endif
        s[t] = in[t];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 256; k++)
        sum += s[(t + k) % 256];                /*HERE*/
    out[blockIdx.x * 256 + t] = sum;
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 256 * sizeof(int));
    cudaMalloc(&out, 64 * 256 * sizeof(int));
    cudaMemset(in, 0, 256 * sizeof(int));
    sums<<<64, 256>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return 0;
}
