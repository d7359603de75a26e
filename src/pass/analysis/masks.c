/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which blocks need masks, where a mask can be taken from a dominating block, which blocks may have lanes waiting, and
 * which blocks each region holds.
 */
#include "pass/plan.h"

#include "base/hash.h"

/* May a run with fewer lanes when it comes round a loop that b is not in? */
static bool thins_out(const struct plan *p, int a, int b)
{
    for (size_t l = 0; l < p->loops.n; l++) {
        if (!plan_in_loop(p, a, (int)l) || plan_in_loop(p, b, (int)l))
            continue;
        for (int x = 0; x < p->n_blocks; x++)
            if (plan_in_loop(p, x, (int)l) && (bits_has(p->blocks[a].cls, (size_t)(2 * x)) || bits_has(p->blocks[a].cls, (size_t)(2 * x + 1))))
                return true;
    }
    return false;
}

/* Lanes that are at `to` already while others of `from` wait in a loop must be known, so that they can go on. */
static bool waits_between(const struct plan *p, int from, int to)
{
    for (int b = from + 1; b < to; b++)
        if (ir_block_term(p->blocks[b].ir)->op == IR_YIELD)
            return true;
    return false;
}

/* By block: the last one before it that has the same class, -1: none. */
static int *earlier_of_class(const struct plan *p)
{
    size_t n = (size_t)p->n_blocks, n_heads = n | 1;
    int *before = hw_alloc((n + 1) * sizeof *before), *other = hw_alloc((n + 1) * sizeof *other), *heads = hw_alloc(n_heads * sizeof *heads);
    memset(heads, -1, n_heads * sizeof *heads);
    for (int b = 0; b < p->n_blocks; b++) {
        const struct plan_block *blk = &p->blocks[b];
        size_t h = hw_hash_bytes(blk->cls + blk->cls_from, (blk->cls_to - blk->cls_from) * sizeof *blk->cls) % n_heads;
        int *at = &heads[h];
        while (*at >= 0 && !plan_same_class(&p->blocks[*at], blk))      /* a list of the last of each class */
            at = &other[*at];
        before[b] = *at;
        other[b] = *at >= 0 ? other[*at] : -1;
        *at = b;
    }
    hw_free(heads);
    hw_free(other);
    return before;
}

/*
 * All lanes of a dominating block of the same class get here and nobody else does: its mask serves. Classes alone do not tell the head of a
 * loop from the block before it when a loop around both makes each depend on the other's branches.
 */
static void find_mask_sources(struct plan *p)
{
    int *before = earlier_of_class(p);
    for (int b = 0; b < p->n_blocks; b++) {
        struct plan_block *blk = &p->blocks[b];
        blk->masked = p->lanes > 1 && blk->cls_from < blk->cls_to;
        blk->mask_from = -1;
        if (!blk->masked)
            continue;
        int d = before[b];
        while (d >= 0 && (!plan_dominates(p, d, b) || waits_between(p, d, b) || !plan_postdominates(p, b, d) || thins_out(p, b, d) || thins_out(p, d, b)))
            d = before[d];
        blk->mask_from = d;
    }
    hw_free(before);
}

/* Does a branch decide which lanes run b? Else all that the group has do, and nobody waits elsewhere. */
static bool parted(const struct plan *p, int b)
{
    const struct plan_block *blk = &p->blocks[b];
    return bits_next(blk->cls, 64 * (size_t)blk->cls_from, p->n_cls - 1) < p->n_cls - 1;
}

/* Lanes may wait in block `late` while `now` runs when some way into it starts earlier, or comes round the loop. */
static bool may_wait(const struct plan *p, int late, int now)
{
    const struct plan_block *blk = &p->blocks[late];
    for (size_t k = 0; k < blk->preds.n; k++) {
        int x = blk->preds.v[k];
        if (x < late && (x < now || plan_share_loop(p, x, now)))
            return true;
    }
    return false;
}

/* No block before this one can run while lanes wait in `late`: the first way into it begins here, or the loops around that do. */
static int wait_begins(const struct plan *p, int late)
{
    const struct plan_block *blk = &p->blocks[late];
    int first = late;
    for (size_t k = 0; k < blk->preds.n; k++) {
        int x = blk->preds.v[k];
        if (x >= late)
            continue;
        for (int l = p->blocks[x].loop; l >= 0; l = p->loops.v[l].parent)
            x = p->loops.v[l].header < x ? p->loops.v[l].header : x;
        first = x < first ? x : first;
    }
    return first;
}

static void find_pending(struct plan *p)
{
    for (int b = 0; b < p->n_blocks; b++)
        p->blocks[b].pending = bits_new(&p->arena, (size_t)p->n_blocks);
    for (int late = 0; late < p->n_blocks; late++) {
        const struct plan_block *blk = &p->blocks[late];
        if (!blk->masked || blk->mask_from >= 0 || blk->exit_only)
            continue;
        for (int now = wait_begins(p, late); now < late; now++)
            if (parted(p, now) && may_wait(p, late, now))
                bits_add(p->blocks[now].pending, (size_t)late);
    }
}

typedef HW_VEC(int) numbers;

static void push_all(const bits_word *set, size_t n, numbers *stack)
{
    for (size_t b = bits_next(set, 0, n); b < n; b = bits_next(set, b + 1, n))
        hw_vec_push(stack, (int)b);
}

static void fill_region(struct plan *p, struct plan_region *r)
{
    numbers stack = { 0 };
    r->blocks = bits_new(&p->arena, (size_t)p->n_blocks);
    hw_vec_push(&stack, r->entry);
    /* Lanes that waited elsewhere when their warp stopped at the barrier go on in this region too. */
    for (int b = 0; b < p->n_blocks; b++) {
        if (plan_stops(ir_block_term(p->blocks[b].ir)) && p->blocks[b].succ[0] == r->entry)
            push_all(p->blocks[b].pending, (size_t)p->n_blocks, &stack);
    }
    while (stack.n) {
        int b = hw_vec_pop(&stack);
        if (bits_has(r->blocks, (size_t)b))
            continue;
        bits_add(r->blocks, (size_t)b);
        for (int s = 0; s < p->blocks[b].n_succ && !plan_stops(ir_block_term(p->blocks[b].ir)); s++)
            hw_vec_push(&stack, p->blocks[b].succ[s]);
    }
    hw_vec_fini(&stack);
}

static bool uniform_operand(const struct plan *p, const struct ir_operand *o)
{
    struct shape s = plan_operand_shape(p, o);
    return shape_group_uniform(&s);
}

/* Lanes of one warp that stop at different barriers, or wait for lanes that have not run yet, need turns. */
static void find_hazards(struct plan *p)
{
    for (size_t l = 0; l < p->loops.n; l++)
        p->needs_fair |= p->loops.v[l].spin && !p->opt.turns;
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (t->op != IR_BAR && t->op != IR_BAR_RED)
            continue;
        p->needs_fair |= p->blocks[b].masked && !bits_empty(p->blocks[b].pending, (size_t)p->n_blocks);
        for (int k = t->op == IR_BAR_RED ? 1 : 0; k < t->n_src; k++)
            p->needs_fair |= !uniform_operand(p, &t->src[k]);
    }
}

void plan_masks(struct plan *p)
{
    find_mask_sources(p);
    find_pending(p);
    for (size_t r = 0; r < p->regions.n; r++)
        fill_region(p, &p->regions.v[r]);
    if (!p->opt.fair)
        find_hazards(p);
}
