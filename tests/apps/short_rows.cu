/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks whose rows are shorter than a warp: borders, guards by rows and columns, indices that wrap around, tiles and lane numbers, beside plain loops. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { W = 53, H = 41, N = W * H };

/* A stencil that leaves the border alone: rows and columns are compared with 0 and with their ends. */
__global__ void stencil(const int *a, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h && x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] = a[y * w + x - 1] + 3 * a[y * w + x + 1] + 5 * a[(y - 1) * w + x] + 7 * a[(y + 1) * w + x];
}

/* What wraps around below 0 is off. */
__global__ void shifted(const unsigned *a, unsigned *out, unsigned w, unsigned h, unsigned by)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x - by, y = blockIdx.y * blockDim.y + threadIdx.y - by;
    if (x < w && y < h)
        out[y * w + x] = a[y * w + x] * 2654435761u;
}

__global__ void numbers(int *out, int w, int h)
{
    __shared__ int tile[1024];
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y * blockDim.z;
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    tile[t] = threadIdx.x * 10000 + threadIdx.y * 100 + threadIdx.z;
    __syncthreads();
    int other = tile[n - 1 - t], lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    int at = block * n + t, beside = __shfl_xor_sync(~0u, (int)threadIdx.y, 1);
    if (at < w * h)
        out[at] = other * 32 + lane + beside * 7;
}

static int wrong(const char *what, dim3 b, const int *got, const int *want)
{
    for (int i = 0; i < N; i++)
        if (got[i] != want[i]) {
            printf("not ok %s in blocks of %ux%ux%u: [%d] is %d, not %d\n", what, b.x, b.y, b.z, i, got[i], want[i]);
            return 1;
        }
    return 0;
}

static void plain_numbers(int *want, dim3 g, dim3 b)
{
    int n = b.x * b.y * b.z;
    for (unsigned block = 0; block < g.x * g.y; block++)
        for (int t = 0; t < n; t++) {
            int o = n - 1 - t, other = o % b.x * 10000 + o / b.x % b.y * 100 + o / (b.x * b.y), at = block * n + t;
            if (at < N)
                want[at] = other * 32 + t % 32 + (t ^ 1) / b.x % b.y * 7;
        }
}

int main()
{
    static const dim3 blocks[] = { dim3(16, 16), dim3(8, 32), dim3(8, 8), dim3(4, 32), dim3(16, 2), dim3(16, 4, 4), dim3(8, 4, 8), dim3(24, 8), dim3(16, 6), dim3(32, 8) };
    static int a[N], got[N], want[N];
    int *d_a, *d_out, bad = 0;
    for (int i = 0; i < N; i++)
        a[i] = i * 7919 % 10007;
    cudaMalloc(&d_a, sizeof a);
    cudaMalloc(&d_out, sizeof a);
    cudaMemcpy(d_a, a, sizeof a, cudaMemcpyDefault);
    for (dim3 b : blocks) {
        dim3 flat(b.x, b.y * b.z), g((W + b.x - 1) / b.x + 1, (H + flat.y - 1) / flat.y + 1);
        memset(want, 0, sizeof want);
        for (int y = 1; y < H - 1; y++)
            for (int x = 1; x < W - 1; x++)
                want[y * W + x] = a[y * W + x - 1] + 3 * a[y * W + x + 1] + 5 * a[(y - 1) * W + x] + 7 * a[(y + 1) * W + x];
        cudaMemset(d_out, 0, sizeof a);
        stencil<<<g, flat>>>(d_a, d_out, W, H);
        cudaMemcpy(got, d_out, sizeof a, cudaMemcpyDefault);
        bad += wrong("stencil", flat, got, want);
        for (int i = 0; i < N; i++)
            want[i] = (int)((unsigned)a[i] * 2654435761u);
        cudaMemset(d_out, 0, sizeof a);
        shifted<<<g, flat>>>((unsigned *)d_a, (unsigned *)d_out, W, H, 3);
        cudaMemcpy(got, d_out, sizeof a, cudaMemcpyDefault);
        for (int y = 0; y < H; y++)                      /* the grid need not reach as far */
            for (int x = 0; x < W; x++)
                if (x + 3 >= (int)(g.x * flat.x) || y + 3 >= (int)(g.y * flat.y))
                    want[y * W + x] = 0;
        bad += wrong("shifted", flat, got, want);
        memset(want, 0, sizeof want);
        plain_numbers(want, g, b);
        cudaMemset(d_out, 0, sizeof a);
        numbers<<<g, b>>>(d_out, W, H);
        cudaMemcpy(got, d_out, sizeof a, cudaMemcpyDefault);
        bad += wrong("numbers", b, got, want);
    }
    if (cudaDeviceSynchronize() != cudaSuccess || bad)
        return 1;
    printf("ok\n");
    return 0;
}
