/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bfs: distances from vertex 0 in a random graph of 2^18 vertices with 4 to 12 edges out of each.  Level by level: a thread
 * for each vertex of the frontier looks at its edges and puts what it finds first into the next frontier with atomics.
 * The host reads the size of the next frontier after every level.  Work counts the edges.
 *
 * Plain C with OpenMP.  Same levels; each thread collects its
 * part of the next frontier and appends it in one piece.
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

static void bfs(const struct graph *g, int *restrict distance, int *frontier, int *next)
{
    const int *restrict start = g->start, *restrict to = g->to;
#pragma omp parallel for schedule(static)
    for (int v = 0; v < N; v++)
        distance[v] = v == 0 ? 0 : -1;
    frontier[0] = 0;
    for (int n = 1, level = 1; n > 0; level++) {
        int found = 0;
#pragma omp parallel
        {
            enum { ROOM = 1024 };
            int mine[ROOM], k = 0, at;
#pragma omp for schedule(static) nowait
            for (int i = 0; i < n; i++)
                for (int e = start[frontier[i]]; e < start[frontier[i] + 1]; e++) {
                    int u = to[e], unseen = -1;
                    if (__atomic_load_n(&distance[u], __ATOMIC_RELAXED) >= 0 ||
                        !__atomic_compare_exchange_n(&distance[u], &unseen, level, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                        continue;
                    mine[k++] = u;
                    if (k == ROOM) {
                        at = __atomic_fetch_add(&found, k, __ATOMIC_RELAXED);
                        memcpy(next + at, mine, k * sizeof(int));
                        k = 0;
                    }
                }
            at = __atomic_fetch_add(&found, k, __ATOMIC_RELAXED);
            memcpy(next + at, mine, k * sizeof(int));
        }
        int *tmp = frontier;
        frontier = next;
        next = tmp;
        n = found;
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    struct graph g;
    int *distance = host_alloc(N * sizeof(int)), *a = host_alloc(N * sizeof(int)), *b = host_alloc(N * sizeof(int));
    make_input(&g);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        bfs(&g, distance, a, b);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, &g, distance);
}
