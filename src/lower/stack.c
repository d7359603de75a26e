/* SPDX-License-Identifier: Apache-2.0 */
/* alloca: a part of the thread's local memory that grows while the function runs. Taking too much ends the kernel. */
#include "lower/frame.h"

void lower_stack_init(struct lower_ctx *c)
{
    c->stack = NULL;
    if (!c->layout->uses_stack)
        return;
    uint64_t at = (uint64_t)lower_local_alloc(c, LOWER_STACK_BYTES, 16);
    c->stack = lower_tmp(c, IR_I64);
    c->stack_end = at + LOWER_STACK_BYTES;
    lower_mov(c, c->stack, lower_imm(at));
}

static bool is_power_of_two(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

bool lower_ALLOCA(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    int64_t align = lower_has_op(c, 2) ? c->inst->ops[2].imm : 8;
    if (!is_power_of_two(align) || align > 128)
        return lower_fail(c, "an alignment is a power of two up to 128, not %lld", (long long)align);
    struct ir_operand bytes = lower_resize(c, IR_I64, lower_type(t), false, lower_src(c, 1, t));
    struct ir_operand at = lower_op2(c, IR_ADD, IR_I64, lower_reg(c->stack), lower_imm((uint64_t)align - 1));
    at = lower_op2(c, IR_AND, IR_I64, at, lower_imm(~((uint64_t)align - 1)));
    struct ir_operand room = lower_op2(c, IR_SUB, IR_I64, lower_imm(c->stack_end), at);
    struct ir_block *full = lower_new_block(c, NULL), *fits = lower_new_block(c, NULL);
    struct ir_operand over = lower_op2(c, IR_OR, IR_PRED, lower_cmp(c, IR_SLT, IR_I64, room, lower_imm(0)), lower_cmp(c, IR_UGT, IR_I64, bytes, room));
    lower_cbr(c, over, full, fits);
    c->block = full;
    lower_emit(c, IR_TRAP, IR_VOID);
    c->block = fits;
    lower_mov(c, c->stack, lower_op2(c, IR_ADD, IR_I64, at, bytes));
    lower_set(c, 0, t, lower_resize(c, lower_type(t), IR_I64, false, at));
    return true;
}

bool lower_STACKSAVE(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand now = lower_reg(c->stack);
    lower_mov(c, lower_dst(c, 0, t), lower_resize(c, lower_type(t), IR_I64, false, now));
    return true;
}

bool lower_STACKRESTORE(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    lower_mov(c, c->stack, lower_resize(c, IR_I64, lower_type(t), false, lower_src(c, 0, t)));
    return true;
}
