/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison and choice. */
#include "lower/frame.h"

/* PTX comparison -> IR, for signed, unsigned and floating-point operands; -1: no such thing. */
int lower_cmp_of(enum ptx_mod cmp, enum ptx_type t)
{
    static const struct {
        enum ptx_mod cmp;
        int8_t s, u, f;
    } table[] = {
        { PTX_M_EQ, IR_EQ, IR_EQ, IR_FEQ },    { PTX_M_NE, IR_NE, IR_NE, IR_FNE },    { PTX_M_LT, IR_SLT, IR_ULT, IR_FLT },
        { PTX_M_LE, IR_SLE, IR_ULE, IR_FLE },  { PTX_M_GT, IR_SGT, IR_UGT, IR_FGT },  { PTX_M_GE, IR_SGE, IR_UGE, IR_FGE },
        { PTX_M_LO, IR_ULT, IR_ULT, -1 },      { PTX_M_LS, IR_ULE, IR_ULE, -1 },      { PTX_M_HI, IR_UGT, IR_UGT, -1 },
        { PTX_M_HS, IR_UGE, IR_UGE, -1 },      { PTX_M_EQU, -1, -1, IR_FEQU },        { PTX_M_NEU, -1, -1, IR_FNEU },
        { PTX_M_LTU, -1, -1, IR_FLTU },        { PTX_M_LEU, -1, -1, IR_FLEU },        { PTX_M_GTU, -1, -1, IR_FGTU },
        { PTX_M_GEU, -1, -1, IR_FGEU },        { PTX_M_NUM, -1, -1, IR_FNUM },        { PTX_M_NAN, -1, -1, IR_FNAN },
    };
    for (size_t i = 0; i < HW_LEN(table); i++)
        if (table[i].cmp == cmp)
            return ptx_type_is_float(t) ? table[i].f : ptx_type_is_signed(t) ? table[i].s : table[i].u;
    return -1;
}

/* The comparison itself; a is the first of the two operands, t their type. */
static bool compare(struct lower_ctx *c, int a, enum ptx_type t, struct ir_operand *out)
{
    int cmp = lower_cmp_of(lower_mod(c, PTX_C_CMP), t);
    if (cmp < 0)
        return lower_fail(c, "this comparison does not exist for .%s", ptx_type_info[t].text);
    struct ir_operand x = lower_src(c, a, t), y = lower_src(c, a + 1, t);
    *out = lower_cmp(c, (enum ir_cmp)cmp, lower_type(t), x, y);
    lower_last(c)->flags |= lower_fflags(c) & IR_FTZ;
    return true;
}

static enum ir_op bool_op(struct lower_ctx *c)
{
    return lower_has(c, PTX_M_AND) ? IR_AND : lower_has(c, PTX_M_OR) ? IR_OR : IR_XOR;
}

/* setp p|q, a, b{, c}: p = (a cmp b) op c, q = !(a cmp b) op c */
static bool setp(struct lower_ctx *c, bool combine)
{
    bool dual = lower_has_op(c, 1);
    struct ir_operand p, q = lower_imm(0);
    if (!compare(c, 2, c->inst->type, &p))
        return false;
    if (dual)
        q = lower_op1(c, IR_NOT, IR_PRED, p);
    if (combine) {
        struct ir_operand with = lower_src(c, 4, PTX_PRED);
        p = lower_op2(c, bool_op(c), IR_PRED, p, with);
        if (dual)
            q = lower_op2(c, bool_op(c), IR_PRED, q, with);
    }
    lower_set(c, 0, PTX_PRED, p);
    if (dual)
        lower_set(c, 1, PTX_PRED, q);
    return true;
}

bool lower_SETP(struct lower_ctx *c) { return setp(c, false); }
bool lower_SETP_F(struct lower_ctx *c) { return setp(c, false); }
bool lower_SETP_BOOL(struct lower_ctx *c) { return setp(c, true); }
bool lower_SETP_F_BOOL(struct lower_ctx *c) { return setp(c, true); }

static bool set(struct lower_ctx *c, bool combine)
{
    struct ir_operand p;
    enum ptx_type t = c->inst->type;
    if (!compare(c, 1, c->inst->type2, &p))
        return false;
    if (combine)
        p = lower_op2(c, bool_op(c), IR_PRED, p, lower_src(c, 3, PTX_PRED));
    struct ir_operand yes = t == PTX_F32 ? lower_f32(1) : lower_imm(0xffffffff);
    lower_set(c, 0, t, lower_select(c, IR_I32, p, yes, lower_imm(0)));
    return true;
}

bool lower_SET(struct lower_ctx *c) { return set(c, false); }
bool lower_SET_BOOL(struct lower_ctx *c) { return set(c, true); }

bool lower_SELP(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = ir_type_of_bits(ptx_type_bits(t));
    struct ir_operand a = lower_src(c, 1, t), b = lower_src(c, 2, t);
    lower_set(c, 0, t, lower_select(c, type, lower_src(c, 3, PTX_PRED), a, b));
    return true;
}

/* d = c >= 0 ? a : b */
bool lower_SLCT(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type, ct = c->inst->type2;
    enum ir_type type = ir_type_of_bits(ptx_type_bits(t));
    struct ir_operand a = lower_src(c, 1, t), b = lower_src(c, 2, t), x = lower_src(c, 3, ct);
    struct ir_operand p = lower_cmp(c, ct == PTX_F32 ? IR_FGE : IR_SGE, lower_type(ct), x, lower_imm(0));
    lower_last(c)->flags |= lower_fflags(c) & IR_FTZ;
    lower_set(c, 0, t, lower_select(c, type, p, a, b));
    return true;
}
