// SPDX-License-Identifier: Apache-2.0
// Compiled by the system's C++ compiler with our headers.
#include <cuda_runtime.h>
#include <cuda.h>

#include <cstdio>

void add_on_device(int *p, int n, int k);

int main()
{
    int *p, count = 0;
    if (cudaMallocManaged(&p, 8) != cudaSuccess || cuDeviceGetCount(&count) != CUDA_SUCCESS || count < 1)
        return 1;
    p[0] = 2;
    p[1] = 4;
    add_on_device(p, 2, 5);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    std::printf("meson %d %d\n", p[0], p[1]);
    return 0;
}
