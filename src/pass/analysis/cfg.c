/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control flow: loops with one latch each, an order in which loops are contiguous, dominators and post-dominators.
 * Loops of several entries are given one header first (reducible.c).
 */
#include "pass/plan.h"

struct cfg {
    struct ir_func *f;
    int n;                       /* blocks */
    int *rpo, *rpo_at;           /* position -> block id and back */
    int *idom;                   /* by block id */
    HW_VEC(int) *preds;
};

static int successors(const struct ir_block *b, int out[2])
{
    const struct ir_inst *t = ir_block_term(b);
    int n = 0;
    for (int i = 0; i < 2; i++)
        if (t->target[i])
            out[n++] = (int)t->target[i]->id;
    return n;
}

static void reverse_post_order(struct cfg *c)
{
    char *state = hw_alloc((size_t)c->n);                 /* how many successors were visited, +1 */
    HW_VEC(int) stack = { 0 };
    int at = c->n;
    hw_vec_push(&stack, 0);
    state[0] = 1;
    while (stack.n) {
        int b = stack.v[stack.n - 1], succ[2], n = successors(c->f->blocks.v[b], succ);
        if (state[b] - 1 < n) {
            int s = succ[state[b]++ - 1];
            if (!state[s]) {
                state[s] = 1;
                hw_vec_push(&stack, s);
            }
            continue;
        }
        stack.n--;
        c->rpo[--at] = b;
    }
    assert(at == 0);                                      /* unreachable blocks were dropped */
    for (int i = 0; i < c->n; i++)
        c->rpo_at[c->rpo[i]] = i;
    hw_vec_fini(&stack);
    hw_free(state);
}

static int meet(const int *idom, const int *at, int a, int b)
{
    while (a != b) {
        while (at[a] > at[b])
            a = idom[a];
        while (at[b] > at[a])
            b = idom[b];
    }
    return a;
}

static void dominators(struct cfg *c)
{
    for (int i = 0; i < c->n; i++)
        c->idom[i] = -1;
    c->idom[0] = 0;
    for (bool again = true; again;) {
        again = false;
        for (int i = 1; i < c->n; i++) {
            int b = c->rpo[i], best = -1;
            for (size_t k = 0; k < c->preds[b].n; k++) {
                int pr = c->preds[b].v[k];
                if (c->idom[pr] >= 0)
                    best = best < 0 ? pr : meet(c->idom, c->rpo_at, best, pr);
            }
            if (c->idom[b] != best) {
                c->idom[b] = best;
                again = true;
            }
        }
    }
}

static bool dominates(const struct cfg *c, int a, int b)
{
    while (c->rpo_at[b] > c->rpo_at[a])
        b = c->idom[b];
    return a == b;
}

static void cfg_init(struct cfg *c, struct ir_func *f)
{
    c->f = f;
    c->n = (int)f->blocks.n;
    c->rpo = hw_alloc((size_t)c->n * sizeof(int));
    c->rpo_at = hw_alloc((size_t)c->n * sizeof(int));
    c->idom = hw_alloc((size_t)c->n * sizeof(int));
    c->preds = hw_alloc((size_t)c->n * sizeof *c->preds);
    for (int b = 0; b < c->n; b++) {
        int succ[2], n = successors(f->blocks.v[b], succ);
        for (int i = 0; i < n; i++)
            hw_vec_push(&c->preds[succ[i]], b);
    }
    reverse_post_order(c);
    dominators(c);
}

static void cfg_fini(struct cfg *c)
{
    for (int b = 0; b < c->n; b++)
        hw_vec_fini(&c->preds[b]);
    hw_free(c->rpo);
    hw_free(c->rpo_at);
    hw_free(c->idom);
    hw_free(c->preds);
}

static int back_edges(const struct cfg *c, int header)
{
    int n = 0;
    for (size_t k = 0; k < c->preds[header].n; k++)
        n += dominates(c, header, c->preds[header].v[k]);
    return n;
}

/* The blocks of the natural loop of the back edge from `latch` to `header`. */
static bits_word *natural_loop(struct hw_arena *arena, const struct cfg *c, int header, int latch)
{
    bits_word *blocks = bits_new(arena, (size_t)c->n);
    HW_VEC(int) stack = { 0 };
    bits_add(blocks, (size_t)header);
    hw_vec_push(&stack, latch);
    while (stack.n) {
        int b = hw_vec_pop(&stack);
        if (bits_has(blocks, (size_t)b))
            continue;
        bits_add(blocks, (size_t)b);
        for (size_t j = 0; j < c->preds[b].n; j++)
            hw_vec_push(&stack, c->preds[b].v[j]);
    }
    hw_vec_fini(&stack);
    return blocks;
}

/* Such a loop waits for others and does nothing else: it looks at memory in a way that others can be seen, and changes nothing but a lock. */
static bool only_waits(const struct cfg *c, const bits_word *blocks)
{
    bool waits = false;
    for (int b = 0; b < c->n; b++)
        for (size_t j = 0; bits_has(blocks, (size_t)b) && j < c->f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = c->f->blocks.v[b]->insts.v[j];
            bool quiet = i->op == IR_LD || i->op == IR_ATOM || i->op == IR_ATOM2 || i->op == IR_FENCE || i->op == IR_NANOSLEEP || i->op == IR_NOTE || i->op == IR_BR || i->op == IR_CBR;
            if (!(ir_op_info[i->op].props & IR_PROP_PURE) && !quiet)
                return false;
            waits |= plan_waits_on_memory(i);
        }
    return waits;
}

/* What comes first has no predecessors but the beginning. */
void plan_put_first(struct ir_func *f, struct ir_block *block)
{
    for (size_t b = block->id; b > 0; b--) {
        f->blocks.v[b] = f->blocks.v[b - 1];
        f->blocks.v[b]->id = (uint32_t)b;
    }
    f->blocks.v[0] = block;
    block->id = 0;
}

/* Everything but the loop's own back edge leads to a new header in front. */
static void separate(struct cfg *c, int header, int latch)
{
    struct ir_block *old = c->f->blocks.v[header], *outer = ir_block_new(c->f, NULL);
    struct ir_inst *br = ir_inst_new(c->f, IR_BR, IR_VOID);
    br->target[0] = old;
    ir_block_add(outer, br);
    for (size_t k = 0; k < c->preds[header].n; k++) {
        struct ir_inst *t = ir_block_term(c->f->blocks.v[c->preds[header].v[k]]);
        for (int i = 0; c->preds[header].v[k] != latch && i < 2; i++)
            if (t->target[i] == old)
                t->target[i] = outer;
    }
    if (header == 0)
        plan_put_first(c->f, outer);
}

/*
 * for (;;) { while (*flag != me); ... } has one header and two back edges. As one loop, all of it would wait; the inner one becomes a loop of its own.
 * True when a block was added.
 */
static bool separate_waits(struct plan *p, struct cfg *c)
{
    for (int h = 0; h < c->n; h++)
        for (size_t k = 0; k < c->preds[h].n && back_edges(c, h) > 1; k++) {
            int latch = c->preds[h].v[k];
            if (!dominates(c, h, latch))
                continue;
            bits_word *blocks = natural_loop(&p->arena, c, h, latch);
            bool others = false;
            for (size_t j = 0; j < c->preds[h].n; j++) {
                int from = c->preds[h].v[j];
                others |= from != latch && dominates(c, h, from) && !bits_has(blocks, (size_t)from);
            }
            if (others && only_waits(c, blocks)) {
                separate(c, h, latch);
                return true;
            }
        }
    return false;
}

/* Several back edges to one header go through one new latch. True when a block was added. */
static bool unify_latches(struct cfg *c)
{
    bool added = false;
    for (int h = 0; h < c->n; h++) {
        if (back_edges(c, h) < 2)
            continue;
        struct ir_block *latch = ir_block_new(c->f, NULL), *header = c->f->blocks.v[h];
        struct ir_inst *br = ir_inst_new(c->f, IR_BR, IR_VOID);
        br->target[0] = header;
        ir_block_add(latch, br);
        for (size_t k = 0; k < c->preds[h].n; k++) {
            if (!dominates(c, h, c->preds[h].v[k]))
                continue;
            struct ir_inst *t = ir_block_term(c->f->blocks.v[c->preds[h].v[k]]);
            for (int i = 0; i < 2; i++)
                if (t->target[i] == header)
                    t->target[i] = latch;
        }
        added = true;
    }
    return added;
}

/* Does an edge go back to a block that does not dominate where it comes from? */
static bool is_irreducible(const struct cfg *c)
{
    for (int h = 0; h < c->n; h++)
        for (size_t k = 0; k < c->preds[h].n; k++)
            if (c->rpo_at[c->preds[h].v[k]] >= c->rpo_at[h] && !dominates(c, h, c->preds[h].v[k]))
                return true;
    return false;
}

static void find_loops(struct plan *p, struct cfg *c)
{
    for (int i = 0; i < c->n; i++) {
        int h = c->rpo[i];
        for (size_t k = 0; k < c->preds[h].n; k++) {
            int from = c->preds[h].v[k];
            if (c->rpo_at[from] < i)
                continue;                                 /* forward edge */
            assert(dominates(c, h, from));
            struct plan_loop loop = { .header = h, .latch = from, .parent = -1, .blocks = natural_loop(&p->arena, c, h, from) };
            /* Headers come in reverse post-order: enclosing loops are in the list already, the innermost last. */
            for (size_t j = 0; j < p->loops.n; j++)
                if (bits_has(p->loops.v[j].blocks, (size_t)h))
                    loop.parent = (int)j;
            hw_vec_push(&p->loops, loop);
        }
    }
}

/* The loop directly below `level` that holds the block, or -1 when the block itself is at that level. */
static int unit_of(const struct plan *p, const int *innermost, int block, int level)
{
    int l = innermost[block];
    while (l >= 0 && p->loops.v[l].parent != level && l != level)
        l = p->loops.v[l].parent;
    return l == level ? -1 : l;
}

struct order {
    const struct plan *p;
    const struct cfg *c;
    const int *innermost;
    char *done;
    HW_VEC(int) out;             /* reversed */
};

static void order_level(struct order *o, int level, int start);

/* Post-order walk over the blocks and inner loops of one level: successors first. */
static void order_unit(struct order *o, int level, int block)
{
    int unit = unit_of(o->p, o->innermost, block, level);
    if (unit >= 0)
        block = o->p->loops.v[unit].header;
    if (o->done[block])
        return;
    o->done[block] = 1;
    for (int b = unit >= 0 ? 0 : block; b < o->c->n; b++) {
        if (unit >= 0 ? !bits_has(o->p->loops.v[unit].blocks, (size_t)b) : b != block)
            continue;
        int succ[2], n = successors(o->c->f->blocks.v[b], succ);
        for (int i = n - 1; i >= 0; i--) {
            int s = succ[i];
            if (unit >= 0 && bits_has(o->p->loops.v[unit].blocks, (size_t)s))
                continue;
            if (level >= 0 && (s == o->p->loops.v[level].header || !bits_has(o->p->loops.v[level].blocks, (size_t)s)))
                continue;                                 /* the back edge, or out of this level: not ours to order */
            order_unit(o, level, s);
        }
        if (unit < 0)
            break;
    }
    if (unit >= 0) {
        o->done[block] = 0;
        order_level(o, unit, block);
    } else {
        hw_vec_push(&o->out, block);
    }
}

static void order_level(struct order *o, int level, int start)
{
    order_unit(o, level, start);
}

/* Blocks follow their dominators: sizes of subtrees from the end, then places from the front. */
static void number_dominated(struct plan *p)
{
    for (int b = 0; b < p->n_blocks; b++)
        p->blocks[b].dom_to = 1;
    for (int b = p->n_blocks - 1; b > 0; b--)
        p->blocks[p->blocks[b].idom].dom_to += p->blocks[b].dom_to;
    int *next = hw_alloc((size_t)p->n_blocks * sizeof *next);
    for (int b = 0; b < p->n_blocks; b++) {
        struct plan_block *blk = &p->blocks[b];
        int size = blk->dom_to;
        blk->dom_from = b ? next[blk->idom] : 0;
        blk->dom_to = blk->dom_from + size;
        next[b] = blk->dom_from + 1;
        if (b)
            next[blk->idom] += size;
    }
    hw_free(next);
}

/* The function's graph after it was made fit: reducible, waits in blocks of their own, one latch for each loop. */
static void fit_graph(struct plan *p, struct cfg *c)
{
    cfg_init(c, p->func);
    if (is_irreducible(c)) {
        cfg_fini(c);
        plan_make_reducible(p->func);
        cfg_init(c, p->func);
    }
    while (separate_waits(p, c)) {
        cfg_fini(c);
        cfg_init(c, p->func);
    }
    if (unify_latches(c)) {
        cfg_fini(c);
        cfg_init(c, p->func);
    }
}

/* The plan's blocks in the order o, and the loops in their numbers; place[id] is where block id stands. */
static void place_blocks(struct plan *p, const struct cfg *c, const struct order *o, int *place)
{
    int n = c->n;
    p->n_blocks = n;
    p->blocks = hw_arena_array(&p->arena, struct plan_block, (size_t)n);
    for (int i = 0; i < n; i++)
        place[o->out.v[n - 1 - i]] = i;
    for (int i = 0; i < n; i++) {
        struct plan_block *b = &p->blocks[i];
        int id = o->out.v[n - 1 - i], succ[2];
        b->ir = p->func->blocks.v[id];
        b->n_succ = successors(b->ir, succ);
        for (int k = 0; k < b->n_succ; k++)
            b->succ[k] = place[succ[k]];
        for (size_t k = 0; k < c->preds[id].n; k++)
            hw_vec_push(&b->preds, place[c->preds[id].v[k]]);
        b->idom = id == 0 ? -1 : place[c->idom[id]];
        b->loop = o->innermost[id];
        b->exit_only = b->ir->insts.n == 1 && b->ir->insts.v[0]->op == IR_RET;
        b->mask_from = b->resume = -1;
    }
    for (size_t l = 0; l < p->loops.n; l++) {
        struct plan_loop *loop = &p->loops.v[l];
        bits_word *old = loop->blocks;
        loop->blocks = bits_new(&p->arena, (size_t)n);
        for (int b = 0; b < n; b++)
            if (bits_has(old, (size_t)b))
                bits_add(loop->blocks, (size_t)place[b]);
        loop->header = place[loop->header];
        loop->latch = place[loop->latch];
    }
}

void plan_cfg(struct plan *p)
{
    struct cfg c = { 0 };
    for (int i = 0; i < p->n_blocks; i++)
        hw_vec_fini(&p->blocks[i].preds);
    p->loops.n = 0;
    fit_graph(p, &c);
    find_loops(p, &c);
    int n = c.n, *innermost = hw_alloc((size_t)n * sizeof *innermost), *place = hw_alloc((size_t)n * sizeof *place);
    struct order o = { .p = p, .c = &c, .innermost = innermost, .done = hw_alloc((size_t)n) };
    for (int b = 0; b < n; b++) {
        innermost[b] = -1;
        for (size_t l = 0; l < p->loops.n; l++)
            if (bits_has(p->loops.v[l].blocks, (size_t)b))
                innermost[b] = (int)l;
    }
    order_level(&o, -1, 0);
    assert((int)o.out.n == n);
    place_blocks(p, &c, &o, place);
    number_dominated(p);
    plan_post_dominators(p);
    hw_vec_fini(&o.out);
    hw_free(o.done);
    hw_free(innermost);
    hw_free(place);
    cfg_fini(&c);
}

struct ir_block *plan_split(struct plan *p, struct ir_block *blk, size_t from)
{
    struct ir_block *rest = ir_block_new(p->func, NULL);
    for (size_t k = from; k < blk->insts.n; k++)
        ir_block_add(rest, blk->insts.v[k]);
    blk->insts.n = from;
    return rest;
}

bool plan_dominates(const struct plan *p, int a, int b)
{
    return b >= 0 && p->blocks[a].dom_from <= p->blocks[b].dom_from && p->blocks[b].dom_from < p->blocks[a].dom_to;
}

unsigned plan_times(const struct plan *p, int block)
{
    enum { TURNS = 8, DEPTH = 3 };
    unsigned n = 1;
    for (int l = p->blocks[block].loop, d = 0; l >= 0 && d < DEPTH; l = p->loops.v[l].parent, d++)
        n *= TURNS;
    return n;
}

bool plan_in_loop(const struct plan *p, int block, int loop)
{
    return loop >= 0 && bits_has(p->loops.v[loop].blocks, (size_t)block);
}

bool plan_share_loop(const struct plan *p, int a, int b)
{
    for (int l = p->blocks[a].loop; l >= 0; l = p->loops.v[l].parent)
        if (plan_in_loop(p, b, l))
            return true;
    return false;
}
