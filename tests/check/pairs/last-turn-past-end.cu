// SPDX-License-Identifier: Apache-2.0
// bug: class=memcheck line=/*HERE*/ kind=last-turn-past-end what="the last turn of a long loop goes past the end of a shared array, into the next one"
#include <cstdio>

__global__ void walk(const int *in, int *out, int turns) {
    __shared__ int a[1024], b[256];
    int t = threadIdx.x, sum = 0;
    for (int k = t; k < 1024; k += 256)
        a[k] = in[k];
    b[t] = t;
    __syncthreads();
    for (int k = 0; k < turns; k++)
        sum += a[k * 4 + t % 4] + b[k % 256];   /*HERE*/
    out[t] = sum;
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 1024 * sizeof(int));
    cudaMalloc(&out, 256 * sizeof(int));
    cudaMemset(in, 0, 1024 * sizeof(int));
#ifdef BUG
    walk<<<1, 256>>>(in, out, 257);
#else
    walk<<<1, 256>>>(in, out, 256);
#endif
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaFree(in);
    cudaFree(out);
    puts("done");
    return 0;
}
