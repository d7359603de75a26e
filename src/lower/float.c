/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point arithmetic. */
#include "lower/lower_internal.h"

/* Rounding and flags of c->inst go onto the operation just emitted. */
static struct ir_operand with_mods(struct lower_ctx *c, struct ir_operand v)
{
    struct ir_inst *i = lower_last(c);
    i->rnd = (uint8_t)lower_rnd(c);
    i->flags |= lower_fflags(c);
    return v;
}

static bool unary(struct lower_ctx *c, enum ir_op op)
{
    enum ptx_type t = c->inst->type;
    lower_set(c, 0, t, with_mods(c, lower_op1(c, op, lower_type(t), lower_src(c, 1, t))));
    return true;
}

static bool binary(struct lower_ctx *c, enum ir_op op)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand a = lower_src(c, 1, t), b = lower_src(c, 2, t);
    lower_set(c, 0, t, with_mods(c, lower_op2(c, op, lower_type(t), a, b)));
    return true;
}

static bool fma3(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand a = lower_src(c, 1, t), b = lower_src(c, 2, t), d = lower_src(c, 3, t);
    lower_set(c, 0, t, with_mods(c, lower_op3(c, IR_FMA, lower_type(t), a, b, d)));
    return true;
}

bool lower_ADD_F(struct lower_ctx *c) { return binary(c, IR_FADD); }
bool lower_ADD_F64(struct lower_ctx *c) { return binary(c, IR_FADD); }
bool lower_SUB_F(struct lower_ctx *c) { return binary(c, IR_FSUB); }
bool lower_SUB_F64(struct lower_ctx *c) { return binary(c, IR_FSUB); }
bool lower_MUL_F(struct lower_ctx *c) { return binary(c, IR_FMUL); }
bool lower_MUL_F64(struct lower_ctx *c) { return binary(c, IR_FMUL); }
bool lower_FMA_F(struct lower_ctx *c) { return fma3(c); }
bool lower_FMA_F64(struct lower_ctx *c) { return fma3(c); }
bool lower_MAD_F(struct lower_ctx *c) { return fma3(c); }          /* from sm_20 on mad is fma */
bool lower_MAD_F64(struct lower_ctx *c) { return fma3(c); }
bool lower_DIV_F(struct lower_ctx *c) { return binary(c, IR_FDIV); }
bool lower_DIV_F64(struct lower_ctx *c) { return binary(c, IR_FDIV); }
bool lower_DIV_APPROX(struct lower_ctx *c) { return binary(c, IR_DIV_A); }
/* Accurate over the whole range, unlike .approx: the exact division is the simple way to that. */
bool lower_DIV_FULL(struct lower_ctx *c) { return binary(c, IR_FDIV); }
bool lower_ABS_F(struct lower_ctx *c) { return unary(c, IR_FABS); }
bool lower_ABS_F64(struct lower_ctx *c) { return unary(c, IR_FABS); }
bool lower_NEG_F(struct lower_ctx *c) { return unary(c, IR_FNEG); }
bool lower_NEG_F64(struct lower_ctx *c) { return unary(c, IR_FNEG); }
bool lower_SQRT(struct lower_ctx *c) { return unary(c, IR_FSQRT); }
bool lower_SQRT_F64(struct lower_ctx *c) { return unary(c, IR_FSQRT); }
bool lower_SQRT_APPROX(struct lower_ctx *c) { return unary(c, IR_SQRT_A); }
bool lower_RCP_APPROX(struct lower_ctx *c) { return unary(c, IR_RCP_A); }
bool lower_RCP_APPROX_F64(struct lower_ctx *c) { return unary(c, IR_RCP_A); }
bool lower_RSQRT(struct lower_ctx *c) { return unary(c, IR_RSQRT_A); }
bool lower_RSQRT_F64(struct lower_ctx *c) { return unary(c, IR_RSQRT_A); }
bool lower_SIN(struct lower_ctx *c) { return unary(c, IR_SIN_A); }
bool lower_COS(struct lower_ctx *c) { return unary(c, IR_COS_A); }
bool lower_LG2(struct lower_ctx *c) { return unary(c, IR_LG2_A); }
bool lower_EX2(struct lower_ctx *c) { return unary(c, IR_EX2_A); }
bool lower_TANH(struct lower_ctx *c) { return unary(c, IR_TANH_A); }

static bool reciprocal(struct lower_ctx *c, struct ir_operand one)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand a = lower_src(c, 1, t);
    lower_set(c, 0, t, with_mods(c, lower_op2(c, IR_FDIV, lower_type(t), one, a)));
    return true;
}

bool lower_RCP(struct lower_ctx *c) { return reciprocal(c, lower_f32(1)); }
bool lower_RCP_F64(struct lower_ctx *c) { return reciprocal(c, lower_f64(1)); }

static bool extreme(struct lower_ctx *c, enum ir_op op)
{
    enum ptx_type t = c->inst->type;
    if (lower_has(c, PTX_M_XORSIGN) != lower_has(c, PTX_M_ABS))
        return lower_fail(c, ".xorsign and .abs belong together");
    struct ir_operand a = lower_src(c, 1, t), b = lower_src(c, 2, t);
    struct ir_operand r = with_mods(c, lower_op2(c, op, lower_type(t), a, b));
    if (lower_has(c, PTX_M_NANPROP))
        lower_last(c)->flags |= IR_NANPROP;
    if (lower_has(c, PTX_M_XORSIGN))
        lower_last(c)->flags |= IR_XORSIGN;
    lower_set(c, 0, t, r);
    return true;
}

bool lower_MIN_F(struct lower_ctx *c) { return extreme(c, IR_FMIN); }
bool lower_MIN_F64(struct lower_ctx *c) { return extreme(c, IR_FMIN); }
bool lower_MAX_F(struct lower_ctx *c) { return extreme(c, IR_FMAX); }
bool lower_MAX_F64(struct lower_ctx *c) { return extreme(c, IR_FMAX); }

/* PTX: the sign of a with the magnitude of b; the IR has them the other way round. */
bool lower_COPYSIGN(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand sign = lower_src(c, 1, t), magnitude = lower_src(c, 2, t);
    lower_set(c, 0, t, lower_op2(c, IR_COPYSIGN, lower_type(t), magnitude, sign));
    return true;
}

/* On the bits without the sign: infinity is one value, NaNs lie above it, subnormals below the smallest normal. */
bool lower_TESTP(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    bool wide = t == PTX_F64;
    enum ir_type type = wide ? IR_I64 : IR_I32;
    uint64_t inf = wide ? 0x7ff0000000000000u : 0x7f800000u, least = wide ? 0x0010000000000000u : 0x00800000u;
    struct ir_operand m = lower_op2(c, IR_AND, type, lower_src(c, 1, t), lower_imm(wide ? INT64_MAX : INT32_MAX)), r;
    enum ptx_mod mode = lower_mod(c, PTX_C_TESTP);
    /* 0 < m < least, in one comparison: 0 wraps to the top. */
    struct ir_operand sub = lower_cmp(c, IR_ULT, type, lower_op2(c, IR_SUB, type, m, lower_imm(1)), lower_imm(least - 1));
    switch (mode) {
    case PTX_M_FINITE: r = lower_cmp(c, IR_ULT, type, m, lower_imm(inf)); break;
    case PTX_M_INFINITE: r = lower_cmp(c, IR_EQ, type, m, lower_imm(inf)); break;
    case PTX_M_NUMBER: r = lower_cmp(c, IR_ULE, type, m, lower_imm(inf)); break;
    case PTX_M_NOTANUMBER: r = lower_cmp(c, IR_UGT, type, m, lower_imm(inf)); break;
    case PTX_M_NORMAL:                       /* zeroes count as normal */
        r = lower_op1(c, IR_NOT, IR_PRED, sub);
        r = lower_op2(c, IR_AND, IR_PRED, r, lower_cmp(c, IR_ULT, type, m, lower_imm(inf)));
        break;
    default: r = sub; break;
    }
    lower_set(c, 0, PTX_PRED, r);
    return true;
}
