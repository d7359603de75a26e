/* SPDX-License-Identifier: Apache-2.0 */
/* mov, cvt and cvta. */
#include "lower/frame.h"

bool lower_MOV_PRED(struct lower_ctx *c)
{
    lower_set(c, 0, PTX_PRED, lower_src(c, 1, PTX_PRED));
    return true;
}

static enum ptx_type piece_type(unsigned bits)
{
    return bits == 8 ? PTX_B8 : bits == 16 ? PTX_B16 : bits == 32 ? PTX_B32 : PTX_B64;
}

/* mov.b64 d, {a, b} */
static bool pack(struct lower_ctx *c, const struct ptx_operand *v)
{
    enum ptx_type t = c->inst->type, piece = piece_type(ptx_type_bits(t) / v->n);
    struct ir_operand src[8];
    for (unsigned i = 0; i < v->n; i++)
        src[i] = lower_value(c, &v->elems[i], piece);
    struct ir_inst *i = lower_emit(c, IR_PACK, ir_type_of_bits(ptx_type_bits(t)));
    i->type2 = lower_type(piece);
    for (unsigned k = 0; k < v->n; k++)
        ir_inst_src(i, src[k]);
    ir_inst_dst(i, lower_dst(c, 0, t));
    return true;
}

/* mov.b64 {a, b}, d */
static bool unpack(struct lower_ctx *c, const struct ptx_operand *v)
{
    enum ptx_type t = c->inst->type, piece = piece_type(ptx_type_bits(t) / v->n);
    struct ir_operand src = lower_src(c, 1, t);
    for (unsigned k = 0; k < v->n; k++) {
        if (v->elems[k].kind == PTX_O_SINK)
            continue;
        struct ir_inst *i = lower_emit(c, IR_EXTRACT, lower_type(piece));
        i->type2 = ir_type_of_bits(ptx_type_bits(t));
        i->imm = (int64_t)k;
        ir_inst_src(i, src);
        ir_inst_dst(i, lower_def(c, &v->elems[k], piece));
    }
    return true;
}

bool lower_MOV(struct lower_ctx *c)
{
    const struct ptx_operand *d = &c->inst->ops[0], *a = &c->inst->ops[1];
    if (d->kind == PTX_O_VEC && a->kind == PTX_O_VEC)
        return lower_fail(c, "only one side can be in braces");
    if (a->kind == PTX_O_VEC)
        return pack(c, a);
    if (d->kind == PTX_O_VEC)
        return unpack(c, d);
    lower_set(c, 0, c->inst->type, lower_src(c, 1, c->inst->type));
    return true;
}

/* Clamps a, of type from and extended to 64 bits, to the range of type to. */
static struct ir_operand clamp_int(struct lower_ctx *c, struct ir_operand a, enum ptx_type to, enum ptx_type from)
{
    unsigned bits = ptx_type_bits(to);
    bool to_signed = ptx_type_is_signed(to);
    uint64_t max = to_signed ? ((uint64_t)1 << (bits - 1)) - 1 : bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    if (!ptx_type_is_signed(from))
        return lower_op2(c, IR_MIN_U, IR_I64, a, lower_imm(max));
    int64_t min = to_signed ? -(int64_t)max - 1 : 0;
    a = lower_op2(c, IR_MAX_S, IR_I64, a, lower_imm((uint64_t)min));
    return max <= INT64_MAX ? lower_op2(c, IR_MIN_S, IR_I64, a, lower_imm(max)) : a;
}

bool lower_CVT_INT(struct lower_ctx *c)
{
    enum ptx_type to = c->inst->type, from = c->inst->type2;
    struct ir_operand a = lower_src(c, 1, from);
    bool sign = ptx_type_is_signed(from);
    if (lower_has(c, PTX_M_SAT)) {
        a = lower_resize(c, IR_I64, lower_type(from), sign, a);
        a = lower_resize(c, lower_type(to), IR_I64, false, clamp_int(c, a, to, from));
    } else {
        a = lower_resize(c, lower_type(to), lower_type(from), sign, a);
    }
    lower_set(c, 0, to, a);
    return true;
}

static bool is_half(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16;
}

/*
 * Integers go to halves through f64. One of 64 bits that is not exact there keeps its upper bits and a mark for all below: bf16, which is as wide in
 * range, is rounded from the number itself that way.
 */
static struct ir_operand marked(struct lower_ctx *c, bool is_signed, struct ir_operand a)
{
    const uint64_t exact = (uint64_t)1 << 53, low = 0xfff;
    struct ir_operand lost = lower_cmp(c, IR_NE, IR_I64, lower_op2(c, IR_AND, IR_I64, a, lower_imm(low)), lower_imm(0));
    struct ir_operand upper = lower_op2(c, IR_AND, IR_I64, a, lower_imm(~low));
    struct ir_operand with = lower_select(c, IR_I64, lost, lower_op2(c, IR_OR, IR_I64, upper, lower_imm(low / 2 + 1)), upper);
    struct ir_operand from_least = is_signed ? lower_op2(c, IR_ADD, IR_I64, a, lower_imm(exact)) : a;
    return lower_select(c, IR_I64, lower_cmp(c, IR_UGT, IR_I64, from_least, lower_imm(is_signed ? 2 * exact : exact)), with, a);
}

/* Clamp to [0, 1]; FMAX makes +0 of NaN and of -0. */
struct ir_operand lower_saturate(struct lower_ctx *c, enum ir_type type, struct ir_operand a)
{
    struct ir_operand one = type == IR_F64 ? lower_f64(1) : lower_f32(1);
    return lower_op2(c, IR_FMIN, type, lower_op2(c, IR_FMAX, type, a, lower_imm(0)), one);
}

static struct ir_operand flagged(struct lower_ctx *c, struct ir_operand v)
{
    lower_last(c)->flags |= lower_fflags(c) & IR_FTZ;
    return v;
}

bool lower_CVT_ITOF(struct lower_ctx *c)
{
    enum ptx_type to = c->inst->type, from = c->inst->type2;
    enum ir_op op = ptx_type_is_signed(from) ? IR_ITOF_S : IR_ITOF_U;
    struct ir_operand a = lower_src(c, 1, from);
    enum ir_type mid = is_half(to) ? IR_F64 : lower_type(to);
    if (is_half(to) && lower_type(from) == IR_I64)
        a = marked(c, ptx_type_is_signed(from), a);
    a = lower_cvt(c, op, mid, lower_type(from), a, is_half(to) ? IR_RN : lower_rnd(c));
    if (lower_has(c, PTX_M_SAT))
        a = lower_saturate(c, mid, a);
    if (is_half(to))
        a = lower_cvt(c, IR_FTOF, lower_type(to), mid, a, lower_rnd(c));
    lower_set(c, 0, to, a);
    return true;
}

static enum ir_rnd int_rnd(struct lower_ctx *c)
{
    switch (lower_mod(c, PTX_C_IRND)) {
    case PTX_M_RZI: return IR_RZ;
    case PTX_M_RMI: return IR_RM;
    case PTX_M_RPI: return IR_RP;
    default: return IR_RN;
    }
}

/* .sat changes nothing: the conversion always clamps to the range of the result. */
bool lower_CVT_FTOI(struct lower_ctx *c)
{
    enum ptx_type to = c->inst->type, from = c->inst->type2;
    struct ir_operand a = lower_src(c, 1, from);
    enum ir_type src = lower_type(from);
    if (is_half(from)) {
        a = lower_cvt(c, IR_FTOF, IR_F32, src, a, IR_RN);
        src = IR_F32;
    }
    a = flagged(c, lower_cvt(c, ptx_type_is_signed(to) ? IR_FTOI_S : IR_FTOI_U, lower_type(to), src, a, int_rnd(c)));
    lower_set(c, 0, to, a);
    return true;
}

bool lower_CVT_FTOF(struct lower_ctx *c)
{
    enum ptx_type to = c->inst->type, from = c->inst->type2;
    struct ir_operand a = lower_src(c, 1, from);
    enum ir_type src = lower_type(from);
    if (is_half(from)) {                     /* exact */
        a = lower_cvt(c, IR_FTOF, IR_F32, src, a, IR_RN);
        src = IR_F32;
    }
    if (lower_has(c, PTX_M_RELU)) {
        a = lower_op2(c, IR_FMAX, src, a, lower_imm(0));
        lower_last(c)->flags |= IR_NANPROP;
    }
    if (lower_has(c, PTX_M_SAT) && is_half(to))
        a = lower_saturate(c, src, a);             /* rounding does not leave [0, 1] */
    if (is_half(to)) {
        a = lower_cvt(c, IR_FTOF, lower_type(to), src, a, lower_rnd(c));
    } else if (lower_type(to) != src) {
        a = flagged(c, lower_cvt(c, IR_FTOF, lower_type(to), src, a, lower_rnd(c)));
    } else if (lower_has(c, PTX_M_FTZ)) {    /* x + -0 is x, with subnormals flushed */
        a = flagged(c, lower_op2(c, IR_FADD, src, a, src == IR_F64 ? lower_f64(-0.0) : lower_f32(-0.0f)));
    }
    if (lower_has(c, PTX_M_SAT) && !is_half(to))
        a = lower_saturate(c, lower_type(to), a);
    lower_set(c, 0, to, a);
    return true;
}

bool lower_CVT_FRINT(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand a = lower_src(c, 1, c->inst->type2);
    enum ir_type type = is_half(t) ? IR_F32 : lower_type(t);
    if (t != c->inst->type2)
        return lower_fail(c, "rounding to an integer keeps the type");
    if (is_half(t))
        a = lower_cvt(c, IR_FTOF, IR_F32, lower_type(t), a, IR_RN);
    a = flagged(c, lower_op1(c, IR_FRINT, type, a));
    lower_last(c)->rnd = (uint8_t)int_rnd(c);
    if (lower_has(c, PTX_M_SAT))
        a = lower_saturate(c, type, a);
    if (is_half(t))
        a = lower_cvt(c, IR_FTOF, lower_type(t), IR_F32, a, IR_RN);
    lower_set(c, 0, t, a);
    return true;
}

/* cvt.rn.f16x2.f32 d, a, b: a goes into the upper half. */
bool lower_CVT_PACK2(struct lower_ctx *c)
{
    enum ir_type half = c->inst->type == PTX_F16X2 ? IR_F16 : IR_BF16;
    struct ir_operand piece[2];
    for (int k = 0; k < 2; k++) {
        struct ir_operand a = lower_src(c, 2 - k, PTX_F32);
        if (lower_has(c, PTX_M_RELU)) {
            a = lower_op2(c, IR_FMAX, IR_F32, a, lower_imm(0));
            lower_last(c)->flags |= IR_NANPROP;
        }
        piece[k] = lower_cvt(c, IR_FTOF, half, IR_F32, a, lower_rnd(c));
    }
    struct ir_operand r = lower_op2(c, IR_PACK, IR_I32, piece[0], piece[1]);
    lower_last(c)->type2 = IR_I16;
    lower_set(c, 0, PTX_B32, r);
    return true;
}

/* Shared and local addresses are offsets; everything else is a generic address already. */
static bool convert_address(struct lower_ctx *c, bool to_space)
{
    struct ir_operand a = lower_src(c, 1, PTX_B64);
    if (c->inst->type != PTX_U64)
        return lower_fail(c, "addresses are 64 bits wide");
    switch (lower_mod(c, PTX_C_SPACE)) {
    case PTX_M_SHARED: case PTX_M_SHARED_CTA: case PTX_M_SHARED_CLUSTER:
        a = lower_op1(c, to_space ? IR_GENERIC_TO_SHARED : IR_SHARED_TO_GENERIC, IR_I64, a);
        break;
    case PTX_M_LOCAL: a = lower_op1(c, to_space ? IR_GENERIC_TO_LOCAL : IR_LOCAL_TO_GENERIC, IR_I64, a); break;
    case PTX_M_PARAM: case PTX_M_PARAM_ENTRY: case PTX_M_PARAM_FUNC:
        /* A kernel's parameters are in memory; those of a function, where they need an address, are local. */
        if (!c->frame->func->is_entry)
            a = lower_op1(c, to_space ? IR_GENERIC_TO_LOCAL : IR_LOCAL_TO_GENERIC, IR_I64, a);
        break;
    default: break;
    }
    lower_set(c, 0, PTX_U64, a);
    return true;
}

bool lower_CVTA(struct lower_ctx *c) { return convert_address(c, false); }
bool lower_CVTA_TO(struct lower_ctx *c) { return convert_address(c, true); }

bool lower_ISSPACEP(struct lower_ctx *c)
{
    struct ir_operand p = lower_op1(c, IR_ISSPACE, IR_I64, lower_src(c, 1, PTX_B64));
    struct ir_inst *i = lower_last(c);
    switch (lower_mod(c, PTX_C_SPACE)) {
    case PTX_M_GLOBAL: i->space = IR_GLOBAL; break;
    case PTX_M_LOCAL: i->space = IR_LOCAL; break;
    case PTX_M_CONST: i->space = IR_CONST; break;
    case PTX_M_SHARED: case PTX_M_SHARED_CTA: case PTX_M_SHARED_CLUSTER: i->space = IR_SHARED; break;
    default: i->space = IR_PARAM_SPACE; break;
    }
    lower_set(c, 0, PTX_PRED, p);
    return true;
}

/* b in the lowest bits, a above it, then what fits of c. */
static bool pack_integers(struct lower_ctx *c, bool has_c)
{
    enum ptx_type t = c->inst->type;
    unsigned bits = ptx_type_bits(t);
    uint64_t max = ptx_type_is_signed(t) ? ((uint64_t)1 << (bits - 1)) - 1 : ((uint64_t)1 << bits) - 1, min = ptx_type_is_signed(t) ? (uint32_t)~max : 0;
    struct ir_operand d = lower_imm(0);
    for (int k = 1; k <= 2; k++) {
        struct ir_operand v = lower_op2(c, IR_MIN_S, IR_I32, lower_src(c, k, PTX_S32), lower_imm(max));
        v = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_MAX_S, IR_I32, v, lower_imm(min)), lower_imm(((uint64_t)1 << bits) - 1));
        d = k == 1 ? lower_op2(c, IR_SHL, IR_I32, v, lower_imm(bits)) : lower_op2(c, IR_OR, IR_I32, d, v);
    }
    if (has_c)
        d = lower_op2(c, IR_OR, IR_I32, d, lower_op2(c, IR_SHL, IR_I32, lower_src(c, 3, PTX_B32), lower_imm(2 * bits)));
    lower_set(c, 0, PTX_B32, d);
    return true;
}

bool lower_CVT_PACK_I16(struct lower_ctx *c) { return pack_integers(c, false); }
bool lower_CVT_PACK_I8(struct lower_ctx *c) { return pack_integers(c, true); }
