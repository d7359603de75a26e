// SPDX-License-Identifier: Apache-2.0
// Grids that write far more than the caches hold: every element arrives, whatever the alignment, before what waits for the grid.
#include "runtime_check.h"

enum { N = 24 << 20 };                           // 96 MiB of int

__global__ void numbers(int *out, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * step;
}

__global__ void pairs(const int *in, int2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2)
        out[i] = make_int2(in[2 * i] + 1, in[2 * i + 1] + 1);
}

__global__ void count_wrong(const int *in, int n, int step, int add, unsigned *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool bad = i < n && in[i] != i * step + add;
    if (bad)
        atomicAdd(wrong, 1);
}

int main()
{
    int *a, *b;
    unsigned *wrong, n_wrong = 1;
    cudaStream_t s, t;
    cudaEvent_t e;
    CHECK_OK("memory", cudaMalloc(&a, (N + 64) * sizeof *a));
    CHECK_OK("more memory", cudaMalloc(&b, (N + 64) * sizeof *b));
    CHECK_OK("a counter", cudaMallocManaged(&wrong, sizeof *wrong));
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&e);
    for (int skip = 0; skip < 3; skip++) {
        *wrong = 0;
        numbers<<<(N + 255) / 256, 256, 0, s>>>(a + skip, N, 3 + skip);
        pairs<<<(N / 2 + 127) / 128, 128, 0, s>>>(a + skip, (int2 *)b, skip & 1 ? 0 : N);
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
        count_wrong<<<(N + 255) / 256, 256, 0, t>>>(a + skip, N, 3 + skip, 0, wrong);
        if (!(skip & 1))
            count_wrong<<<(N + 255) / 256, 256, 0, t>>>(b, N, 3 + skip, 1, wrong);
        CHECK_OK("the grids end", cudaDeviceSynchronize());
        CHECK("every element is there", *wrong == 0);
    }
    int last = 0;
    cudaMemcpy(&last, a + 2 + N - 1, sizeof last, cudaMemcpyDeviceToHost);
    CHECK("the last one too", last == (N - 1) * 5);
    n_wrong = *wrong;
    CHECK("large memory is aligned for textures", n_wrong == 0 && (size_t)a % 512 == 0 && (size_t)b % 512 == 0);
    cudaFree(a);
    cudaFree(b);
    return check_failures != 0;
}
