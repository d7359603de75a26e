// SPDX-License-Identifier: Apache-2.0
// One of two owners of a lock has no fence behind the CAS. It is the first in this run, and finds nothing that it would have to wait for.
#include <cstdio>
__device__ int lock_word, total;
__global__ void add(int *out) {
    if (threadIdx.x) return;
    for (int turn = 0; turn < 100000; turn++) {
        if (atomicCAS(&lock_word, 0, 1)) continue;
        if (blockIdx.x == 0) {
#ifndef BUG
            __threadfence();
#endif
            total += 1; /*HERE*/ /*THERE*/
        } else {
            __threadfence();
            total += 2; /*HERE*/ /*THERE*/
        }
        __threadfence();
        atomicExch(&lock_word, 0);
        break;
    }
    // A word that is claimed by a CAS, filled and then published is no lock: who claims it need not wait for anybody.
    if (atomicCAS(&out[0], 0, 1) == 0) {
        out[1] = blockIdx.x;
        __threadfence();
        atomicExch(&out[0], 2);
    }
    for (int turn = 0; turn < 100000; turn++)
        if (atomicAdd(&out[0], 0) == 2) {
            __threadfence();
            out[2 + blockIdx.x] = out[1];
            break;
        }
}
int main() {
    int *out;
    cudaMalloc(&out, 64);
    cudaMemset(out, 0, 64);
    add<<<2, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    puts("done");
}
