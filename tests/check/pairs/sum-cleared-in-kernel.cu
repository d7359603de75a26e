// SPDX-License-Identifier: Apache-2.0
// bug: class=race-global line=/*HERE*/ second=/*THERE*/ kind=sum-cleared-in-kernel what="block 0 clears the sum, meets at its own barrier and adds; other blocks may have added before"
#include <cstdio>

__global__ void total(const int *v, int n, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUG
    if (i == 0)
        *sum = 0; /*THERE*/
    __syncthreads();
#endif
    if (i < n)
        atomicAdd(sum, v[i]); /*HERE*/
}

int main()
{
    const int n = 500;
    int *v, *sum;
    cudaMalloc(&v, n * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(v, 0, n * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    total<<<4, 128>>>(v, n, sum);
    cudaError_t err = cudaDeviceSynchronize();
    cudaFree(v);
    cudaFree(sum);
    puts("done");
    return err != cudaSuccess;
}
