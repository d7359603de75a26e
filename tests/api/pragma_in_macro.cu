// SPDX-License-Identifier: Apache-2.0
// Macros that stand for a pragma: nvcc reads what its preprocessor wrote once more, and finds it.
#include "pragma_in_macro.h"
#include "runtime_check.h"
#define UNROLL #pragma unroll

template <int N> __global__ void sums(int *out)
{
    int sum = 0;
    UNROLL
    for (int i = 0; i < N; i++)
        sum += i * (int)threadIdx.x;
    EVERY_TIME
    for (int i = 0; i < N * 2; i++)
        sum += i;
    out[threadIdx.x] = sum;
}

int main()
{
    int *out, good = 0;
    NEED(cudaMallocManaged(&out, 32 * sizeof *out));
    sums<6><<<1, 32>>>(out);
    NEED(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        good += out[i] == 15 * i + 66;
    CHECK("a_macro_may_stand_for_a_pragma", good == 32);
    return check_failures != 0;
}
