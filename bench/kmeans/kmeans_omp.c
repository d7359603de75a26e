/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmeans: 4 rounds of clustering 2^17 points of 8 dimensions around 16 centres.  A thread finds the centre nearest to its
 * point; each block adds its points up in shared memory with atomics, then adds that to the sums of all.  A second kernel makes
 * them the new centres.  Work counts the distances.
 *
 * Plain C with OpenMP.  The nearest centres of a piece of points, in
 * vectors; then the points are added up one by one, by each thread for itself.
 */
#include "../common.h"

enum { N = 1 << 17, DIMS = 8, CENTRES = 16, ROUNDS = 4, BLOCK = 256, POINTS = 4 };
static const size_t bytes = sizeof(float) * N * DIMS, centre_bytes = sizeof(float) * CENTRES * DIMS;

/* Coordinate d of point i is at[d * N + i].  The points lie around 16 places. */
static void make_input(float *at, float *centre)
{
    float middle[CENTRES][DIMS];
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++)
            middle[c][d] = rnd();
    for (int i = 0; i < N; i++) {
        int c = rnd_u32() % CENTRES;
        for (int d = 0; d < DIMS; d++)
            at[d * N + i] = middle[c][d] + 0.6f * (rnd() - 0.5f);
    }
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++)
            centre[c * DIMS + d] = at[d * N + c];
}

/* The reference, in double precision: a point between two centres may go to either, which moves them by very little. */
static void reference(const float *at, const float *start, double (*centre)[DIMS])
{
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++)
            centre[c][d] = start[c * DIMS + d];
    for (int r = 0; r < ROUNDS; r++) {
        double sum[CENTRES][DIMS] = { { 0 } };
        int count[CENTRES] = { 0 };
        for (int i = 0; i < N; i++) {
            double least = 1e30;
            int best = 0;
            for (int c = 0; c < CENTRES; c++) {
                double far = 0;
                for (int d = 0; d < DIMS; d++)
                    far += (at[d * N + i] - centre[c][d]) * (at[d * N + i] - centre[c][d]);
                if (far < least) {
                    least = far;
                    best = c;
                }
            }
            count[best]++;
            for (int d = 0; d < DIMS; d++)
                sum[best][d] += at[d * N + i];
        }
        for (int c = 0; c < CENTRES; c++)
            for (int d = 0; d < DIMS && count[c]; d++)
                centre[c][d] = sum[c][d] / count[c];
    }
}

static int report(const char *variant, double seconds, const float *at, const float *start, const float *centre)
{
    double want[CENTRES][DIMS], sum = 0, worst = 0;
    reference(at, start, want);
    for (int c = 0; c < CENTRES; c++)
        for (int d = 0; d < DIMS; d++) {
            sum += (c + d + 1) * centre[c * DIMS + d];
            worst = fmax(worst, fabs(centre[c * DIMS + d] - want[c][d]));
        }
    printf("kmeans %s seconds=%.9f check=%.6e work=%.0f unit=Gdistances/s\n", variant, seconds, sum, (double)N * CENTRES * ROUNDS);
    if (!(worst <= 1e-4)) {
        fprintf(stderr, "kmeans %s: a centre is off by %g\n", variant, worst);
        return 1;
    }
    return 0;
}

enum { PIECE = 256 };

/* Adds the points from `first` on to sum and count. */
static void assign(const float *restrict at, const float *restrict centre, int first, float sum[CENTRES][DIMS], int *count)
{
    float least[PIECE];
    int best[PIECE];
    for (int i = 0; i < PIECE; i++) {
        least[i] = INFINITY;
        best[i] = 0;
    }
    for (int c = 0; c < CENTRES; c++)
#pragma omp simd
        for (int i = 0; i < PIECE; i++) {
            float far = 0.0f;
            for (int d = 0; d < DIMS; d++) {
                float diff = at[d * N + first + i] - centre[c * DIMS + d];
                far += diff * diff;
            }
            best[i] = far < least[i] ? c : best[i];
            least[i] = far < least[i] ? far : least[i];
        }
    for (int i = 0; i < PIECE; i++) {
        count[best[i]]++;
        for (int d = 0; d < DIMS; d++)
            sum[best[i]][d] += at[d * N + first + i];
    }
}

static void kmeans(const float *at, float *centre)
{
    for (int r = 0; r < ROUNDS; r++) {
        float sum[CENTRES][DIMS] = { { 0 } };
        int count[CENTRES] = { 0 };
#pragma omp parallel for schedule(static) reduction(+ : sum, count)
        for (int first = 0; first < N; first += PIECE)
            assign(at, centre, first, sum, count);
        for (int c = 0; c < CENTRES; c++)
            for (int d = 0; d < DIMS && count[c] > 0; d++)
                centre[c * DIMS + d] = sum[c][d] / count[c];
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    float *at = host_alloc(bytes), *start = host_alloc(centre_bytes), *centre = host_alloc(centre_bytes);
    make_input(at, start);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        memcpy(centre, start, centre_bytes);
        double t = now();
        kmeans(at, centre);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, at, start, centre);
}
