/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spmv: y = A * x for a sparse matrix of 2^17 rows in CSR form, 16 to 112 entries a row at random columns within 4096 of the
 * diagonal.  A warp for each row.  Work counts 2 operations per entry.
 *
 * OpenCL variant, on the CPU device (POCL).  OpenCL 1.2 has no shuffles: the
 * 32 work-items of a row add up in local memory.
 */
#include "../ocl.h"

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

static const char *text = TEXT(
__kernel void spmv(__global const int *start, __global const int *column, __global const float *value,
                   __global const float *x, __global float *y, int rows)
{
    __local float part[BLOCK];
    int tid = get_local_id(0);
    int row = get_global_id(0) / 32;
    int lane = tid % 32;
    float sum = 0.0f;
    if (row < rows) {
        int last = start[row + 1];
        for (int k = start[row] + lane; k < last; k += 32)
            sum += value[k] * x[column[k]];
    }
    part[tid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 16; d > 0; d /= 2) {
        if (lane < d)
            part[tid] += part[tid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < rows)
        y[row] = part[tid];
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct csr a;
    char options[64];
    make_input(&a);
    ocl_open();
    snprintf(options, sizeof options, "-DBLOCK=%d", BLOCK);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "spmv");
    cl_mem d_start = ocl_buffer((ROWS + 1) * sizeof(int), a.start), d_column = ocl_buffer(a.n * sizeof(int), a.column);
    cl_mem d_value = ocl_buffer(a.n * sizeof(float), a.value), d_x = ocl_buffer(ROWS * sizeof(float), a.x);
    cl_mem d_y = ocl_buffer(ROWS * sizeof(float), NULL);
    cl_int rows = ROWS;
    ARG(kernel, 0, d_start);
    ARG(kernel, 1, d_column);
    ARG(kernel, 2, d_value);
    ARG(kernel, 3, d_x);
    ARG(kernel, 4, d_y);
    ARG(kernel, 5, rows);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(kernel, 1, (size_t)ROWS * 32, 1, BLOCK, 1);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_y, a.y, ROWS * sizeof(float));
    return report("ocl", best, &a);
}
