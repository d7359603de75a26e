// SPDX-License-Identifier: Apache-2.0
// A reduction on an element that lies across two of a table that workers keep private copies of is an error, as any misaligned access.
#include "runtime_check.h"

__global__ void reduce(unsigned *t, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(&t[i * 7 % 100], 1u); }

int main()
{
    unsigned *d;
    CHECK_ERR("memory for the table", cudaMalloc(&d, 4096), cudaSuccess);
    reduce<<<256, 256>>>(d, 256 * 256);
    CHECK_ERR("aligned elements are reduced", cudaDeviceSynchronize(), cudaSuccess);
    reduce<<<256, 256>>>((unsigned *)((char *)d + 2), 256 * 256);
    CHECK_ERR("a misaligned one is an error", cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
    return check_failures != 0;
}
