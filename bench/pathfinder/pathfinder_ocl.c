/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pathfinder: the cheapest way from the top of a grid of 97 rows of 2^17 cells to each cell of its last row; each step goes
 * down, straight or to a neighbour.  16 rows to a launch: a block keeps 256 cells of a row in shared memory, of which one more at
 * each end is lost with every row.  Work counts the cells.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

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

static const char *text = TEXT(
__kernel void pathfinder(__global const int *grid, __global const int *from, __global int *to, int row)
{
    __local int cost[2][BLOCK];
    int t = get_local_id(0);
    int c = get_group_id(0) * WIDTH + t - HEIGHT;
    bool inside = c >= 0 && c < COLS;
    int mine = inside ? from[c] : 0x7fffffff;
    cost[0][t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < HEIGHT; i++) {
        __local const int *old = cost[i & 1];
        if (inside) {
            int left = old[max(t - 1, 0)];
            int right = old[min(t + 1, BLOCK - 1)];
            mine = min(min(left, right), old[t]) + grid[(row + i) * COLS + c];
        }
        cost[~i & 1][t] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside && t >= HEIGHT && t < BLOCK - HEIGHT)
        to[c] = mine;
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    int *grid = host_alloc(bytes), *out = host_alloc(row_bytes);
    char options[96];
    make_input(grid);
    ocl_open();
    snprintf(options, sizeof options, "-DCOLS=%d -DBLOCK=%d -DHEIGHT=%d -DWIDTH=%d", COLS, BLOCK, HEIGHT, WIDTH);
    cl_kernel kernel = ocl_kernel(ocl_build(text, options), "pathfinder");
    cl_mem d_grid = ocl_buffer(bytes, grid), d_cost[2] = { ocl_buffer(row_bytes, NULL), ocl_buffer(row_bytes, NULL) };
    ARG(kernel, 0, d_grid);

    double best = 1e30;
    int last = 0;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        cl_mem from = d_grid;
        for (cl_int row = 1; row < ROWS; row += HEIGHT) {
            ARG(kernel, 1, from);
            ARG(kernel, 2, d_cost[last ^ 1]);
            ARG(kernel, 3, row);
            ocl_launch(kernel, 1, (size_t)(COLS + WIDTH - 1) / WIDTH * BLOCK, 1, BLOCK, 1);
            last ^= 1;
            from = d_cost[last];
        }
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_cost[last], out, row_bytes);
    return report("ocl", best, grid, out);
}
