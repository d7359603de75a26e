// SPDX-License-Identifier: Apache-2.0
// Threads that go along a row of their own and store in every iteration: into a cell that may lie in the row, before or behind it, and along a second
// row that may be the first, shifted. Each is compared with the same loops on the host.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define HOST_TOO __host__ __device__
static HOST_TOO int mix(int s, int x) { return (int)((unsigned)s * 3u + (unsigned)x); }

template <int U> static HOST_TOO void cell(int *a, int *c, int pitch, int apart, int n, int r)
{
    c[r * apart] = 7;
#pragma unroll U
    for (int k = 0; k < n; k++) c[r * apart] = mix(c[r * apart], a[r * pitch + k]);
}
template <int U, int STEP> static HOST_TOO void trail(int *a, int *o, int pitch, int n, int r)
{
    int *p = o + r * pitch, s = 7;
#pragma unroll U
    for (int k = 0; k < n; k++, p += STEP) { s = mix(s, a[r * pitch + k]); *p = s; }
}
static HOST_TOO void two(const int *a, int *o, int *q, int pitch, int n, int r)
{
    int s = 1, t = 2;
    for (int k = 0; k < n; k++) { s = mix(s, a[r * pitch + k]); o[r] = s; t = mix(t, s); q[r] = t; }
}
__global__ void k_cell1(int *a, int *c, int pitch, int apart, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) cell<1>(a, c, pitch, apart, n, r); }
__global__ void k_cell4(int *a, int *c, int pitch, int apart, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) cell<4>(a, c, pitch, apart, n, r); }
template <int U, int STEP> __global__ void k_trail(int *a, int *o, int pitch, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) trail<U, STEP>(a, o, pitch, n, r); }
__global__ void k_two(int *a, int *o, int *q, int pitch, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) two(a, o, q, pitch, n, r); }
/* rows of threads that go along the same rows of a matrix, as in C = A * transposed A */
__global__ void k_product(const int *a, int *c, int n) { int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y; c[i * 64 + j] = 0; for (int k = 0; k < n; k++) c[i * 64 + j] += a[i * n + k] * a[j * n + k]; }

enum { ROWS = 77, PITCH = 160, MARGIN = 64, SIZE = ROWS * PITCH + 2 * MARGIN };
static int *dev, *sums, *host, *expect;
static int wrong, cases;

static void begin()
{
    for (int i = 0; i < SIZE; i++) expect[i] = i * 2654435761u >> 7;
    memset(host, 0, SIZE * sizeof *host);
    cudaMemcpy(dev, expect, SIZE * sizeof *dev, cudaMemcpyDefault);
}
static void compare(const char *name, int n, int at)
{
    cudaError_t e = cudaMemcpy(host, dev, SIZE * sizeof *host, cudaMemcpyDefault);
    cases++;
    if ((e != cudaSuccess || memcmp(host, expect, SIZE * sizeof *host)) && wrong++ < 20) printf("%s n %d at %d: %s\n", name, n, at, e ? cudaGetErrorString(e) : "differs");
}

int main()
{
    cudaMalloc(&dev, SIZE * sizeof *dev);
    cudaMallocManaged(&sums, 8192 * sizeof *sums);
    host = (int *)malloc(SIZE * sizeof *host);
    expect = (int *)malloc(SIZE * sizeof *expect);
    for (int n : { 1, 4, 15, 16, 17, 40, 64 })
        for (int at = -24; at <= 84; at += at > 20 && at < 60 ? 7 : 1) {
            int *a = dev + MARGIN, *b = expect + MARGIN;
#define CASE(name, launch, call) begin(); launch; for (int r = 0; r < ROWS; r++) call; compare(name, n, at)
            CASE("cell", (k_cell1<<<2, 64>>>(a, a + at, PITCH, PITCH, ROWS, n)), cell<1>(b, b + at, PITCH, PITCH, n, r));
            CASE("cell, unrolled", (k_cell4<<<2, 64>>>(a, a + at, PITCH, PITCH, ROWS, n)), cell<1>(b, b + at, PITCH, PITCH, n, r));
            CASE("trail", (k_trail<1, 1><<<2, 64>>>(a, a + at, PITCH, ROWS, n)), (trail<1, 1>(b, b + at, PITCH, n, r)));
            CASE("trail, unrolled", (k_trail<4, 1><<<2, 64>>>(a, a + at, PITCH, ROWS, n)), (trail<1, 1>(b, b + at, PITCH, n, r)));
            if (at >= 20 && n <= 40) {
                CASE("falling", (k_trail<1, -1><<<2, 64>>>(a, a + at, PITCH, ROWS, n)), (trail<1, -1>(b, b + at, PITCH, n, r)));
            }
            if (n <= 17) {
                CASE("by twos", (k_trail<1, 2><<<2, 64>>>(a, a + at, PITCH, ROWS, n)), (trail<1, 2>(b, b + at, PITCH, n, r)));
            }
        }
    for (int n : { 1, 16, 50 }) {
        begin();
        k_two<<<2, 64>>>(dev, sums, sums + 1024, PITCH, ROWS, n);
        cudaDeviceSynchronize();
        for (int r = 0, o[1], q[1]; r < ROWS; r++) { two(expect + r * PITCH, o, q, 0, n, 0); wrong += sums[r] != o[0] || sums[1024 + r] != q[0]; cases++; }
        k_product<<<dim3(2, 8), dim3(32, 8)>>>(dev, sums, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++) { unsigned s = 0; for (int k = 0; k < n; k++) s += (unsigned)expect[i * n + k] * (unsigned)expect[j * n + k]; wrong += sums[i * 64 + j] != (int)s; cases++; }
    }
    printf("%d cases, %d wrong\n", cases, wrong);
    return wrong != 0;
}
