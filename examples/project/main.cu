// SPDX-License-Identifier: Apache-2.0
// A program that checks itself: what a build system and a CI job are shown with.
#include <cstdio>

__global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}

int main()
{
    const int n = 1000;
    float *x;
    cudaMallocManaged(&x, n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    scale<<<(n + 255) / 256, 256>>>(x, 2.0f, n);
    cudaError_t error = cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += x[i] != 2.0f * (float)i;
    printf("%s, %d wrong\n", cudaGetErrorName(error), wrong);
    cudaFree(x);
    return error != cudaSuccess || wrong;
}
