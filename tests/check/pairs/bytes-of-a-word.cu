// SPDX-License-Identifier: Apache-2.0
// Threads of two blocks write bytes of the same words: their own, or with the bug the same ones. Then a third kernel reads whole words.
#include <cstdio>

__global__ void fill(unsigned char *p) {
#ifdef BUG
    p[threadIdx.x] = static_cast<unsigned char>(blockIdx.x + threadIdx.x); /*HERE*/ /*THERE*/
#else
    p[2 * threadIdx.x + blockIdx.x] = static_cast<unsigned char>(blockIdx.x + threadIdx.x);
#endif
}

__global__ void sum(const unsigned *p, unsigned *out) { atomicAdd(out, p[threadIdx.x]); }

int main() {
    unsigned *p;
    cudaMalloc(&p, 64 * sizeof *p);
    cudaMemset(p, 0, 64 * sizeof *p);
    fill<<<2, 64>>>(reinterpret_cast<unsigned char *>(p));
    sum<<<1, 32>>>(p, p + 63);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return e != cudaSuccess;
}
