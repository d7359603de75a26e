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

/* Where indices from `from` to before `to` go; comparisons halve them. */
static struct ir_block *choose_target(struct lower_ctx *c, struct ir_operand index, const struct ptx_operand *labels, unsigned from, unsigned to)
{
    unsigned same = from, middle = from + (to - from) / 2;
    while (same < to && labels[same].label == labels[from].label)
        same++;
    if (same == to)
        return lower_block_at(c, labels[from].label->at, labels[from].label->name);
    struct ir_block *here = lower_new_block(c, NULL);
    struct ir_block *low = choose_target(c, index, labels, from, middle), *high = choose_target(c, index, labels, middle, to);
    c->block = here;
    lower_cbr(c, lower_cmp(c, IR_ULT, IR_I32, index, lower_imm(middle)), low, high);
    return here;
}

/* brx.idx a, targets: an index past the end is undefined, here it takes the last. */
bool lower_BRX(struct lower_ctx *c)
{
    const struct ptx_operand *targets = &c->inst->ops[1];
    struct ir_operand index = lower_src(c, 0, PTX_U32);
    struct ir_block *from = c->block;
    if (targets->kind != PTX_O_VEC || !targets->n)
        return lower_fail(c, "the targets are no .branchtargets list");
    for (unsigned i = 0; i < targets->n; i++)
        if (targets->elems[i].kind != PTX_O_LABEL)
            return lower_fail(c, "a target is no label");
    struct ir_block *to = choose_target(c, index, targets->elems, 0, targets->n);
    c->block = from;
    lower_br(c, to);
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
    if (c->f != c->kernel_f)
        return lower_limit(c, "exit inside a function that calls itself or is called through a pointer is not supported yet");
    lower_emit(c, IR_RET, IR_VOID);
    return true;
}

bool lower_TRAP(struct lower_ctx *c)
{
    lower_emit(c, IR_TRAP, IR_VOID);         /* imm 0 is KABI_TRAP_TRAP */
    return true;
}

/* There is no debugger to stop in: as on an H200 without one, the kernel fails. */
bool lower_BRKPT(struct lower_ctx *c)
{
    lower_emit(c, IR_TRAP, IR_VOID);
    return true;
}

bool lower_PMEVENT(struct lower_ctx *c)
{
    (void)c;
    return true;
}
