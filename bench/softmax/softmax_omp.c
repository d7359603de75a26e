/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax: of every row of 8192 x 1024 floats.  A block for each row: its 256 threads keep 4 numbers each in registers, and
 * find the maximum and the sum together.  Work counts one read and one write, 8 bytes a number.
 *
 * Plain C with OpenMP.  expf is redeclared with "declare simd", which makes gcc call glibc's vector version
 * (libmvec, at most 4 ulp) although -ffast-math is off.
 */
#include "../common.h"

enum { ROWS = 8192, COLS = 1024, BLOCK = 256, ITEMS = COLS / BLOCK };
static const size_t bytes = sizeof(float) * ROWS * COLS;

static void make_input(float *in)
{
    for (int i = 0; i < ROWS * COLS; i++)
        in[i] = 8.0f * rnd() - 4.0f;
}

/* Checks every 7th row against double precision. */
static int report(const char *variant, double seconds, const float *in, const float *out)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < ROWS * COLS; i++)
        sum += out[i] * (i % COLS);
    for (int r = 0; r < ROWS; r += 7) {
        const float *x = in + (size_t)r * COLS, *y = out + (size_t)r * COLS;
        double total = 0;
        for (int c = 0; c < COLS; c++)
            total += exp(x[c]);
        for (int c = 0; c < COLS; c++)
            worst = fmax(worst, fabs(y[c] * total / exp(x[c]) - 1));
    }
    printf("softmax %s seconds=%.9f check=%.6e work=%.0f unit=GB/s\n", variant, seconds, sum, 2.0 * bytes);
    if (!(worst <= 1e-5)) {
        fprintf(stderr, "softmax %s: max relative error %g\n", variant, worst);
        return 1;
    }
    return 0;
}

#pragma omp declare simd notinbranch
float expf(float);

static void softmax(const float *restrict in, float *restrict out)
{
#pragma omp parallel for schedule(static)
    for (int r = 0; r < ROWS; r++) {
        const float *restrict x = in + (size_t)r * COLS;
        float *restrict y = out + (size_t)r * COLS;
        float top = x[0], sum = 0;
#pragma omp simd reduction(max : top)
        for (int c = 0; c < COLS; c++)
            top = x[c] > top ? x[c] : top;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < COLS; c++) {
            y[c] = expf(x[c] - top);
            sum += y[c];
        }
        float scale = 1.0f / sum;
#pragma omp simd
        for (int c = 0; c < COLS; c++)
            y[c] *= scale;
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = host_alloc(bytes), *out = host_alloc(bytes);
    make_input(in);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        softmax(in, out);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, out);
}
