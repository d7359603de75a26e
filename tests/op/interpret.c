/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter for what lower/nvmath*.c emits. Floats go through the host's arithmetic with its rounding mode set. */
#include "interpret.h"

#include <fenv.h>
#include <math.h>

#include "jit/math/math.h"

/* Rounding modes change behind the compiler's back: values pass through volatile variables. */
static int host_rounding(unsigned rnd)
{
    return rnd == IR_RZ ? FE_TOWARDZERO : rnd == IR_RM ? FE_DOWNWARD : rnd == IR_RP ? FE_UPWARD : FE_TONEAREST;
}

static uint64_t mask(enum ir_type t)
{
    unsigned bits = ir_type_bits(t);

    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static int64_t sign(enum ir_type t, uint64_t x)
{
    unsigned up = 64 - ir_type_bits(t);

    return (int64_t)(x << up) >> up;
}

static double to_double(enum ir_type t, uint64_t bits)
{
    float f;
    double d;

    if (t == IR_F16) {
        _Float16 h;

        memcpy(&h, &bits, 2);
        return (double)h;
    }
    if (t == IR_F32) {
        memcpy(&f, &bits, 4);
        return f;
    }
    memcpy(&d, &bits, 8);
    return d;
}

/* In the current rounding mode. */
static uint64_t from_double(enum ir_type t, double d)
{
    volatile double in = d;
    uint64_t bits = 0;

    if (t == IR_F16) {
        _Float16 h = (_Float16)in;

        memcpy(&bits, &h, 2);
    } else if (t == IR_F32) {
        volatile float f = (float)in;

        memcpy(&bits, (void *)&f, 4);
    } else {
        memcpy(&bits, &d, 8);
    }
    return bits;
}

static uint64_t integer_op(const struct ir_inst *i, const uint64_t *a)
{
    enum ir_type t = i->type;
    unsigned bits = ir_type_bits(t);
    int64_t sa = sign(t, a[0]), sb = i->n_src > 1 ? sign(t, a[1]) : 0;
    uint64_t r = 0;

    switch (i->op) {
    case IR_ADD: return a[0] + a[1];
    case IR_SUB: return a[0] - a[1];
    case IR_MUL: return a[0] * a[1];
    case IR_MULHI_S: return (uint64_t)(((__int128)sa * sb) >> bits);
    case IR_MULHI_U: return (uint64_t)(((unsigned __int128)a[0] * a[1]) >> bits);
    case IR_AND: return a[0] & a[1];
    case IR_OR: return a[0] | a[1];
    case IR_XOR: return a[0] ^ a[1];
    case IR_NEG: return -a[0];
    case IR_ABS: return (uint64_t)(sa < 0 ? -(uint64_t)sa : (uint64_t)sa);
    case IR_SHL: return (uint32_t)a[1] >= bits ? 0 : a[0] << a[1];
    case IR_SHR_U: return (uint32_t)a[1] >= bits ? 0 : a[0] >> a[1];
    case IR_SHR_S: return (uint64_t)(sa >> ((uint32_t)a[1] >= bits ? bits - 1 : a[1]));
    case IR_MIN_S: return (uint64_t)(sa < sb ? sa : sb);
    case IR_MAX_S: return (uint64_t)(sa > sb ? sa : sb);
    case IR_MIN_U: return a[0] < a[1] ? a[0] : a[1];
    case IR_MAX_U: return a[0] > a[1] ? a[0] : a[1];
    case IR_POPC: return (uint64_t)__builtin_popcountll(a[0]);
    case IR_CLZ: return a[0] ? (uint64_t)__builtin_clzll(a[0]) - (64 - bits) : bits;
    case IR_CTZ: return a[0] ? (uint64_t)__builtin_ctzll(a[0]) : bits;
    case IR_BREV:
        for (unsigned k = 0; k < bits; k++)
            r |= (a[0] >> k & 1) << (bits - 1 - k);
        return r;
    default:                                     /* PRMT */
        for (unsigned k = 0; k < 4; k++) {
            unsigned sel = a[2] >> 4 * k & 15;
            uint64_t byte = (a[1] << 32 | a[0]) >> 8 * (sel & 7) & 255;

            r |= (sel & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * k;
        }
        return r;
    }
}

/* float arithmetic must be done in the type itself: a double on the way would round twice. */
static uint64_t float_op(const struct ir_inst *i, const uint64_t *a)
{
    enum ir_type t = i->type;
    volatile double x = to_double(t, a[0]), y = i->n_src > 1 ? to_double(t, a[1]) : 0, z = i->n_src > 2 ? to_double(t, a[2]) : 0, r = 0;
    volatile float fx = (float)x, fy = (float)y, fz = (float)z, fr = 0;
    bool single = t == IR_F32;

    fesetround(host_rounding(i->rnd));
    switch (i->op) {
    case IR_FADD: if (single) fr = fx + fy; else r = x + y; break;
    case IR_FSUB: if (single) fr = fx - fy; else r = x - y; break;
    case IR_FMUL: if (single) fr = fx * fy; else r = x * y; break;
    case IR_FDIV: if (single) fr = fx / fy; else r = x / y; break;
    case IR_FMA: if (single) fr = fmaf(fx, fy, fz); else r = fma(x, y, z); break;
    case IR_FSQRT: if (single) fr = sqrtf(fx); else r = sqrt(x); break;
    case IR_FRINT: fr = (float)(r = nearbyint(x)); break;
    default: break;
    }
    fesetround(FE_TONEAREST);
    if (i->flags & IR_SAT)
        fr = fr > 0 ? (fr < 1 ? fr : 1) : 0, r = r > 0 ? (r < 1 ? r : 1) : 0;
    return from_double(t, single ? fr : r);
}

static uint64_t sign_op(const struct ir_inst *i, const uint64_t *a)
{
    uint64_t top = (uint64_t)1 << (ir_type_bits(i->type) - 1);
    double x = to_double(i->type, a[0]), y = i->n_src > 1 ? to_double(i->type, a[1]) : 0;

    switch (i->op) {
    case IR_FNEG: return a[0] ^ top;
    case IR_FABS: return a[0] & ~top;
    case IR_COPYSIGN: return (a[0] & ~top) | (a[1] & top);
    case IR_FMIN: return isnan(x) ? a[1] : isnan(y) ? a[0] : x < y || (x == y && signbit(x)) ? a[0] : a[1];
    default: return isnan(x) ? a[1] : isnan(y) ? a[0] : x > y || (x == y && signbit(y)) ? a[0] : a[1];
    }
}

static uint64_t approximate(const struct ir_inst *i, const uint64_t *a)
{
    double x = to_double(i->type, a[0]), y = i->n_src > 1 ? to_double(i->type, a[1]) : 0, r;

    switch (i->op) {
    case IR_RCP_A: r = 1 / x; break;
    case IR_DIV_A: r = x / y; break;
    case IR_SQRT_A: r = sqrt(x); break;
    case IR_RSQRT_A: r = 1 / sqrt(x); break;
    case IR_SIN_A: r = sin(x); break;
    case IR_COS_A: r = cos(x); break;
    case IR_EX2_A: r = exp2(x); break;
    case IR_LG2_A: r = log2(x); break;
    default: r = tanh(x); break;
    }
    return from_double(i->type, r);
}

static bool compare(const struct ir_inst *i, uint64_t a, uint64_t b)
{
    int64_t sa = sign(i->type, a), sb = sign(i->type, b);
    double x = 0, y = 0;

    switch (i->cmp) {
    case IR_EQ: return a == b;
    case IR_NE: return a != b;
    case IR_SLT: return sa < sb;
    case IR_SLE: return sa <= sb;
    case IR_SGT: return sa > sb;
    case IR_SGE: return sa >= sb;
    case IR_ULT: return a < b;
    case IR_ULE: return a <= b;
    case IR_UGT: return a > b;
    case IR_UGE: return a >= b;
    default: break;
    }
    x = to_double(i->type, a);
    y = to_double(i->type, b);
    switch (i->cmp) {
    case IR_FEQ: return x == y;
    case IR_FNE: return !isunordered(x, y) && x != y;
    case IR_FLT: return x < y;
    case IR_FLE: return x <= y;
    case IR_FGT: return x > y;
    case IR_FGE: return x >= y;
    case IR_FNUM: return !isunordered(x, y);
    case IR_FNAN: return isunordered(x, y);
    default: return false;
    }
}

static uint64_t to_integer(const struct ir_inst *i, uint64_t a)
{
    double x = to_double(i->type2, a), r;
    unsigned bits = ir_type_bits(i->type);

    fesetround(host_rounding(i->rnd));
    r = nearbyint(x);
    fesetround(FE_TONEAREST);
    if (isnan(r))                                /* what the hardware gives: 0 from 32 bits, the top bit from 64 */
        return bits == 64 || i->type2 == IR_F64 ? (uint64_t)1 << (bits - 1) : 0;
    if (i->op == IR_FTOI_S) {
        double limit = ldexp(1, (int)bits - 1);

        return r >= limit ? ((uint64_t)1 << (bits - 1)) - 1 : r < -limit ? (uint64_t)1 << (bits - 1) : (uint64_t)(int64_t)r;
    }
    return r >= ldexp(1, (int)bits) ? mask(i->type) : r <= 0 ? 0 : (uint64_t)r;
}

static uint64_t from_integer(const struct ir_inst *i, uint64_t a)
{
    volatile int64_t s = sign(i->type2, a);
    volatile uint64_t u = a;
    volatile float f;
    volatile double d;

    fesetround(host_rounding(i->rnd));
    f = i->op == IR_ITOF_S ? (float)s : (float)u;
    d = i->op == IR_ITOF_S ? (double)s : (double)u;
    fesetround(FE_TONEAREST);
    return i->type == IR_F32 ? from_double(IR_F32, f) : from_double(IR_F64, d);
}

static uint64_t convert(const struct ir_inst *i, const uint64_t *a)
{
    uint64_t r;

    switch (i->op) {
    case IR_SEXT: return (uint64_t)sign(i->type2, a[0]);
    case IR_ZEXT:
    case IR_TRUNC: return a[0];
    case IR_FTOI_S:
    case IR_FTOI_U: return to_integer(i, a[0]);
    case IR_ITOF_S:
    case IR_ITOF_U: return from_integer(i, a[0]);
    case IR_PACK: return a[0] | a[1] << ir_type_bits(i->type2);
    case IR_EXTRACT: return a[0] >> (unsigned)i->imm * ir_type_bits(i->type);
    default:                                     /* FTOF */
        fesetround(host_rounding(i->rnd));
        r = from_double(i->type, to_double(i->type2, a[0]));
        fesetround(FE_TONEAREST);
        return r;
    }
}

/* Calls the scalar body, each kind through its own type. */
static uint64_t call_math(enum ir_math id, const uint64_t *a)
{
    char name[MATH_SYMBOL_MAX];
    void *fn;
    double x[4] = { 0 };
    uint64_t out = 0;

    if (math_is_vector(id)) {
        math_apply(id, 1, &a[0], math_n_src(id) > 1 ? &a[1] : NULL, &out);
        return out;
    }
    fn = math_address(math_symbol(id, 1, name));
    for (unsigned k = 0; k < math_n_src(id); k++)
        x[k] = math_src_type(id, k) == IR_I32 ? 0 : to_double(math_src_type(id, k), a[k]);
    if (math_result_type(id) == IR_I32)
        return (uint32_t)((int32_t(*)(double, double))fn)(x[0], x[1]);
    if (math_src_type(id, 0) == IR_I32)
        return from_double(IR_F64, ((double (*)(int32_t, double))fn)((int32_t)a[0], x[1]));
    if (math_result_type(id) == IR_F32)
        return from_double(IR_F32, (double)((float (*)(float))fn)((float)x[0]));
    switch (math_n_src(id)) {
    case 1: return from_double(IR_F64, ((double (*)(double))fn)(x[0]));
    case 2: return from_double(IR_F64, ((double (*)(double, double))fn)(x[0], x[1]));
    case 3: return from_double(IR_F64, ((double (*)(double, double, double))fn)(x[0], x[1], x[2]));
    default: return from_double(IR_F64, ((double (*)(double, double, double, double))fn)(x[0], x[1], x[2], x[3]));
    }
}

static bool value_of(const struct ir_inst *i, const uint64_t *a, uint64_t *out)
{
    uint64_t r = 0;

    switch (i->op) {
    case IR_MOV: r = a[0]; break;
    case IR_ADD: case IR_SUB: case IR_MUL: case IR_MULHI_S: case IR_MULHI_U: case IR_AND: case IR_OR: case IR_XOR: case IR_NEG: case IR_ABS:
    case IR_SHL: case IR_SHR_U: case IR_SHR_S: case IR_MIN_S: case IR_MAX_S: case IR_MIN_U: case IR_MAX_U: case IR_POPC: case IR_CLZ:
    case IR_CTZ: case IR_BREV: case IR_PRMT: r = integer_op(i, a); break;
    case IR_FADD: case IR_FSUB: case IR_FMUL: case IR_FDIV: case IR_FMA: case IR_FSQRT: case IR_FRINT: r = float_op(i, a); break;
    case IR_FNEG: case IR_FABS: case IR_COPYSIGN: case IR_FMIN: case IR_FMAX: r = sign_op(i, a); break;
    case IR_RCP_A: case IR_DIV_A: case IR_SQRT_A: case IR_RSQRT_A: case IR_SIN_A: case IR_COS_A: case IR_EX2_A: case IR_LG2_A:
    case IR_TANH_A: r = approximate(i, a); break;
    case IR_MATH: r = call_math((enum ir_math)i->imm, a); break;
    case IR_CMP: r = compare(i, a[0], a[1]); break;
    case IR_SELECT: r = a[0] & 1 ? a[1] : a[2]; break;
    case IR_ZEXT: case IR_SEXT: case IR_TRUNC: case IR_FTOI_S: case IR_FTOI_U: case IR_ITOF_S: case IR_ITOF_U: case IR_FTOF: case IR_PACK:
    case IR_EXTRACT: r = convert(i, a); break;
    case IR_LD: memcpy(&r, (char *)(uintptr_t)a[0] + i->imm, ir_type_bits(i->type) / 8); break;
    default: return false;
    }
    *out = r & mask(i->dst[0]->type);
    return true;
}

bool interpret(const struct ir_func *f, uint64_t *regs)
{
    const struct ir_block *b = f->blocks.v[0];

    for (size_t at = 0; at < b->insts.n;) {
        const struct ir_inst *i = b->insts.v[at++];
        uint64_t a[IR_MAX_SRC] = { 0 };

        for (int k = 0; k < i->n_src; k++)
            a[k] = i->src[k].kind == IR_REG ? regs[i->src[k].reg->id] : i->src[k].imm;
        if (i->op == IR_RET)
            return true;
        if (i->op == IR_BR || i->op == IR_CBR) {
            b = i->target[i->op == IR_CBR && !(a[0] & 1)];
            at = 0;
        } else if (i->op == IR_ST) {
            memcpy((char *)(uintptr_t)a[0] + i->imm, &a[1], ir_type_bits(i->type) / 8);
        } else if (!value_of(i, a, &regs[i->dst[0]->id])) {
            return false;
        }
    }
    return false;
}
