/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector builds in which warps take turns at loops that wait for others (spin.c).
 *
 * Threads of other warps and blocks run when a waiting warp stops at the end of such a loop. A thread may also wait for one of its own
 * warp, which left the loop before it or went another way, and now waits in a later block for the warp to come together again. Then the
 * engine takes the group apart (exec/warp_split.c): those lanes go on by themselves, and join the others at the next barrier. So between the
 * barriers around such a loop a group may lack any of its lanes, and nothing there may count on all of them.
 *
 * A warp operation is more than a lane can do by itself. Lanes that wait in a block from which one can be reached stay where
 * they are, which is right if they would wait for the others on a device too: before they do anything that others can see, they come to
 * an operation whose members are the same for all lanes and which the waiting lanes come to as well. Else threads must take turns one
 * by one.
 */
#include "pass/plan.h"

static bool is_barrier(const struct plan *p, int b)
{
    const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
    return t->op == IR_BAR || t->op == IR_BAR_RED;
}

/* What can be reached from here without a barrier. */
static void reach(const struct plan *p, int b, bits_word *out)
{
    if (bits_has(out, (size_t)b))
        return;
    bits_add(out, (size_t)b);
    for (int k = 0; k < p->blocks[b].n_succ && !is_barrier(p, b); k++)
        reach(p, p->blocks[b].succ[k], out);
}

void plan_apart(struct plan *p)
{
    size_t n = (size_t)p->n_blocks;
    p->apart = bits_new(&p->arena, n);
    for (int b = 0; p->opt.turns && b < p->n_blocks; b++) {
        bits_word *from_here = bits_new(&p->arena, n);
        reach(p, b, from_here);
        for (int y = 0; y < p->n_blocks; y++)
            if (bits_has(from_here, (size_t)y) && ir_block_term(p->blocks[y].ir)->op == IR_YIELD) {
                bits_or(p->apart, from_here, n);
                break;
            }
    }
}

static bool has_warp_op(const struct plan *p, int b)
{
    for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++)
        if (ir_op_info[p->blocks[b].ir->insts.v[j]->op].props & IR_PROP_CONV)
            return true;
    return false;
}

static bool can_go_on(struct plan *p, int b)
{
    bits_word *seen = bits_new(&p->arena, (size_t)p->n_blocks);
    reach(p, b, seen);
    for (int x = 0; x < p->n_blocks; x++)
        if (bits_has(seen, (size_t)x) && has_warp_op(p, x))
            return false;
    return true;
}

static bool same_members(const struct plan *p, const struct ir_inst *i)
{
    if (i->op == IR_ACTIVEMASK || i->op == IR_MMA || !i->n_src)
        return false;
    struct shape s = plan_operand_shape(p, &i->src[i->n_src - 1]);
    return shape_group_uniform(&s);
}

/* Do lanes in b come to a warp operation that the lanes at `header` come to as well before they do anything else? */
static bool held(const struct plan *p, int b, int header, bits_word *seen)
{
    if (bits_has(seen, (size_t)b))
        return true;
    bits_add(seen, (size_t)b);
    for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
        const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
        unsigned props = ir_op_info[i->op].props;
        if (props & IR_PROP_CONV)
            return same_members(p, i) && plan_postdominates(p, b, header);
        if ((props & IR_PROP_MEM) && i->op != IR_LD && i->op != IR_FENCE && i->op != IR_NANOSLEEP && i->op != IR_ENTER)
            return false;
    }
    const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
    if (t->op != IR_BR && t->op != IR_CBR)
        return false;
    for (int k = 0; k < p->blocks[b].n_succ; k++)
        if (!held(p, p->blocks[b].succ[k], header, seen))
            return false;
    return true;
}

/*
 * May lanes wait in `late` while others stop at the yield y? Its pending blocks are those that code must look at; this asks whether there can
 * be any lanes. They parted from those in y at a branch that decides whether y runs. And lanes that came to `late` from a block behind y have
 * run it before the loop around both comes back to y, unless they left that loop.
 */
static bool may_wait(struct plan *p, int late, int y)
{
    const struct plan_block *blk = &p->blocks[late];
    bool parted = false, stays = false;
    for (int a = 0; a < p->n_blocks && !parted; a++)
        for (int e = 0; e < 2 && !parted; e++)
            if (bits_has(p->blocks[y].cls, (size_t)(2 * a + e))) {
                bits_word *elsewhere = bits_new(&p->arena, (size_t)p->n_blocks);
                reach(p, p->blocks[a].succ[1 - e], elsewhere);
                parted = bits_has(elsewhere, (size_t)late);
            }
    for (size_t k = 0; k < blk->preds.n && !stays; k++) {
        int x = blk->preds.v[k];
        stays = x < y;
        for (int l = p->blocks[y].loop; l >= 0 && !stays; l = p->loops.v[l].parent)
            stays = plan_in_loop(p, x, l) && !plan_in_loop(p, late, l);
    }
    return parted && stays;
}

bool plan_warp_split(struct plan *p)
{
    size_t n = (size_t)p->n_blocks;
    for (int y = 0; y < p->n_blocks; y++) {
        struct plan_block *blk = &p->blocks[y];
        if (ir_block_term(blk->ir)->op != IR_YIELD)
            continue;
        blk->free = bits_new(&p->arena, n);
        for (int b = 0; b < p->n_blocks; b++) {
            if (!bits_has(blk->pending, (size_t)b) || !may_wait(p, b, y))
                continue;
            if (can_go_on(p, b)) {
                bits_add(blk->free, (size_t)b);
                p->parts = true;
            } else {
                p->needs_fair |= !held(p, b, blk->succ[0], bits_new(&p->arena, n));
            }
        }
    }
    for (size_t l = 0; l < p->loops.n; l++)
        p->needs_fair |= p->loops.v[l].lock;
    for (int b = 0; b < p->n_blocks; b++)
        p->needs_fair |= is_barrier(p, b) && !plan_plain_barrier(p, ir_block_term(p->blocks[b].ir));
    return true;
}
