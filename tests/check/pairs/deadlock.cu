// SPDX-License-Identifier: Apache-2.0
// bug: half of the threads wait at a barrier for two warps, of which the other never comes there
#include <cstdio>

__global__ void halves(int *out) {
    int t = threadIdx.x;
#ifdef BUG
    if (t < 32)
#endif
        asm volatile("bar.sync 1, 64;" ::: "memory"); /*HERE*/
    out[t] = t;
    __syncthreads(); /*THERE*/
}

int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    halves<<<1, 64>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
