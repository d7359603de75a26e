/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lu: the LU decomposition, without pivoting, of a diagonally dominant matrix of 768 x 768, in tiles of 32 x 32 and in place.
 * Three launches for each tile of the diagonal: that tile, the tiles below it and to its right, and what remains.  Work counts
 * 2/3 n^3 operations.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

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

static const char *text = TEXT(
__kernel void lu_diagonal(__global float *a, int at)
{
    __local float s[TILE][TILE + 1];
    int t = get_local_id(0);
    __global float *corner = a + at * N + at;
    for (int i = 0; i < TILE; i++)
        s[i][t] = corner[i * N + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE - 1; k++) {
        if (t > k)
            s[t][k] /= s[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > k)
            for (int i = k + 1; i < TILE; i++)
                s[i][t] -= s[i][k] * s[k][t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < TILE; i++)
        corner[i * N + t] = s[i][t];
}

__kernel void lu_border(__global float *a, int at)
{
    __local float diagonal[TILE][TILE];
    __local float s[TILE][TILE + 1];
    int t = get_local_id(0);
    int next = at + (get_group_id(0) + 1) * TILE;
    __global float *tile = get_group_id(1) == 0 ? a + at * N + next : a + next * N + at;
    for (int i = 0; i < TILE; i++) {
        diagonal[i][t] = a[(at + i) * N + at + t];
        s[i][t] = tile[i * N + t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(1) == 0) {
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
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; i++)
        tile[i * N + t] = s[i][t];
}

__kernel void lu_rest(__global float *a, int at)
{
    __local float left[TILE][TILE];
    __local float above[TILE][TILE];
    int x = get_local_id(0);
    int row = at + (get_group_id(1) + 1) * TILE;
    int column = at + (get_group_id(0) + 1) * TILE + x;
    for (int y = get_local_id(1); y < TILE; y += ROWS) {
        left[y][x] = a[(row + y) * N + at + x];
        above[y][x] = a[(at + y) * N + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum[TILE / ROWS] = { 0 };
    for (int k = 0; k < TILE; k++)
        for (int i = 0; i < TILE / ROWS; i++)
            sum[i] += left[get_local_id(1) + i * ROWS][k] * above[k][x];
    for (int i = 0; i < TILE / ROWS; i++)
        a[(row + get_local_id(1) + i * ROWS) * N + column] -= sum[i];
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = host_alloc(bytes), *out = host_alloc(bytes);
    char options[64];
    make_input(in);
    ocl_open();
    snprintf(options, sizeof options, "-DN=%d -DTILE=%d -DROWS=%d", N, TILE, ROWS);
    cl_program program = ocl_build(text, options);
    cl_kernel diagonal = ocl_kernel(program, "lu_diagonal"), border = ocl_kernel(program, "lu_border"), rest = ocl_kernel(program, "lu_rest");
    cl_mem d = ocl_buffer(bytes, in);
    ARG(diagonal, 0, d);
    ARG(border, 0, d);
    ARG(rest, 0, d);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        CHECK(clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, bytes, in, 0, NULL, NULL));
        double t = now();
        for (cl_int at = 0; at < N; at += TILE) {
            size_t n = (N - at) / TILE - 1;
            ARG(diagonal, 1, at);
            ARG(border, 1, at);
            ARG(rest, 1, at);
            ocl_launch(diagonal, 1, TILE, 1, TILE, 1);
            if (n > 0) {
                ocl_launch(border, 2, n * TILE, 2, TILE, 1);
                ocl_launch(rest, 2, n * TILE, n * ROWS, TILE, ROWS);
            }
        }
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d, out, bytes);
    return report("ocl", best, in, out);
}
