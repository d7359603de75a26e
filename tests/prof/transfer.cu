// SPDX-License-Identifier: Apache-2.0
// What the golden table is made of: memory to the device and back, pageable first, then page-locked.
#include <cstdio>
#include <cstdlib>

__global__ void scale(float *x, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}

int main()
{
    const int n = 1 << 20;
    const size_t bytes = n * sizeof(float);
    cudaSetDevice(0);
    float *pageable = (float *)malloc(bytes), *pinned, *d;
    cudaHostAlloc((void **)&pinned, bytes, cudaHostAllocDefault);
    cudaMalloc(&d, bytes);
    for (int i = 0; i < n; i++)
        pageable[i] = 0.5f;
    cudaMemset(d, 0, bytes);
    cudaMemcpy(d, pageable, bytes, cudaMemcpyHostToDevice);
    scale<<<n / 256, 256>>>(d, n, 2.0f);
    cudaMemcpy(pageable, d, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(d, pageable, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(pinned, d, bytes, cudaMemcpyDeviceToHost);
    printf("%g %g\n", pageable[n - 1], pinned[0]);
    cudaFree(d);
    cudaFreeHost(pinned);
    free(pageable);
    return 0;
}
