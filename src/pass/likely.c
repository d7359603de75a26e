/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that are regular if a number which is the same for all lanes has its low bits set: those of t & (distance - 1) are, for all
 * distances of a vector and more. A block with such addresses can have two versions, and the number says which one to take.
 */
#include "pass/plan.h"

/* Registers of the block that nobody else sees and that lead to addresses. */
static void find_slice(const struct plan *p, int block, bool *in)
{
    const struct ir_block *b = p->blocks[block].ir;
    for (size_t j = b->insts.n - 1; j-- > 0;) {
        const struct ir_inst *i = b->insts.v[j];
        bool memory = i->op == IR_LD || i->op == IR_ST, wanted = (ir_op_info[i->op].props & IR_PROP_PURE) && i->n_dst == 1 && i->dst[0] && in[i->dst[0]->id];
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && (wanted || (memory && k == 0)))
                in[i->src[k].reg->id] = true;
    }
}

static bool own(const struct plan *p, int block, const struct ir_reg *r)
{
    const struct plan_reg *reg = &p->regs[r->id];
    const struct ir_inst *term = ir_block_term(p->blocks[block].ir);
    for (int k = 0; k < term->n_src; k++)
        if (term->src[k].kind == IR_REG && term->src[k].reg == r)
            return false;
    return reg->n_defs == 1 && reg->def_block == block && bits_empty(reg->live_in, (size_t)p->n_blocks);
}

/* a & b: regular, if the number b has these low bits. */
static bool guess(const struct plan *p, const struct ir_inst *i, struct plan_condition *out, struct shape *out_shape)
{
    for (int k = 0; k < 2 && i->op == IR_AND && ir_type_bits(i->type) <= 32; k++) {
        struct shape a = plan_operand_shape(p, &i->src[k]), b = plan_operand_shape(p, &i->src[1 - k]);
        if (i->src[1 - k].kind != IR_REG || !shape_group_uniform(&b) || !plan_one_block(p, &a, &out->low))
            continue;
        out->reg = i->src[1 - k].reg;
        *out_shape = (struct shape){ SHAPE_AFFINE, false, a.stride, 1, UINT64_MAX, 0 };
        return true;
    }
    return false;
}

/* The number is asked for where the block begins: what makes it there, in the first n instructions, must be possible before. */
static bool known_before(const struct plan *p, int block, const struct ir_reg *r, size_t n, struct plan_likely *l)
{
    const struct ir_block *b = p->blocks[block].ir;
    for (size_t j = 0; j < n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        if (!ir_defines(i, r))
            continue;
        if (p->regs[r->id].def != i || !(ir_op_info[i->op].props & IR_PROP_PURE) || bits_has(p->blocks[block].live_in, r->id))
            return false;                                 /* the last one: its old value is still read here */
        for (unsigned k = 0; k < l->n_ahead; k++)
            if (l->ahead[k] == i)
                return true;
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && !known_before(p, block, i->src[k].reg, j, l))
                return false;
        if (l->n_ahead == HW_LEN(l->ahead))
            return false;
        l->ahead[l->n_ahead++] = i;
    }
    return true;
}

static void remember(const struct plan *p, struct plan_likely *l, const struct ir_reg *r, struct shape s)
{
    hw_vec_push(&l->regs, ((struct plan_guess){ r, p->regs[r->id].shape }));
    p->regs[r->id].shape = s;
}

void plan_exchange(const struct plan *p, struct plan_likely *l)
{
    for (size_t k = 0; k < l->regs.n; k++) {
        struct shape s = p->regs[l->regs.v[k].reg->id].shape;
        p->regs[l->regs.v[k].reg->id].shape = l->regs.v[k].shape;
        l->regs.v[k].shape = s;
    }
}

bool plan_likely(const struct plan *p, int block, struct plan_likely *l)
{
    const struct ir_block *b = p->blocks[block].ir;
    bool *slice = hw_alloc(p->n_regs + 1);
    unsigned gained = 0;
    *l = (struct plan_likely){ 0 };
    find_slice(p, block, slice);
    for (size_t j = 0; j + 1 < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        bool memory = i->op == IR_LD || i->op == IR_ST;
        if (memory && l->n && i->src[0].kind == IR_REG)
            for (size_t k = 0; k < l->regs.n; k++)
                gained += l->regs.v[k].reg == i->src[0].reg;
        if (!(ir_op_info[i->op].props & IR_PROP_PURE) || i->n_dst != 1 || !i->dst[0] || !own(p, block, i->dst[0]) || p->regs[i->dst[0]->id].shape.kind != SHAPE_VARYING)
            continue;
        struct shape s;
        if (slice[i->dst[0]->id] && l->n < HW_LEN(l->conditions) && guess(p, i, &l->conditions[l->n], &s) && known_before(p, block, l->conditions[l->n].reg, j, l))
            l->n++;
        else
            s = plan_result_shape(p, i);
        if (l->n && s.kind == SHAPE_AFFINE)
            remember(p, l, i->dst[0], s);
    }
    hw_free(slice);
    plan_exchange(p, l);                                  /* back to how it was */
    if (!gained)
        hw_vec_fini(&l->regs);
    return gained > 0;
}
