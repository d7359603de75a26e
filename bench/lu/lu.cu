/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lu: the LU decomposition, without pivoting, of a diagonally dominant matrix of 768 x 768, in tiles of 32 x 32 and in place.
 * Three launches for each tile of the diagonal: that tile, the tiles below it and to its right, and what remains.  Work counts
 * 2/3 n^3 operations.
 *
 * CUDA variant.
 */
#include "../common.h"

enum { N = 768, TILE = 32, ROWS = 8 };
static const size_t bytes = sizeof(float) * N * N;

static void make_input(float *a)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = rnd() - 0.5f + (i == j ? 0.5f * N : 0.0f);
}

/* Multiplies L and U for every 5th element of the matrix. */
static int report(const char *variant, double seconds, const float *in, const float *out)
{
    double sum = 0, worst = 0;
    for (int e = 0; e < N * N; e += 5) {
        int i = e / N, j = e % N, n = i < j ? i : j;
        double got = i <= j ? out[e] : 0;
        for (int k = 0; k < n + (i > j); k++)
            got += (double)out[i * N + k] * out[k * N + j];
        worst = fmax(worst, fabs(got - in[e]));
        sum += out[e];
    }
    printf("lu %s seconds=%.9f check=%.6e work=%.0f unit=GFLOP/s\n", variant, seconds, sum, 2.0 / 3 * N * N * N);
    if (!(worst <= 1e-3)) {
        fprintf(stderr, "lu %s: an element of the product is off by %g\n", variant, worst);
        return 1;
    }
    return 0;
}

/* The tile on the diagonal: one block, a thread for each column, all rows in shared memory. */
__global__ void lu_diagonal(float *a, int at)
{
    __shared__ float s[TILE][TILE + 1];
    int t = threadIdx.x;
    float *corner = a + at * N + at;
    for (int i = 0; i < TILE; i++)
        s[i][t] = corner[i * N + t];
    __syncthreads();
    for (int k = 0; k < TILE - 1; k++) {
        if (t > k)
            s[t][k] /= s[k][k];
        __syncthreads();
        if (t > k)
            for (int i = k + 1; i < TILE; i++)
                s[i][t] -= s[i][k] * s[k][t];
        __syncthreads();
    }
    for (int i = 0; i < TILE; i++)
        corner[i * N + t] = s[i][t];
}

/* blockIdx.y 0: a tile to the right, a thread for each column; 1: a tile below, a thread for each row. */
__global__ void lu_border(float *a, int at)
{
    __shared__ float diagonal[TILE][TILE], s[TILE][TILE + 1];
    int t = threadIdx.x, next = at + (blockIdx.x + 1) * TILE;
    float *tile = blockIdx.y == 0 ? a + at * N + next : a + next * N + at;
    for (int i = 0; i < TILE; i++) {
        diagonal[i][t] = a[(at + i) * N + at + t];
        s[i][t] = tile[i * N + t];
    }
    __syncthreads();
    if (blockIdx.y == 0) {
        for (int i = 1; i < TILE; i++) {
            float x = s[i][t];
            for (int k = 0; k < i; k++)
                x -= diagonal[i][k] * s[k][t];
            s[i][t] = x;
        }
    } else {
        for (int j = 0; j < TILE; j++) {
            float x = s[t][j];
            for (int k = 0; k < j; k++)
                x -= s[t][k] * diagonal[k][j];
            s[t][j] = x / diagonal[j][j];
        }
    }
    __syncthreads();
    for (int i = 0; i < TILE; i++)
        tile[i * N + t] = s[i][t];
}

/* One of the other tiles, less the product of the tile to its left and the one above it.  A thread has 4 rows of a column. */
__global__ void lu_rest(float *a, int at)
{
    __shared__ float left[TILE][TILE], above[TILE][TILE];
    int x = threadIdx.x, row = at + (blockIdx.y + 1) * TILE, column = at + (blockIdx.x + 1) * TILE + x;
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        left[y][x] = a[(row + y) * N + at + x];
        above[y][x] = a[(at + y) * N + column];
    }
    __syncthreads();
    float sum[TILE / ROWS] = {};
    for (int k = 0; k < TILE; k++)
        for (int i = 0; i < TILE / ROWS; i++)
            sum[i] += left[threadIdx.y + i * ROWS][k] * above[k][x];
    for (int i = 0; i < TILE / ROWS; i++)
        a[(row + threadIdx.y + i * ROWS) * N + column] -= sum[i];
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = (float *)host_alloc(bytes), *out = (float *)host_alloc(bytes), *d;
    make_input(in);
    CHECK(cudaMalloc(&d, bytes));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(cudaMemcpy(d, in, bytes, cudaMemcpyHostToDevice));
        double t = now();
        for (int at = 0; at < N; at += TILE) {
            int rest = (N - at) / TILE - 1;
            lu_diagonal<<<1, TILE>>>(d, at);
            if (rest > 0) {
                lu_border<<<dim3(rest, 2), TILE>>>(d, at);
                lu_rest<<<dim3(rest, rest), dim3(TILE, ROWS)>>>(d, at);
            }
        }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, out);
    CHECK(cudaFree(d));
    return rc;
}
