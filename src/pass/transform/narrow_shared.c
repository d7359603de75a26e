/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of shared memory are small, but programs compute them with 64 bits, as all addresses. Vectors of them that lead to nothing else
 * hold 32: twice as many to a register, and no index needs to be widened first. Scalars stay as they are: the CPU adds 64 bits for nothing.
 */
#include "pass/plan.h"

struct narrow {
    struct ir_func *fn;
    bool *is;                    /* by register: 32 bits will do */
    struct ir_reg **low;         /* by register: the low half of one that must stay wide; made when it is needed */
};

/* The low half of the result is made of nothing but the low halves of these operands (bit k: operand k). */
static unsigned low_halves(const struct ir_inst *i)
{
    if (i->type != IR_I64 || i->n_dst != 1)
        return 0;
    switch (i->op) {
    case IR_MOV: case IR_NOT: case IR_NEG: case IR_SHL: return 1;
    case IR_SHR_S: return i->flags & IR_PLACE ? 1 : 0;            /* small and positive, where it counts */
    case IR_ADD: case IR_SUB: case IR_MUL: case IR_AND: case IR_OR: case IR_XOR: return 3;
    case IR_SELECT: return 6;
    default: return 0;
    }
}

static bool widens(const struct ir_inst *i)
{
    return (i->op == IR_ZEXT || i->op == IR_SEXT) && i->type == IR_I64 && ir_type_bits(i->type2) <= 32;
}

static bool shared_address(const struct ir_inst *i, int k)
{
    return k == 0 && (i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOM) && i->space == IR_SHARED && !(i->flags & IR_OUTGOING);
}

static bool reject(struct narrow *n, const struct ir_reg *r)
{
    bool was = n->is[r->id];
    n->is[r->id] = false;
    return was;
}

static bool look_at(struct narrow *n, const struct ir_inst *i)
{
    unsigned halves = low_halves(i);
    bool changed = false;
    for (int k = 0; k < i->n_dst; k++)
        if (i->dst[k] && !halves && !widens(i))
            changed |= reject(n, i->dst[k]);
    for (int k = 0; k < i->n_src; k++)
        if (i->src[k].kind == IR_REG && !shared_address(i, k) && !((halves >> k & 1) && i->dst[0] && n->is[i->dst[0]->id]))
            changed |= reject(n, i->src[k].reg);
    return changed;
}

static void rewrite(struct narrow *n, struct ir_inst *i)
{
    unsigned halves = low_halves(i);
    if (i->n_dst != 1 || !i->dst[0] || !n->is[i->dst[0]->id])
        return;
    i->type = IR_I32;
    if (i->op == IR_ZEXT || i->op == IR_SEXT) {
        if (i->type2 == IR_I32)
            i->op = IR_MOV;
        return;
    }
    for (int k = 0; k < i->n_src; k++) {
        struct ir_operand *o = &i->src[k];
        if (!(halves >> k & 1))
            continue;
        if (o->kind != IR_REG) {
            o->imm = (uint32_t)o->imm;
        } else if (!n->is[o->reg->id]) {
            if (!n->low[o->reg->id])
                n->low[o->reg->id] = ir_reg_new(n->fn, IR_I32, o->reg->name);
            o->reg = n->low[o->reg->id];
        }
    }
}

/* Behind every definition of a wide register its low half. */
static void take_halves(struct narrow *n, struct ir_block *b, size_t n_regs)
{
    HW_VEC(struct ir_inst *) all = { 0 };
    for (size_t j = 0; j < b->insts.n; j++) {
        struct ir_inst *i = b->insts.v[j];
        hw_vec_push(&all, i);
        for (int k = 0; k < i->n_dst; k++) {
            if (!i->dst[k] || i->dst[k]->id >= n_regs || !n->low[i->dst[k]->id])
                continue;
            struct ir_inst *half = ir_inst_new(n->fn, IR_TRUNC, IR_I32);
            half->type2 = IR_I64;
            half->ptx_line = i->ptx_line;
            ir_inst_dst(half, n->low[i->dst[k]->id]);
            ir_inst_src(half, ir_reg_operand(i->dst[k]));
            hw_vec_push(&all, half);
        }
    }
    b->insts.n = 0;
    for (size_t j = 0; j < all.n; j++)
        ir_block_add(b, all.v[j]);
    hw_vec_fini(&all);
}

bool plan_narrow_shared(struct plan *p)
{
    struct ir_func *fn = p->func;
    size_t n_regs = fn->regs.n;
    struct narrow n = { .fn = fn, .is = hw_alloc(n_regs + 1), .low = hw_alloc(n_regs * sizeof *n.low + 1) };
    for (size_t r = 0; r < n_regs; r++)
        n.is[r] = fn->regs.v[r]->type == IR_I64 && p->regs[r].shape.kind == SHAPE_VARYING;
    for (bool again = true; again;) {
        again = false;
        for (size_t b = 0; b < fn->blocks.n; b++)
            for (size_t j = 0; j < fn->blocks.v[b]->insts.n; j++)
                again |= look_at(&n, fn->blocks.v[b]->insts.v[j]);
    }
    for (size_t b = 0; b < fn->blocks.n; b++)
        for (size_t j = 0; j < fn->blocks.v[b]->insts.n; j++)
            rewrite(&n, fn->blocks.v[b]->insts.v[j]);
    bool any = false;
    for (size_t r = 0; r < n_regs; r++)
        if (n.is[r]) {
            fn->regs.v[r]->type = IR_I32;
            any = true;
        }
    for (size_t b = 0; b < fn->blocks.n; b++)
        take_halves(&n, fn->blocks.v[b], n_regs);
    hw_free(n.is);
    hw_free(n.low);
    return any;
}
