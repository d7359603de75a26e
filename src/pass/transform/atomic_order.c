/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The warps of a block go more or less abreast on a GPU: all have done one atomic operation on shared memory before any does the next. Here a
 * warp runs to the next barrier before another begins. Programs cannot tell, unless they mix operations on the same words whose order matters (an
 * addition and a maximum, say), which no GPU promises anything about. There a barrier keeps them apart: the answer is mostly the one a GPU gives (an
 * H200 all of two operations of 8 warps, 295 of 320 words of three in a loop), and the same at every width. Only where every thread of the block
 * is known to come by: from the beginning of the kernel or a barrier to the next branch.
 */
#include "pass/plan.h"

static bool on_shared(const struct ir_inst *i)
{
    return i->op == IR_ATOM && i->space == IR_SHARED;
}

static bool fixed(const struct ir_inst *i, uint64_t *out_at)
{
    *out_at = i->src[0].imm + (uint64_t)i->imm;
    return i->src[0].kind == IR_IMM;
}

static bool order_matters(const struct ir_inst *a, const struct ir_inst *b)
{
    uint64_t at[2];
    if (fixed(a, &at[0]) && fixed(b, &at[1]) && at[0] != at[1])
        return false;
    return a->atom != b->atom || a->type != b->type || a->atom == IR_ATOM_EXCH || a->atom == IR_ATOM_CAS;
}

static bool all_come_by(const struct plan *p, int b)
{
    const struct plan_block *blk = &p->blocks[b];
    for (size_t k = 0; k < blk->preds.n; k++) {
        const struct ir_inst *t = ir_block_term(p->blocks[blk->preds.v[k]].ir);
        if (!plan_stops(t) || !plan_plain_barrier(p, t))
            return false;
    }
    return blk->preds.n > 0 || b == 0;
}

/* What begins with the j-th instruction comes after a barrier. */
static struct ir_block *stop_before(struct plan *p, struct ir_block *blk, size_t j)
{
    struct ir_inst *bar = ir_inst_new(p->func, IR_BAR, IR_VOID);
    bar->ptx_line = blk->insts.v[j]->ptx_line;
    bar->imm = IR_BAR_SYNC;
    ir_inst_src(bar, ir_imm_operand(0));
    bar->target[0] = plan_split(p, blk, j);
    ir_block_add(blk, bar);
    return bar->target[0];
}

static bool keep_apart(struct plan *p, struct ir_block *blk)
{
    const struct ir_inst *last = NULL;
    bool changed = false;
    for (size_t j = 0; j < blk->insts.n; j++) {
        const struct ir_inst *i = blk->insts.v[j];
        if (!on_shared(i))
            continue;
        if (last && order_matters(last, i)) {
            blk = stop_before(p, blk, j);
            changed = true;
            j = 0;
        }
        last = i;
    }
    return changed;
}

bool plan_atomic_order(struct plan *p)
{
    bool changed = false;
    for (int b = 0; b < p->n_blocks && !p->opt.function && !p->opt.fair && !p->opt.counted && p->groups > 1; b++)
        if (all_come_by(p, b))
            changed |= keep_apart(p, p->blocks[b].ir);
    return changed;
}
