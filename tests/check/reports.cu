// SPDX-License-Identifier: Apache-2.0
// Several kinds of reports in one program; tests/check/run.py compares all that is said of it.
#include <cstdio>

__device__ int twice(const int *p, int i)
{
    return 2 * p[i];
}

__device__ int sum(const int *p, int i)
{
    return twice(p, i) + twice(p, i + 1);
}

__global__ void add(const int *p, int *q)
{
    q[threadIdx.x] = sum(p, threadIdx.x);
}

int main()
{
    int *p, *q, *none;
    cudaMalloc(&p, 64 * sizeof(int));
    cudaMalloc(&q, 64 * sizeof(int));
    cudaMemset(p, 0, 64 * sizeof(int));
    add<<<1, 64>>>(p, q);
    cudaDeviceSynchronize();
    cudaMalloc(&none, (size_t)1 << 50);
    cudaFree(p);
    cudaDeviceReset();
    puts("done");
}
