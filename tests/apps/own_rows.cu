// SPDX-License-Identifier: Apache-2.0
// Threads that each go along a row, a string or a record of their own, in every spelling; full iterations and remainders; stores of several branches.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void row_sum(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) { int s = 0; for (int k = 0; k < n; k++) s = s * 3 + a[r * n + k]; o[r] = s; } }
__global__ void row_back(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < rows) { int s = 0; for (int k = n - 1; k >= 0; k--) s = s * 3 + a[r * n + k]; o[r] = s; } }
__global__ void row_pointer(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; const int *p = a + (size_t)r * n, *e = p + n; int s = 0; while (p < e) s = s * 3 + *p++; o[r] = s; }
__global__ void row_down(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; const int *p = a + (size_t)r * n; int s = 0; for (int left = n; left > 0; left--) s = s * 3 + *p++; o[r] = s; }
__global__ void row_pairs(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int s = 0; for (int k = 0; k + 1 < n; k += 2) s = s * 3 + a[r * n + k] * 5 + a[r * n + k + 1]; o[r] = s; }
__global__ void row_second(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int s = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 2) s = s * 3 + a[r * n + k]; o[r] = s; }
__global__ void row_third(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int s = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 3) s = s * 3 + a[r * n + k]; o[r] = s; }
__global__ void row_fixed(const int *a, int *o, int rows) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int s = 0;
#pragma unroll 1
    for (int k = 0; k < 40; k++) s = s * 3 + a[r * 40 + k]; o[r] = s; }
__global__ void bytes(const unsigned char *a, unsigned *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; unsigned h = 2166136261u; for (int k = 0; k < n; k++) { h ^= a[r * n + k]; h *= 16777619u; } o[r] = h; }
__global__ void bytes_one(const signed char *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int h = 7;
#pragma unroll 1
    for (int k = 0; k < n; k++) h = h * 31 + a[r * n + k]; o[r] = h; }
__global__ void early_exit(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int s = 0; for (int k = 0; k < n; k++) { int x = a[r * n + k]; if (x % 37 == 5) break; s = s * 3 + x; } o[r] = s; }
__global__ void own_length(const int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int s = 0; for (int k = 0; k < r % (n + 1); k++) s = s * 3 + a[r * n + k]; o[r] = s; }
__global__ void writes_back(int *a, int *o, int rows, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return; int s = 0; for (int k = 0; k < n; k++) { s = s * 3 + a[r * n + k]; if (k + 1 < n) a[r * n + k + 1] = s; } o[r] = s; }
__global__ void grid_stride(const int *a, int *o, int n) { int s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += a[i] * (i % 7); o[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void falling(const int *a, int *o, int n) { int s = 0; for (int i = n - 1 - (int)threadIdx.x; i >= 0; i -= blockDim.x) s = s * 3 + a[i]; o[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void unsigned_stride(const int *a, int *o, unsigned n) { int s = 0; for (unsigned i = threadIdx.x * 3; i < n; i += blockDim.x * 3) s = s * 3 + a[i]; o[blockIdx.x * blockDim.x + threadIdx.x] = s; }
__global__ void near_wrap(int *o, unsigned bound) { int s = 0; for (unsigned i = 0xfffffc00u + threadIdx.x; i > 100 && i < bound; i += 64) s += o[i & 1023] & 1; o[1024 + threadIdx.x] = s; }
__global__ void borders(const int *a, int *o, int w, int h) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; if (x >= w) return; int i = y * w + x; if (x == 0) o[i] = a[i] + a[i + 1]; else if (x == w - 1) o[i] = a[i] + a[i - 1]; else if (y == 0 || y == h - 1) o[i] = a[i]; else o[i] = a[i - 1] + a[i + 1] + a[i - w] + a[i + w]; }

static unsigned seed = 1;
static int rnd() { seed = seed * 1664525u + 1013904223u; return (int)(seed >> 9); }
static int *in, *out;
static unsigned char *raw;
enum { SIZE = 1 << 18 };

static void report(const char *name, int rows)
{
    unsigned h = 2166136261u;
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("%s failed\n", name); exit(1); }
    for (int r = 0; r < rows; r++) h = (h ^ (unsigned)out[r]) * 16777619u;
    printf("%s %08x\n", name, h);
}

int main()
{
    cudaMallocManaged(&in, SIZE * sizeof *in);
    cudaMallocManaged(&out, SIZE * sizeof *out);
    cudaMallocManaged(&raw, SIZE);
    for (int i = 0; i < SIZE; i++) { in[i] = rnd(); raw[i] = (unsigned char)rnd(); out[i] = 0; }
    const int lengths[] = { 1, 2, 3, 15, 16, 17, 31, 33, 64, 79 }, heights[] = { 1, 33, 200 };
    for (int n : lengths)
        for (int rows : heights) {
            int blocks = (rows + 63) / 64;
            char name[64];
#define RUN(k, ...) k<<<blocks, 64>>>(__VA_ARGS__); snprintf(name, sizeof name, #k " %d %d", n, rows); report(name, rows)
            RUN(row_sum, in + 1, out, rows, n);
            RUN(row_back, in, out, rows, n);
            RUN(row_pointer, in + 3, out, rows, n);
            RUN(row_down, in, out, rows, n);
            RUN(row_pairs, in, out, rows, n);
            RUN(row_second, in, out, rows, n);
            RUN(row_third, in, out, rows, n);
            RUN(row_fixed, in, out, rows);
            RUN(bytes, raw + 1, (unsigned *)out, rows, n);
            RUN(bytes_one, (const signed char *)raw, out, rows, n);
            RUN(early_exit, in, out, rows, n);
            RUN(own_length, in, out, rows, n);
            RUN(grid_stride, in, out, n * rows);
            RUN(falling, in, out, n * rows);
            RUN(unsigned_stride, in, out, (unsigned)(n * rows));
            near_wrap<<<1, 64>>>(out, 0xffffffffu - 3u * n); snprintf(name, sizeof name, "near_wrap %d", n); report(name, 1100);
        }
    borders<<<dim3(4, 40), 64>>>(in, out, 200, 40); report("borders", 8000);
    writes_back<<<2, 64>>>(in, out, 100, 50); report("writes_back", 100);
    /* the last element ends where the memory ends */
    int *edge; cudaMalloc(&edge, 2 << 20); cudaMemcpy(edge, in, 2 << 20 < SIZE * 4 ? 2 << 20 : SIZE * 4, cudaMemcpyDefault);
    int blocks = 1, n = 48; (void)n; row_sum<<<blocks, 64>>>(edge + (SIZE < (2 << 18) ? SIZE : (2 << 18)) - 64 * 48, out, 64, 48); report("edge", 64);
    return 0;
}
