/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pathfinder: the cheapest way from the top of a grid of 97 rows of 2^17 cells to each cell of its last row; each step goes
 * down, straight or to a neighbour.  16 rows to a launch: a block keeps 256 cells of a row in shared memory, of which one more at
 * each end is lost with every row.  Work counts the cells.
 *
 * CUDA variant.
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

/* HEIGHT rows from `row` on: the costs of row - 1 are in from, those of the last one go to `to`. */
__global__ void pathfinder(const int *grid, const int *from, int *to, int row)
{
    __shared__ int cost[2][BLOCK];
    int t = threadIdx.x, c = blockIdx.x * WIDTH + t - HEIGHT;
    bool inside = c >= 0 && c < COLS;
    int mine = inside ? from[c] : 0x7fffffff;
    cost[0][t] = mine;
    __syncthreads();
    for (int i = 0; i < HEIGHT; i++) {
        const int *old = cost[i & 1];
        if (inside) {
            int left = old[max(t - 1, 0)], right = old[min(t + 1, BLOCK - 1)];
            mine = min(min(left, right), old[t]) + grid[(row + i) * COLS + c];
        }
        cost[~i & 1][t] = mine;
        __syncthreads();
    }
    if (inside && t >= HEIGHT && t < BLOCK - HEIGHT)
        to[c] = mine;
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    int *grid = (int *)host_alloc(bytes), *out = (int *)host_alloc(row_bytes);
    int *d_grid, *d_cost[2];
    make_input(grid);
    CHECK(cudaMalloc(&d_grid, bytes));
    CHECK(cudaMalloc(&d_cost[0], row_bytes));
    CHECK(cudaMalloc(&d_cost[1], row_bytes));
    CHECK(cudaMemcpy(d_grid, grid, bytes, cudaMemcpyHostToDevice));

    double best = 1e30;
    int last = 0;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        const int *from = d_grid;
        for (int row = 1; row < ROWS; row += HEIGHT) {
            pathfinder<<<(COLS + WIDTH - 1) / WIDTH, BLOCK>>>(d_grid, from, d_cost[last ^ 1], row);
            last ^= 1;
            from = d_cost[last];
        }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(out, d_cost[last], row_bytes, cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, grid, out);
    CHECK(cudaFree(d_grid));
    CHECK(cudaFree(d_cost[0]));
    CHECK(cudaFree(d_cost[1]));
    return rc;
}
