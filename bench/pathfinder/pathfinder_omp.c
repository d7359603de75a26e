/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pathfinder: the cheapest way from the top of a grid of 97 rows of 2^17 cells to each cell of its last row; each step goes
 * down, straight or to a neighbour.  16 rows to a launch: a block keeps 256 cells of a row in shared memory, of which one more at
 * each end is lost with every row.  Work counts the cells.
 *
 * Plain C with OpenMP.  Row after row.
 */
#include "../common.h"

enum { COLS = 1 << 17, ROWS = 97, BLOCK = 256, HEIGHT = 16, WIDTH = BLOCK - 2 * HEIGHT };
static const size_t row_bytes = sizeof(int) * COLS, bytes = sizeof(int) * COLS * ROWS;

static void make_input(int *grid)
{
    for (int i = 0; i < COLS * ROWS; i++)
        grid[i] = rnd_u32() % 100;
}

static int report(const char *variant, double seconds, const int *grid, const int *out)
{
    int *want = (int *)host_alloc(row_bytes), *old = (int *)host_alloc(row_bytes), wrong = -1;
    uint32_t check = 0;
    memcpy(want, grid, row_bytes);
    for (int r = 1; r < ROWS; r++) {
        memcpy(old, want, row_bytes);
        for (int c = 0; c < COLS; c++) {
            int least = old[c];
            if (c > 0 && old[c - 1] < least)
                least = old[c - 1];
            if (c < COLS - 1 && old[c + 1] < least)
                least = old[c + 1];
            want[c] = least + grid[r * COLS + c];
        }
    }
    for (int c = 0; c < COLS; c++) {
        check = check * 31 + out[c];
        if (out[c] != want[c] && wrong < 0)
            wrong = c;
    }
    printf("pathfinder %s seconds=%.9f check=%u work=%d unit=Gcells/s\n", variant, seconds, check, COLS * ROWS);
    if (wrong >= 0)
        fprintf(stderr, "pathfinder %s: column %d: got %d, want %d\n", variant, wrong, out[wrong], want[wrong]);
    free(want);
    free(old);
    return wrong >= 0;
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

static void next_row(const int *restrict cell, const int *restrict old, int *restrict new)
{
    new[0] = min(old[0], old[1]) + cell[0];
    new[COLS - 1] = min(old[COLS - 1], old[COLS - 2]) + cell[COLS - 1];
#pragma omp parallel for simd schedule(static)
    for (int c = 1; c < COLS - 1; c++)
        new[c] = min(min(old[c - 1], old[c + 1]), old[c]) + cell[c];
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    int *grid = host_alloc(bytes), *cost[2] = { host_alloc(row_bytes), host_alloc(row_bytes) };
    make_input(grid);

    double best = 1e30;
    int last = 0;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        const int *from = grid;
        for (int row = 1; row < ROWS; row++) {
            next_row(grid + row * COLS, from, cost[last ^ 1]);
            last ^= 1;
            from = cost[last];
        }
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, grid, cost[last]);
}
