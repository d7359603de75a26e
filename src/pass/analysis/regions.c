/* SPDX-License-Identifier: Apache-2.0 */
/* Where execution resumes after barriers, and which values are computed again there instead of being saved. */
#include "pass/plan.h"

bool plan_stops(const struct ir_inst *t)
{
    return (t->op == IR_BAR && t->imm != IR_BAR_ARRIVE) || t->op == IR_BAR_RED || t->op == IR_YIELD || t->op == IR_WARPOP;
}

bool plan_plain_barrier(const struct plan *p, const struct ir_inst *t)
{
    int first = t->op == IR_BAR_RED ? 1 : 0;
    if (p->opt.fair || (t->op != IR_BAR && t->op != IR_BAR_RED))
        return false;
    if (t->n_src > first && !(t->src[first].kind == IR_IMM && t->src[first].imm == 0))
        return false;
    return t->n_src <= first + 1 || (t->src[first + 1].kind == IR_IMM && t->src[first + 1].imm >= p->threads);
}

static void add_region(struct plan *p, int entry)
{
    struct plan_region r = { .entry = entry };
    if (entry != 0)
        p->blocks[entry].resume = (int)p->regions.n;
    hw_vec_push(&p->regions, r);
}

/* Cheap enough to do again: a value that costs more than a load from the frame is saved. */
bool plan_cheap(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_MOV: case IR_ADD: case IR_SUB: case IR_MUL: case IR_AND: case IR_OR: case IR_XOR: case IR_NOT: case IR_NEG: case IR_SHL:
    case IR_SHR_U: case IR_SHR_S: case IR_ZEXT: case IR_SEXT: case IR_TRUNC: case IR_PARAM: case IR_PARAMADDR: case IR_VARADDR:
    case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC: case IR_CMP: case IR_MIN_S: case IR_MIN_U:
    case IR_MAX_S: case IR_MAX_U: case IR_EXTRACT: case IR_PACK: return true;
    case IR_SREG: return i->imm < IR_SREG_CLOCK || i->imm > IR_SREG_GLOBALTIMER_HI;
    default: return false;
    }
}

enum { MAX_REMAT_DEPTH = 12 };

static bool can_remat(struct plan *p, struct plan_reg *r, signed char *known, int depth)
{
    signed char *k = &known[r->reg->id];
    if (*k)
        return *k > 0;
    if (!r->def || r->def->n_dst != 1 || !plan_cheap(r->def) || depth > MAX_REMAT_DEPTH)
        return false;
    *k = -1;                                              /* in a cycle: no */
    for (int i = 0; i < r->def->n_src; i++) {
        struct ir_operand *o = &r->def->src[i];
        if (o->kind == IR_REG && !can_remat(p, &p->regs[o->reg->id], known, depth + 1))
            return false;
    }
    *k = 1;
    return true;
}

bool plan_again(const struct plan *p, const struct ir_inst *i)
{
    bool good = plan_cheap(i);
    for (int k = 0; k < i->n_src; k++)
        good &= i->src[k].kind != IR_REG || p->regs[i->src[k].reg->id].remat;
    return good;
}

void plan_regions(struct plan *p)
{
    p->regions.n = 0;
    add_region(p, 0);
    for (int b = 0; b < p->n_blocks; b++) {
        if (plan_stops(ir_block_term(p->blocks[b].ir)) && p->blocks[p->blocks[b].succ[0]].resume < 0)
            add_region(p, p->blocks[b].succ[0]);
    }
    if (p->regions.n == 1)
        return;
    signed char *known = hw_alloc(p->n_regs + 1);
    for (size_t r = 0; r < p->n_regs; r++)
        p->regs[r].remat = can_remat(p, &p->regs[r], known, 0);
    hw_free(known);
}
