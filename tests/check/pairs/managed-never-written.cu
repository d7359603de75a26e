// SPDX-License-Identifier: Apache-2.0
// The weights of the second layer are in managed memory, and nobody fills them. The first layer's come from the host, the sums from a kernel.
#include <cstdio>

__global__ void clear(float *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sums[i] = 0;
}

__global__ void layer(const float *weights, float *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sums[i] += weights[i]; /*HERE*/
}

int main()
{
    const int n = 500;
    float *first, *second, *sums;
    cudaMallocManaged(&first, n * sizeof(float));
    cudaMallocManaged(&second, n * sizeof(float)); /*THERE*/
    cudaMallocManaged(&sums, n * sizeof(float));
    for (int i = 0; i < n; i++) {
        first[i] = i;
#ifndef BUG
        second[i] = 2 * i;
#endif
    }
    clear<<<2, 256>>>(sums, n);
    layer<<<2, 256>>>(first, sums, n);
    layer<<<2, 256>>>(second, sums, n);
    cudaDeviceSynchronize();
    printf("done%s\n", sums[0] < 0 ? "!" : "");
    cudaFree(first);
    cudaFree(second);
    cudaFree(sums);
}
