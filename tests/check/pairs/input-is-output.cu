// SPDX-License-Identifier: Apache-2.0
// bug: class=race-global line=/*HERE*/ second=/*HERE*/ kind=input-is-output what="a kernel that reads its neighbours' input is given one array as input and output"
#include <cstdio>

__global__ void shift(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + 1];              /*HERE*/
}

int main() {
    enum { N = 4096 };
    int *p, *q;
    cudaMalloc(&p, (N + 1) * sizeof(int));
    cudaMalloc(&q, (N + 1) * sizeof(int));
    cudaMemset(p, 0, (N + 1) * sizeof(int));
#ifdef BUG
    shift<<<N / 128, 128>>>(p, p, N);
#else
    shift<<<N / 128, 128>>>(p, q, N);
#endif
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaFree(p);
    cudaFree(q);
    puts("done");
    return 0;
}
