/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spmv: y = A * x for a sparse matrix of 2^17 rows in CSR form, 16 to 112 entries a row at random columns within 4096 of the
 * diagonal.  A warp for each row.  Work counts 2 operations per entry.
 *
 * CUDA variant.  The lanes add up with shuffles.
 */
#include "../common.h"

enum { ROWS = 1 << 17, BAND = 4096, LEAST = 16, MOST = 112, BLOCK = 256 };

struct csr {
    int n;                                      /* entries */
    int *start, *column;                        /* row i is start[i] to start[i + 1] */
    float *value, *x, *y;
};

static void make_input(struct csr *a)
{
    a->start = (int *)host_alloc((ROWS + 1) * sizeof(int));
    a->x = (float *)host_alloc(ROWS * sizeof(float));
    a->y = (float *)host_alloc(ROWS * sizeof(float));
    a->n = 0;
    for (int i = 0; i < ROWS; i++) {
        a->start[i] = a->n;
        a->n += LEAST + rnd_u32() % (MOST - LEAST + 1);
        a->x[i] = rnd();
    }
    a->start[ROWS] = a->n;
    a->column = (int *)host_alloc(a->n * sizeof(int));
    a->value = (float *)host_alloc(a->n * sizeof(float));
    for (int i = 0; i < ROWS; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            a->column[k] = (i + (int)(rnd_u32() % (2 * BAND)) - BAND) & (ROWS - 1);
            a->value[k] = rnd();
        }
}

static int report(const char *variant, double seconds, const struct csr *a)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < ROWS; i++) {
        double want = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            want += (double)a->value[k] * a->x[a->column[k]];
        worst = fmax(worst, fabs(want - a->y[i]) / want);
        sum += a->y[i];
    }
    printf("spmv %s seconds=%.9f check=%.6e work=%.0f unit=GFLOP/s\n", variant, seconds, sum, 2.0 * a->n);
    if (!(worst <= 1e-5)) {
        fprintf(stderr, "spmv %s: max relative error %g\n", variant, worst);
        return 1;
    }
    return 0;
}

__global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int rows)
{
    int row = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    int last = start[row + 1];
    float sum = 0.0f;
    for (int k = start[row] + lane; k < last; k += 32)
        sum += value[k] * x[column[k]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct csr a;
    int *d_start, *d_column;
    float *d_value, *d_x, *d_y;
    make_input(&a);
    CHECK(cudaMalloc(&d_start, (ROWS + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d_column, a.n * sizeof(int)));
    CHECK(cudaMalloc(&d_value, a.n * sizeof(float)));
    CHECK(cudaMalloc(&d_x, ROWS * sizeof(float)));
    CHECK(cudaMalloc(&d_y, ROWS * sizeof(float)));
    CHECK(cudaMemcpy(d_start, a.start, (ROWS + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_column, a.column, a.n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_value, a.value, a.n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x, a.x, ROWS * sizeof(float), cudaMemcpyHostToDevice));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        spmv<<<ROWS / (BLOCK / 32), BLOCK>>>(d_start, d_column, d_value, d_x, d_y, ROWS);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(a.y, d_y, ROWS * sizeof(float), cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, &a);
    CHECK(cudaFree(d_start));
    CHECK(cudaFree(d_column));
    CHECK(cudaFree(d_value));
    CHECK(cudaFree(d_x));
    CHECK(cudaFree(d_y));
    return rc;
}
