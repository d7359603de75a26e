// SPDX-License-Identifier: Apache-2.0
// Collatz chains: loops whose length differs wildly between neighbouring threads, and a 64-bit atomic maximum.
#include "app.h"

__global__ void chains(unsigned first, unsigned n, unsigned long long *best, unsigned long long *total)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long x = first + i;
    unsigned steps = 0;
    while (x != 1) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x >>= 1;
        steps++;
    }
    /* the longest chain wins, and among equals the smallest start */
    atomicMax(best, (unsigned long long)steps << 32 | (0xffffffffu - (first + i)));
    atomicAdd(total, (unsigned long long)steps);
}

int main()
{
    unsigned long long *d, got[2];
    CUDA(cudaMalloc(&d, sizeof got));
    CUDA(cudaMemset(d, 0, sizeof got));
    for (unsigned first = 1; first < 200000; first += 50000)
        chains<<<(50000 + 191) / 192, 192>>>(first, 50000, d, d + 1);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    printf("longest chain up to 200000: %u steps from %u; %llu steps in all\n", (unsigned)(got[0] >> 32), 0xffffffffu - (unsigned)got[0],
           got[1]);
    return 0;
}
