// SPDX-License-Identifier: Apache-2.0
// bug: class=race-global line=/*HERE*/ second=/*THERE*/ kind=lock-no-release-fence what="a spin lock is released without a fence, so the next owner need not see what it protects"
#include <cstdio>

struct Account { int lock; int pad[31]; long long balance; };

__device__ bool acquire(int *l) {
    for (int i = 0; i < 20000; i++) { // gives up rather than hang
        if (atomicCAS(l, 0, 1) == 0) {
            __threadfence();
            return true;
        }
        __nanosleep(50);
    }
    return false;
}

__device__ void release(int *l) {
#ifndef BUG
    __threadfence();
#endif
    atomicExch(l, 0);
}

__global__ void deposit(Account *a) {
    if (!acquire(&a->lock)) return;
    a->balance += blockIdx.x + 1; /*HERE*/ /*THERE*/
    release(&a->lock);
}

int main() {
    Account *a;
    cudaMalloc(&a, sizeof(Account));
    cudaMemset(a, 0, sizeof(Account));
    deposit<<<12, 1>>>(a);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(a);
    puts("done");
    return e != cudaSuccess;
}
