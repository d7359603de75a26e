/* SPDX-License-Identifier: Apache-2.0 */
/*
 * align: the scores of all ways to align two proteins of 2048 letters (Needleman and Wunsch, a table of 24 x 24 for pairs of letters,
 * 10 for a gap).  Tiles of 64 x 64, a launch for each diagonal of tiles; a block goes over its tile diagonal by diagonal, a
 * thread for each column, in shared memory.  Work counts the cells.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

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

static const char *text = TEXT(
__kernel void align_diagonal(__global const int *a, __global const int *b, __global int *score, __constant const int *table,
                             int diagonal, int first)
{
    __local int s[TILE + 1][TILE + 1];
    __local int letter[TILE];
    int t = get_local_id(0);
    int column = (first + get_group_id(0)) * TILE;
    int row = (diagonal - first - get_group_id(0)) * TILE;
    __global int *corner = score + row * WIDTH + column;
    int mine = b[column + t];
    letter[t] = a[row + t];
    s[0][t + 1] = corner[t + 1];
    s[t + 1][0] = corner[(t + 1) * WIDTH];
    if (t == 0)
        s[0][0] = corner[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int i = d - t;
        if (i >= 0 && i < TILE) {
            int pair = s[i][t] + table[letter[i] * LETTERS + mine];
            s[i + 1][t + 1] = max(pair, max(s[i][t + 1], s[i + 1][t]) - GAP);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < TILE; i++)
        corner[(i + 1) * WIDTH + t + 1] = s[i + 1][t + 1];
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct input *in = host_alloc(sizeof *in);
    int *out = host_alloc(bytes);
    char options[96];
    make_input(in);
    ocl_open();
    snprintf(options, sizeof options, "-DTILE=%d -DWIDTH=%d -DLETTERS=%d -DGAP=%d", TILE, WIDTH, LETTERS, GAP);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "align_diagonal");
    cl_mem d_a = ocl_buffer(sizeof in->a, in->a), d_b = ocl_buffer(sizeof in->b, in->b);
    cl_mem d_score = ocl_buffer(bytes, in->edge), d_table = ocl_buffer(sizeof in->table, in->table);
    ARG(kernel, 0, d_a);
    ARG(kernel, 1, d_b);
    ARG(kernel, 2, d_score);
    ARG(kernel, 3, d_table);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        for (cl_int d = 0; d < 2 * TILES - 1; d++) {
            cl_int first = d < TILES ? 0 : d - TILES + 1, n = d < TILES ? d + 1 : 2 * TILES - 1 - d;
            ARG(kernel, 4, d);
            ARG(kernel, 5, first);
            ocl_launch(kernel, 1, (size_t)n * TILE, 1, TILE, 1);
        }
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_score, out, bytes);
    return report("ocl", best, in, out);
}
