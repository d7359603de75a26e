/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tail duplication. Compilers sink a store or a load that several branches end with into the block where they meet; its address is then a choice between
 * the branches' addresses, and where lanes come from both it has no shape: a gather or a scatter. Each branch gets a copy of that block's beginning,
 * up to the last access whose address is regular on every way into it.
 */
#include "pass/plan.h"

enum { MOST_PREDS = 4, MOST_INSTS = 40, MOST_GROWTH = 400, FAR_BACK = 4 };

static bool plain_access(const struct ir_inst *i)
{
    return (i->op == IR_LD || i->op == IR_ST) && i->order == IR_WEAK && !(i->flags & IR_VOLATILE);
}

/* What each way in makes of the block's addresses: shapes of registers that were put aside meanwhile. */
struct way {
    struct plan *p;
    HW_VEC(size_t) regs;
    HW_VEC(struct shape) was;
};

static void set_shape(struct way *w, const struct ir_reg *r, struct shape s)
{
    hw_vec_push(&w->regs, r->id);
    hw_vec_push(&w->was, w->p->regs[r->id].shape);
    w->p->regs[r->id].shape = s;
}

static void put_back(struct way *w)
{
    while (w->regs.n) {
        size_t r = hw_vec_pop(&w->regs);
        w->p->regs[r].shape = hw_vec_pop(&w->was);
    }
}

/* The shapes that registers written on this way in have there: those with several definitions lose theirs where ways meet. */
static void come_from(struct way *w, int pred)
{
    struct plan *p = w->p;
    int path[FAR_BACK], n = 0;
    for (int b = pred; n < FAR_BACK; b = p->blocks[b].preds.v[0]) {
        path[n++] = b;
        if (p->blocks[b].preds.n != 1 || p->blocks[b].preds.v[0] >= b)
            break;
    }
    while (n-- > 0)
        for (size_t j = 0; j < p->blocks[path[n]].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[path[n]].ir->insts.v[j];
            if (i->n_dst == 1 && i->dst[0] && (ir_op_info[i->op].props & IR_PROP_PURE) && p->regs[i->dst[0]->id].n_defs > 1)
                set_shape(w, i->dst[0], plan_result_shape(p, i));
        }
}

/* Bit k: the k-th access of the block's beginning is regular on this way in. */
static uint64_t regular_on(struct plan *p, int block, int pred, size_t upto)
{
    struct way w = { .p = p };
    uint64_t found = 0;
    unsigned k = 0;
    come_from(&w, pred);
    const struct ir_block *blk = p->blocks[block].ir;
    for (size_t j = 0; j < upto && k < 64; j++) {
        const struct ir_inst *i = blk->insts.v[j];
        if (plain_access(i)) {
            struct shape s = plan_operand_shape(p, &i->src[0]);
            found |= (uint64_t)(s.kind == SHAPE_AFFINE) << k++;
        } else if (i->n_dst == 1 && i->dst[0] && (ir_op_info[i->op].props & IR_PROP_PURE)) {
            set_shape(&w, i->dst[0], plan_result_shape(p, i));
        }
    }
    put_back(&w);
    hw_vec_fini(&w.regs);
    hw_vec_fini(&w.was);
    return found;
}

/* How many of the block's instructions each way in is to have for itself; 0: none. */
static size_t worth_copying(struct plan *p, int block)
{
    const struct plan_block *b = &p->blocks[block];
    size_t upto = 0, last = 0;
    unsigned k = 0;
    if (b->preds.n < 2 || b->preds.n > MOST_PREDS || b->resume >= 0)
        return 0;
    for (size_t j = 0; j < b->preds.n; j++)               /* a loop's header, and where it goes on after a barrier, stay one */
        if (b->preds.v[j] >= block || plan_stops(ir_block_term(p->blocks[b->preds.v[j]].ir)))
            return 0;
    while (upto + 1 < b->ir->insts.n && upto < MOST_INSTS && (plain_access(b->ir->insts.v[upto]) || (ir_op_info[b->ir->insts.v[upto]->op].props & IR_PROP_PURE)))
        upto++;
    uint64_t all = UINT64_MAX;
    for (size_t j = 0; j < b->preds.n && all; j++)
        all &= regular_on(p, block, b->preds.v[j], upto);
    for (size_t j = 0; j < upto && k < 64; j++) {
        const struct ir_inst *i = b->ir->insts.v[j];
        if (!plain_access(i))
            continue;
        struct shape s = plan_operand_shape(p, &i->src[0]);
        if ((all >> k++ & 1) && s.kind == SHAPE_VARYING)
            last = j + 1;
    }
    return last;
}

static void copy_head(struct plan *p, struct ir_block *head, struct ir_block *pred)
{
    struct ir_block *copy = ir_block_new(p->func, head->label);
    for (size_t j = 0; j < head->insts.n; j++) {
        struct ir_inst *i = ir_inst_new(p->func, head->insts.v[j]->op, head->insts.v[j]->type);
        *i = *head->insts.v[j];
        ir_block_add(copy, i);
    }
    struct ir_inst *t = ir_block_term(pred);
    for (int k = 0; k < 2; k++)
        if (t->target[k] == head)
            t->target[k] = copy;
}

bool plan_tail_dup(struct plan *p)
{
    size_t growth = 0;
    int n_blocks = p->n_blocks;
    bool changed = false;
    if (p->lanes == 1 || p->opt.function || p->opt.fair || p->opt.turns || p->opt.counted)
        return false;
    bool *touched = hw_alloc((size_t)n_blocks);           /* their ends are not what the plan says any more */
    for (int b = 0; b < n_blocks; b++) {
        struct plan_block *blk = &p->blocks[b];
        size_t n = worth_copying(p, b);
        bool fresh = true;
        for (size_t j = 0; j < blk->preds.n; j++)
            fresh &= !touched[blk->preds.v[j]];
        if (!n || !fresh || growth + n * (blk->preds.n - 1) > MOST_GROWTH)
            continue;
        struct ir_block *rest = plan_split(p, blk->ir, n);
        struct ir_inst *on = ir_inst_new(p->func, IR_BR, IR_VOID);
        on->target[0] = rest;
        ir_block_add(blk->ir, on);
        for (size_t j = 1; j < blk->preds.n; j++)
            copy_head(p, blk->ir, p->blocks[blk->preds.v[j]].ir);
        growth += n * (blk->preds.n - 1);
        touched[b] = changed = true;
    }
    hw_free(touched);
    return changed;
}
