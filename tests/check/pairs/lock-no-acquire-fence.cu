// SPDX-License-Identifier: Apache-2.0
// A lock is taken by a CAS with no fence behind it.
#include <cstdio>
struct Cell { int lock; int pad[31]; int a, b; };
__global__ void add(Cell *c) {
    if (threadIdx.x) return;
    for (int i = 0; i < 20000; i++) {
        if (atomicCAS(&c->lock, 0, 1) == 0) {
#ifndef BUG
            __threadfence();
#endif
            c->a += 1; /*HERE*/ /*THERE*/
            c->b = c->a; /*HERE*/ /*THERE*/
            __threadfence();
            atomicExch(&c->lock, 0);
            return;
        }
        __nanosleep(50);
    }
}
int main() {
    Cell *c;
    cudaMalloc(&c, sizeof *c);
    cudaMemset(c, 0, sizeof *c);
    add<<<10, 32>>>(c);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(c);
    puts("done");
    return e != cudaSuccess;
}
