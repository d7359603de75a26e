// SPDX-License-Identifier: Apache-2.0
// One of two page-locked buffers is uploaded before anybody has filled it. The one behind it is filled by a copy, and by reading from a file.
#include <cstdio>

__global__ void sum(const int *a, const int *b, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i]; /*HERE*/
}

int main()
{
    const int n = 4096;
    int *from_file, *other, *d;
    cudaMallocHost(&from_file, n * sizeof(int));
    cudaMallocHost(&other, n * sizeof(int));
    cudaMalloc(&d, 3 * n * sizeof(int));
    FILE *in = fopen("/dev/zero", "rb");
    if (!in || fread(from_file, sizeof(int), n, in) != n)
        return 1;
    fclose(in);
#ifndef BUG
    for (int i = 0; i < n; i++)
        other[i] = i;
#endif
    cudaMemcpyAsync(d, from_file, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpyAsync(d + n, other, n * sizeof(int), cudaMemcpyHostToDevice); /*THERE*/
    sum<<<n / 256, 256>>>(d, d + n, d + 2 * n);
    cudaDeviceSynchronize();
    cudaMemcpy(other, d + 2 * n, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(d, other, n * sizeof(int), cudaMemcpyHostToDevice);
    printf("done\n");
    cudaFree(d);
    cudaFreeHost(from_file);
    cudaFreeHost(other);
}
