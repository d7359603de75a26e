/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compact: those of 2^23 numbers that are below a limit, half of them, put together.  A warp counts its own with a ballot, the
 * block adds its warps up and asks for its place with one atomic; blocks come in any order.  Work counts the bytes read.
 *
 * Plain C with OpenMP.  Each thread takes
 * pieces of 4096 numbers, keeps what is below the limit without branches, and asks for its place once.
 */
#include "../common.h"

enum { N = 1 << 23, BLOCK = 256, ITEMS = 4 };
static const size_t bytes = sizeof(uint32_t) * N;
static const uint32_t limit = 1u << 31;

static void make_input(uint32_t *in)
{
    for (int i = 0; i < N; i++)
        in[i] = rnd_u32();
}

/* A sum that does not depend on the order, of numbers that hardly ever add up to the same. */
static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static int report(const char *variant, double seconds, const uint32_t *in, const uint32_t *out, int n)
{
    uint32_t want = 0, check = 0;
    int kept = 0;
    for (int i = 0; i < N; i++)
        if (in[i] < limit) {
            kept++;
            want += mix(in[i]);
        }
    for (int i = 0; i < n && i < N; i++)
        check += mix(out[i]);
    printf("compact %s seconds=%.9f check=%u work=%.0f unit=GB/s\n", variant, seconds, check, (double)bytes);
    if (n != kept || check != want) {
        fprintf(stderr, "compact %s: %d numbers, want %d; sum %u, want %u\n", variant, n, kept, check, want);
        return 1;
    }
    return 0;
}

enum { PIECE = 4096 };

static int compact(const uint32_t *restrict in, uint32_t *restrict out)
{
    int n = 0;
#pragma omp parallel for schedule(static)
    for (int first = 0; first < N; first += PIECE) {
        uint32_t mine[PIECE];
        int k = 0;
        for (int i = 0; i < PIECE; i++) {
            mine[k] = in[first + i];
            k += in[first + i] < limit;
        }
        memcpy(out + __atomic_fetch_add(&n, k, __ATOMIC_RELAXED), mine, k * sizeof *mine);
    }
    return n;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10, n = 0;
    uint32_t *in = host_alloc(bytes), *out = host_alloc(bytes);
    make_input(in);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        n = compact(in, out);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, out, n);
}
