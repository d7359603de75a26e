/* SPDX-License-Identifier: Apache-2.0 */
/*
 * align: the scores of all ways to align two proteins of 2048 letters (Needleman and Wunsch, a table of 24 x 24 for pairs of letters,
 * 10 for a gap).  Tiles of 64 x 64, a launch for each diagonal of tiles; a block goes over its tile diagonal by diagonal, a
 * thread for each column, in shared memory.  Work counts the cells.
 *
 * Plain C with OpenMP.  The same tiles; inside, what comes from the
 * row above is computed in vectors, and what comes from the left is carried along the row.
 */
#include "../common.h"

enum { N = 2048, TILE = 64, LETTERS = 24, GAP = 10, WIDTH = N + 1, TILES = N / TILE };
static const size_t bytes = sizeof(int) * WIDTH * WIDTH;

struct input {
    int a[N], b[N];                             /* letters: a down, b across */
    int table[LETTERS * LETTERS];
    int *edge;                                  /* WIDTH x WIDTH, of which the first row and column are set */
};

static void make_input(struct input *in)
{
    for (int i = 0; i < N; i++) {
        in->a[i] = rnd_u32() % LETTERS;
        in->b[i] = rnd_u32() % 4 == 0 ? (int)(rnd_u32() % LETTERS) : in->a[i];
    }
    for (int i = 0; i < LETTERS; i++)
        for (int j = 0; j <= i; j++)
            in->table[i * LETTERS + j] = in->table[j * LETTERS + i] = i == j ? 4 + rnd_u32() % 8 : rnd_u32() % 8 - 5;
    in->edge = (int *)host_alloc(bytes);
    memset(in->edge, 0, bytes);
    for (int i = 1; i <= N; i++)
        in->edge[i] = in->edge[i * WIDTH] = -i * GAP;
}

static int report(const char *variant, double seconds, const struct input *in, const int *out)
{
    int *want = (int *)host_alloc(bytes), wrong = -1;
    uint32_t check = 0;
    memcpy(want, in->edge, bytes);
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            int *at = want + i * WIDTH + j;
            int pair = at[-WIDTH - 1] + in->table[in->a[i - 1] * LETTERS + in->b[j - 1]], gap = (at[-1] > at[-WIDTH] ? at[-1] : at[-WIDTH]) - GAP;
            *at = pair > gap ? pair : gap;
        }
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        check = check * 31 + out[i];
        if (out[i] != want[i] && wrong < 0)
            wrong = i;
    }
    printf("align %s seconds=%.9f check=%u work=%.0f unit=Gcells/s\n", variant, seconds, check, (double)N * N);
    if (wrong >= 0)
        fprintf(stderr, "align %s: row %d, column %d: got %d, want %d\n", variant, wrong / WIDTH, wrong % WIDTH, out[wrong], want[wrong]);
    free(want);
    return wrong >= 0;
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

static void tile(const struct input *in, int *score, int row, int column)
{
    for (int i = row; i < row + TILE; i++) {
        const int *restrict pair = in->table + in->a[i] * LETTERS, *restrict b = in->b + column;
        const int *restrict above = score + i * WIDTH + column;
        int *restrict here = score + (i + 1) * WIDTH + column, best[TILE];
#pragma omp simd
        for (int j = 0; j < TILE; j++)
            best[j] = max(above[j] + pair[b[j]], above[j + 1] - GAP);
        int left = here[0];
        for (int j = 0; j < TILE; j++)
            here[j + 1] = left = max(best[j], left - GAP);
    }
}

static void align(const struct input *in, int *score)
{
    for (int d = 0; d < 2 * TILES - 1; d++) {
        int first = d < TILES ? 0 : d - TILES + 1, last = d < TILES ? d : TILES - 1;
#pragma omp parallel for schedule(static)
        for (int c = first; c <= last; c++)
            tile(in, score, (d - c) * TILE, c * TILE);
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct input *in = host_alloc(sizeof *in);
    int *score = host_alloc(bytes);
    make_input(in);
    memcpy(score, in->edge, bytes);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        align(in, score);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, score);
}
