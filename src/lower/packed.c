/* SPDX-License-Identifier: Apache-2.0 */
/* Two values in one register: f32x2, u16x2, s16x2. And minimum and maximum of three, and those with .relu. */
#include "lower/frame.h"

static struct ir_operand part(struct lower_ctx *c, enum ir_type to, enum ir_type from, struct ir_operand a, unsigned k)
{
    struct ir_operand r = lower_op1(c, IR_EXTRACT, to, a);
    lower_last(c)->type2 = from;
    lower_last(c)->imm = k;
    return r;
}

/* Does op on both halves; sources are the operands from 1 on. */
static bool both(struct lower_ctx *c, enum ir_op op, enum ir_type type, int n_src, bool relu)
{
    enum ptx_type whole = c->inst->type;
    enum ir_type half = ir_type_of_bits(ir_type_bits(type)), wide = ir_type_of_bits(2 * ir_type_bits(type));
    struct ir_operand src[3], out[2];
    for (int k = 0; k < n_src; k++)
        src[k] = lower_src(c, 1 + k, whole);
    for (unsigned h = 0; h < 2; h++) {
        struct ir_operand a[3];
        for (int k = 0; k < n_src; k++)
            a[k] = part(c, half, wide, src[k], h);
        struct ir_inst *i = lower_emit(c, op, type);
        if (ir_type_is_float(type)) {
            i->rnd = (uint8_t)lower_rnd(c);
            i->flags |= lower_fflags(c);
        }
        for (int k = 0; k < n_src; k++)
            ir_inst_src(i, a[k]);
        ir_inst_dst(i, lower_tmp(c, half));
        out[h] = lower_reg(i->dst[0]);
        if (relu)
            out[h] = lower_op2(c, IR_MAX_S, half, out[h], lower_imm(0));
    }
    struct ir_operand d = lower_op2(c, IR_PACK, wide, out[0], out[1]);
    lower_last(c)->type2 = half;
    lower_set(c, 0, whole, d);
    return true;
}

bool lower_ADD_F32X2(struct lower_ctx *c) { return both(c, IR_FADD, IR_F32, 2, false); }
bool lower_SUB_F32X2(struct lower_ctx *c) { return both(c, IR_FSUB, IR_F32, 2, false); }
bool lower_MUL_F32X2(struct lower_ctx *c) { return both(c, IR_FMUL, IR_F32, 2, false); }
bool lower_FMA_F32X2(struct lower_ctx *c) { return both(c, IR_FMA, IR_F32, 3, false); }
bool lower_ADD_X2(struct lower_ctx *c) { return both(c, IR_ADD, IR_I16, 2, false); }

static bool extreme(struct lower_ctx *c, enum ir_op of_signed, enum ir_op of_unsigned)
{
    bool relu = lower_has(c, PTX_M_RELU);
    enum ptx_type t = c->inst->type;
    if (relu && t == PTX_U16X2)
        return lower_fail(c, ".relu is for signed types");
    if (t != PTX_S32)
        return both(c, t == PTX_S16X2 ? of_signed : of_unsigned, IR_I16, 2, relu);
    struct ir_operand v = lower_op2(c, of_signed, IR_I32, lower_src(c, 1, t), lower_src(c, 2, t));
    lower_set(c, 0, t, relu ? lower_op2(c, IR_MAX_S, IR_I32, v, lower_imm(0)) : v);
    return true;
}

bool lower_MIN_X2(struct lower_ctx *c) { return extreme(c, IR_MIN_S, IR_MIN_U); }
bool lower_MAX_X2(struct lower_ctx *c) { return extreme(c, IR_MAX_S, IR_MAX_U); }

static bool of_three(struct lower_ctx *c, enum ir_op op)
{
    struct ir_operand v = lower_src(c, 1, PTX_F32);
    if (lower_has(c, PTX_M_ABS))
        v = lower_op1(c, IR_FABS, IR_F32, v);
    for (int k = 2; k < 4; k++) {
        struct ir_operand b = lower_src(c, k, PTX_F32);
        if (lower_has(c, PTX_M_ABS))
            b = lower_op1(c, IR_FABS, IR_F32, b);
        v = lower_op2(c, op, IR_F32, v, b);
        lower_last(c)->flags |= lower_fflags(c) | (lower_has(c, PTX_M_NANPROP) ? IR_NANPROP : 0);
    }
    lower_set(c, 0, PTX_F32, v);
    return true;
}

bool lower_MIN3_F(struct lower_ctx *c) { return of_three(c, IR_FMIN); }
bool lower_MAX3_F(struct lower_ctx *c) { return of_three(c, IR_FMAX); }
