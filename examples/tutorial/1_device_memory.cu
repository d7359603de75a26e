// SPDX-License-Identifier: Apache-2.0
// Device memory: allocate, copy in, run a kernel, copy out, free.
#include "check.h"
#include <vector>

__global__ void twice(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= 2;
}

int main()
{
    const int n = 1 << 20;
    std::vector<float> host(n, 1.5f);
    float *device;
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    CHECK(cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    twice<<<(n + 255) / 256, 256>>>(device, n);
    CHECK(cudaGetLastError());                           // was the launch itself right?
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    std::printf("%g %g\n", host[0], host[n - 1]);
}
