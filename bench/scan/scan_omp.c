/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan: inclusive prefix sums of 2^24 unsigned integers.  Three launches: sums of chunks of 1024, a scan of those sums by one
 * block, then a scan of every chunk that starts at the sum before it.  Work counts 3 passes over memory, 12 bytes an element.
 *
 * Plain C with OpenMP.  Two passes over one part for each thread, as memory wants it: no chunks.
 */
#include "../common.h"
#include <omp.h>

enum { N = 1 << 24, BLOCK = 256, ITEMS = 4, CHUNK = BLOCK * ITEMS, CHUNKS = N / CHUNK };
static const size_t bytes = sizeof(uint32_t) * N;

static void make_input(uint32_t *in)
{
    for (int i = 0; i < N; i++)
        in[i] = rnd_u32() >> 20;
}

static int report(const char *variant, double seconds, const uint32_t *in, const uint32_t *out)
{
    uint32_t sum = 0, check = 0;
    int wrong = -1;
    for (int i = 0; i < N; i++) {
        sum += in[i];
        check ^= out[i] + i;
        if (out[i] != sum && wrong < 0)
            wrong = i;
    }
    printf("scan %s seconds=%.9f check=%u work=%.0f unit=GB/s\n", variant, seconds, check, 3.0 * bytes);
    if (wrong >= 0) {
        fprintf(stderr, "scan %s: element %d is wrong\n", variant, wrong);
        return 1;
    }
    return 0;
}

static void scan(const uint32_t *restrict in, uint32_t *restrict out)
{
    static uint32_t sums[1024];
#pragma omp parallel
    {
        int parts = omp_get_num_threads(), me = omp_get_thread_num();
        int first = (int)((int64_t)N * me / parts), last = (int)((int64_t)N * (me + 1) / parts);
        uint32_t sum = 0;
        for (int i = first; i < last; i++)
            sum += in[i];
        sums[me] = sum;
#pragma omp barrier
        sum = 0;
        for (int p = 0; p < me; p++)
            sum += sums[p];
        for (int i = first; i < last; i++)
            out[i] = sum += in[i];
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = host_alloc(bytes), *out = host_alloc(bytes);
    make_input(in);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        scan(in, out);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, out);
}
