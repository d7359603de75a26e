/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic. */
#include "lower/lower_internal.h"

static enum ir_type int_type(struct lower_ctx *c)
{
    return lower_type(c->inst->type);
}

static bool is_signed(struct lower_ctx *c)
{
    return ptx_type_is_signed(c->inst->type);
}

/* d = op(a, b), all of the instruction's type. */
static bool binary(struct lower_ctx *c, enum ir_op op)
{
    enum ptx_type t = c->inst->type;
    lower_set(c, 0, t, lower_op2(c, op, int_type(c), lower_src(c, 1, t), lower_src(c, 2, t)));
    return true;
}

static bool unary(struct lower_ctx *c, enum ir_op op)
{
    enum ptx_type t = c->inst->type;
    lower_set(c, 0, t, lower_op1(c, op, int_type(c), lower_src(c, 1, t)));
    return true;
}

bool lower_ADD_INT(struct lower_ctx *c) { return binary(c, IR_ADD); }
bool lower_ADD_S32(struct lower_ctx *c) { return binary(c, lower_has(c, PTX_M_SAT) ? IR_ADDSAT_S : IR_ADD); }
bool lower_SUB_INT(struct lower_ctx *c) { return binary(c, IR_SUB); }
bool lower_SUB_S32(struct lower_ctx *c) { return binary(c, lower_has(c, PTX_M_SAT) ? IR_SUBSAT_S : IR_SUB); }
bool lower_DIV_INT(struct lower_ctx *c) { return binary(c, is_signed(c) ? IR_DIV_S : IR_DIV_U); }
bool lower_REM(struct lower_ctx *c) { return binary(c, is_signed(c) ? IR_REM_S : IR_REM_U); }
bool lower_MIN_INT(struct lower_ctx *c) { return binary(c, is_signed(c) ? IR_MIN_S : IR_MIN_U); }
bool lower_MAX_INT(struct lower_ctx *c) { return binary(c, is_signed(c) ? IR_MAX_S : IR_MAX_U); }
bool lower_ABS_INT(struct lower_ctx *c) { return unary(c, IR_ABS); }
bool lower_NEG_INT(struct lower_ctx *c) { return unary(c, IR_NEG); }

/* The half of the product that .lo or .hi names. */
static struct ir_operand half_product(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    enum ir_op op = lower_has(c, PTX_M_LO) ? IR_MUL : is_signed(c) ? IR_MULHI_S : IR_MULHI_U;
    return lower_op2(c, op, int_type(c), lower_src(c, 1, t), lower_src(c, 2, t));
}

static struct ir_operand wide_product(struct lower_ctx *c, enum ir_type *wide)
{
    enum ptx_type t = c->inst->type;
    enum ir_type narrow = int_type(c);
    *wide = ir_type_of_bits(ir_type_bits(narrow) * 2);
    struct ir_operand a = lower_resize(c, *wide, narrow, is_signed(c), lower_src(c, 1, t));
    struct ir_operand b = lower_resize(c, *wide, narrow, is_signed(c), lower_src(c, 2, t));
    return lower_op2(c, IR_MUL, *wide, a, b);
}

static enum ptx_type wide_type(struct lower_ctx *c)
{
    bool from32 = ptx_type_bits(c->inst->type) == 32;
    return is_signed(c) ? (from32 ? PTX_S64 : PTX_S32) : (from32 ? PTX_U64 : PTX_U32);
}

bool lower_MUL_HALF(struct lower_ctx *c)
{
    lower_set(c, 0, c->inst->type, half_product(c));
    return true;
}

bool lower_MUL_WIDE(struct lower_ctx *c)
{
    enum ir_type wide;
    lower_set(c, 0, wide_type(c), wide_product(c, &wide));
    return true;
}

bool lower_MAD_HALF(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand p = half_product(c);
    lower_set(c, 0, t, lower_op2(c, IR_ADD, int_type(c), p, lower_src(c, 3, t)));
    return true;
}

bool lower_MAD_SAT(struct lower_ctx *c)
{
    struct ir_operand p = half_product(c);
    lower_set(c, 0, PTX_S32, lower_op2(c, IR_ADDSAT_S, IR_I32, p, lower_src(c, 3, PTX_S32)));
    return true;
}

bool lower_MAD_WIDE(struct lower_ctx *c)
{
    enum ir_type wide;
    struct ir_operand p = wide_product(c, &wide);
    lower_set(c, 0, wide_type(c), lower_op2(c, IR_ADD, wide, p, lower_src(c, 3, wide_type(c))));
    return true;
}

/* d, carry = op(a, b, carry in); the flag is kept when set_cc. */
static bool carry(struct lower_ctx *c, enum ir_op op, struct ir_operand a, struct ir_operand b, bool use_cc, bool set_cc)
{
    enum ptx_type t = c->inst->type;
    struct ir_reg *d = lower_tmp(c, int_type(c)), *out = lower_tmp(c, IR_I32);
    struct ir_inst *i = lower_emit(c, op, int_type(c));
    ir_inst_dst(i, d);
    ir_inst_dst(i, out);
    ir_inst_src(i, a);
    ir_inst_src(i, b);
    ir_inst_src(i, use_cc ? lower_reg(c->cc) : lower_imm(0));
    if (set_cc)
        lower_mov(c, c->cc, lower_reg(out));
    lower_set(c, 0, t, lower_reg(d));
    return true;
}

bool lower_ADD_CC(struct lower_ctx *c) { return carry(c, IR_ADDC, lower_src(c, 1, c->inst->type), lower_src(c, 2, c->inst->type), false, true); }
bool lower_SUB_CC(struct lower_ctx *c) { return carry(c, IR_SUBC, lower_src(c, 1, c->inst->type), lower_src(c, 2, c->inst->type), false, true); }

bool lower_ADDC(struct lower_ctx *c)
{
    return carry(c, IR_ADDC, lower_src(c, 1, c->inst->type), lower_src(c, 2, c->inst->type), true, lower_has(c, PTX_M_CC));
}

bool lower_SUBC(struct lower_ctx *c)
{
    return carry(c, IR_SUBC, lower_src(c, 1, c->inst->type), lower_src(c, 2, c->inst->type), true, lower_has(c, PTX_M_CC));
}

bool lower_MAD_CC(struct lower_ctx *c)
{
    struct ir_operand p = half_product(c);
    return carry(c, IR_ADDC, p, lower_src(c, 3, c->inst->type), false, true);
}

bool lower_MADC(struct lower_ctx *c)
{
    struct ir_operand p = half_product(c);
    return carry(c, IR_ADDC, p, lower_src(c, 3, c->inst->type), true, lower_has(c, PTX_M_CC));
}

/* The 48-bit product of the low 24 bits: .lo is its low 32 bits, .hi its bits 16 to 47. */
static struct ir_operand product24(struct lower_ctx *c)
{
    struct ir_operand v[2];
    for (int k = 0; k < 2; k++) {
        struct ir_operand a = lower_op2(c, IR_SHL, IR_I32, lower_src(c, k + 1, PTX_B32), lower_imm(8));
        a = lower_op2(c, is_signed(c) ? IR_SHR_S : IR_SHR_U, IR_I32, a, lower_imm(8));
        v[k] = lower_resize(c, IR_I64, IR_I32, is_signed(c), a);
    }
    struct ir_operand p = lower_op2(c, IR_MUL, IR_I64, v[0], v[1]);
    if (lower_has(c, PTX_M_HI))
        p = lower_op2(c, IR_SHR_U, IR_I64, p, lower_imm(16));
    return lower_resize(c, IR_I32, IR_I64, false, p);
}

bool lower_MUL24(struct lower_ctx *c)
{
    lower_set(c, 0, c->inst->type, product24(c));
    return true;
}

bool lower_MAD24(struct lower_ctx *c)
{
    struct ir_operand p = product24(c);
    lower_set(c, 0, c->inst->type, lower_op2(c, IR_ADD, IR_I32, p, lower_src(c, 3, c->inst->type)));
    return true;
}

bool lower_MAD24_SAT(struct lower_ctx *c)
{
    struct ir_operand p = product24(c);
    lower_set(c, 0, PTX_S32, lower_op2(c, IR_ADDSAT_S, IR_I32, p, lower_src(c, 3, PTX_S32)));
    return true;
}

/* d = c + |a - b|, the difference taken in the direction that does not wrap. */
bool lower_SAD(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = int_type(c);
    struct ir_operand a = lower_src(c, 1, t), b = lower_src(c, 2, t);
    struct ir_operand hi = lower_op2(c, is_signed(c) ? IR_MAX_S : IR_MAX_U, type, a, b);
    struct ir_operand lo = lower_op2(c, is_signed(c) ? IR_MIN_S : IR_MIN_U, type, a, b);
    struct ir_operand diff = lower_op2(c, IR_SUB, type, hi, lo);
    lower_set(c, 0, t, lower_op2(c, IR_ADD, type, lower_src(c, 3, t), diff));
    return true;
}

/* Piece `index` of `bits` bits of a 32-bit word, extended to 32 bits. */
static struct ir_operand piece(struct lower_ctx *c, struct ir_operand a, unsigned bits, unsigned index, bool sign)
{
    unsigned up = 32 - bits * (index + 1);
    if (up)
        a = lower_op2(c, IR_SHL, IR_I32, a, lower_imm(up));
    return lower_op2(c, sign ? IR_SHR_S : IR_SHR_U, IR_I32, a, lower_imm(32 - bits));
}

/* Differences of bytes, whose sizes are added to c or are the bytes of the result. */
bool lower_VABSDIFF4(struct lower_ctx *c)
{
    bool sa = ptx_type_is_signed(c->inst->type2), sb = ptx_type_is_signed(c->inst->type3), add = lower_has(c, PTX_M_ADD);
    struct ir_operand a = lower_src(c, 1, PTX_B32), b = lower_src(c, 2, PTX_B32), sum = add ? lower_src(c, 3, PTX_B32) : lower_imm(0);
    for (unsigned k = 0; k < 4; k++) {
        struct ir_operand x = piece(c, a, 8, k, sa), y = piece(c, b, 8, k, sb);
        struct ir_operand size = lower_op2(c, IR_SUB, IR_I32, lower_op2(c, IR_MAX_S, IR_I32, x, y), lower_op2(c, IR_MIN_S, IR_I32, x, y));
        if (lower_has(c, PTX_M_SAT))
            size = lower_op2(c, IR_MIN_U, IR_I32, size, lower_imm(is_signed(c) ? 127 : 255));
        if (!add)
            size = lower_op2(c, IR_SHL, IR_I32, lower_op2(c, IR_AND, IR_I32, size, lower_imm(255)), lower_imm(8 * k));
        sum = lower_op2(c, IR_ADD, IR_I32, sum, size);
    }
    lower_set(c, 0, PTX_B32, sum);
    return true;
}

static bool dot_product(struct lower_ctx *c, unsigned n, unsigned a_bits, unsigned b_first)
{
    bool sa = ptx_type_is_signed(c->inst->type), sb = ptx_type_is_signed(c->inst->type2);
    struct ir_operand a = lower_src(c, 1, PTX_B32), b = lower_src(c, 2, PTX_B32), sum = lower_src(c, 3, PTX_B32);
    for (unsigned i = 0; i < n; i++) {
        struct ir_operand x = piece(c, a, a_bits, i, sa), y = piece(c, b, 8, b_first + i, sb);
        sum = lower_op2(c, IR_ADD, IR_I32, sum, lower_op2(c, IR_MUL, IR_I32, x, y));
    }
    lower_set(c, 0, PTX_B32, sum);
    return true;
}

bool lower_DP4A(struct lower_ctx *c) { return dot_product(c, 4, 8, 0); }
bool lower_DP2A(struct lower_ctx *c) { return dot_product(c, 2, 16, lower_has(c, PTX_M_HI) ? 2 : 0); }
