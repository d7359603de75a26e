/* SPDX-License-Identifier: Apache-2.0 */
/* Repeats a tiled matrix product and a sum of two vectors as often as asked: what the checker costs. */
#include <cstdio>
#include <cstdlib>

enum { N = 256, TILE = 16 };

__global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < N / TILE; t++) {
        as[y][x] = a[row * N + t * TILE + x];
        bs[y][x] = b[(t * TILE + y) * N + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * N + col] = sum;
}

__global__ void add(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] += a[i];
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1, n = N * N;
    float *a, *b, *c, last;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&c, n * sizeof *c);
    cudaMemset(a, 0, n * sizeof *a);
    cudaMemset(b, 0, n * sizeof *b);
    for (int k = 0; k <= times; k++) {
        product<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c);
        add<<<(n + 255) / 256, 256>>>(a, c, n);
    }
    cudaMemcpy(&last, c + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    printf("%g\n", last);
    return cudaGetLastError() != cudaSuccess || last != 0;
}
