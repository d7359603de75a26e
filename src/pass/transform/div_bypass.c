/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilers guard a 64-bit division by a look at the high halves of both numbers and divide 32 bits where they are 0, which a GPU does faster. The quotient is
 * then a choice of two branches and has no shape. Where the number rises from lane to lane and the divisor is the same for all, the division is done in 64 bits
 * again: group_version.c makes a scalar one of it.
 */
#include "pass/transform/lane_test.h"

struct bypass {
    const struct plan *p;
    struct ir_operand a, b;
    int quick, slow;             /* the two blocks */
};

static bool same(const struct ir_operand *x, const struct ir_operand *y)
{
    return x->kind == y->kind && (x->kind == IR_REG ? x->reg == y->reg : x->imm == y->imm);
}

static const struct ir_inst *only_def(const struct plan *p, const struct ir_operand *o) { return o->kind == IR_REG ? p->regs[o->reg->id].def : NULL; }

/* ((a | b) & 0xffffffff00000000) != 0 leads to the slow block. */
static bool find_guard(struct bypass *d, int block)
{
    const struct plan *p = d->p;
    const struct plan_block *h = &p->blocks[block];
    const struct ir_inst *t = ir_block_term(h->ir), *cmp = t->op == IR_CBR ? only_def(p, &t->src[0]) : NULL;
    if (!cmp || cmp->op != IR_CMP || cmp->type != IR_I64 || (cmp->cmp != IR_EQ && cmp->cmp != IR_NE) || cmp->src[1].kind != IR_IMM || cmp->src[1].imm)
        return false;
    const struct ir_inst *high = only_def(p, &cmp->src[0]);
    if (!high || high->op != IR_AND || high->src[1].kind != IR_IMM || high->src[1].imm != 0xffffffff00000000u)
        return false;
    const struct ir_inst *any = only_def(p, &high->src[0]);
    if (!any || any->op != IR_OR || p->regs[any->dst[0]->id].def_block != block)
        return false;
    d->a = any->src[0];
    d->b = any->src[1];
    d->slow = h->succ[cmp->cmp == IR_EQ];
    d->quick = h->succ[cmp->cmp == IR_NE];
    return p->blocks[d->slow].preds.n == 1 && p->blocks[d->quick].preds.n == 1 && p->blocks[d->slow].n_succ == 1 && p->blocks[d->quick].n_succ == 1 &&
        p->blocks[d->slow].succ[0] == p->blocks[d->quick].succ[0];
}

/* Is o the low half of x? */
static bool low_half(const struct plan *p, const struct ir_operand *o, const struct ir_operand *x)
{
    const struct ir_inst *t = only_def(p, o);
    if (x->kind == IR_IMM)
        return o->kind == IR_IMM && o->imm == (uint32_t)x->imm;
    const struct ir_inst *wide = only_def(p, x);           /* or what x was made of: fold.c takes such pairs away */
    return (t && t->op == IR_TRUNC && t->type == IR_I32 && same(&t->src[0], x)) || (wide && wide->op == IR_ZEXT && wide->type2 == IR_I32 && same(&wide->src[0], o));
}

static const struct ir_inst *defined_in(const struct plan *p, int block, const struct ir_reg *r)
{
    for (size_t j = 0; j < p->blocks[block].ir->insts.n; j++)
        if (ir_defines(p->blocks[block].ir->insts.v[j], r))
            return p->blocks[block].ir->insts.v[j];
    return NULL;
}

/* The slow block does nothing but divide, and the quick one makes the same results. */
static bool same_results(struct bypass *d)
{
    const struct plan *p = d->p;
    const struct ir_block *slow = p->blocks[d->slow].ir;
    for (size_t j = 0; j + 1 < slow->insts.n; j++) {
        const struct ir_inst *i = slow->insts.v[j];
        bool quotient = i->op == IR_DIV_S || i->op == IR_DIV_U;
        if ((!quotient && i->op != IR_REM_S && i->op != IR_REM_U) || i->type != IR_I64)
            return false;
        if (same(&i->src[0], &d->b) && !same(&i->src[0], &d->a)) {
            struct ir_operand t = d->a;
            d->a = d->b;
            d->b = t;
        }
        const struct ir_inst *wide = defined_in(p, d->quick, i->dst[0]), *half = wide && wide->op == IR_ZEXT ? only_def(p, &wide->src[0]) : NULL;
        if (!same(&i->src[0], &d->a) || !same(&i->src[1], &d->b) || !half || half->op != (quotient ? IR_DIV_U : IR_REM_U) || half->type != IR_I32 ||
            !low_half(p, &half->src[0], &d->a) || !low_half(p, &half->src[1], &d->b) || p->regs[i->dst[0]->id].n_defs != 2)
            return false;
    }
    return slow->insts.n > 1;
}

/* Whatever else the quick block makes is for itself. */
static bool nothing_else(const struct bypass *d)
{
    const struct plan *p = d->p;
    const struct ir_block *b = p->blocks[d->quick].ir;
    for (size_t j = 0; j + 1 < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        int uses = 0;
        if (!(ir_op_info[i->op].props & IR_PROP_PURE) || i->n_dst != 1 || !i->dst[0])
            return false;
        if (defined_in(p, d->slow, i->dst[0]))
            continue;
        for (size_t k = 0; k < b->insts.n; k++)
            for (int s = 0; s < b->insts.v[k]->n_src; s++)
                uses += b->insts.v[k]->src[s].kind == IR_REG && b->insts.v[k]->src[s].reg == i->dst[0];
        if (uses != p->regs[i->dst[0]->id].n_uses || p->regs[i->dst[0]->id].n_defs != 1)
            return false;
    }
    return true;
}

bool plan_div_bypass(struct plan *p)
{
    bool changed = false;
    if (p->lanes == 1 || p->opt.function || p->opt.fair || p->opt.turns || p->opt.counted || !lane_numbers(p))
        return false;
    for (int b = 0; b < p->n_blocks; b++) {
        struct bypass d = { .p = p };
        int64_t stride;
        if (!find_guard(&d, b) || !same_results(&d) || !nothing_else(&d))
            continue;
        struct shape divisor = plan_operand_shape(p, &d.b), number = plan_operand_shape(p, &d.a);
        if (!shape_group_uniform(&divisor) || (!lane_affine(p, &d.a, &stride) && !shape_group_uniform(&number)))
            continue;
        struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        t->op = IR_BR;
        t->target[0] = p->blocks[d.slow].ir;
        t->target[1] = NULL;
        t->n_src = 0;
        changed = true;
    }
    if (changed)
        plan_drop_unreachable(p->func);
    return changed;
}
