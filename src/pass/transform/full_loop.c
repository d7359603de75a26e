/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full iterations and the remainder as two loops. for (i = first + lane; i < n; i += step): lanes leave such a loop one by one, so that its masks are made
 * anew in every iteration, though all lanes stay in it until the last one. A copy of the loop in front of it goes on while the lane whose number comes
 * nearest to the bound stays: that is one comparison for the group, and nobody parts there. The loop as it was does the rest.
 *
 * The copy is right for each thread by itself: it makes no iteration that this thread would not make.
 */
#include "pass/transform/lane_test.h"

enum { MOST_INSTS = 160, MOST_GROWTH = 400 };

static bool has_order(enum ir_cmp c) { return c >= IR_SLT && c <= IR_UGE; }

/* The test at a loop's end: it goes on if the comparison of a number of each lane and one that all share gives this answer. */
static bool find_test(const struct plan *p, const struct plan_loop *l, struct lane_test *out)
{
    const struct plan_block *latch = &p->blocks[l->latch];
    const struct ir_inst *t = ir_block_term(latch->ir);
    if (t->op != IR_CBR || !latch->divergent || t->src[0].kind != IR_REG || (latch->succ[0] == l->header) == (latch->succ[1] == l->header))
        return false;
    const struct ir_inst *cmp = p->regs[t->src[0].reg->id].def;
    if (!cmp || cmp->op != IR_CMP || !has_order((enum ir_cmp)cmp->cmp) || (cmp->type != IR_I32 && cmp->type != IR_I64) ||
        !bits_has(l->blocks, (size_t)p->regs[t->src[0].reg->id].def_block))
        return false;
    for (int k = 0; k < 2; k++) {
        struct shape bound = plan_operand_shape(p, &cmp->src[1 - k]);
        int64_t stride;
        if (!lane_affine(p, &cmp->src[k], &stride) || !shape_group_uniform(&bound))
            continue;
        *out = (struct lane_test){ cmp, k, stride, latch->succ[0] == l->header };
        return true;
    }
    return false;
}

/* A small loop without others in it, and without stops and exchanges between lanes, which touches memory. */
static bool fits(const struct plan *p, size_t loop, size_t *out_insts)
{
    size_t n = 0;
    bool memory = false;
    for (size_t k = 0; k < p->loops.n; k++)
        if (p->loops.v[k].parent == (int)loop)
            return false;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; bits_has(p->loops.v[loop].blocks, (size_t)b) && j < p->blocks[b].ir->insts.n; j++, n++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if ((ir_op_info[i->op].props & IR_PROP_CONV) || plan_stops(i) || i->op == IR_CALL || i->op == IR_TRAP)
                return false;
            memory |= i->op == IR_LD || i->op == IR_ST;
        }
    *out_insts = n;
    return memory && n <= MOST_INSTS && !p->loops.v[loop].spin && p->loops.v[loop].header > 0;
}

static void copy_blocks(struct plan *p, const struct plan_loop *l, struct ir_block **map)
{
    for (int b = 0; b < p->n_blocks; b++)
        if (bits_has(l->blocks, (size_t)b))
            map[p->blocks[b].ir->id] = ir_block_new(p->func, p->blocks[b].ir->label);
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_block *from = p->blocks[b].ir;
        for (size_t j = 0; bits_has(l->blocks, (size_t)b) && j < from->insts.n; j++) {
            struct ir_inst *copy = ir_inst_new(p->func, from->insts.v[j]->op, from->insts.v[j]->type);
            *copy = *from->insts.v[j];
            for (int k = 0; k < 2; k++)
                if (copy->target[k] && map[copy->target[k]->id])
                    copy->target[k] = map[copy->target[k]->id];
            ir_block_add(map[from->id], copy);
        }
    }
}

static void split_loop(struct plan *p, const struct plan_loop *l, const struct lane_test *x)
{
    size_t n_ids = p->func->blocks.n;
    struct ir_block **map = hw_alloc(n_ids * sizeof *map), *header = p->blocks[l->header].ir, *latch = p->blocks[l->latch].ir;
    copy_blocks(p, l, map);
    for (size_t b = 0; b < p->func->blocks.n; b++) {      /* the first iteration is in the copy */
        struct ir_inst *t = ir_block_term(p->func->blocks.v[b]);
        for (int k = 0; k < 2 && !(b < n_ids && map[b]); k++)
            if (t->target[k] == header)
                t->target[k] = map[header->id];
    }
    struct ir_block *end = map[latch->id], *rest = ir_block_new(p->func, NULL);
    struct ir_inst *test = hw_vec_pop(&end->insts);
    *test = *ir_block_term(latch);
    ir_block_add(rest, test);
    lane_branch(p, end, lane_all(p, end, x, x->cmp->src[x->lane], x->cmp->src[1 - x->lane]), map[header->id], rest);
    hw_free(map);
}

bool plan_full_loop(struct plan *p)
{
    size_t growth = 0, n;
    bool changed = false;
    if (p->lanes == 1 || p->opt.function || p->opt.fair || p->opt.turns || p->opt.counted || !lane_numbers(p))
        return false;
    for (size_t l = 0; l < p->loops.n; l++) {
        struct lane_test x;
        if (!fits(p, l, &n) || growth + n > MOST_GROWTH || !find_test(p, &p->loops.v[l], &x))
            continue;
        split_loop(p, &p->loops.v[l], &x);
        growth += n;
        changed = true;
    }
    return changed;
}
