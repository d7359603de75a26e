/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Video instructions. Operands are bytes or halves of registers, extended by their types; results are computed in 64 bits, where nothing
 * overflows, then clamped, combined with c, or put into a part of it. The second kind works on two halves or four bytes at once.
 */
#include "lower/frame.h"

enum vop { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_AVRG, V_SHL, V_SHR, V_SET };

static struct ir_operand op2(struct lower_ctx *c, enum ir_op op, struct ir_operand a, struct ir_operand b) { return lower_op2(c, op, IR_I64, a, b); }

static struct ir_operand widen(struct lower_ctx *c, struct ir_operand a, bool is_signed)
{
    return lower_resize(c, IR_I64, IR_I32, is_signed, a);
}

static struct ir_operand narrow(struct lower_ctx *c, struct ir_operand a)
{
    return lower_resize(c, IR_I32, IR_I64, false, a);
}

/* Operand k without its '-'. */
static struct ir_operand whole(struct lower_ctx *c, int k)
{
    struct ptx_operand o = c->inst->ops[k];
    o.negated = o.minus = false;
    o.sel = NULL;
    return lower_value(c, &o, PTX_B32);
}

/* `bits` bits of an I32, from bit `at` on, as an I64. */
static struct ir_operand piece(struct lower_ctx *c, struct ir_operand a, unsigned at, unsigned bits, bool is_signed)
{
    struct ir_operand v = lower_op2(c, IR_SHL, IR_I32, a, lower_imm(32 - bits - at));
    return widen(c, lower_op2(c, is_signed ? IR_SHR_S : IR_SHR_U, IR_I32, v, lower_imm(32 - bits)), is_signed);
}

/* ---- one part of a register ---- */

struct part {
    unsigned at, bits;
};

/* "b0" .. "b3", "h0", "h1", or nothing. */
static bool part_of(struct lower_ctx *c, int k, struct part *out)
{
    const char *sel = c->inst->ops[k].sel;
    *out = (struct part){ 0, 32 };
    if (!sel)
        return true;
    bool byte = sel[0] == 'b', half = sel[0] == 'h';
    if ((!byte && !half) || sel[1] < '0' || sel[1] > (byte ? '3' : '1') || sel[2])
        return lower_fail(c, "'.%s' is no part of a register", sel);
    out->bits = byte ? 8 : 16;
    out->at = out->bits * (unsigned)(sel[1] - '0');
    return true;
}

static bool read_part(struct lower_ctx *c, int k, bool is_signed, struct ir_operand *out)
{
    struct part p;
    if (!part_of(c, k, &p))
        return false;
    *out = p.bits == 32 ? widen(c, whole(c, k), is_signed) : piece(c, whole(c, k), p.at, p.bits, is_signed);
    return true;
}

static struct ir_operand clamp(struct lower_ctx *c, struct ir_operand v, unsigned bits, bool is_signed)
{
    uint64_t max = is_signed ? ((uint64_t)1 << (bits - 1)) - 1 : ((uint64_t)1 << bits) - 1, min = is_signed ? ~max : 0;
    return op2(c, IR_MAX_S, op2(c, IR_MIN_S, v, lower_imm(max)), lower_imm(min));
}

static int compare_of(enum ptx_mod m)
{
    switch (m) {                                          /* both sides are extended: one kind of comparison does for all */
    case PTX_M_EQ: return IR_EQ;
    case PTX_M_NE: return IR_NE;
    case PTX_M_LT: return IR_SLT;
    case PTX_M_LE: return IR_SLE;
    case PTX_M_GT: return IR_SGT;
    case PTX_M_GE: return IR_SGE;
    default: return -1;
    }
}

static struct ir_operand compute(struct lower_ctx *c, enum vop op, struct ir_operand a, struct ir_operand b, bool a_signed)
{
    struct ir_operand sum;
    switch (op) {
    case V_ADD: return op2(c, IR_ADD, a, b);
    case V_SUB: return op2(c, IR_SUB, a, b);
    case V_ABSDIFF: return lower_op1(c, IR_ABS, IR_I64, op2(c, IR_SUB, a, b));
    case V_MIN: return op2(c, IR_MIN_S, a, b);
    case V_MAX: return op2(c, IR_MAX_S, a, b);
    case V_AVRG:                                          /* halves go away from zero */
        sum = op2(c, IR_ADD, a, b);
        sum = op2(c, IR_ADD, sum, lower_select(c, IR_I64, lower_cmp(c, IR_SGE, IR_I64, sum, lower_imm(0)), lower_imm(1), lower_imm(0)));
        return op2(c, IR_SHR_S, sum, lower_imm(1));
    case V_SHL: case V_SHR:
        b = lower_has(c, PTX_M_WRAP) ? op2(c, IR_AND, b, lower_imm(31)) : op2(c, IR_MIN_U, b, lower_imm(32));
        b = narrow(c, b);
        if (op == V_SHR)
            return op2(c, IR_SHR_S, a, b);
        a = op2(c, IR_SHL, a, b);
        return a_signed ? a : op2(c, IR_MIN_U, a, lower_imm(INT64_MAX - UINT32_MAX));    /* 64 bits of a positive number: only clamping looks so far up */
    case V_SET:
        sum = lower_cmp(c, (enum ir_cmp)compare_of(lower_mod(c, PTX_C_ICMP)), IR_I64, a, b);
        return lower_select(c, IR_I64, sum, lower_imm(1), lower_imm(0));
    }
    return a;
}

static bool scalar(struct lower_ctx *c, enum vop op)
{
    bool set = op == V_SET;
    enum ptx_type dt = set ? PTX_U32 : c->inst->type, at = set ? c->inst->type : c->inst->type2, bt = set ? c->inst->type2 : c->inst->type3;
    enum ptx_mod second = lower_mod(c, PTX_C_VOP2);
    bool is_signed = dt == PTX_S32, has_c = lower_has_op(c, 3);
    struct ir_operand a, b, v, third;
    struct part d;
    if (set && compare_of(lower_mod(c, PTX_C_ICMP)) < 0)
        return lower_fail(c, "this comparison does not exist here");
    if (!part_of(c, 0, &d) || !read_part(c, 1, at == PTX_S32, &a) || !read_part(c, 2, bt == PTX_S32, &b))
        return false;
    bool merges = d.bits < 32;
    if ((merges && second) || has_c != (merges || second))
        return lower_fail(c, "c is for a second operation, or for a result that is a part of a register");
    third = has_c ? whole(c, 3) : lower_imm(0);
    v = compute(c, op, a, b, at == PTX_S32);
    if (lower_has(c, PTX_M_SAT))
        v = clamp(c, v, d.bits, is_signed);
    v = narrow(c, v);
    if (merges) {
        uint32_t mask = ((1u << d.bits) - 1) << d.at;
        v = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_SHL, IR_I32, v, lower_imm(d.at)), lower_imm(mask));
        v = lower_op2(c, IR_OR, IR_I32, v, lower_op2(c, IR_AND, IR_I32, third, lower_imm((uint32_t)~mask)));
    } else if (second) {
        enum ir_op how = second == PTX_M_ADD ? IR_ADD : second == PTX_M_MIN ? (is_signed ? IR_MIN_S : IR_MIN_U) : is_signed ? IR_MAX_S : IR_MAX_U;
        v = lower_op2(c, how, IR_I32, v, third);
    }
    lower_set(c, 0, dt, v);
    return true;
}

bool lower_VADD(struct lower_ctx *c) { return scalar(c, V_ADD); }
bool lower_VSUB(struct lower_ctx *c) { return scalar(c, V_SUB); }
bool lower_VABSDIFF(struct lower_ctx *c) { return scalar(c, V_ABSDIFF); }
bool lower_VMIN(struct lower_ctx *c) { return scalar(c, V_MIN); }
bool lower_VMAX(struct lower_ctx *c) { return scalar(c, V_MAX); }
bool lower_VSHL(struct lower_ctx *c) { return scalar(c, V_SHL); }
bool lower_VSHR(struct lower_ctx *c) { return scalar(c, V_SHR); }
bool lower_VSET(struct lower_ctx *c) { return scalar(c, V_SET); }

/* a * b + c in 128 bits, of which 64 are left after the shift. A minus is a complement and a one more at the end. */
bool lower_VMAD(struct lower_ctx *c)
{
    const struct ptx_operand *o = c->inst->ops;
    bool minus = o[1].minus != o[2].minus, plus_one = lower_has(c, PTX_M_PO);
    bool is_signed = c->inst->type2 == PTX_S32 || c->inst->type3 == PTX_S32 || minus || o[3].minus;
    struct ir_operand a, b, lo, hi, third = whole(c, 3);
    if (o[0].sel || o[3].sel)
        return lower_fail(c, "d and c are whole registers");
    if ((minus && o[3].minus) || (plus_one && (o[1].minus || o[2].minus || o[3].minus)))
        return lower_fail(c, "only one of .po, the product and c can be changed");
    if (!read_part(c, 1, c->inst->type2 == PTX_S32, &a) || !read_part(c, 2, c->inst->type3 == PTX_S32, &b))
        return false;
    lo = op2(c, IR_MUL, a, b), hi = op2(c, IR_MULHI_S, a, b);
    if (minus)
        lo = lower_op1(c, IR_NOT, IR_I64, lo), hi = lower_op1(c, IR_NOT, IR_I64, hi);
    third = widen(c, o[3].minus ? lower_op1(c, IR_NOT, IR_I32, third) : third, is_signed);
    struct ir_inst *add = lower_emit(c, IR_ADDC, IR_I64);
    ir_inst_src(add, lo);
    ir_inst_src(add, third);
    ir_inst_src(add, lower_imm(minus || o[3].minus || plus_one));
    ir_inst_dst(add, lower_tmp(c, IR_I64));
    ir_inst_dst(add, lower_tmp(c, IR_I32));
    hi = op2(c, IR_ADD, hi, widen(c, lower_reg(add->dst[1]), false));
    if (is_signed)
        hi = op2(c, IR_ADD, hi, op2(c, IR_SHR_S, third, lower_imm(63)));
    lo = lower_reg(add->dst[0]);
    unsigned shift = lower_has(c, PTX_M_SHR7) ? 7 : lower_has(c, PTX_M_SHR15) ? 15 : 0;
    if (shift)
        lo = lower_op3(c, IR_FSHR, IR_I64, hi, lo, lower_imm(shift));
    if (lower_has(c, PTX_M_SAT))
        lo = is_signed ? clamp(c, lo, 32, true) : op2(c, IR_MIN_U, lo, lower_imm(UINT32_MAX));
    lower_set(c, 0, c->inst->type, narrow(c, lo));
    return true;
}

/* ---- halves or bytes side by side ---- */

enum { MAX_LANES = 4 };

/* Which of the n parts of a (0 .. n-1) and b (n .. 2n-1) the lanes take: "h10", "b3210", highest lane first. */
static bool lane_sources(struct lower_ctx *c, int k, unsigned n, unsigned first, unsigned *out)
{
    const char *sel = c->inst->ops[k].sel;
    for (unsigned i = 0; i < n; i++)
        out[i] = first + i;
    if (!sel)
        return true;
    if (sel[0] != (n == 2 ? 'h' : 'b') || strlen(sel) != n + 1)
        return lower_fail(c, "'.%s' does not choose %u parts", sel, n);
    for (unsigned i = 0; i < n; i++) {
        out[i] = (unsigned)(sel[n - i] - '0');
        if (sel[n - i] < '0' || out[i] >= 2 * n)
            return lower_fail(c, "'.%s' does not choose %u parts", sel, n);
    }
    return true;
}

/* The lanes of d that get a result: "h0", "h10", "b20"; all of them when none is written. */
static bool lane_mask(struct lower_ctx *c, unsigned n, unsigned *out)
{
    const char *sel = c->inst->ops[0].sel;
    *out = sel ? 0 : (1u << n) - 1;
    if (!sel)
        return true;
    if (sel[0] != (n == 2 ? 'h' : 'b') || !sel[1])
        return lower_fail(c, "'.%s' is no set of parts", sel);
    for (const char *s = sel + 1; *s; s++) {
        if (*s < '0' || *s >= (char)('0' + n) || (s > sel + 1 && *s >= s[-1]))
            return lower_fail(c, "'.%s' is no set of parts", sel);
        *out |= 1u << (*s - '0');
    }
    return true;
}

static bool lanes(struct lower_ctx *c, enum vop op, unsigned n)
{
    bool set = op == V_SET, adds = lower_has(c, PTX_M_ADD);
    enum ptx_type dt = set ? PTX_U32 : c->inst->type, at = set ? c->inst->type : c->inst->type2, bt = set ? c->inst->type2 : c->inst->type3;
    unsigned bits = 32 / n, from_a[MAX_LANES], from_b[MAX_LANES], mask;
    struct ir_operand a = whole(c, 1), b = whole(c, 2), third = whole(c, 3), d = third;
    if (set && compare_of(lower_mod(c, PTX_C_ICMP)) < 0)
        return lower_fail(c, "this comparison does not exist here");
    if (adds && lower_has(c, PTX_M_SAT))
        return lower_fail(c, ".sat and .add do not go together");
    if (!lane_sources(c, 1, n, 0, from_a) || !lane_sources(c, 2, n, n, from_b) || !lane_mask(c, n, &mask))
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (!(mask >> i & 1))
            continue;
        struct ir_operand x = piece(c, from_a[i] < n ? a : b, from_a[i] % n * bits, bits, at == PTX_S32);
        struct ir_operand y = piece(c, from_b[i] < n ? a : b, from_b[i] % n * bits, bits, bt == PTX_S32);
        struct ir_operand v = compute(c, op, x, y, at == PTX_S32);
        if (lower_has(c, PTX_M_SAT))
            v = clamp(c, v, bits, dt == PTX_S32);
        v = narrow(c, v);
        if (adds) {
            d = lower_op2(c, IR_ADD, IR_I32, d, v);
        } else {
            uint32_t lane = (uint32_t)(((uint64_t)1 << bits) - 1) << i * bits;
            v = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_SHL, IR_I32, v, lower_imm(i * bits)), lower_imm(lane));
            d = lower_op2(c, IR_OR, IR_I32, lower_op2(c, IR_AND, IR_I32, d, lower_imm((uint32_t)~lane)), v);
        }
    }
    lower_set(c, 0, dt, d);
    return true;
}

#define LANES(name, op)                                                  \
    bool lower_##name##2(struct lower_ctx *c) { return lanes(c, op, 2); } \
    bool lower_##name##4(struct lower_ctx *c) { return lanes(c, op, 4); }
LANES(VADD, V_ADD)
LANES(VSUB, V_SUB)
LANES(VAVRG, V_AVRG)
LANES(VABSDIFF, V_ABSDIFF)
LANES(VMIN, V_MIN)
LANES(VMAX, V_MAX)
LANES(VSET, V_SET)
