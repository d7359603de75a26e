// SPDX-License-Identifier: Apache-2.0
// bug: class=leak line=/*HERE*/ kind=device-memory what="a device buffer is not freed on one way through the function"
#include <cstdio>

__global__ void square(int *p, int n) {
    if (threadIdx.x < n) p[threadIdx.x] = threadIdx.x * threadIdx.x;
}

static int last(int n) {
    int *p, r = 0;
    if (cudaMalloc(&p, n * sizeof(int)) != cudaSuccess) /*HERE*/
        return -1;
    square<<<1, 64>>>(p, n);
    cudaMemcpy(&r, p + n - 1, sizeof r, cudaMemcpyDeviceToHost);
#ifdef BUG
    if (r > 100) return r;
#endif
    cudaFree(p);
    return r;
}

int main() {
    for (int n = 8; n <= 64; n *= 2)
        if (last(n) < 0) return 1;
    cudaDeviceReset();
    puts("done");
    return 0;
}
