// SPDX-License-Identifier: Apache-2.0
// run: -O1 -rdc=true
// CUB (Debian's libcub-dev) in separately compiled code, where it can launch from kernels, too.
#if __has_include(<cub/version.cuh>)
#include <cub/version.cuh>
#endif
#if !defined CUB_VERSION || (CUB_VERSION >= 200000 && !__has_include(<cuda/std/detail/__config>))
int main() { return 77; }
#else
#include "runtime_check.h"
#include <cub/device/device_reduce.cuh>

__global__ void fill(int *p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] = i;
}

int main()
{
    int n = 10007, *in, *sum, got;
    void *temporary = nullptr;
    size_t bytes = 0;
    NEED(cudaMalloc(&in, n * sizeof *in));
    NEED(cudaMalloc(&sum, sizeof *sum));
    fill<<<1, 256>>>(in, n);
    NEED(cub::DeviceReduce::Sum(temporary, bytes, in, sum, n));
    NEED(cudaMalloc(&temporary, bytes));
    NEED(cub::DeviceReduce::Sum(temporary, bytes, in, sum, n));
    NEED(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    CHECK("sums_in_separately_compiled_code", got == n * (n - 1) / 2);
    return check_failures != 0;
}
#endif
