/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that only advise the hardware, and elect. */
#include "lower/frame.h"

/* Caches are the CPU's business. */
bool lower_APPLYPRIORITY(struct lower_ctx *c) { return (void)c, true; }
bool lower_DISCARD(struct lower_ctx *c) { return (void)c, true; }

/* A policy is opaque and its users ignore it; it only has to be a value. */
bool lower_CREATEPOLICY(struct lower_ctx *c)
{
    lower_set(c, 0, PTX_B64, lower_imm(0));
    return true;
}

/* A grid starts when the grids it depends on have ended, so there is nothing left to wait for. */
bool lower_GRIDDEPCONTROL(struct lower_ctx *c) { return (void)c, true; }

/* The lowest member is elected: every member can work that out alone. */
bool lower_ELECT(struct lower_ctx *c)
{
    struct ir_operand mask = lower_src(c, 2, PTX_B32);
    ir_inst_src(lower_emit(c, IR_WARPSYNC, IR_VOID), mask);
    struct ir_operand lane = lower_sreg(c, "%laneid"), leader = lower_op1(c, IR_CTZ, IR_I32, mask);
    struct ir_operand me = lower_cmp(c, IR_EQ, IR_I32, lane, leader);
    if (lower_has_op(c, 1))
        lower_mov(c, lower_dst(c, 1, PTX_PRED), me);
    lower_mov(c, lower_dst(c, 0, PTX_B32), leader);
    return true;
}

/* There are as many registers as a kernel has. */
bool lower_SETMAXNREG(struct lower_ctx *c)
{
    (void)c;
    return true;
}
