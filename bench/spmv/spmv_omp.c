/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spmv: y = A * x for a sparse matrix of 2^17 rows in CSR form, 16 to 112 entries a row at random columns within 4096 of the
 * diagonal.  A warp for each row.  Work counts 2 operations per entry.
 *
 * Plain C with OpenMP.
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

static void spmv(const struct csr *a)
{
    const int *restrict start = a->start, *restrict column = a->column;
    const float *restrict value = a->value, *restrict x = a->x;
    float *restrict y = a->y;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; i++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct csr a;
    make_input(&a);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        spmv(&a);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, &a);
}
