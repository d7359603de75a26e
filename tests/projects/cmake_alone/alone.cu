// SPDX-License-Identifier: Apache-2.0
// A program of one file.
#include <cstdio>

__global__ void add(int *p, int k) { *p += k; }

int main()
{
    int *p;
    if (cudaMallocManaged(&p, sizeof *p) != cudaSuccess)
        return 1;
    *p = 2;
    add<<<1, 1>>>(p, 5);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    std::printf("alone %d\n", *p);
    return 0;
}
