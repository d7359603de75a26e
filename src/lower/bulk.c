/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of whole ranges between global and shared memory, and stores that a barrier counts. They are done when the instruction is, so waiting for
   groups is nothing. */
#include "lower/frame.h"

enum { PIECE = 16 };             /* sizes and addresses are multiples of it */

static struct ir_inst *access_at(struct lower_ctx *c, enum ir_op op, enum ir_type type, const struct lower_place *at, struct ir_operand offset)
{
    struct ir_operand base = at->addr;
    if (base.kind == IR_REG && base.reg->type == IR_I32)
        base = lower_resize(c, IR_I64, IR_I32, false, base);
    base = lower_op2(c, IR_ADD, IR_I64, base, offset);
    struct ir_inst *i = lower_emit(c, op, type);
    i->space = (uint8_t)at->space;
    i->imm = at->offset;
    ir_inst_src(i, base);
    return i;
}

/* What is done for each piece of a range, `at` bytes from its begin. */
typedef void piece_fn(struct lower_ctx *c, const struct lower_place *to, const struct lower_place *from, struct ir_operand at);

static void each_piece(struct lower_ctx *c, const struct lower_place *to, const struct lower_place *from, struct ir_operand bytes, piece_fn *piece,
                       unsigned piece_bytes)
{
    struct ir_block *head = lower_new_block(c, NULL), *body = lower_new_block(c, NULL), *done = lower_new_block(c, NULL);
    struct ir_reg *at = lower_tmp(c, IR_I64);
    lower_mov(c, at, lower_imm(0));
    lower_br(c, head);
    c->block = head;
    lower_cbr(c, lower_cmp(c, IR_ULT, IR_I64, lower_reg(at), bytes), body, done);
    c->block = body;
    piece(c, to, from, lower_reg(at));
    lower_mov(c, at, lower_op2(c, IR_ADD, IR_I64, lower_reg(at), lower_imm(piece_bytes)));
    lower_br(c, head);
    c->block = done;
}

static void copy_piece(struct lower_ctx *c, const struct lower_place *to, const struct lower_place *from, struct ir_operand at)
{
    struct ir_inst *ld = access_at(c, IR_LD, IR_I32, from, at);
    for (int k = 0; k < PIECE / 4; k++)
        ir_inst_dst(ld, lower_tmp(c, IR_I32));
    struct ir_inst *st = access_at(c, IR_ST, IR_I32, to, at);
    for (int k = 0; k < PIECE / 4; k++)
        ir_inst_src(st, lower_reg(ld->dst[k]));
}

static void copy(struct lower_ctx *c, const struct lower_place *to, const struct lower_place *from, struct ir_operand bytes)
{
    each_piece(c, to, from, bytes, copy_piece, PIECE);
}

/* One element: those of a range are independent of each other, each is changed at once. */
static void reduce_piece(struct lower_ctx *c, const struct lower_place *to, const struct lower_place *from, struct ir_operand at)
{
    enum ptx_type t = c->inst->type;
    struct ir_inst *ld = access_at(c, IR_LD, ir_type_of_bits(ptx_type_bits(t)), from, at);
    ir_inst_dst(ld, lower_tmp(c, ir_type_of_bits(ptx_type_bits(t))));
    struct ir_inst *atom = access_at(c, IR_ATOM, lower_type(t), to, at);
    atom->atom = (uint8_t)lower_atom_of(lower_mod(c, PTX_C_REDOP), t);
    atom->order = IR_RELAXED;
    atom->scope = IR_GPU;
    ir_inst_src(atom, lower_reg(ld->dst[0]));
}

static bool reduce(struct lower_ctx *c, const struct lower_place *to, const struct lower_place *from, struct ir_operand bytes)
{
    enum ptx_type t = c->inst->type;
    if (lower_atom_of(lower_mod(c, PTX_C_REDOP), t) < 0)
        return lower_fail(c, "this operation does not exist for .%s", ptx_type_info[t].text);
    each_piece(c, to, from, bytes, reduce_piece, ptx_type_bits(t) / 8);
    return true;
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

/* From this block's shared memory to that of a block of the cluster, which is this one. */
bool lower_CP_BULK_ACROSS(struct lower_ctx *c)
{
    struct lower_place to, from, bar;
    if (!lower_place_in(c, 0, IR_SHARED, &to) || !lower_place_in(c, 1, IR_SHARED, &from) || !lower_place_in(c, 3, IR_SHARED, &bar))
        return false;
    struct ir_operand bytes = size_of(c);
    copy(c, &to, &from, bytes);
    lower_mbarrier_complete(c, &bar, bytes);
    return true;
}

bool lower_CP_REDUCE_ACROSS(struct lower_ctx *c)
{
    struct lower_place to, from, bar;
    if (!lower_place_in(c, 0, IR_SHARED, &to) || !lower_place_in(c, 1, IR_SHARED, &from) || !lower_place_in(c, 3, IR_SHARED, &bar))
        return false;
    struct ir_operand bytes = size_of(c);
    if (!reduce(c, &to, &from, bytes))
        return false;
    lower_mbarrier_complete(c, &bar, bytes);
    return true;
}

bool lower_CP_REDUCE_STORE(struct lower_ctx *c)
{
    struct lower_place to, from;
    return lower_place_in(c, 0, IR_GLOBAL, &to) && lower_place_in(c, 1, IR_SHARED, &from) && reduce(c, &to, &from, size_of(c));
}

/* A store or a reduction of one value (or vector), then the barrier of operand 2 has so many bytes more. */
static bool count_bytes(struct lower_ctx *c)
{
    struct lower_place bar;
    unsigned n = c->inst->ops[1].kind == PTX_O_VEC ? c->inst->ops[1].n : 1;
    if (!lower_find_place(c, 2, &bar))
        return false;
    lower_mbarrier_complete(c, &bar, lower_imm(n * ptx_type_bits(c->inst->type) / 8));
    return true;
}

bool lower_ST_ASYNC(struct lower_ctx *c) { return lower_ST(c) && count_bytes(c); }
bool lower_RED_ASYNC(struct lower_ctx *c) { return lower_RED(c) && count_bytes(c); }

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
