/* SPDX-License-Identifier: Apache-2.0 */
/*
 * floyd: the shortest ways between all pairs of 512 vertices by Floyd and Warshall, a launch for each vertex that ways may lead
 * through.  Work counts the sums compared.
 *
 * Plain C with OpenMP.
 */
#include "../common.h"

enum { N = 512, BLOCK_X = 32, BLOCK_Y = 8, FAR = 1 << 29 };
static const size_t bytes = sizeof(int) * N * N;

/* One edge in ten is there. */
static void make_input(int *edge)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int length = 1 + rnd_u32() % 1000;
            edge[i * N + j] = i == j ? 0 : rnd_u32() % 10 == 0 ? length : FAR;
        }
}

static int report(const char *variant, double seconds, const int *edge, const int *out)
{
    int *want = (int *)host_alloc(bytes), wrong = -1;
    uint32_t check = 0;
    memcpy(want, edge, bytes);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (want[i * N + k] + want[k * N + j] < want[i * N + j])
                    want[i * N + j] = want[i * N + k] + want[k * N + j];
    for (int i = 0; i < N * N; i++) {
        check = check * 31 + out[i];
        if (out[i] != want[i] && wrong < 0)
            wrong = i;
    }
    printf("floyd %s seconds=%.9f check=%u work=%.0f unit=Gsums/s\n", variant, seconds, check, (double)N * N * N);
    if (wrong >= 0)
        fprintf(stderr, "floyd %s: from %d to %d: got %d, want %d\n", variant, wrong / N, wrong % N, out[wrong], want[wrong]);
    free(want);
    return wrong >= 0;
}

static void floyd(int (*d)[N])
{
    for (int k = 0; k < N; k++) {
        const int *by = d[k];
#pragma omp parallel for schedule(static)
        for (int i = 0; i < N; i++) {
            int *row = d[i], first = d[i][k];
#pragma omp simd
            for (int j = 0; j < N; j++) {
                int through = first + by[j];
                row[j] = through < row[j] ? through : row[j];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    int *edge = host_alloc(bytes), *d = host_alloc(bytes);
    make_input(edge);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        memcpy(d, edge, bytes);
        double t = now();
        floyd((int(*)[N])d);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, edge, d);
}
