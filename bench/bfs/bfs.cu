/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bfs: distances from vertex 0 in a random graph of 2^18 vertices with 4 to 12 edges out of each.  Level by level: a thread
 * for each vertex of the frontier looks at its edges and puts what it finds first into the next frontier with atomics.
 * The host reads the size of the next frontier after every level.  Work counts the edges.
 *
 * CUDA variant.
 */
#include "../common.h"

enum { N = 1 << 18, LEAST = 4, MOST = 12, BLOCK = 256 };

struct graph {
    int edges;
    int *start, *to;                            /* edges of v are start[v] to start[v + 1] */
};

static void make_input(struct graph *g)
{
    g->start = (int *)host_alloc((N + 1) * sizeof(int));
    g->edges = 0;
    for (int v = 0; v < N; v++) {
        g->start[v] = g->edges;
        g->edges += LEAST + rnd_u32() % (MOST - LEAST + 1);
    }
    g->start[N] = g->edges;
    g->to = (int *)host_alloc(g->edges * sizeof(int));
    for (int e = 0; e < g->edges; e++)
        g->to[e] = rnd_u32() % N;
}

static int report(const char *variant, double seconds, const struct graph *g, const int *distance)
{
    int *want = (int *)host_alloc(N * sizeof(int)), *list = (int *)host_alloc(N * sizeof(int));
    int n = 0, wrong = -1;
    uint32_t check = 0;
    for (int v = 0; v < N; v++)
        want[v] = -1;
    want[0] = 0;
    list[n++] = 0;
    for (int q = 0; q < n; q++)
        for (int e = g->start[list[q]]; e < g->start[list[q] + 1]; e++)
            if (want[g->to[e]] < 0) {
                want[g->to[e]] = want[list[q]] + 1;
                list[n++] = g->to[e];
            }
    for (int v = 0; v < N; v++) {
        check = check * 31 + distance[v];
        if (distance[v] != want[v] && wrong < 0)
            wrong = v;
    }
    printf("bfs %s seconds=%.9f check=%u work=%d unit=Medges/s\n", variant, seconds, check, g->edges);
    if (wrong >= 0)
        fprintf(stderr, "bfs %s: vertex %d: got %d, want %d\n", variant, wrong, distance[wrong], want[wrong]);
    free(want);
    free(list);
    return wrong >= 0;
}

__global__ void bfs_init(int *distance, int *frontier)
{
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < N)
        distance[v] = v == 0 ? 0 : -1;
    if (v == 0)
        frontier[0] = 0;
}

__global__ void bfs_level(const int *start, const int *to, int *distance, const int *frontier, int n, int *next, int *n_next,
                          int level)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    int v = frontier[i], last = start[v + 1];
    for (int e = start[v]; e < last; e++) {
        int u = to[e];
        if (distance[u] < 0 && atomicCAS(&distance[u], -1, level) < 0)
            next[atomicAdd(n_next, 1)] = u;
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct graph g;
    int *distance = (int *)host_alloc(N * sizeof(int));
    int *d_start, *d_to, *d_distance, *d_frontier[2], *d_count;
    make_input(&g);
    CHECK(cudaMalloc(&d_start, (N + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d_to, g.edges * sizeof(int)));
    CHECK(cudaMalloc(&d_distance, N * sizeof(int)));
    CHECK(cudaMalloc(&d_frontier[0], N * sizeof(int)));
    CHECK(cudaMalloc(&d_frontier[1], N * sizeof(int)));
    CHECK(cudaMalloc(&d_count, sizeof(int)));
    CHECK(cudaMemcpy(d_start, g.start, (N + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_to, g.to, g.edges * sizeof(int), cudaMemcpyHostToDevice));

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        bfs_init<<<N / BLOCK, BLOCK>>>(d_distance, d_frontier[0]);
        for (int n = 1, level = 1; n > 0; level++) {
            CHECK(cudaMemsetAsync(d_count, 0, sizeof(int)));
            bfs_level<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_start, d_to, d_distance, d_frontier[~level & 1], n,
                                                          d_frontier[level & 1], d_count, level);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(&n, d_count, sizeof n, cudaMemcpyDeviceToHost));
        }
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    CHECK(cudaMemcpy(distance, d_distance, N * sizeof(int), cudaMemcpyDeviceToHost));
    int rc = report("cuda", best, &g, distance);
    CHECK(cudaFree(d_start));
    CHECK(cudaFree(d_to));
    CHECK(cudaFree(d_distance));
    CHECK(cudaFree(d_frontier[0]));
    CHECK(cudaFree(d_frontier[1]));
    CHECK(cudaFree(d_count));
    return rc;
}
