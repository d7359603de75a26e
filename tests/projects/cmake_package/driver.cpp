// SPDX-License-Identifier: Apache-2.0
// Host code alone, with the driver.
#include <cstdio>
#include <cuda.h>

int main()
{
    int n = 0;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&n) != CUDA_SUCCESS)
        return 1;
    std::printf("devices %d\n", n);
    return 0;
}
