/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft: 4096 complex transforms of 1024 points, radix 4, Stockham order (no bit reversal).  A block of 256 threads for each
 * transform, 5 stages, exchanged through shared memory; the roots of unity come from a table.  Work counts 5 n log2(n).
 *
 * Plain C with OpenMP.  Same stages, real and imaginary parts apart, so that the inner loops are vectors.
 */
#include "../common.h"

enum { BATCH = 4096, N = 1024, BLOCK = N / 4 };
static const size_t bytes = sizeof(float) * 2 * BATCH * N;

static void make_input(float *in, float *root)
{
    for (int i = 0; i < 2 * BATCH * N; i++)
        in[i] = rnd() - 0.5f;
    for (int i = 0; i < N; i++) {
        root[2 * i] = cos(-2 * M_PI * i / N);
        root[2 * i + 1] = sin(-2 * M_PI * i / N);
    }
}

/* Checks every 97th transform at every 31st frequency against the definition in double precision. */
static int report(const char *variant, double seconds, const float *in, const float *out)
{
    static double c[N], s[N];
    double sum = 0, worst = 0;
    for (int i = 0; i < N; i++) {
        c[i] = cos(-2 * M_PI * i / N);
        s[i] = sin(-2 * M_PI * i / N);
    }
    for (size_t i = 0; i < (size_t)2 * BATCH * N; i++)
        sum += fabs(out[i]);
    for (int b = 0; b < BATCH; b += 97)
        for (int f = 0; f < N; f += 31) {
            const float *x = in + (size_t)2 * b * N, *y = out + (size_t)2 * b * N;
            double re = 0, im = 0;
            for (int i = 0; i < N; i++) {
                int k = i * f % N;
                re += x[2 * i] * c[k] - x[2 * i + 1] * s[k];
                im += x[2 * i] * s[k] + x[2 * i + 1] * c[k];
            }
            worst = fmax(worst, fmax(fabs(re - y[2 * f]), fabs(im - y[2 * f + 1])));
        }
    printf("fft %s seconds=%.9f check=%.6e work=%.0f unit=GFLOP/s\n", variant, seconds, sum, 5.0 * 10 * N * BATCH);
    if (!(worst <= 1e-4)) {
        fprintf(stderr, "fft %s: max error %g\n", variant, worst);
        return 1;
    }
    return 0;
}

struct split {
    float re[N], im[N];
};

/*
 * One stage, N / 4 butterflies.  The s points of a run take the same root, which makes the inner loop a vector loop once
 * s is 16; for s = 1 and s = 4 the outer loop is short of nothing but neighbours, and gcc permutes.
 */
static inline void stage(const struct split *restrict x, struct split *restrict y, const struct split *restrict root, int s)
{
    int runs = BLOCK / s;
    for (int p = 0; p < runs; p++) {
        float c1 = root->re[p * s], s1 = root->im[p * s], c2 = root->re[2 * p * s], s2 = root->im[2 * p * s];
        float c3 = root->re[3 * p * s], s3 = root->im[3 * p * s];
#pragma omp simd
        for (int q = 0; q < s; q++) {
            int i = p * s + q, o = 4 * p * s + q;
            float ar = x->re[i] + x->re[i + N / 2], ai = x->im[i] + x->im[i + N / 2];
            float br = x->re[i] - x->re[i + N / 2], bi = x->im[i] - x->im[i + N / 2];
            float cr = x->re[i + N / 4] + x->re[i + 3 * N / 4], ci = x->im[i + N / 4] + x->im[i + 3 * N / 4];
            float dr = x->re[i + N / 4] - x->re[i + 3 * N / 4], di = x->im[i + N / 4] - x->im[i + 3 * N / 4];
            float r1 = br + di, i1 = bi - dr, r2 = ar - cr, i2 = ai - ci, r3 = br - di, i3 = bi + dr;
            y->re[o] = ar + cr;
            y->im[o] = ai + ci;
            y->re[o + s] = r1 * c1 - i1 * s1;
            y->im[o + s] = r1 * s1 + i1 * c1;
            y->re[o + 2 * s] = r2 * c2 - i2 * s2;
            y->im[o + 2 * s] = r2 * s2 + i2 * c2;
            y->re[o + 3 * s] = r3 * c3 - i3 * s3;
            y->im[o + 3 * s] = r3 * s3 + i3 * c3;
        }
    }
}

static void fft(const float *restrict in, const float *restrict root, float *restrict out)
{
#pragma omp parallel
    {
        struct split a, b, w;
        for (int i = 0; i < N; i++) {
            w.re[i] = root[2 * i];
            w.im[i] = root[2 * i + 1];
        }
#pragma omp for schedule(static)
        for (int t = 0; t < BATCH; t++) {
            const float *restrict x = in + (size_t)2 * t * N;
            float *restrict y = out + (size_t)2 * t * N;
            for (int i = 0; i < N; i++) {
                a.re[i] = x[2 * i];
                a.im[i] = x[2 * i + 1];
            }
            stage(&a, &b, &w, 1);
            stage(&b, &a, &w, 4);
            stage(&a, &b, &w, 16);
            stage(&b, &a, &w, 64);
            stage(&a, &b, &w, 256);
            for (int i = 0; i < N; i++) {
                y[2 * i] = b.re[i];
                y[2 * i + 1] = b.im[i];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *in = host_alloc(bytes), *out = host_alloc(bytes), root[2 * N];
    make_input(in, root);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        fft(in, root, out);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, out);
}
