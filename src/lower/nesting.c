/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How deep loops lie in each other. Analyses of the plan ask about each pair of nested loops: a thousand are planned in seconds, ten thousand never, so deeper nests
 * are refused when the module is loaded. The nest is found as Havlak does it ("Nesting of reducible and irreducible loops", 1997): depth-first numbers, then headers
 * from the last to the first, where a loop that was found is collapsed into its header. This takes nearly linear time.
 */
#include "lower/lower_internal.h"

enum { DEEPEST = 1000, NONE = -1 };

struct node {                    /* a block that is reached; nodes go by depth-first number */
    const struct ir_block *block;
    int visited;                 /* how many of its edges the walk has followed */
    int last;                    /* the largest number among its descendants in the depth-first tree */
    int preds;                   /* the first edge that leads here */
    int into;                    /* union-find: the header that it has been collapsed into */
    int loop;                    /* header of the innermost loop around it, or NONE */
    int member_of;               /* the last header whose loop was found to have it */
    int depth;                   /* loops around it; of a header with its own */
    bool header;
};

struct nest {
    struct node *nodes;
    int n;
    int *number;                 /* by block: its node, or NONE */
    int *next_pred;              /* by edge (2 * node + which target): the next one to the same node */
    int *body;                   /* of the loop that is being found, its header left out */
};

static int target(const struct nest *s, int edge)
{
    const struct ir_block *to = ir_block_term(s->nodes[edge / 2].block)->target[edge % 2];
    return to ? s->number[to->id] : NONE;
}

static void enter(struct nest *s, const struct ir_block *b)
{
    s->number[b->id] = s->n;
    s->nodes[s->n] = (struct node){ .block = b, .preds = NONE, .into = s->n, .loop = NONE, .member_of = NONE };
    s->n++;
}

static void walk(struct nest *s, const struct ir_func *f)
{
    int *path = hw_alloc(f->blocks.n * sizeof *path), depth = 1;
    enter(s, f->blocks.v[0]);
    while (depth) {
        struct node *at = &s->nodes[path[depth - 1]];
        if (at->visited == 2) {
            at->last = s->n - 1;
            depth--;
            continue;
        }
        const struct ir_block *to = ir_block_term(at->block)->target[at->visited++];
        if (to && s->number[to->id] == NONE) {
            path[depth++] = s->n;
            enter(s, to);
        }
    }
    hw_free(path);
}

static void find_preds(struct nest *s)
{
    for (int edge = 0; edge < 2 * s->n; edge++) {
        int to = target(s, edge);
        if (to == NONE)
            continue;
        s->next_pred[edge] = s->nodes[to].preds;
        s->nodes[to].preds = edge;
    }
}

static int find(struct nest *s, int v)
{
    while (s->nodes[v].into != v)
        v = s->nodes[v].into = s->nodes[s->nodes[v].into].into;
    return v;
}

static bool descends(const struct nest *s, int v, int from) { return from <= v && v <= s->nodes[from].last; }

static int add_member(struct nest *s, int v, int header, int n)
{
    if (v == header || s->nodes[v].member_of == header)
        return n;
    s->nodes[v].member_of = header;
    s->body[n] = v;
    return n + 1;
}

/* The loop whose header is w, if it is one; what lies in it is collapsed into w. */
static void find_loop(struct nest *s, int w)
{
    int n = 0;
    for (int e = s->nodes[w].preds; e != NONE; e = s->next_pred[e])
        if (descends(s, e / 2, w)) {
            s->nodes[w].header = true;
            n = add_member(s, find(s, e / 2), w, n);
        }
    for (int k = 0; k < n; k++)
        for (int e = s->nodes[s->body[k]].preds; e != NONE; e = s->next_pred[e]) {
            int from = find(s, e / 2);
            if (descends(s, from, w))                      /* else it jumps into the middle */
                n = add_member(s, from, w, n);
        }
    for (int k = 0; k < n; k++)
        s->nodes[s->body[k]].into = s->nodes[s->body[k]].loop = w;
}

static int deepest(struct nest *s, const struct ir_func *f)
{
    int most = 0;
    memset(s->number, NONE, f->blocks.n * sizeof *s->number);
    walk(s, f);
    find_preds(s);
    for (int w = s->n; w-- > 0;)
        find_loop(s, w);
    for (int w = 0; w < s->n; w++) {
        struct node *at = &s->nodes[w];
        at->depth = (at->loop == NONE ? 0 : s->nodes[at->loop].depth) + at->header;
        most = at->depth > most ? at->depth : most;
    }
    return most;
}

bool lower_check_nesting(struct lower_ctx *c)
{
    size_t n = c->f->blocks.n;
    struct nest s = { .nodes = hw_alloc(n * sizeof *s.nodes), .number = hw_alloc(n * sizeof *s.number),
                      .next_pred = hw_alloc(2 * n * sizeof *s.next_pred), .body = hw_alloc(n * sizeof *s.body) };
    int deep = deepest(&s, c->f);
    hw_free(s.nodes);
    hw_free(s.number);
    hw_free(s.next_pred);
    hw_free(s.body);
    return deep <= DEEPEST || lower_fail(c, "loops are nested %d deep, at most %d can be compiled", deep, DEEPEST);
}
