/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do all groups of a block always stop at the same barriers? Then nobody needs to note who waits where.
 *
 * A register is common when all groups that compute it compute the same value: parameters, block indices and what is made of them.
 * A branch on anything else parts the groups until its immediate postdominator; a kernel is in lockstep when no barrier lies
 * between. It starts from "everything is common" and only ever gives up.
 */
#include "pass/plan.h"

struct common {
    struct plan *p;
    bool *reg;                   /* by register */
    bits_word *parted;           /* blocks that some groups may run and others not, or more often */
};

static bool common_sreg(int64_t id)
{
    switch (id) {
    case IR_SREG_NTID_X: case IR_SREG_NTID_Y: case IR_SREG_NTID_Z: case IR_SREG_CTAID_X: case IR_SREG_CTAID_Y: case IR_SREG_CTAID_Z:
    case IR_SREG_NCTAID_X: case IR_SREG_NCTAID_Y: case IR_SREG_NCTAID_Z: case IR_SREG_NWARPID: case IR_SREG_NSMID: case IR_SREG_GRIDID: case IR_SREG_MEETS:
    case IR_SREG_TOTAL_SMEM: case IR_SREG_DYNAMIC_SMEM: return true;
    default: return false;
    }
}

/* The groups that run it get one result. Loads do not count: another group may store between two of them. */
static bool same_result(const struct common *c, const struct ir_inst *i)
{
    if (i->op == IR_SREG)
        return common_sreg(i->imm);
    if (i->op == IR_LOCAL_TO_GENERIC || i->op == IR_GENERIC_TO_LOCAL)
        return false;
    if (i->op != IR_BAR_RED && !(ir_op_info[i->op].props & IR_PROP_PURE))
        return false;
    for (int k = 0; k < i->n_src && i->op != IR_BAR_RED; k++)
        if (i->src[k].kind == IR_REG && !c->reg[i->src[k].reg->id])
            return false;
    return true;
}

/* What is reachable from b before `end` is parted. */
static void part(struct common *c, int b, int end)
{
    if (b == end || bits_has(c->parted, (size_t)b))
        return;
    bits_add(c->parted, (size_t)b);
    for (int k = 0; k < c->p->blocks[b].n_succ; k++)
        part(c, c->p->blocks[b].succ[k], end);
}

/* Each branch anew: what a nested branch parts must not end the walk of an outer one. */
static void part_from(struct common *c, int b)
{
    bits_word *all = c->parted;
    c->parted = bits_new(&c->p->arena, (size_t)c->p->n_blocks);
    for (int k = 0; k < c->p->blocks[b].n_succ; k++)
        part(c, c->p->blocks[b].succ[k], c->p->blocks[b].ipdom);
    bits_or(all, c->parted, (size_t)c->p->n_blocks);
    c->parted = all;
}

static bool give_up(struct common *c, const struct ir_inst *i, bool parted)
{
    bool changed = false;
    for (int k = 0; k < i->n_dst; k++) {
        if (!i->dst[k] || !c->reg[i->dst[k]->id])
            continue;
        if (same_result(c, i) && !(parted && c->p->regs[i->dst[k]->id].n_defs > 1))
            continue;
        c->reg[i->dst[k]->id] = false;
        changed = true;
    }
    return changed;
}

static bool sweep(struct common *c, bool *parts)
{
    bool changed = false;
    for (int b = 0; b < c->p->n_blocks; b++) {
        const struct ir_block *ir = c->p->blocks[b].ir;
        for (size_t j = 0; j < ir->insts.n; j++)
            changed |= give_up(c, ir->insts.v[j], bits_has(c->parted, (size_t)b));
        const struct ir_inst *t = ir_block_term(ir);
        if (t->op == IR_CBR && t->src[0].kind == IR_REG && !c->reg[t->src[0].reg->id] && !parts[b]) {
            parts[b] = changed = true;
            part_from(c, b);
        }
    }
    return changed;
}

void plan_lockstep(struct plan *p)
{
    struct common c = { p, hw_alloc(p->n_regs + 1), bits_new(&p->arena, (size_t)p->n_blocks) };
    bool *parts = hw_alloc((size_t)p->n_blocks + 1);
    memset(c.reg, true, p->n_regs);
    while (sweep(&c, parts)) {
    }
    p->lockstep = !p->opt.fair && !p->opt.turns && !p->opt.function;
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        bool stops = plan_stops(t) || t->op == IR_BAR;
        if (stops && (!plan_stops(t) || !plan_plain_barrier(p, t) || bits_has(c.parted, (size_t)b)))
            p->lockstep = false;
    }
    /* What only some groups compute has no value for the others. */
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; bits_has(c.parted, (size_t)b) && j < p->blocks[b].ir->insts.n; j++)
            for (int k = 0; k < p->blocks[b].ir->insts.v[j]->n_dst; k++)
                if (p->blocks[b].ir->insts.v[j]->dst[k])
                    c.reg[p->blocks[b].ir->insts.v[j]->dst[k]->id] = false;
    for (size_t r = 0; r < p->n_regs; r++)
        p->regs[r].common = p->lockstep && c.reg[r] && shape_group_uniform(&p->regs[r].shape);
    hw_free(parts);
    hw_free(c.reg);
}
