/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which blocks need masks, where a mask can be taken from a dominating block, which blocks may have lanes waiting, and
 * which blocks each region holds.
 */
#include "pass/plan.h"

static bool same_class(const struct plan *p, int a, int b)
{
    return bits_subset(p->blocks[a].cls, p->blocks[b].cls, p->n_cls) && bits_subset(p->blocks[b].cls, p->blocks[a].cls, p->n_cls);
}

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

/*
 * All lanes of a dominating block of the same class get here and nobody else does: its mask serves. Classes alone do not tell the head of a
 * loop from the block before it when a loop around both makes each depend on the other's branches.
 */
static void find_mask_sources(struct plan *p)
{
    for (int b = 0; b < p->n_blocks; b++) {
        struct plan_block *blk = &p->blocks[b];
        blk->masked = p->lanes > 1 && !bits_empty(blk->cls, p->n_cls);
        blk->mask_from = -1;
        if (!blk->masked)
            continue;
        int d = blk->idom;
        while (d >= 0 && (!same_class(p, d, b) || waits_between(p, d, b) || !plan_postdominates(p, b, d) || thins_out(p, b, d) || thins_out(p, d, b)))
            d = p->blocks[d].idom;
        blk->mask_from = d;
    }
}

/* Does a branch decide which lanes run b? Else all that the group has do, and nobody waits elsewhere. */
static bool parted(const struct plan *p, int b)
{
    for (size_t x = 0; x < p->n_cls - 1; x++)
        if (bits_has(p->blocks[b].cls, x))
            return true;
    return false;
}

/* Lanes may wait in block `late` while `now` runs when some way into it starts earlier, or comes round the loop. */
static bool may_wait(const struct plan *p, int late, int now)
{
    const struct plan_block *blk = &p->blocks[late];
    if (late <= now || !blk->masked || blk->mask_from >= 0 || blk->exit_only || !parted(p, now))
        return false;
    for (size_t k = 0; k < blk->preds.n; k++) {
        int x = blk->preds.v[k];
        if (x < late && (x < now || plan_share_loop(p, x, now)))
            return true;
    }
    return false;
}

static void fill_region(struct plan *p, struct plan_region *r)
{
    HW_VEC(int) stack = { 0 };
    r->blocks = bits_new(&p->arena, (size_t)p->n_blocks);
    hw_vec_push(&stack, r->entry);
    /* Lanes that waited elsewhere when their warp stopped at the barrier go on in this region too. */
    for (int b = 0; b < p->n_blocks; b++) {
        if (plan_stops(ir_block_term(p->blocks[b].ir)) && p->blocks[b].succ[0] == r->entry)
            for (int late = 0; late < p->n_blocks; late++)
                if (bits_has(p->blocks[b].pending, (size_t)late))
                    hw_vec_push(&stack, late);
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
    for (int b = 0; b < p->n_blocks; b++) {
        p->blocks[b].pending = bits_new(&p->arena, (size_t)p->n_blocks);
        for (int late = b + 1; late < p->n_blocks; late++)
            if (may_wait(p, late, b))
                bits_add(p->blocks[b].pending, (size_t)late);
    }
    for (size_t r = 0; r < p->regions.n; r++)
        fill_region(p, &p->regions.v[r]);
    if (!p->opt.fair)
        find_hazards(p);
}
