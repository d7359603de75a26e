// SPDX-License-Identifier: Apache-2.0
// malloc() and free() in kernels: a kernel that writes past its own memory spoils other kernels' data, as on a device, and nothing else.
#include "runtime_check.h"

__global__ void take(char **out, int n, size_t bytes)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = (char *)malloc(bytes);
}

__global__ void scribble(char **at, int i, int before, int after)
{
    for (int k = -before; k < after; k++)
        at[i][k] = 0x41;
}

__global__ void drop(char **at, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        free(at[i]);
}

__global__ void distinct(char **at, int n, int bytes, int *wrong)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; at[i] && k < bytes; k++)
            at[i][k] = (char)i;
    for (int i = 0; i < n; i++) {
        *wrong += !at[i] || (size_t)at[i] % 16;
        for (int k = 0; at[i] && k < bytes; k++)
            *wrong += at[i][k] != (char)i;
    }
}

int main()
{
    const int n = 64;
    char **at;
    int *wrong;
    NEED(cudaMallocManaged(&at, n * sizeof *at));
    NEED(cudaMallocManaged(&wrong, sizeof *wrong));
    *wrong = 0;
    for (size_t bytes : {1, 20, 64, 100, 1000}) {
        take<<<1, 32>>>(at, n, bytes);
        scribble<<<1, 1>>>(at, n / 2, 40, 3 * (int)bytes + 64);
        drop<<<1, 32>>>(at, n);
        CHECK_OK("writing_past_both_ends_breaks_no_later_free", cudaDeviceSynchronize());
        take<<<1, 32>>>(at, n, bytes);
        distinct<<<1, 1>>>(at, n, (int)bytes, wrong);
        drop<<<1, 32>>>(at, n);
        CHECK_OK("nor_later_allocations", cudaDeviceSynchronize());
    }
    CHECK("which_do_not_overlap", *wrong == 0);
    take<<<1, 1>>>(at, 1, (size_t)-1);
    NEED(cudaDeviceSynchronize());
    CHECK("what_is_too_much_is_null", at[0] == nullptr);
    take<<<1, 1>>>(at, 2, 1 << 20);
    drop<<<1, 1>>>(at, 2);
    NEED(cudaDeviceSynchronize());
    drop<<<1, 1>>>(at, 1);                                       // the last: it ends the context
    CHECK("freeing_twice_is_an_error", cudaDeviceSynchronize() != cudaSuccess);
    return check_failures != 0;
}
