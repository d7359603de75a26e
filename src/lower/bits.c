/* SPDX-License-Identifier: Apache-2.0 */
/* Logic, shifts and bit fields. */
#include "lower/lower_internal.h"

static bool binary(struct lower_ctx *c, enum ir_op op)
{
    enum ptx_type t = c->inst->type;
    lower_set(c, 0, t, lower_op2(c, op, lower_type(t), lower_src(c, 1, t), lower_src(c, 2, t)));
    return true;
}

static bool unary(struct lower_ctx *c, enum ir_op op, enum ptx_type result)
{
    enum ptx_type t = c->inst->type;
    lower_set(c, 0, result, lower_op1(c, op, lower_type(t), lower_src(c, 1, t)));
    return true;
}

bool lower_AND(struct lower_ctx *c) { return binary(c, IR_AND); }
bool lower_OR(struct lower_ctx *c) { return binary(c, IR_OR); }
bool lower_XOR(struct lower_ctx *c) { return binary(c, IR_XOR); }
bool lower_NOT(struct lower_ctx *c) { return unary(c, IR_NOT, c->inst->type); }
bool lower_POPC(struct lower_ctx *c) { return unary(c, IR_POPC, PTX_U32); }
bool lower_CLZ(struct lower_ctx *c) { return unary(c, IR_CLZ, PTX_U32); }
bool lower_BREV(struct lower_ctx *c) { return unary(c, IR_BREV, c->inst->type); }

bool lower_CNOT(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand zero = lower_cmp(c, IR_EQ, lower_type(t), lower_src(c, 1, t), lower_imm(0));
    lower_set(c, 0, t, lower_select(c, lower_type(t), zero, lower_imm(1), lower_imm(0)));
    return true;
}

static bool shift(struct lower_ctx *c, enum ir_op op)
{
    enum ptx_type t = c->inst->type;
    lower_set(c, 0, t, lower_op2(c, op, lower_type(t), lower_src(c, 1, t), lower_src(c, 2, PTX_U32)));
    return true;
}

bool lower_SHL(struct lower_ctx *c) { return shift(c, IR_SHL); }
bool lower_SHR(struct lower_ctx *c) { return shift(c, ptx_type_is_signed(c->inst->type) ? IR_SHR_S : IR_SHR_U); }

/* a is the low word, b the high one. */
bool lower_SHF(struct lower_ctx *c)
{
    bool left = lower_has(c, PTX_M_L);
    struct ir_operand lo = lower_src(c, 1, PTX_B32), hi = lower_src(c, 2, PTX_B32), n = lower_src(c, 3, PTX_U32);
    struct ir_operand r = lower_op3(c, left ? IR_FSHL : IR_FSHR, IR_I32, hi, lo, n);
    if (lower_has(c, PTX_M_CLAMP)) {         /* FSHL and FSHR wrap; from 32 on the other word is the whole result */
        struct ir_operand big = lower_cmp(c, IR_UGE, IR_I32, n, lower_imm(32));
        r = lower_select(c, IR_I32, big, left ? lo : hi, r);
    }
    lower_set(c, 0, PTX_B32, r);
    return true;
}

/* Position or length of a field: 32-bit instructions look at the low byte. The 64-bit ones look at all of it, whatever
   the manual says: an H200 does (oracle, bfe.u64 and bfi.b64). */
static struct ir_operand field_operand(struct lower_ctx *c, int k)
{
    struct ir_operand v = lower_src(c, k, PTX_U32);
    if (ptx_type_bits(c->inst->type) == 64)
        return v;
    return v.kind == IR_IMM ? lower_imm(v.imm & 0xff) : lower_op2(c, IR_AND, IR_I32, v, lower_imm(0xff));
}

/* The low n bits set; all of them for n >= the width, because SHL gives 0 there. */
static struct ir_operand low_mask(struct lower_ctx *c, enum ir_type type, struct ir_operand n)
{
    return lower_op2(c, IR_SUB, type, lower_op2(c, IR_SHL, type, lower_imm(1), n), lower_imm(1));
}

bool lower_BFE(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = lower_type(t);
    unsigned width = ir_type_bits(type);
    struct ir_operand a = lower_src(c, 1, t), pos = field_operand(c, 2), len = field_operand(c, 3), r;
    if (!ptx_type_is_signed(t)) {
        r = lower_op2(c, IR_AND, type, lower_op2(c, IR_SHR_U, type, a, pos), low_mask(c, type, len));
    } else {
        /* Bits past the top repeat the sign, which SHR_S does; then the field's top bit moves to the top and back.
           Length 0 shifts by the full width: 0. */
        struct ir_operand up = lower_op2(c, IR_SUB, IR_I32, lower_imm(width), lower_op2(c, IR_MIN_U, IR_I32, len, lower_imm(width)));
        r = lower_op2(c, IR_SHL, type, lower_op2(c, IR_SHR_S, type, a, pos), up);
        r = lower_op2(c, IR_SHR_S, type, r, up);
    }
    lower_set(c, 0, t, r);
    return true;
}

bool lower_BFI(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = lower_type(t);
    struct ir_operand a = lower_src(c, 1, t), b = lower_src(c, 2, t), pos = field_operand(c, 3), len = field_operand(c, 4);
    struct ir_operand mask = lower_op2(c, IR_SHL, type, low_mask(c, type, len), pos);
    struct ir_operand in = lower_op2(c, IR_AND, type, lower_op2(c, IR_SHL, type, a, pos), mask);
    struct ir_operand rest = lower_op2(c, IR_AND, type, b, lower_op1(c, IR_NOT, type, mask));
    lower_set(c, 0, t, lower_op2(c, IR_OR, type, in, rest));
    return true;
}

/* Index of the highest bit that differs from the sign, all ones when there is none. */
bool lower_BFIND(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = lower_type(t);
    unsigned width = ir_type_bits(type);
    struct ir_operand a = lower_src(c, 1, t);
    if (ptx_type_is_signed(t))
        a = lower_op2(c, IR_XOR, type, a, lower_op2(c, IR_SHR_S, type, a, lower_imm(width - 1)));
    struct ir_operand clz = lower_op1(c, IR_CLZ, type, a), r;
    if (lower_has(c, PTX_M_SHIFTAMT))
        r = lower_select(c, IR_I32, lower_cmp(c, IR_EQ, IR_I32, clz, lower_imm(width)), lower_imm(0xffffffff), clz);
    else
        r = lower_op2(c, IR_SUB, IR_I32, lower_imm(width - 1), clz);
    lower_set(c, 0, PTX_U32, r);
    return true;
}

static struct ir_operand clamp_or_wrap(struct lower_ctx *c, struct ir_operand n)
{
    return lower_has(c, PTX_M_CLAMP) ? lower_op2(c, IR_MIN_U, IR_I32, n, lower_imm(32)) : lower_op2(c, IR_AND, IR_I32, n, lower_imm(31));
}

bool lower_BMSK(struct lower_ctx *c)
{
    struct ir_operand pos = clamp_or_wrap(c, lower_src(c, 1, PTX_B32)), len = clamp_or_wrap(c, lower_src(c, 2, PTX_B32));
    struct ir_operand from = lower_op2(c, IR_SHL, IR_I32, lower_imm(0xffffffff), pos);
    struct ir_operand past = lower_op2(c, IR_SHL, IR_I32, lower_imm(0xffffffff), lower_op2(c, IR_ADD, IR_I32, pos, len));
    lower_set(c, 0, PTX_B32, lower_op2(c, IR_AND, IR_I32, from, lower_op1(c, IR_NOT, IR_I32, past)));
    return true;
}

bool lower_SZEXT(struct lower_ctx *c)
{
    bool sign = ptx_type_is_signed(c->inst->type);
    struct ir_operand a = lower_src(c, 1, PTX_B32), n = clamp_or_wrap(c, lower_src(c, 2, PTX_U32)), r;
    if (sign) {
        struct ir_operand up = lower_op2(c, IR_SUB, IR_I32, lower_imm(32), n);
        r = lower_op2(c, IR_SHR_S, IR_I32, lower_op2(c, IR_SHL, IR_I32, a, up), up);
    } else {
        r = lower_op2(c, IR_AND, IR_I32, a, low_mask(c, IR_I32, n));
    }
    lower_set(c, 0, c->inst->type, r);
    return true;
}

/* One of the 16 functions of two words; bit 2*a + b of the table is its value. */
static struct ir_operand logic2(struct lower_ctx *c, unsigned table, struct ir_operand a, struct ir_operand b)
{
    switch (table) {
    case 0x0: return lower_imm(0);
    case 0xf: return lower_imm(0xffffffff);
    case 0xc: return a;
    case 0xa: return b;
    case 0x8: return lower_op2(c, IR_AND, IR_I32, a, b);
    case 0xe: return lower_op2(c, IR_OR, IR_I32, a, b);
    case 0x6: return lower_op2(c, IR_XOR, IR_I32, a, b);
    case 0x4: return lower_op2(c, IR_AND, IR_I32, a, lower_op1(c, IR_NOT, IR_I32, b));
    case 0x2: return lower_op2(c, IR_AND, IR_I32, lower_op1(c, IR_NOT, IR_I32, a), b);
    default: return lower_op1(c, IR_NOT, IR_I32, logic2(c, ~table & 0xf, a, b));
    }
}

/* Bit 4*a + 2*b + c of the table: split by c into two functions of a and b, then joined in the cheapest way. */
static struct ir_operand logic3(struct lower_ctx *c, unsigned table, struct ir_operand a, struct ir_operand b, struct ir_operand x)
{
    unsigned f0 = 0, f1 = 0;
    for (unsigned i = 0; i < 4; i++) {
        f0 |= (table >> (2 * i) & 1) << i;
        f1 |= (table >> (2 * i + 1) & 1) << i;
    }
    if (f0 == f1)
        return logic2(c, f0, a, b);
    if (f0 == (~f1 & 0xf))
        return lower_op2(c, IR_XOR, IR_I32, logic2(c, f0, a, b), x);
    if (f0 == 0)
        return lower_op2(c, IR_AND, IR_I32, logic2(c, f1, a, b), x);
    if (f1 == 0xf)
        return lower_op2(c, IR_OR, IR_I32, logic2(c, f0, a, b), x);
    struct ir_operand not_x = lower_op1(c, IR_NOT, IR_I32, x);
    if (f1 == 0)
        return lower_op2(c, IR_AND, IR_I32, logic2(c, f0, a, b), not_x);
    if (f0 == 0xf)
        return lower_op2(c, IR_OR, IR_I32, logic2(c, f1, a, b), not_x);
    struct ir_operand one = lower_op2(c, IR_AND, IR_I32, logic2(c, f1, a, b), x);
    return lower_op2(c, IR_OR, IR_I32, one, lower_op2(c, IR_AND, IR_I32, logic2(c, f0, a, b), not_x));
}

static bool lop3_value(struct lower_ctx *c, int first, struct ir_operand *out)
{
    int64_t table = c->inst->ops[first + 3].imm;
    if (table < 0 || table > 255)
        return lower_fail(c, "the table %lld is not in 0..255", (long long)table);
    *out = logic3(c, (unsigned)table, lower_src(c, first, PTX_B32), lower_src(c, first + 1, PTX_B32), lower_src(c, first + 2, PTX_B32));
    return true;
}

bool lower_LOP3(struct lower_ctx *c)
{
    struct ir_operand r;
    if (!lop3_value(c, 1, &r))
        return false;
    lower_set(c, 0, PTX_B32, r);
    return true;
}

/* lop3.or d|p, a, b, c, table, q: also p = (d != 0) or q. */
bool lower_LOP3_BOOL(struct lower_ctx *c)
{
    struct ir_operand r;
    if (!lop3_value(c, 2, &r))
        return false;
    enum ir_op op = lower_has(c, PTX_M_AND) ? IR_AND : lower_has(c, PTX_M_OR) ? IR_OR : IR_XOR;
    struct ir_operand nonzero = lower_cmp(c, IR_NE, IR_I32, r, lower_imm(0));
    struct ir_operand p = lower_op2(c, op, IR_PRED, nonzero, lower_src(c, 6, PTX_PRED));
    lower_set(c, 0, PTX_B32, r);
    if (lower_has_op(c, 1))
        lower_set(c, 1, PTX_PRED, p);
    return true;
}

/* The named modes choose one of four selectors by the low two bits of c. */
bool lower_PRMT(struct lower_ctx *c)
{
    static const struct {
        enum ptx_mod mode;
        uint64_t selectors;      /* 16 bits each, for 0 first */
    } modes[] = {
        { PTX_M_F4E, 0x6543543243213210 }, { PTX_M_B4E, 0x0123701267015670 }, { PTX_M_RC8, 0x3333222211110000 },
        { PTX_M_ECL, 0x3333322232113210 }, { PTX_M_ECR, 0x3210221011100000 }, { PTX_M_RC16, 0x3232101032321010 },
    };
    struct ir_operand a = lower_src(c, 1, PTX_B32), b = lower_src(c, 2, PTX_B32), sel = lower_src(c, 3, PTX_B32);
    for (size_t i = 0; i < HW_LEN(modes); i++) {
        if (!lower_has(c, modes[i].mode))
            continue;
        if (sel.kind == IR_IMM) {
            sel = lower_imm(modes[i].selectors >> (sel.imm & 3) * 16 & 0xffff);
        } else {
            struct ir_operand n = lower_op2(c, IR_SHL, IR_I32, lower_op2(c, IR_AND, IR_I32, sel, lower_imm(3)), lower_imm(4));
            struct ir_operand wide = lower_op2(c, IR_SHR_U, IR_I64, lower_imm(modes[i].selectors), n);
            sel = lower_op2(c, IR_AND, IR_I32, lower_resize(c, IR_I32, IR_I64, false, wide), lower_imm(0xffff));
        }
    }
    lower_set(c, 0, PTX_B32, lower_op3(c, IR_PRMT, IR_I32, a, b, sel));
    return true;
}

/* Position of the k-th set bit of m (k from 1), by halving: five steps. All ones when there are not so many. */
static struct ir_operand nth_set_bit(struct lower_ctx *c, struct ir_operand m, struct ir_operand k)
{
    struct ir_operand found = lower_cmp(c, IR_UGE, IR_I32, lower_op1(c, IR_POPC, IR_I32, m), k), pos = lower_imm(0);
    for (unsigned w = 16; w; w /= 2) {
        struct ir_operand part = lower_op2(c, IR_AND, IR_I32, lower_op2(c, IR_SHR_U, IR_I32, m, pos), lower_imm((1u << w) - 1));
        struct ir_operand n = lower_op1(c, IR_POPC, IR_I32, part);
        struct ir_operand beyond = lower_cmp(c, IR_UGT, IR_I32, k, n);
        k = lower_select(c, IR_I32, beyond, lower_op2(c, IR_SUB, IR_I32, k, n), k);
        pos = lower_select(c, IR_I32, beyond, lower_op2(c, IR_ADD, IR_I32, pos, lower_imm(w)), pos);
    }
    return lower_select(c, IR_I32, found, pos, lower_imm(0xffffffff));
}

/* fns d, mask, base, offset: the offset-th set bit from base upwards, downwards for a negative offset (done on the mirror
   image), base itself for 0. */
bool lower_FNS(struct lower_ctx *c)
{
    struct ir_operand mask = lower_src(c, 1, PTX_B32), base = lower_src(c, 2, PTX_B32), offset = lower_src(c, 3, PTX_B32);
    struct ir_operand down = lower_cmp(c, IR_SLT, IR_I32, offset, lower_imm(0)), zero = lower_cmp(c, IR_EQ, IR_I32, offset, lower_imm(0));
    struct ir_operand mirror = lower_op1(c, IR_BREV, IR_I32, mask);
    struct ir_operand from = lower_select(c, IR_I32, down, lower_op2(c, IR_SUB, IR_I32, lower_imm(31), base), base);
    struct ir_operand bits = lower_select(c, IR_I32, down, mirror, mask);
    bits = lower_op2(c, IR_AND, IR_I32, bits, lower_op2(c, IR_SHL, IR_I32, lower_imm(0xffffffff), from));
    struct ir_operand only = lower_op2(c, IR_AND, IR_I32, mask, lower_op2(c, IR_SHL, IR_I32, lower_imm(1), base));
    bits = lower_select(c, IR_I32, zero, only, bits);
    struct ir_operand k = lower_op2(c, IR_MAX_U, IR_I32, lower_op1(c, IR_ABS, IR_I32, offset), lower_imm(1));
    struct ir_operand pos = nth_set_bit(c, bits, k);
    struct ir_operand none = lower_cmp(c, IR_EQ, IR_I32, pos, lower_imm(0xffffffff));
    struct ir_operand back = lower_select(c, IR_I32, none, pos, lower_op2(c, IR_SUB, IR_I32, lower_imm(31), pos));
    struct ir_operand r = lower_select(c, IR_I32, down, back, pos);
    /* The least offset has no magnitude; an H200 answers 0. */
    struct ir_operand least = lower_cmp(c, IR_EQ, IR_I32, offset, lower_imm(0x80000000));
    lower_set(c, 0, PTX_B32, lower_select(c, IR_I32, least, lower_imm(0), r));
    return true;
}
