// SPDX-License-Identifier: Apache-2.0
// The place where the blocks of a grid meet, as code made by nvcc finds it: its address is in %envreg1 (high) and %envreg2 (low),
// arrivals are counted in its second word. An ordinary launch has one too, as on an H200.
#include <cuda_runtime.h>
#include <stdio.h>

static __device__ unsigned *workspace()
{
    unsigned hi, lo;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(hi));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(lo));
    return (unsigned *)((unsigned long long)hi << 32 | lo);
}

/* The last to arrive flips the top bit: block 0 adds what the others lack. */
static __device__ void grid_sync()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned *arrived = workspace() + 1, add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        __threadfence();
        unsigned old = atomicAdd(arrived, add);
        while (((old ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
}

__global__ void rounds(unsigned *slot, unsigned *wrong, int n)
{
    for (int r = 0; r < n; r++) {
        if (threadIdx.x == 0)
            slot[blockIdx.x] = blockIdx.x + r;
        grid_sync();
        unsigned other = (blockIdx.x + 1 + r) % gridDim.x;
        if (threadIdx.x == 0 && ((volatile unsigned *)slot)[other] != other + r)
            atomicAdd(wrong, 1u);
        grid_sync();
    }
}

__global__ void ordinary(unsigned *out) { *out = workspace() != nullptr; }

int main()
{
    unsigned *slot, *wrong, n = 20;
    cudaMallocManaged(&slot, 4096);
    cudaMallocManaged(&wrong, 8);
    wrong[0] = wrong[1] = 0;
    for (int launch = 0; launch < 3; launch++) {
        void *args[] = { &slot, &wrong, &n };
        cudaError_t rc = cudaLaunchCooperativeKernel((void *)rounds, 4, 64, args, 0, 0);
        if (rc == cudaSuccess)
            rc = cudaDeviceSynchronize();
        if (rc != cudaSuccess || wrong[0]) {
            printf("launch %d: %s, %u wrong\n", launch, cudaGetErrorName(rc), wrong[0]);
            return 1;
        }
    }
    ordinary<<<1, 1>>>(wrong + 1);
    cudaDeviceSynchronize();
    if (wrong[1] != 1) {
        printf("an ordinary launch has no workspace\n");
        return 1;
    }
    return 0;
}
