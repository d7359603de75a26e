// SPDX-License-Identifier: Apache-2.0
// Two warps hand a word to each other, turn after turn: the loop that waits for the flag begins where the loop around it does, so that both have one header.
#include <cstdio>

template <bool FENCES> __global__ void take_turns(unsigned turns, unsigned *bad)
{
    __shared__ unsigned data[32], full;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, wrong = 0, f;
    volatile unsigned *flag = &full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    for (unsigned i = 1; i <= turns; i++) {
        do
            f = *flag;
        while (f % 2 != warp);
        if (FENCES)
            __threadfence_block();
        if (warp == 0)
            data[lane] = i * 32 + lane;
        else
            wrong += data[31 - lane] != i * 32 + 31 - lane;
        __syncwarp();
        if (lane == 0) {
            if (FENCES)
                __threadfence_block();
            *flag = f + 1;
        }
        __syncwarp();
    }
    atomicAdd(bad, wrong);
}

__global__ void take_lock(unsigned turns, int *lock, unsigned *sum)
{
    for (unsigned i = 0; i < turns; i++) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *(volatile unsigned *)sum = *(volatile unsigned *)sum + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

int main()
{
    unsigned *word, host[3] = { 0 };
    cudaMalloc(&word, 16);
    cudaMemset(word, 0, 16);
    take_turns<false><<<1, 64>>>(20, word);
    take_turns<true><<<2, 64>>>(20, word);
    take_lock<<<4, 1>>>(50, (int *)word + 1, word + 2);
    cudaError_t e = cudaMemcpy(host, word, 12, cudaMemcpyDeviceToHost);
    printf("%u wrong, lock %u, sum %u, %s\n", host[0], host[1], host[2], cudaGetErrorString(e));
}
