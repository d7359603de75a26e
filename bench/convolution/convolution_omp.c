/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolution: 2048 x 2048 floats with a 7 x 7 filter, zero outside.  A block of 32 x 8 threads makes 32 x 32 results from a
 * tile with its border in shared memory, 4 rows to a thread.  Work counts 98 operations per result.
 *
 * Plain C with OpenMP.  The rows go through a copy with a border of zeros, so that the inner loop has no tests.
 */
#include "../common.h"
#ifndef GROW
#define GROW 1                                  /* larger problems for many cores: bench/scaling --grow */
#endif
enum { W = 2048 * GROW, H = 2048 * GROW, R = 3, K = 2 * R + 1, TX = 32, TY = 32, BY = 8, SX = TX + 2 * R, SY = TY + 2 * R };
static const size_t bytes = sizeof(float) * W * H;

static void make_input(float *in, float *filter)
{
    for (int i = 0; i < W * H; i++)
        in[i] = rnd();
    for (int i = 0; i < K * K; i++)
        filter[i] = rnd() - 0.25f;
}

/* Checks the border and every 17th of the other rows against double precision. */
static int report(const char *variant, double seconds, const float *in, const float *filter, const float *out)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < W * H; i++)
        sum += out[i];
    for (int y = 0; y < H; y += y < R || y >= H - R - 1 ? 1 : 17)
        for (int x = 0; x < W; x++) {
            double want = 0;
            for (int j = 0; j < K; j++)
                for (int i = 0; i < K; i++)
                    if (y + j >= R && y + j < H + R && x + i >= R && x + i < W + R)
                        want += (double)filter[j * K + i] * in[(y + j - R) * W + x + i - R];
            worst = fmax(worst, fabs(want - out[y * W + x]));
        }
    printf("convolution %s seconds=%.9f check=%.6e work=%.0f unit=GFLOP/s\n", variant, seconds, sum, 2.0 * K * K * W * H);
    if (!(worst <= 1e-4)) {
        fprintf(stderr, "convolution %s: max error %g\n", variant, worst);
        return 1;
    }
    return 0;
}

enum { PW = W + 2 * R };

static void convolution(const float *restrict in, const float *restrict filter, float *restrict out, float *restrict padded)
{
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int y = 0; y < H; y++)
            memcpy(padded + (y + R) * PW + R, in + y * W, W * sizeof(float));
#pragma omp for schedule(static)
        for (int y = 0; y < H; y++)
#pragma omp simd
            for (int x = 0; x < W; x++) {
                float sum = 0;
#pragma GCC unroll 7
                for (int j = 0; j < K; j++)
#pragma GCC unroll 7
                    for (int i = 0; i < K; i++)
                        sum += filter[j * K + i] * padded[(y + j) * PW + x + i];
                out[y * W + x] = sum;
            }
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    size_t padded_bytes = sizeof(float) * PW * (H + 2 * R);
    float *in = host_alloc(bytes), *out = host_alloc(bytes), *padded = host_alloc(padded_bytes), filter[K * K];
    make_input(in, filter);
    memset(padded, 0, padded_bytes);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        convolution(in, filter, out, padded);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, filter, out);
}
