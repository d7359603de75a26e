// SPDX-License-Identifier: Apache-2.0
// bug: class=api line=/*HERE*/ second=/*THERE*/ kind=interior-pointer-freed what="two arrays are cut from one allocation, and both are given to cudaFree"
#include <cstdio>

struct Arrays {
    float *a, *b;
    explicit Arrays(int n) {
        cudaMalloc(&a, 2 * n * sizeof(float)); /*THERE*/
        b = a + n;
    }
    ~Arrays() {
#ifdef BUG
        cudaFree(b); /*HERE*/
#endif
        cudaFree(a);
    }
};

__global__ void init(float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = i;
        b[i] = -i;
    }
}

int main() {
    const int n = 512;
    {
        Arrays v(n);
        init<<<4, 128>>>(v.a, v.b, n);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    }
    puts("done");
    return 0;
}
