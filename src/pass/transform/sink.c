/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a loop computes for nobody but those that leave it, from values that do not change in it (n = limit; just before the branch back), is
 * computed on the way out: in the loop it would be blended into the other lanes' values in every turn.
 */
#include "pass/plan.h"

static bool defined_in(const struct plan *p, int loop, const struct ir_reg *r)
{
    const struct plan_reg *reg = &p->regs[r->id];
    if (reg->def)
        return plan_in_loop(p, reg->def_block, loop);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; plan_in_loop(p, b, loop) && j < p->blocks[b].ir->insts.n; j++)
            if (ir_defines(p->blocks[b].ir->insts.v[j], r))
                return true;
    return false;
}

/* Instruction j of block b: is it for the loop's end only? inside: the block after it in the loop. */
static bool for_the_end(const struct plan *p, int b, size_t j, int inside)
{
    const struct ir_block *blk = p->blocks[b].ir;
    const struct ir_inst *i = blk->insts.v[j];
    const struct ir_reg *r = i->n_dst == 1 ? i->dst[0] : NULL;
    if (!r || i->op != IR_MOV || bits_has(p->blocks[inside].live_in, r->id))
        return false;
    if (i->src[0].kind == IR_REG && defined_in(p, p->blocks[b].loop, i->src[0].reg))
        return false;
    for (size_t k = j + 1; k < blk->insts.n; k++) {
        const struct ir_inst *o = blk->insts.v[k];
        for (int s = 0; s < o->n_src; s++)
            if (o->src[s].kind == IR_REG && o->src[s].reg == r)
                return false;
        if (ir_defines(o, r))
            return false;
    }
    return true;
}

static bool sink_from(struct plan *p, int b)
{
    const struct plan_block *blk = &p->blocks[b];
    struct ir_inst *t = ir_block_term(blk->ir);
    struct ir_block *way = NULL;
    if (blk->loop < 0 || t->op != IR_CBR || plan_in_loop(p, blk->succ[0], blk->loop) == plan_in_loop(p, blk->succ[1], blk->loop))
        return false;
    int out = plan_in_loop(p, blk->succ[0], blk->loop) ? 1 : 0;
    size_t kept = 0;
    for (size_t j = 0; j < blk->ir->insts.n; j++) {
        struct ir_inst *i = blk->ir->insts.v[j];
        if (!for_the_end(p, b, j, blk->succ[1 - out])) {
            blk->ir->insts.v[kept++] = i;
            continue;
        }
        way = way ? way : ir_block_new(p->func, NULL);
        ir_block_add(way, i);
    }
    if (!way)
        return false;
    struct ir_inst *br = ir_inst_new(p->func, IR_BR, IR_VOID);
    br->target[0] = t->target[out];
    ir_block_add(way, br);
    t->target[out] = way;
    blk->ir->insts.n = kept;
    return true;
}

bool plan_sink(struct plan *p)
{
    bool changed = false;
    for (int b = 0; b < p->n_blocks && p->lanes > 1 && !p->opt.counted; b++)
        changed |= sink_from(p, b);
    return changed;
}
