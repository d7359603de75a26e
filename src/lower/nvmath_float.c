/* SPDX-License-Identifier: Apache-2.0 */
/* Float functions of __nv_* that need no call: rounding, splitting and scaling, and the approximate sequences. */
#include "lower/nvmath.h"

typedef struct ir_operand val;

/* Where the fields of a float type are. */
struct layout {
    enum ir_type type, bits;
    unsigned mantissa;           /* bits of the fraction */
    int bias;
    uint64_t sign, exponent;     /* masks */
};

static struct layout layout_of(enum ir_type type)
{
    if (type == IR_F32)
        return (struct layout){ IR_F32, IR_I32, 23, 127, 0x80000000u, 0x7f800000u };
    return (struct layout){ IR_F64, IR_I64, 52, 1023, 0x8000000000000000u, 0x7ff0000000000000u };
}

static val fadd(struct lower_ctx *c, enum ir_type t, val a, val b) { return lower_op2(c, IR_FADD, t, a, b); }
static val fsub(struct lower_ctx *c, enum ir_type t, val a, val b) { return lower_op2(c, IR_FSUB, t, a, b); }
static val fmul(struct lower_ctx *c, enum ir_type t, val a, val b) { return lower_op2(c, IR_FMUL, t, a, b); }
static val fma3(struct lower_ctx *c, enum ir_type t, val a, val b, val d) { return lower_op3(c, IR_FMA, t, a, b, d); }
static val iadd(struct lower_ctx *c, enum ir_type t, val a, int64_t b) { return lower_op2(c, IR_ADD, t, a, lower_imm((uint64_t)b & (t == IR_I32 ? UINT32_MAX : UINT64_MAX))); }

static val frint(struct lower_ctx *c, enum ir_type t, enum ir_rnd rnd, val a)
{
    return nv_emit_rnd(c, IR_FRINT, t, rnd, &a, 1);
}

/* ---- arithmetic ---- */

struct ir_operand nv_rcp(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = nv_result_type(row);

    return nv_emit_rnd(c, IR_FDIV, t, row->arg, (val[]){ nv_float(t, 1), a[0] }, 2);
}

/* Halves away from zero: truncate, then one step outwards where the rest, which is exact, is at least a half. */
static val round_away(struct lower_ctx *c, enum ir_type t, val x)
{
    val whole = frint(c, t, IR_RZ, x);
    val rest = lower_op1(c, IR_FABS, t, fsub(c, t, x, whole));
    val step = lower_op2(c, IR_COPYSIGN, t, nv_float(t, 1), x);
    val up = lower_cmp(c, IR_FGE, t, rest, nv_float(t, 0.5));

    return lower_select(c, t, up, fadd(c, t, whole, step), whole);
}

struct ir_operand nv_round(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return round_away(c, nv_result_type(row), a[0]);
}

struct ir_operand nv_llround(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = nv_arg_type(row, 0);

    return lower_cvt(c, IR_FTOI_S, IR_I64, t, round_away(c, t, a[0]), IR_RZ);
}

struct ir_operand nv_fdim(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = nv_result_type(row);

    /* infinity - infinity must be 0 as well, hence the comparison; a NaN goes through the subtraction */
    return lower_select(c, t, lower_cmp(c, IR_FLE, t, a[0], a[1]), nv_float(t, 0), fsub(c, t, a[0], a[1]));
}

struct ir_operand nv_saturate(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    val r = fadd(c, nv_result_type(row), a[0], nv_float(nv_result_type(row), 0));

    lower_last(c)->flags |= IR_SAT;
    return r;
}

/* ---- scaling and splitting ---- */

/* 2^n as an F64, n between -1022 and 1023. */
static val power_of_two(struct lower_ctx *c, val n)
{
    val biased = lower_cvt(c, IR_SEXT, IR_I64, IR_I32, iadd(c, IR_I32, n, 1023), IR_RN);

    return lower_op2(c, IR_SHL, IR_I64, biased, lower_imm(52));
}

static val clamp(struct lower_ctx *c, val n, int lo, int hi)
{
    return lower_op2(c, IR_MIN_S, IR_I32, lower_op2(c, IR_MAX_S, IR_I32, n, lower_imm((uint32_t)lo)), lower_imm((uint32_t)hi));
}

/* In F64 the product is exact, so that the result is rounded once even where it is subnormal. */
struct ir_operand nv_ldexp_f32(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    val x = lower_cvt(c, IR_FTOF, IR_F64, IR_F32, a[0], IR_RN);

    (void)row;
    x = fmul(c, IR_F64, x, power_of_two(c, clamp(c, a[1], -400, 400)));
    return lower_cvt(c, IR_FTOF, IR_F32, IR_F64, x, IR_RN);
}

/*
 * Three factors, of which at most one can round. Downwards the first two stop 53 bits above the subnormals for
 * that reason; n is clamped to what three steps reach, which is past zero and infinity for every argument.
 */
struct ir_operand nv_ldexp_f64(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    val x = a[0], n = clamp(c, a[1], -2 * 969 - 1022, 3 * 1023);

    (void)row;
    for (int i = 0; i < 2; i++) {
        val step = clamp(c, n, -969, 1023);
        val low = lower_cmp(c, IR_SLT, IR_I32, n, lower_imm((uint32_t)-1022));
        val high = lower_cmp(c, IR_SGT, IR_I32, n, lower_imm(1023));

        step = lower_select(c, IR_I32, low, step, lower_select(c, IR_I32, high, step, lower_imm(0)));
        x = fmul(c, IR_F64, x, power_of_two(c, step));
        n = lower_op2(c, IR_SUB, IR_I32, n, step);
    }
    return fmul(c, IR_F64, x, power_of_two(c, clamp(c, n, -1022, 1023)));
}

struct split {
    val fraction;                /* in [0.5, 1), the argument itself where it has none (0, infinity, NaN) */
    val exponent;                /* I32, 0 there */
    val normal;                  /* PRED: has a fraction */
};

static struct split split_float(struct lower_ctx *c, enum ir_type t, val x)
{
    struct layout l = layout_of(t);
    int up = (int)l.mantissa + 2;
    val magnitude = lower_op2(c, IR_AND, l.bits, x, lower_imm(~l.sign & (l.bits == IR_I32 ? UINT32_MAX : UINT64_MAX)));
    val small = lower_cmp(c, IR_ULT, l.bits, magnitude, lower_imm((uint64_t)1 << l.mantissa));
    val scaled = lower_select(c, t, small, fmul(c, t, x, nv_float(t, (double)((uint64_t)1 << up))), x);
    val field = lower_op2(c, IR_SHR_U, l.bits, lower_op2(c, IR_AND, l.bits, scaled, lower_imm(l.exponent)), lower_imm(l.mantissa));
    val e = iadd(c, IR_I32, lower_resize(c, IR_I32, l.bits, false, field), -(l.bias - 1));
    uint64_t keep = l.sign | (((uint64_t)1 << l.mantissa) - 1);
    val fraction = lower_op2(c, IR_OR, l.bits, lower_op2(c, IR_AND, l.bits, scaled, lower_imm(keep)),
                             lower_imm((uint64_t)(l.bias - 1) << l.mantissa));
    struct split s;

    e = lower_select(c, IR_I32, small, iadd(c, IR_I32, e, -up), e);
    /* 1 <= magnitude < infinity, in one comparison */
    s.normal = lower_cmp(c, IR_ULT, l.bits, iadd(c, l.bits, magnitude, -1), lower_imm(l.exponent - 1));
    s.fraction = lower_select(c, t, s.normal, fraction, x);
    s.exponent = lower_select(c, IR_I32, s.normal, e, lower_imm(0));
    return s;
}

struct ir_operand nv_frexp(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct split s = split_float(c, nv_result_type(row), a[0]);

    lower_store_generic(c, IR_I32, a[1], 0, s.exponent);
    return s.fraction;
}

struct ir_operand nv_ilogb(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = nv_arg_type(row, 0);
    struct split s = split_float(c, t, a[0]);
    val infinite = lower_cmp(c, IR_FEQ, t, lower_op1(c, IR_FABS, t, a[0]), nv_float(t, __builtin_inf()));
    val odd = lower_select(c, IR_I32, infinite, lower_imm(0x7fffffff), lower_imm(0x80000000u));      /* 0 and NaN: INT_MIN */

    return lower_select(c, IR_I32, s.normal, iadd(c, IR_I32, s.exponent, -1), odd);
}

struct ir_operand nv_logb(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = nv_arg_type(row, 0);
    struct split s = split_float(c, t, a[0]);
    val e = lower_cvt(c, IR_ITOF_S, t, IR_I32, iadd(c, IR_I32, s.exponent, -1), IR_RN);
    val magnitude = lower_op1(c, IR_FABS, t, a[0]);
    val zero = lower_cmp(c, IR_FEQ, t, magnitude, nv_float(t, 0));

    return lower_select(c, t, s.normal, e, lower_select(c, t, zero, nv_float(t, -__builtin_inf()), magnitude));
}

struct ir_operand nv_modf(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = nv_result_type(row);
    val whole = frint(c, t, IR_RZ, a[0]);
    val rest = fsub(c, t, a[0], whole);
    val infinite = lower_cmp(c, IR_FEQ, t, lower_op1(c, IR_FABS, t, a[0]), nv_float(t, __builtin_inf()));

    lower_store_generic(c, t, a[1], 0, whole);
    return lower_op2(c, IR_COPYSIGN, t, lower_select(c, t, infinite, nv_float(t, 0), rest), a[0]);
}

/* ---- approximations ---- */

/*
 * 1 / sqrt(x) to less than one unit in the last place: two correctly rounded steps, then one of Newton's with the
 * residual 1 - x y^2 computed exactly. Where y is 0 or infinite the residual is NaN and y is the answer already.
 */
struct ir_operand nv_rsqrt_f64(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = IR_F64;
    val x = a[0], y = lower_op2(c, IR_FDIV, t, nv_float(t, 1), lower_op1(c, IR_FSQRT, t, x));
    val h = fmul(c, t, x, y);
    val low = fma3(c, t, x, y, lower_op1(c, IR_FNEG, t, h));
    val e = fma3(c, t, lower_op1(c, IR_FNEG, t, h), y, nv_float(t, 1));
    val better;

    (void)row;
    e = fma3(c, t, lower_op1(c, IR_FNEG, t, low), y, e);
    better = fma3(c, t, fmul(c, t, y, nv_float(t, 0.5)), e, y);
    return lower_select(c, t, lower_cmp(c, IR_FNUM, t, e, e), better, y);
}

/* Correctly rounded: two roundings in F64 leave an error far smaller than the distance of any result from a tie. */
struct ir_operand nv_rsqrt_rn(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    val x = lower_cvt(c, IR_FTOF, IR_F64, IR_F32, a[0], IR_RN);

    (void)row;
    x = lower_op2(c, IR_FDIV, IR_F64, nv_float(IR_F64, 1), lower_op1(c, IR_FSQRT, IR_F64, x));
    return lower_cvt(c, IR_FTOF, IR_F32, IR_F64, x, IR_RN);
}

struct ir_operand nv_rcp64h(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    val r = lower_op1(c, IR_RCP_A, IR_F64, a[0]);

    (void)row;
    lower_last(c)->flags |= IR_FTZ;
    return r;
}

static const float constants[] = {
    [NV_LOG2_E] = 1.44269504088896340736f,
    [NV_LOG2_10] = 3.32192809488736234787f,
    [NV_LN_2] = 0.69314718055994530942f,
    [NV_LOG10_2] = 0.30102999566398119521f,
};

struct ir_operand nv_fast_exp(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return lower_op1(c, IR_EX2_A, IR_F32, fmul(c, IR_F32, a[0], lower_f32(constants[row->op])));
}

struct ir_operand nv_fast_log(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return fmul(c, IR_F32, lower_op1(c, IR_LG2_A, IR_F32, a[0]), lower_f32(constants[row->op]));
}

struct ir_operand nv_fast_pow(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    (void)row;
    return lower_op1(c, IR_EX2_A, IR_F32, fmul(c, IR_F32, a[1], lower_op1(c, IR_LG2_A, IR_F32, a[0])));
}

struct ir_operand nv_fast_tan(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    (void)row;
    return lower_op2(c, IR_DIV_A, IR_F32, lower_op1(c, IR_SIN_A, IR_F32, a[0]), lower_op1(c, IR_COS_A, IR_F32, a[0]));
}

struct ir_operand nv_fast_sincos(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    (void)row;
    lower_store_generic(c, IR_F32, a[1], 0, lower_op1(c, IR_SIN_A, IR_F32, a[0]));
    lower_store_generic(c, IR_F32, a[2], 0, lower_op1(c, IR_COS_A, IR_F32, a[0]));
    return (val){ 0 };
}
