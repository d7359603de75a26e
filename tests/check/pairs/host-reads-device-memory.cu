// SPDX-License-Identifier: Apache-2.0
// The host uses what cudaMalloc gave: before and behind a kernel, whole pages and a few bytes, also in a host function.
#include <cstdio>
#include <cstring>

__global__ void twice(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2;
}

int main()
{
    const int n = 1 << 20;
    int *d, *small, *m, sum = 0;
    static int h[n];
    cudaMalloc(&d, n * sizeof *d); /*THERE*/
    cudaMalloc(&small, 64);
    cudaMallocManaged(&m, 64);
    cudaMemset(small, 0, 64);
    memset(m, 0, 64);
    m[0] = 3;
    for (int i = 0; i < n; i++)
        h[i] = i;
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<n / 256, 256>>>(d, n);
    twice<<<1, 16>>>(m, 16);
    cudaDeviceSynchronize();
#ifdef BUG
    for (int i = 0; i < n; i++)
        sum += d[i]; /*HERE*/
#else
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += h[i];
#endif
    sum += m[0];
    cudaMemcpy(h, small, 64, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(small);
    cudaFree(m);
    printf("done%s\n", sum == 7 ? "!" : "");
}
