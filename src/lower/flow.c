/* SPDX-License-Identifier: Apache-2.0 */
/* Branches and the ends of threads. */
#include "lower/frame.h"

bool lower_BRA(struct lower_ctx *c)
{
    const struct ptx_inst *inst = c->inst;
    if (inst->ops[0].kind != PTX_O_LABEL)
        return lower_fail(c, "the target is no label");
    struct ir_block *to = lower_block_at(c, inst->ops[0].label->at, inst->ops[0].label->name);
    if (!inst->guard) {
        lower_br(c, to);
        return true;
    }
    struct ir_block *next = lower_new_block(c, NULL);
    struct ir_operand guard = lower_reg(lower_ptx_reg(c, inst->guard));
    lower_cbr(c, guard, inst->guard_negated ? next : to, inst->guard_negated ? to : next);
    c->block = next;
    return true;
}

bool lower_RET(struct lower_ctx *c)
{
    if (c->frame->leave)
        lower_br(c, c->frame->leave);
    else
        lower_emit(c, IR_RET, IR_VOID);
    return true;
}

bool lower_EXIT(struct lower_ctx *c)
{
    lower_emit(c, IR_RET, IR_VOID);
    return true;
}

bool lower_TRAP(struct lower_ctx *c)
{
    lower_emit(c, IR_TRAP, IR_VOID);         /* imm 0 is KABI_TRAP_TRAP */
    return true;
}

/* There is no debugger to stop in. */
bool lower_BRKPT(struct lower_ctx *c)
{
    (void)c;
    return true;
}

bool lower_PMEVENT(struct lower_ctx *c)
{
    (void)c;
    return true;
}
