/* SPDX-License-Identifier: Apache-2.0 */
/*
 * align: the scores of all ways to align two proteins of 2048 letters (Needleman and Wunsch, a table of 24 x 24 for pairs of letters,
 * 10 for a gap).  Tiles of 64 x 64, a launch for each diagonal of tiles; a block goes over its tile diagonal by diagonal, a
 * thread for each column, in shared memory.  Work counts the cells.
 *
 * CUDA variant.
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

__constant__ int table[LETTERS * LETTERS];

/* The tiles of a diagonal; the first one is in the given column. */
__global__ void align_diagonal(const int *a, const int *b, int *score, int diagonal, int first)
{
    __shared__ int s[TILE + 1][TILE + 1], letter[TILE];
    int t = threadIdx.x, column = (first + blockIdx.x) * TILE, row = (diagonal - first - blockIdx.x) * TILE;
    int *corner = score + row * WIDTH + column, mine = b[column + t];
    letter[t] = a[row + t];
    s[0][t + 1] = corner[t + 1];
    s[t + 1][0] = corner[(t + 1) * WIDTH];
    if (t == 0)
        s[0][0] = corner[0];
    __syncthreads();
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int i = d - t;
        if (i >= 0 && i < TILE) {
            int pair = s[i][t] + table[letter[i] * LETTERS + mine];
            s[i + 1][t + 1] = max(pair, max(s[i][t + 1], s[i + 1][t]) - GAP);
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE; i++)
        corner[(i + 1) * WIDTH + t + 1] = s[i + 1][t + 1];
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct input *in = (struct input *)host_alloc(sizeof *in);
    int *out = (int *)host_alloc(bytes), *d_a, *d_b, *d_score;
    make_input(in);
    CHECK(cudaMalloc(&d_a, sizeof in->a));
    CHECK(cudaMalloc(&d_b, sizeof in->b));
    CHECK(cudaMalloc(&d_score, bytes));
    CHECK(cudaMemcpy(d_a, in->a, sizeof in->a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, in->b, sizeof in->b, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_score, in->edge, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(table, in->table, sizeof in->table));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        for (int d = 0; d < 2 * TILES - 1; d++) {
            int first = d < TILES ? 0 : d - TILES + 1, n = d < TILES ? d + 1 : 2 * TILES - 1 - d;
            align_diagonal<<<n, TILE>>>(d_a, d_b, d_score, d, first);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d_score, bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, in, out);
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_score));
    return rc;
}
