// SPDX-License-Identifier: Apache-2.0
// bug: class=race-global line=/*HERE*/ second=/*THERE*/ kind=lock-of-block-scope what="blocks take one lock with atomicCAS_block"
#include <cstdio>
__global__ void add(int *lock, int *value) {
    if (threadIdx.x) return;
    for (int k = 0; k < 20000; k++) {
#ifdef BUG
        if (atomicCAS_block(lock, 0, 1) == 0) { /*HERE*/
#else
        if (atomicCAS(lock, 0, 1) == 0) {
#endif
            __threadfence();
            *value += blockIdx.x; /*HERE*/ /*THERE*/
            __threadfence();
#ifdef BUG
            atomicExch_block(lock, 0); /*THERE*/
#else
            atomicExch(lock, 0);
#endif
            return;
        }
        __nanosleep(50);
    }
}
int main() {
    int *p;
    cudaMalloc(&p, 64 * sizeof(int));
    cudaMemset(p, 0, 64 * sizeof(int));
    add<<<8, 32>>>(p, p + 32);
    cudaError_t err = cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return err != cudaSuccess;
}
