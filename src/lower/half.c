/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on f16, bf16 and pairs of them; each operation is rounded once. */
#include "lower/frame.h"

struct half {
    enum ir_type type;           /* IR_F16, IR_BF16 */
    uint16_t exponent;           /* bits of the exponent */
    uint16_t one;
};
static const struct half f16 = { IR_F16, 0x7c00, 0x3c00 }, bf16 = { IR_BF16, 0x7f80, 0x3f80 };

enum half_op { HALF_ADD, HALF_SUB, HALF_MUL, HALF_FMA, HALF_MIN, HALF_MAX, HALF_NEG, HALF_ABS, HALF_EX2, HALF_TANH };

static const struct half *half_of(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_F16X2 ? &f16 : &bf16;
}

static bool is_pair(enum ptx_type t)
{
    return t == PTX_F16X2 || t == PTX_BF16X2;
}

static struct ir_operand widen(struct lower_ctx *c, const struct half *h, struct ir_operand a)
{
    return lower_cvt(c, IR_FTOF, IR_F32, h->type, a, IR_RN);
}

/* Subnormals become zero of their sign. */
static struct ir_operand flush(struct lower_ctx *c, const struct half *h, struct ir_operand a)
{
    struct ir_operand tiny = lower_cmp(c, IR_EQ, IR_I16, lower_op2(c, IR_AND, IR_I16, a, lower_imm(h->exponent)), lower_imm(0));
    return lower_select(c, IR_I16, tiny, lower_op2(c, IR_AND, IR_I16, a, lower_imm(0x8000)), a);
}

static struct ir_operand arithmetic(struct lower_ctx *c, const struct half *h, enum half_op op, const struct ir_operand *a, bool ftz)
{
    struct ir_operand v;
    switch (op) {
    case HALF_ADD: v = lower_op2(c, IR_FADD, h->type, a[0], a[1]); break;
    case HALF_SUB: v = lower_op2(c, IR_FSUB, h->type, a[0], a[1]); break;
    case HALF_MUL: v = lower_op2(c, IR_FMUL, h->type, a[0], a[1]); break;
    default: v = lower_op3(c, IR_FMA, h->type, a[0], a[1], a[2]); break;
    }
    if (lower_has(c, PTX_M_SAT) || lower_has(c, PTX_M_RELU)) {
        v = widen(c, h, v);
        if (lower_has(c, PTX_M_SAT))
            v = lower_saturate(c, IR_F32, v);
        if (lower_has(c, PTX_M_RELU)) {
            v = lower_op2(c, IR_FMAX, IR_F32, v, lower_imm(0));
            lower_last(c)->flags |= IR_NANPROP;
        }
        v = lower_cvt(c, IR_FTOF, h->type, IR_F32, v, IR_RN);
    }
    return ftz ? flush(c, h, v) : v;
}

static struct ir_operand extreme(struct lower_ctx *c, const struct half *h, enum half_op op, const struct ir_operand *a, bool ftz)
{
    struct ir_operand x = widen(c, h, a[0]), y = widen(c, h, a[1]);
    struct ir_operand v = lower_op2(c, op == HALF_MIN ? IR_FMIN : IR_FMAX, IR_F32, x, y);
    lower_last(c)->flags |= (lower_has(c, PTX_M_NANPROP) ? IR_NANPROP : 0) | (lower_has(c, PTX_M_XORSIGN) ? IR_XORSIGN : 0);
    v = lower_cvt(c, IR_FTOF, h->type, IR_F32, v, IR_RN);
    return ftz ? flush(c, h, v) : v;
}

/* One operation on halves that are in registers of 16 bits. */
static struct ir_operand one_half(struct lower_ctx *c, const struct half *h, enum half_op op, const struct ir_operand *args, int n)
{
    bool ftz = lower_has(c, PTX_M_FTZ) && op != HALF_EX2;
    struct ir_operand a[3];
    for (int i = 0; i < n; i++)
        a[i] = ftz ? flush(c, h, args[i]) : args[i];
    switch (op) {
    case HALF_NEG: return lower_op2(c, IR_XOR, IR_I16, a[0], lower_imm(0x8000));
    case HALF_ABS: return lower_op2(c, IR_AND, IR_I16, a[0], lower_imm(0x7fff));
    case HALF_MIN: case HALF_MAX: return extreme(c, h, op, a, ftz);
    case HALF_EX2: case HALF_TANH: {
        struct ir_operand v = lower_op1(c, op == HALF_EX2 ? IR_EX2_A : IR_TANH_A, IR_F32, widen(c, h, a[0]));
        return lower_cvt(c, IR_FTOF, h->type, IR_F32, v, IR_RN);
    }
    default: return arithmetic(c, h, op, a, ftz);
    }
}

static struct ir_operand piece(struct lower_ctx *c, struct ir_operand word, int k)
{
    struct ir_operand v = lower_op1(c, IR_EXTRACT, IR_I16, word);
    lower_last(c)->type2 = IR_I32;
    lower_last(c)->imm = k;
    return v;
}

static struct ir_operand join(struct lower_ctx *c, struct ir_operand lo, struct ir_operand hi)
{
    struct ir_operand v = lower_op2(c, IR_PACK, IR_I32, lo, hi);
    lower_last(c)->type2 = IR_I16;
    return v;
}

/* The operation on a half or on both halves of a pair. */
static struct ir_operand apply(struct lower_ctx *c, enum ptx_type t, enum half_op op, const struct ir_operand *a, int n)
{
    const struct half *h = half_of(t);
    struct ir_operand r[2], part[3];
    if (!is_pair(t))
        return one_half(c, h, op, a, n);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++)
            part[i] = piece(c, a[i], k);
        r[k] = one_half(c, h, op, part, n);
    }
    return join(c, r[0], r[1]);
}

struct ir_operand lower_half_add(struct lower_ctx *c, enum ptx_type t, struct ir_operand a, struct ir_operand b)
{
    struct ir_operand both[2] = { a, b };
    return apply(c, t, HALF_ADD, both, 2);
}

static bool half_inst(struct lower_ctx *c, enum half_op op, int n)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand a[3];
    if (lower_has(c, PTX_M_XORSIGN) != lower_has(c, PTX_M_ABS))
        return lower_fail(c, ".xorsign and .abs belong together");
    if (lower_rnd(c) != IR_RN)
        return lower_fail(c, "halves are rounded to nearest only");
    for (int i = 0; i < n; i++)
        a[i] = lower_src(c, i + 1, t);
    lower_set(c, 0, t, apply(c, t, op, a, n));
    return true;
}

bool lower_ADD_H(struct lower_ctx *c) { return half_inst(c, HALF_ADD, 2); }
bool lower_SUB_H(struct lower_ctx *c) { return half_inst(c, HALF_SUB, 2); }
bool lower_MUL_H(struct lower_ctx *c) { return half_inst(c, HALF_MUL, 2); }
bool lower_FMA_H(struct lower_ctx *c) { return half_inst(c, HALF_FMA, 3); }
bool lower_NEG_H(struct lower_ctx *c) { return half_inst(c, HALF_NEG, 1); }
bool lower_ABS_H(struct lower_ctx *c) { return half_inst(c, HALF_ABS, 1); }
bool lower_MIN_H(struct lower_ctx *c) { return half_inst(c, HALF_MIN, 2); }
bool lower_MAX_H(struct lower_ctx *c) { return half_inst(c, HALF_MAX, 2); }
bool lower_EX2_H(struct lower_ctx *c) { return half_inst(c, HALF_EX2, 1); }
bool lower_TANH_H(struct lower_ctx *c) { return half_inst(c, HALF_TANH, 1); }

/* Comparison of one half, or of both halves of a pair; out[1] only for a pair. */
static bool compare(struct lower_ctx *c, int first, enum ptx_type t, struct ir_operand out[2])
{
    const struct half *h = half_of(t);
    int cmp = lower_cmp_of(lower_mod(c, PTX_C_CMP), PTX_F32);
    bool ftz = lower_has(c, PTX_M_FTZ);
    if (cmp < 0)
        return lower_fail(c, "this comparison does not exist for .%s", ptx_type_info[t].text);
    struct ir_operand a = lower_src(c, first, t), b = lower_src(c, first + 1, t);
    for (int k = 0; k < (is_pair(t) ? 2 : 1); k++) {
        struct ir_operand x = is_pair(t) ? piece(c, a, k) : a, y = is_pair(t) ? piece(c, b, k) : b;
        if (ftz) {
            x = flush(c, h, x);
            y = flush(c, h, y);
        }
        x = widen(c, h, x);
        out[k] = lower_cmp(c, (enum ir_cmp)cmp, IR_F32, x, widen(c, h, y));
    }
    return true;
}

static void combine(struct lower_ctx *c, int k, struct ir_operand *p, int n)
{
    enum ir_op op = lower_has(c, PTX_M_AND) ? IR_AND : lower_has(c, PTX_M_OR) ? IR_OR : IR_XOR;
    struct ir_operand with = lower_src(c, k, PTX_PRED);
    for (int i = 0; i < n; i++)
        p[i] = lower_op2(c, op, IR_PRED, p[i], with);
}

/* p|q are the answers for the two halves of a pair. */
static bool setp(struct lower_ctx *c, bool combined)
{
    struct ir_operand p[2];
    bool dual = lower_has_op(c, 1);
    if (is_pair(c->inst->type) != dual)
        return lower_fail(c, "a comparison of pairs has two results, one of single halves has one");
    if (!compare(c, 2, c->inst->type, p))
        return false;
    if (combined)
        combine(c, 4, p, dual ? 2 : 1);
    lower_set(c, 0, PTX_PRED, p[0]);
    if (dual)
        lower_set(c, 1, PTX_PRED, p[1]);
    return true;
}

bool lower_SETP_H(struct lower_ctx *c) { return setp(c, false); }
bool lower_SETP_H_BOOL(struct lower_ctx *c) { return setp(c, true); }

static bool set(struct lower_ctx *c, bool combined)
{
    enum ptx_type t = c->inst->type, from = c->inst->type2;
    struct ir_operand p[2];
    bool is_float = t == PTX_F16 || t == PTX_BF16 || is_pair(t);
    if (is_pair(t) != is_pair(from) && is_float)
        return lower_fail(c, "a pair is compared to a pair");
    if (!compare(c, 1, from, p))
        return false;
    if (combined)
        combine(c, 3, p, is_pair(from) ? 2 : 1);
    uint64_t yes = is_float ? half_of(t)->one : 0xffff;
    if (!is_pair(from)) {
        enum ir_type type = ir_type_of_bits(ptx_type_bits(t));
        lower_set(c, 0, t, lower_select(c, type, p[0], lower_imm(type == IR_I32 ? 0xffffffff : yes), lower_imm(0)));
        return true;
    }
    if (ptx_type_bits(t) != 32)
        return lower_fail(c, "a comparison of pairs has a result of 32 bits");
    struct ir_operand lo = lower_select(c, IR_I16, p[0], lower_imm(yes), lower_imm(0));
    struct ir_operand hi = lower_select(c, IR_I16, p[1], lower_imm(yes), lower_imm(0));
    lower_set(c, 0, t, join(c, lo, hi));
    return true;
}

bool lower_SET_H(struct lower_ctx *c) { return set(c, false); }
bool lower_SET_H_BOOL(struct lower_ctx *c) { return set(c, true); }
