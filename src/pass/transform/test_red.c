/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions that mostly change nothing: a minimum, a maximum, bits to set or to clear. In a search for shortest paths, of components or of a box most threads
 * come with a number that the memory has beaten already, and an atomic operation that changes nothing is a load. So it is loaded first, for all lanes at once, and
 * those go on to the atomic operation whose number would change what they saw. Nobody can tell: each is as if it had been done when its place was loaded.
 * Private copies (private_red.c) need no such test, and what orders other accesses, or is meant for the host, stays what it is.
 */
#include "pass/transform/lane_test.h"

static bool kind(const struct ir_inst *i)
{
    switch (i->atom) {
    case IR_ATOM_MIN_S: case IR_ATOM_MIN_U: case IR_ATOM_MAX_S: case IR_ATOM_MAX_U: case IR_ATOM_AND: case IR_ATOM_OR: return true;
    default: return false;
    }
}

static bool testable(const struct plan *p, const struct ir_inst *i)
{
    bool unused = i->n_dst == 0 || !i->dst[0] || p->regs[i->dst[0]->id].n_uses == 0;
    return i->op == IR_ATOM && kind(i) && unused && (i->space == IR_GENERIC || i->space == IR_GLOBAL) && (i->type == IR_I32 || i->type == IR_I64) &&
        i->order <= IR_RELAXED && i->scope != IR_SYS && !(i->flags & (IR_VOLATILE | IR_PRIVATE));
}

/* Would x change what was found? */
static struct ir_reg *changes(struct plan *p, struct ir_block *b, const struct ir_inst *i, struct ir_operand found)
{
    struct ir_operand x = i->src[1];
    switch (i->atom) {
    case IR_ATOM_MIN_S: return lane_cmp(p, b, IR_SLT, i->type, x, found);
    case IR_ATOM_MIN_U: return lane_cmp(p, b, IR_ULT, i->type, x, found);
    case IR_ATOM_MAX_S: return lane_cmp(p, b, IR_SGT, i->type, x, found);
    case IR_ATOM_MAX_U: return lane_cmp(p, b, IR_UGT, i->type, x, found);
    default: {
        struct ir_reg *with = lane_value(p, b, i->atom == IR_ATOM_AND ? IR_AND : IR_OR, i->type, found, x);
        return lane_cmp(p, b, IR_NE, i->type, ir_reg_operand(with), found);
    }
    }
}

/* The j-th instruction goes into a block of its own, behind a test. Returns the block of what follows it. */
static struct ir_block *put_test(struct plan *p, struct ir_block *b, size_t j)
{
    struct ir_block *rest = plan_split(p, b, j + 1), *change = ir_block_new(p->func, NULL);
    struct ir_inst *red = b->insts.v[j], *load = ir_inst_new(p->func, IR_LD, red->type), *choice = ir_inst_new(p->func, IR_CBR, IR_VOID), *on = ir_inst_new(p->func, IR_BR, IR_VOID);
    struct ir_reg *found = ir_reg_new(p->func, red->type, NULL);
    b->insts.n--;
    load->space = red->space;
    load->imm = red->imm;
    load->ptx_line = choice->ptx_line = on->ptx_line = red->ptx_line;
    ir_inst_dst(load, found);
    ir_inst_src(load, red->src[0]);
    ir_block_add(b, load);
    ir_inst_src(choice, ir_reg_operand(changes(p, b, red, ir_reg_operand(found))));
    choice->target[0] = change;
    choice->target[1] = rest;
    ir_block_add(b, choice);
    ir_block_add(change, red);
    on->target[0] = rest;
    ir_block_add(change, on);
    return rest;
}

bool plan_test_red(struct plan *p)
{
    enum { MOST = 64 };          /* more is not what a person writes, and each is three blocks */
    unsigned n = 0;
    if (p->opt.counted || p->opt.function || p->opt.fair || p->opt.turns || p->opt.plain)
        return false;
    for (int k = 0; k < p->n_blocks; k++) {
        struct ir_block *b = p->blocks[k].ir;
        for (size_t j = 0; j < b->insts.n && n < MOST; j++)
            if (testable(p, b->insts.v[j])) {
                b = put_test(p, b, j);
                j = SIZE_MAX;    /* from its beginning */
                n++;
            }
    }
    return n > 0;
}
