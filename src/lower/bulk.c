/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of whole ranges between global and shared memory. They are done when the instruction is, so waiting for groups is nothing. */
#include "lower/frame.h"

enum { PIECE = 16 };             /* sizes and addresses are multiples of it */

static struct ir_inst *access_at(struct lower_ctx *c, enum ir_op op, const struct lower_place *at, struct ir_operand offset)
{
    struct ir_operand base = at->addr;
    if (base.kind == IR_REG && base.reg->type == IR_I32)
        base = lower_resize(c, IR_I64, IR_I32, false, base);
    base = lower_op2(c, IR_ADD, IR_I64, base, offset);
    struct ir_inst *i = lower_emit(c, op, IR_I32);
    i->space = (uint8_t)at->space;
    i->imm = at->offset;
    ir_inst_src(i, base);
    return i;
}

static void copy(struct lower_ctx *c, const struct lower_place *to, const struct lower_place *from, struct ir_operand bytes)
{
    struct ir_block *head = lower_new_block(c, NULL), *body = lower_new_block(c, NULL), *done = lower_new_block(c, NULL);
    struct ir_reg *at = lower_tmp(c, IR_I64);
    lower_mov(c, at, lower_imm(0));
    lower_br(c, head);
    c->block = head;
    lower_cbr(c, lower_cmp(c, IR_ULT, IR_I64, lower_reg(at), bytes), body, done);
    c->block = body;
    struct ir_inst *ld = access_at(c, IR_LD, from, lower_reg(at));
    for (int k = 0; k < PIECE / 4; k++)
        ir_inst_dst(ld, lower_tmp(c, IR_I32));
    struct ir_inst *st = access_at(c, IR_ST, to, lower_reg(at));
    for (int k = 0; k < PIECE / 4; k++)
        ir_inst_src(st, lower_reg(ld->dst[k]));
    lower_mov(c, at, lower_op2(c, IR_ADD, IR_I64, lower_reg(at), lower_imm(PIECE)));
    lower_br(c, head);
    c->block = done;
}

static struct ir_operand size_of(struct lower_ctx *c)
{
    return lower_resize(c, IR_I64, IR_I32, false, lower_src(c, 2, PTX_U32));
}

bool lower_CP_BULK_LOAD(struct lower_ctx *c)
{
    struct lower_place to, from, bar;
    if (!lower_place_in(c, 0, IR_SHARED, &to) || !lower_place_in(c, 1, IR_GLOBAL, &from) || !lower_place_in(c, 3, IR_SHARED, &bar))
        return false;
    struct ir_operand bytes = size_of(c);
    copy(c, &to, &from, bytes);
    lower_mbarrier_complete(c, &bar, bytes);
    return true;
}

bool lower_CP_BULK_STORE(struct lower_ctx *c)
{
    struct lower_place to, from;
    if (!lower_place_in(c, 0, IR_GLOBAL, &to) || !lower_place_in(c, 1, IR_SHARED, &from))
        return false;
    copy(c, &to, &from, size_of(c));
    return true;
}

bool lower_CP_BULK_COMMIT(struct lower_ctx *c)
{
    (void)c;
    return true;
}

bool lower_CP_BULK_WAIT(struct lower_ctx *c)
{
    (void)c;
    return true;
}

/* A cluster is one block: its shared memory is the block's own, and the block is number 0. */
bool lower_MAPA(struct lower_ctx *c)
{
    lower_set(c, 0, c->inst->type, lower_src(c, 1, c->inst->type));
    return true;
}

bool lower_GETCTARANK(struct lower_ctx *c)
{
    lower_set(c, 0, PTX_U32, lower_imm(0));
    return true;
}
