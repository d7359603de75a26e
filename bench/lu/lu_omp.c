/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lu: the LU decomposition, without pivoting, of a diagonally dominant matrix of 768 x 768, in tiles of 32 x 32 and in place.
 * Three launches for each tile of the diagonal: that tile, the tiles below it and to its right, and what remains.  Work counts
 * 2/3 n^3 operations.
 *
 * Plain C with OpenMP.  The same tiles, with loops along rows inside.
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

static void diagonal(float (*a)[N], int at)
{
    for (int k = at; k < at + TILE; k++)
        for (int i = k + 1; i < at + TILE; i++) {
            float x = a[i][k] /= a[k][k];
#pragma omp simd
            for (int j = k + 1; j < at + TILE; j++)
                a[i][j] -= x * a[k][j];
        }
}

/* A tile to the right of the diagonal's. */
static void right_of(float (*a)[N], int at, int column)
{
    for (int i = at + 1; i < at + TILE; i++)
        for (int k = at; k < i; k++)
#pragma omp simd
            for (int j = column; j < column + TILE; j++)
                a[i][j] -= a[i][k] * a[k][j];
}

/* A tile below it. */
static void below(float (*a)[N], int at, int row)
{
    for (int i = row; i < row + TILE; i++)
        for (int k = at; k < at + TILE; k++) {
            float x = a[i][k] /= a[k][k];
#pragma omp simd
            for (int j = k + 1; j < at + TILE; j++)
                a[i][j] -= x * a[k][j];
        }
}

/* Four rows at a time: each row of the tile above is read once for them. */
static void rest(float (*a)[N], int at, int row, int column)
{
    for (int i = row; i < row + TILE; i += 4) {
        float sum[4][TILE] = { { 0 } };
        for (int k = at; k < at + TILE; k++)
#pragma omp simd
            for (int j = 0; j < TILE; j++) {
                sum[0][j] += a[i][k] * a[k][column + j];
                sum[1][j] += a[i + 1][k] * a[k][column + j];
                sum[2][j] += a[i + 2][k] * a[k][column + j];
                sum[3][j] += a[i + 3][k] * a[k][column + j];
            }
        for (int r = 0; r < 4; r++)
#pragma omp simd
            for (int j = 0; j < TILE; j++)
                a[i + r][column + j] -= sum[r][j];
    }
}

static void lu(float (*a)[N])
{
    for (int at = 0; at < N; at += TILE) {
        diagonal(a, at);
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (int next = at + TILE; next < N; next += TILE) {
                right_of(a, at, next);
                below(a, at, next);
            }
#pragma omp for schedule(static) collapse(2)
            for (int row = at + TILE; row < N; row += TILE)
                for (int column = at + TILE; column < N; column += TILE)
                    rest(a, at, row, column);
        }
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = host_alloc(bytes), *a = host_alloc(bytes);
    make_input(in);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        memcpy(a, in, bytes);
        double t = now();
        lu((float(*)[N])a);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, a);
}
