/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Post-dominators, of the whole function and of one iteration of each loop.
 *
 * Lanes of a loop go through its iterations together: one that has come to the latch waits there until the others have. So a block that all lanes come to
 * in the end need not be one that they come to in this iteration (`continue` leads around it to the next), and what lanes have in common is asked of both. In
 * the graph of an iteration the back edge, and edges that leave the loop, lead to its end.
 */
#include "pass/plan.h"

/* Nodes are the blocks from `first` on, numbered from 0; node n is the end. */
struct graph {
    const struct plan *p;
    int first, n;
    bool iteration;              /* of a loop, whose header is the first block */
    HW_VEC(int) *from, *to;      /* by node: predecessors and successors */
    int *order, *at;             /* reverse post-order of the reversed graph, and the place of each node in it */
    char *seen;
};

static void add_edge(struct graph *g, int from, int to)
{
    hw_vec_push(&g->to[from], to);
    hw_vec_push(&g->from[to], from);
}

static int node_of(const struct graph *g, int block)
{
    int node = block - g->first;
    return node < (g->iteration ? 1 : 0) || node >= g->n ? g->n : node;
}

/* Post-order from `start` over the reversed graph, into order[] from place `at` downwards. */
static int walk_back(struct graph *g, int start, int at)
{
    HW_VEC(int) stack = { 0 };
    size_t *next = hw_alloc((size_t)(g->n + 1) * sizeof *next);
    hw_vec_push(&stack, start);
    g->seen[start] = 1;
    while (stack.n) {
        int b = stack.v[stack.n - 1];
        if (next[b] == g->from[b].n) {
            stack.n--;
            g->order[--at] = b;
            continue;
        }
        int s = g->from[b].v[next[b]++];
        if (!g->seen[s]) {
            g->seen[s] = 1;
            hw_vec_push(&stack, s);
        }
    }
    hw_vec_fini(&stack);
    hw_free(next);
    return at;
}

/* A loop that never ends gets an edge to the end, from its last block. */
static void order_nodes(struct graph *g)
{
    size_t n = (size_t)g->n + 1;
    HW_VEC(int) stack = { 0 };
    hw_vec_push(&stack, g->n);
    for (int last = g->n; last >= 0; last--) {
        if (last < g->n && !g->seen[last])
            add_edge(g, last, g->n);
        else if (last < g->n)
            continue;
        hw_vec_push(&stack, last);
        g->seen[last] = 1;
        while (stack.n) {
            int b = hw_vec_pop(&stack);
            for (size_t k = 0; k < g->from[b].n; k++)
                if (!g->seen[g->from[b].v[k]]) {
                    g->seen[g->from[b].v[k]] = 1;
                    hw_vec_push(&stack, g->from[b].v[k]);
                }
        }
    }
    hw_vec_fini(&stack);
    memset(g->seen, 0, n);
    int at = walk_back(g, g->n, g->n + 1);
    assert(at == 0);
    (void)at;
    for (int i = 0; i <= g->n; i++)
        g->at[g->order[i]] = i;
}

static int meet(const struct graph *g, const int *ip, int a, int b)
{
    while (a != b) {
        while (g->at[a] > g->at[b])
            a = ip[a];
        while (g->at[b] > g->at[a])
            b = ip[b];
    }
    return a;
}

/* ip: by node, its immediate post-dominator. */
static void solve(const struct graph *g, int *ip)
{
    for (int b = 0; b < g->n; b++)
        ip[b] = -1;
    ip[g->n] = g->n;
    for (bool again = true; again;) {
        again = false;
        for (int i = 1; i <= g->n; i++) {
            int b = g->order[i], best = -1;
            for (size_t k = 0; k < g->to[b].n; k++)
                if (ip[g->to[b].v[k]] >= 0)
                    best = best < 0 ? g->to[b].v[k] : meet(g, ip, best, g->to[b].v[k]);
            if (ip[b] != best) {
                ip[b] = best;
                again = true;
            }
        }
    }
}

/* out: by block from `first` on, a block, or -1: the end. */
static void post_dominators(const struct plan *p, int first, int n, bool iteration, int *out)
{
    size_t nodes = (size_t)n + 1;
    struct graph g = { .p = p, .first = first, .n = n, .iteration = iteration };
    int *ip = hw_alloc(nodes * sizeof *ip);
    g.from = hw_alloc(nodes * sizeof *g.from);
    g.to = hw_alloc(nodes * sizeof *g.to);
    g.order = hw_alloc(nodes * sizeof *g.order);
    g.at = hw_alloc(nodes * sizeof *g.at);
    g.seen = hw_alloc(nodes);
    for (int b = 0; b < n; b++) {
        const struct plan_block *blk = &p->blocks[first + b];
        for (int k = 0; k < blk->n_succ; k++)
            add_edge(&g, b, node_of(&g, blk->succ[k]));
        if (blk->n_succ == 0)
            add_edge(&g, b, n);
    }
    order_nodes(&g);
    solve(&g, ip);
    for (int b = 0; b < n; b++)
        out[b] = ip[b] == n ? -1 : first + ip[b];
    for (int b = 0; b <= n; b++) {
        hw_vec_fini(&g.from[b]);
        hw_vec_fini(&g.to[b]);
    }
    hw_free(g.from);
    hw_free(g.to);
    hw_free(g.order);
    hw_free(g.at);
    hw_free(g.seen);
    hw_free(ip);
}

void plan_post_dominators(struct plan *p)
{
    int *ip = hw_alloc((size_t)p->n_blocks * sizeof *ip + 1);
    post_dominators(p, 0, p->n_blocks, false, ip);
    for (int b = 0; b < p->n_blocks; b++)
        p->blocks[b].ipdom = ip[b];
    hw_free(ip);
    for (size_t l = 0; l < p->loops.n; l++) {
        struct plan_loop *loop = &p->loops.v[l];
        int n = 0;                               /* its blocks follow each other, the header first */
        while (loop->header + n < p->n_blocks && bits_has(loop->blocks, (size_t)(loop->header + n)))
            n++;
        loop->n_blocks = n;
        loop->ipdom = hw_arena_array(&p->arena, int, (size_t)n);
        loop->skipped = bits_new(&p->arena, (size_t)n);
        post_dominators(p, loop->header, n, true, loop->ipdom);
    }
}

/* In the end, and in the same iteration of every loop that both are in. */
bool plan_postdominates(const struct plan *p, int a, int b)
{
    for (int l = p->blocks[b].loop; l >= 0; l = p->loops.v[l].parent) {
        const struct plan_loop *loop = &p->loops.v[l];
        int at = b;
        if (!bits_has(loop->blocks, (size_t)a))
            continue;
        while (at >= 0 && at != a)
            at = loop->ipdom[at - loop->header];
        if (at != a)
            return false;
    }
    while (b >= 0 && b != a)
        b = p->blocks[b].ipdom;
    return a == b;
}
