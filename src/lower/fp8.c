/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions to and from tf32 and the formats of 8 bits, done on the bits of an f32. */
#include "lower/frame.h"

static struct ir_operand magnitude(struct lower_ctx *c, struct ir_operand a)
{
    return lower_op2(c, IR_AND, IR_I32, a, lower_imm(0x7fffffff));
}

static struct ir_operand is_nan(struct lower_ctx *c, struct ir_operand m)
{
    return lower_cmp(c, IR_UGT, IR_I32, m, lower_imm(0x7f800000));
}

static struct ir_operand relu(struct lower_ctx *c, struct ir_operand a)
{
    if (!lower_has(c, PTX_M_RELU))
        return a;
    a = lower_op2(c, IR_FMAX, IR_F32, a, lower_imm(0));
    lower_last(c)->flags |= IR_NANPROP;
    return a;
}

/* tf32 keeps 10 bits of the fraction. Adding to the bits carries into the exponent, which is just what rounding up does. */
static bool to_tf32(struct lower_ctx *c, struct ir_operand round, bool keep_nan)
{
    struct ir_operand a = relu(c, lower_src(c, 1, PTX_F32));
    struct ir_operand nan = is_nan(c, magnitude(c, a));
    struct ir_operand r = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_ADD, IR_I32, a, round), lower_imm(0xffffe000));
    /* .rna only cuts a NaN off, the others answer one and the same (H200). */
    struct ir_operand as_nan = keep_nan ? lower_op2(c, IR_AND, IR_I32, a, lower_imm(0xffffe000)) : lower_imm(0x7fffe000);
    lower_set(c, 0, PTX_B32, lower_select(c, IR_I32, nan, as_nan, r));
    return true;
}

bool lower_CVT_TF32(struct lower_ctx *c) { return to_tf32(c, lower_imm(0x1000), true); }

bool lower_CVT_TF32_RND(struct lower_ctx *c)
{
    if (lower_rnd(c) == IR_RZ)
        return to_tf32(c, lower_imm(0), false);
    if (lower_rnd(c) != IR_RN)
        return lower_fail(c, "tf32 is rounded to nearest or towards zero");
    struct ir_operand a = lower_src(c, 1, PTX_F32);
    struct ir_operand odd = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_SHR_U, IR_I32, a, lower_imm(13)), lower_imm(1));
    return to_tf32(c, lower_op2(c, IR_ADD, IR_I32, odd, lower_imm(0xfff)), false);
}

struct format {
    unsigned fraction, bias;     /* bits of the fraction; bias of the exponent */
    uint32_t largest;            /* the largest finite value */
    float magic;                 /* its last bit is worth as much as that of a subnormal */
    uint32_t smallest;           /* bits of the smallest normal number as f32 */
};
static const struct format e4m3 = { 3, 7, 0x7e, 16384.0f, 0x3c800000 }, e5m2 = { 2, 15, 0x7b, 128.0f, 0x38800000 };

/* Rounds an f32 to nearest even, clamped to finite values; the result is in the low byte of 32 bits. */
static struct ir_operand encode(struct lower_ctx *c, const struct format *f, struct ir_operand a)
{
    unsigned drop = 23 - f->fraction;
    struct ir_operand m = magnitude(c, a);
    struct ir_operand odd = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_SHR_U, IR_I32, m, lower_imm(drop)), lower_imm(1));
    struct ir_operand up = lower_op2(c, IR_ADD, IR_I32, m, lower_op2(c, IR_ADD, IR_I32, odd, lower_imm((1u << (drop - 1)) - 1)));
    struct ir_operand normal = lower_op2(c, IR_SUB, IR_I32, lower_op2(c, IR_SHR_U, IR_I32, up, lower_imm(drop)),
                                         lower_imm((127 - f->bias) << f->fraction));
    struct ir_operand small = lower_op2(c, IR_FADD, IR_F32, m, lower_f32(f->magic));
    small = lower_op2(c, IR_SUB, IR_I32, small, lower_f32(f->magic));
    struct ir_operand code = lower_select(c, IR_I32, lower_cmp(c, IR_ULT, IR_I32, m, lower_imm(f->smallest)), small, normal);
    code = lower_op2(c, IR_MIN_U, IR_I32, code, lower_imm(f->largest));
    struct ir_operand sign = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_SHR_U, IR_I32, a, lower_imm(24)), lower_imm(0x80));
    return lower_select(c, IR_I32, is_nan(c, m), lower_imm(0x7f), lower_op2(c, IR_OR, IR_I32, code, sign));
}

static bool encode_pair(struct lower_ctx *c, struct ir_operand lo, struct ir_operand hi)
{
    const struct format *f = c->inst->type == PTX_E4M3X2 ? &e4m3 : &e5m2;
    if (lower_rnd(c) != IR_RN)
        return lower_fail(c, "formats of 8 bits are rounded to nearest only");
    lo = encode(c, f, relu(c, lo));
    hi = encode(c, f, relu(c, hi));
    struct ir_operand r = lower_op2(c, IR_OR, IR_I32, lo, lower_op2(c, IR_SHL, IR_I32, hi, lower_imm(8)));
    lower_set(c, 0, PTX_B16, lower_resize(c, IR_I16, IR_I32, false, r));
    return true;
}

/* cvt d, a, b: a goes into the upper byte. */
bool lower_CVT_FP8(struct lower_ctx *c)
{
    struct ir_operand hi = lower_src(c, 1, PTX_F32), lo = lower_src(c, 2, PTX_F32);
    return encode_pair(c, lo, hi);
}

static struct ir_operand half_at(struct lower_ctx *c, struct ir_operand word, int k)
{
    struct ir_operand v = lower_op1(c, IR_EXTRACT, IR_I16, word);
    lower_last(c)->type2 = IR_I32;
    lower_last(c)->imm = k;
    return v;
}

bool lower_CVT_FP8_H(struct lower_ctx *c)
{
    struct ir_operand a = lower_src(c, 1, PTX_B32);
    struct ir_operand lo = lower_cvt(c, IR_FTOF, IR_F32, IR_F16, half_at(c, a, 0), IR_RN);
    return encode_pair(c, lo, lower_cvt(c, IR_FTOF, IR_F32, IR_F16, half_at(c, a, 1), IR_RN));
}

/* e5m2 is an f16 without its low byte. e4m3 has one bit of exponent less: its bits, put in the place of an f16's, are a number
   2^8 times too small. */
static struct ir_operand decode(struct lower_ctx *c, bool is_e4m3, struct ir_operand code)
{
    if (!is_e4m3)
        return lower_op2(c, IR_SHL, IR_I16, code, lower_imm(8));
    struct ir_operand m = lower_op2(c, IR_AND, IR_I16, code, lower_imm(0x7f));
    struct ir_operand v = lower_op2(c, IR_SHL, IR_I16, m, lower_imm(7));
    v = lower_cvt(c, IR_FTOF, IR_F32, IR_F16, v, IR_RN);
    v = lower_cvt(c, IR_FTOF, IR_F16, IR_F32, lower_op2(c, IR_FMUL, IR_F32, v, lower_f32(256)), IR_RN);
    v = lower_select(c, IR_I16, lower_cmp(c, IR_EQ, IR_I16, m, lower_imm(0x7f)), lower_imm(0x7fff), v);
    return lower_op2(c, IR_OR, IR_I16, v, lower_op2(c, IR_SHL, IR_I16, lower_op2(c, IR_AND, IR_I16, code, lower_imm(0x80)), lower_imm(8)));
}

bool lower_CVT_H_FP8(struct lower_ctx *c)
{
    bool is_e4m3 = c->inst->type2 == PTX_E4M3X2;
    struct ir_operand a = lower_src(c, 1, PTX_B16), r[2];
    for (int k = 0; k < 2; k++) {
        struct ir_operand code = k ? lower_op2(c, IR_SHR_U, IR_I16, a, lower_imm(8)) : lower_op2(c, IR_AND, IR_I16, a, lower_imm(0xff));
        r[k] = decode(c, is_e4m3, code);
        if (lower_has(c, PTX_M_RELU)) {
            struct ir_operand negative = lower_cmp(c, IR_SLT, IR_I16, r[k], lower_imm(0));
            struct ir_operand nan = lower_cmp(c, IR_UGT, IR_I16, lower_op2(c, IR_AND, IR_I16, r[k], lower_imm(0x7fff)), lower_imm(0x7c00));
            r[k] = lower_select(c, IR_I16, nan, lower_imm(0x7fff), lower_select(c, IR_I16, negative, lower_imm(0), r[k]));
        }
    }
    struct ir_operand v = lower_op2(c, IR_PACK, IR_I32, r[0], r[1]);
    lower_last(c)->type2 = IR_I16;
    lower_set(c, 0, PTX_B32, v);
    return true;
}
