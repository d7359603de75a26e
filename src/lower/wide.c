/* SPDX-License-Identifier: Apache-2.0 */
/* 128 bits: a register is a pair of 64-bit ones. They can be moved, loaded, stored, exchanged and compared and swapped. */
#include "lower/frame.h"

struct pair {
    struct ir_operand lo, hi;
};

static struct ir_reg **highs(struct lower_ctx *c)
{
    struct lower_frame *f = c->frame;
    if (!f->highs)
        f->highs = hw_arena_array(&f->arena, struct ir_reg *, f->func->regs.n + 1);
    return f->highs;
}

static void regs_of(struct lower_ctx *c, const struct ptx_reg *r, struct ir_reg **lo, struct ir_reg **hi)
{
    struct ir_reg **slots[] = { &c->frame->regs[r->id], &highs(c)[r->id] };
    for (int k = 0; k < 2; k++)
        if (!*slots[k])
            *slots[k] = ir_reg_new(c->f, IR_I64, r->name);
    *lo = *slots[0];
    *hi = *slots[1];
}

static struct pair read_pair(struct lower_ctx *c, int k)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    struct ir_reg *lo, *hi;
    if (o->kind == PTX_O_VEC && o->n == 2)
        return (struct pair){ lower_value(c, &o->elems[0], PTX_B64), lower_value(c, &o->elems[1], PTX_B64) };
    if (o->kind == PTX_O_REG) {
        regs_of(c, o->reg, &lo, &hi);
        return (struct pair){ lower_reg(lo), lower_reg(hi) };
    }
    if (o->kind == PTX_O_INT)                             /* the sign goes on */
        return (struct pair){ lower_imm((uint64_t)o->imm), lower_imm(o->imm < 0 ? UINT64_MAX : 0) };
    lower_fail(c, "an operand is no register of .b128");
    return (struct pair){ lower_imm(0), lower_imm(0) };
}

static void write_pair(struct lower_ctx *c, int k, struct pair v)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    struct ir_reg *lo, *hi, *first = lower_tmp(c, IR_I64);
    if (o->kind == PTX_O_VEC && o->n == 2) {
        lower_mov(c, first, v.lo);                        /* the first result may be the second source */
        lower_mov(c, lower_def(c, &o->elems[1], PTX_B64), v.hi);
        lower_mov(c, lower_def(c, &o->elems[0], PTX_B64), lower_reg(first));
    } else if (o->kind == PTX_O_REG) {
        lower_mov(c, first, v.lo);
        regs_of(c, o->reg, &lo, &hi);
        lower_mov(c, hi, v.hi);
        lower_mov(c, lo, lower_reg(first));
    } else if (o->kind != PTX_O_SINK) {
        lower_fail(c, "128 bits go into one register, or two of 64 bits");
    }
}

bool lower_MOV_B128(struct lower_ctx *c)
{
    write_pair(c, 0, read_pair(c, 1));
    return !c->failed;
}

static bool place_of(struct lower_ctx *c, int k, struct lower_place *at)
{
    return lower_find_place(c, k, at) && (!at->param || lower_fail(c, "parameters have no 128 bits"));
}

static struct ir_inst *access_at(struct lower_ctx *c, enum ir_op op, const struct lower_place *at)
{
    struct ir_inst *i = lower_emit(c, op, IR_I64);
    i->space = (uint8_t)at->space;
    i->imm = at->offset;
    ir_inst_src(i, at->addr);
    return i;
}

static struct pair results(struct lower_ctx *c, struct ir_inst *i)
{
    ir_inst_dst(i, lower_tmp(c, IR_I64));
    ir_inst_dst(i, lower_tmp(c, IR_I64));
    return (struct pair){ lower_reg(i->dst[0]), lower_reg(i->dst[1]) };
}

/* Others may write at the same time: then all bits must be of one moment. */
static bool at_once(struct lower_ctx *c, const struct lower_place *at)
{
    enum ptx_mod sem = lower_mod(c, PTX_C_SEM);
    return sem != PTX_M_NONE && sem != PTX_M_WEAK && (at->space == IR_GENERIC || at->space == IR_GLOBAL);
}

bool lower_LD_B128(struct lower_ctx *c)
{
    struct lower_place at;
    if (!place_of(c, 1, &at))
        return false;
    struct ir_inst *i = access_at(c, IR_LD, &at);
    struct pair v = results(c, i);
    if (!lower_set_order(c, i))
        return false;
    if (at_once(c, &at))
        i->op = IR_ATOM2;
    else if (lower_has(c, PTX_M_NC) || at.space == IR_CONST)
        i->flags |= IR_NONCOHERENT;
    write_pair(c, 0, v);
    return !c->failed;
}

bool lower_ST_B128(struct lower_ctx *c)
{
    struct lower_place at;
    struct pair v = read_pair(c, 1);
    if (!place_of(c, 0, &at))
        return false;
    if (at.space == IR_CONST)
        return lower_fail(c, "constant memory cannot be written");
    struct ir_inst *i = access_at(c, IR_ST, &at);
    ir_inst_src(i, v.lo);
    ir_inst_src(i, v.hi);
    if (!lower_set_order(c, i))
        return false;
    if (at_once(c, &at)) {
        i->op = IR_ATOM2;
        i->atom = IR_ATOM_EXCH;
    }
    return !c->failed;
}

static bool atomic(struct lower_ctx *c, enum ir_atom atom)
{
    struct lower_place at;
    struct pair v[2] = { read_pair(c, 2) };
    unsigned n = atom == IR_ATOM_CAS ? 2 : 1;
    if (n == 2)
        v[1] = read_pair(c, 3);
    if (!place_of(c, 1, &at))
        return false;
    if (at.space != IR_GENERIC && at.space != IR_GLOBAL && at.space != IR_SHARED)
        return lower_fail(c, "atomic operations work on global and shared memory");
    struct ir_inst *i = access_at(c, IR_ATOM2, &at);
    i->atom = (uint8_t)atom;
    i->order = (uint8_t)lower_atom_order(c);
    i->scope = (uint8_t)lower_scope(c, IR_GPU);
    for (unsigned k = 0; k < n; k++) {
        ir_inst_src(i, v[k].lo);
        ir_inst_src(i, v[k].hi);
    }
    write_pair(c, 0, results(c, i));
    return !c->failed;
}

bool lower_ATOM_EXCH_B128(struct lower_ctx *c) { return atomic(c, IR_ATOM_EXCH); }
bool lower_ATOM_CAS_B128(struct lower_ctx *c) { return atomic(c, IR_ATOM_CAS); }
