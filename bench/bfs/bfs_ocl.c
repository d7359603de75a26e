/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bfs: distances from vertex 0 in a random graph of 2^18 vertices with 4 to 12 edges out of each.  Level by level: a thread
 * for each vertex of the frontier looks at its edges and puts what it finds first into the next frontier with atomics.
 * The host reads the size of the next frontier after every level.  Work counts the edges.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

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

static const char *text = TEXT(
__kernel void bfs_init(__global int *distance, __global int *frontier)
{
    int v = get_global_id(0);
    distance[v] = v == 0 ? 0 : -1;
    if (v == 0)
        frontier[0] = 0;
}

__kernel void bfs_level(__global const int *start, __global const int *to, __global int *distance,
                        __global const int *frontier, int n, __global int *next, __global int *n_next, int level)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    int v = frontier[i];
    int last = start[v + 1];
    for (int e = start[v]; e < last; e++) {
        int u = to[e];
        if (distance[u] < 0 && atomic_cmpxchg(&distance[u], -1, level) < 0)
            next[atomic_inc(n_next)] = u;
    }
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct graph g;
    int *distance = host_alloc(N * sizeof(int));
    make_input(&g);
    ocl_open();
    cl_program program = ocl_build(text, "");
    cl_kernel init = ocl_kernel(program, "bfs_init"), step = ocl_kernel(program, "bfs_level");
    cl_mem d_start = ocl_buffer((N + 1) * sizeof(int), g.start), d_to = ocl_buffer(g.edges * sizeof(int), g.to);
    cl_mem d_distance = ocl_buffer(N * sizeof(int), NULL), d_count = ocl_buffer(sizeof(int), NULL);
    cl_mem d_frontier[2] = { ocl_buffer(N * sizeof(int), NULL), ocl_buffer(N * sizeof(int), NULL) };
    ARG(init, 0, d_distance);
    ARG(init, 1, d_frontier[0]);
    ARG(step, 0, d_start);
    ARG(step, 1, d_to);
    ARG(step, 2, d_distance);
    ARG(step, 6, d_count);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(init, 1, N, 1, BLOCK, 1);
        for (cl_int n = 1, level = 1; n > 0; level++) {
            const cl_int zero = 0;
            CHECK(clEnqueueFillBuffer(queue, d_count, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
            ARG(step, 3, d_frontier[~level & 1]);
            ARG(step, 4, n);
            ARG(step, 5, d_frontier[level & 1]);
            ARG(step, 7, level);
            ocl_launch(step, 1, (size_t)(n + BLOCK - 1) / BLOCK * BLOCK, 1, BLOCK, 1);
            ocl_read(d_count, &n, sizeof n);
        }
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_distance, distance, N * sizeof(int));
    return report("ocl", best, &g, distance);
}
