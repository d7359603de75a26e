/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram: counts of the 256 values of 2^25 bytes.  Every block counts its part of the input in shared memory with atomics,
 * one table for each warp, then adds the tables to the result in global memory.  Work counts the bytes read.
 *
 * Plain C with OpenMP.  Another algorithm: no atomics, four private tables for each
 * thread, so that equal neighbours do not wait for each other's stores.
 */
#include "../common.h"

enum { N = 1 << 25, BLOCK = 256, BLOCKS = 128, BINS = 256, WORDS = N / 16 };

static void make_input(uint8_t *in)
{
    for (int i = 0; i < N; i++)                 /* the sum of two numbers: the middle values are the most frequent */
        in[i] = (rnd_u32() >> 25) + (rnd_u32() >> 25);
}

static int report(const char *variant, double seconds, const uint8_t *in, const uint32_t *count)
{
    static uint32_t want[BINS];
    uint32_t check = 0;
    for (int i = 0; i < N; i++)
        want[in[i]]++;
    for (int b = 0; b < BINS; b++)
        check = check * 31 + count[b];
    printf("histogram %s seconds=%.9f check=%u work=%.0f unit=GB/s\n", variant, seconds, check, (double)N);
    for (int b = 0; b < BINS; b++)
        if (count[b] != want[b]) {
            fprintf(stderr, "histogram %s: bin %d: got %u, want %u\n", variant, b, count[b], want[b]);
            return 1;
        }
    return 0;
}

static void histogram(const uint8_t *restrict in, uint32_t *restrict count)
{
    memset(count, 0, BINS * sizeof *count);
#pragma omp parallel
    {
        uint32_t part[4][BINS] = { { 0 } };
#pragma omp for schedule(static)
        for (int i = 0; i < N; i += 8) {
            uint64_t w;
            memcpy(&w, in + i, 8);
            for (int k = 0; k < 8; k++)
                part[k % 4][w >> 8 * k & 255]++;
        }
#pragma omp critical
        for (int b = 0; b < BINS; b++)
            count[b] += part[0][b] + part[1][b] + part[2][b] + part[3][b];
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint8_t *in = host_alloc(N);
    uint32_t count[BINS];
    make_input(in);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        histogram(in, count);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, count);
}
