// SPDX-License-Identifier: Apache-2.0
// Zero copy: a kernel that reads and writes host memory in place.
#include "check.h"

__global__ void sum(const int *data, int *result)
{
    atomicAdd(result, data[threadIdx.x]);
}

int main()
{
    int *host, *device;
    CHECK(cudaHostAlloc((void **)&host, 129 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&device, host, 0));
    for (int i = 0; i < 128; i++)
        host[i] = i;
    host[128] = 0;
    sum<<<1, 128>>>(device, device + 128);
    CHECK(cudaDeviceSynchronize());                      // before the host looks
    std::printf("%d\n", host[128]);
    CHECK(cudaFreeHost(host));
}
