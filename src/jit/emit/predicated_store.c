/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that are run without asking whether any lane is on: `if (x < d[i]) d[i] = x`. The data decide, so a branch around the store
 * would often be foretold wrongly, which costs some twenty cycles; a masked store of no lane costs next to nothing.
 */
#include "jit/emit.h"
#include "jit/emit/x86.h"

/* Does this block load a row from where the store goes, for all lanes it has? The line is there, and may be touched. */
static bool has_read(const struct ir_block *b, const struct ir_inst *store)
{
    bool read = false;
    for (size_t j = 0; j < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        read |= i->op == IR_LD && i->n_dst == 1 && i->space == store->space && i->imm == store->imm && i->src[0].kind == IR_REG &&
            i->src[0].reg == store->src[0].reg && element_bytes(i) == element_bytes(store);
        read &= !ir_defines(i, store->src[0].reg);
    }
    return read;
}

static bool stores_row(struct emit *e, const struct ir_inst *i)
{
    if (i->op != IR_ST || i->n_src != 2 || (i->flags & IR_VOLATILE) || i->order != IR_WEAK || i->src[0].kind != IR_REG || i->space == IR_LOCAL)
        return false;
    struct shape s = o_shape(e, &i->src[0]);
    return s.kind == SHAPE_AFFINE && s.stride == element_bytes(i) && element_bytes(i) >= 4;
}

bool brief_block(struct emit *e, int b)
{
    enum { FEW = 6 };
    const struct plan_block *blk = &e->p->blocks[b];
    if (!blk->masked || blk->mask_from >= 0 || blk->preds.n != 1 || blk->n_succ != 1 || blk->ir->insts.n > FEW || !x86_wide(e, e->W))
        return false;
    /* from goes here or on to where this block leads, so that lanes are there in any case */
    int at = blk->preds.v[0];
    const struct plan_block *from = &e->p->blocks[at];
    if (b != at + 1 || !from->divergent || (from->succ[0] != blk->succ[0] && from->succ[1] != blk->succ[0]) || ir_block_term(blk->ir)->op != IR_BR)
        return false;
    bool stores = false;
    for (size_t j = 0; j + 1 < blk->ir->insts.n; j++) {
        const struct ir_inst *i = blk->ir->insts.v[j];
        if (ir_op_info[i->op].props & IR_PROP_PURE && i->op != IR_MATH)
            continue;
        if (!stores_row(e, i) || !has_read(from->ir, i))
            return false;
        stores = true;
    }
    return stores;
}
