/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of __nv_* that work on the two halfwords or four bytes of a word: each piece is done in 32 bits. */
#include "lower/nvmath.h"

typedef struct ir_operand val;

static val op(struct lower_ctx *c, enum ir_op o, val a, val b)
{
    return lower_op2(c, o, IR_I32, a, b);
}

static val imm(int32_t x)
{
    return lower_imm((uint32_t)x);
}

/* Piece k of a word, `bits` wide, extended. */
static val piece(struct lower_ctx *c, val word, int k, int bits, bool is_signed)
{
    val top = op(c, IR_SHL, word, imm(32 - bits * (k + 1)));

    return op(c, is_signed ? IR_SHR_S : IR_SHR_U, top, imm(32 - bits));
}

/* The word so far, with piece k added. */
static val put(struct lower_ctx *c, val word, val x, int k, int bits)
{
    val at = op(c, IR_SHL, op(c, IR_AND, x, imm((1 << bits) - 1)), imm(bits * k));

    return k ? op(c, IR_OR, word, at) : at;
}

static val clamp(struct lower_ctx *c, val x, int lo, int hi)
{
    return op(c, IR_MIN_S, op(c, IR_MAX_S, x, imm(lo)), imm(hi));
}

static bool works_signed(enum nv_simd what)
{
    switch (what) {
    case NV_ABSDIFF_U:
    case NV_ADD_SAT_U:
    case NV_SUB_SAT_U:
    case NV_AVG_U:
    case NV_HADD_U:
    case NV_MAX_U:
    case NV_MIN_U:
        return false;
    default:
        return true;
    }
}

static val compute(struct lower_ctx *c, enum nv_simd what, int bits, val a, val b)
{
    int top = (1 << (bits - 1)) - 1, all = (1 << bits) - 1;
    val sum;

    switch (what) {
    case NV_ABS:
        return lower_op1(c, IR_ABS, IR_I32, a);
    case NV_ABS_SAT:
        return clamp(c, lower_op1(c, IR_ABS, IR_I32, a), 0, top);
    case NV_NEG:
        return lower_op1(c, IR_NEG, IR_I32, a);
    case NV_NEG_SAT:
        return clamp(c, lower_op1(c, IR_NEG, IR_I32, a), -top - 1, top);
    case NV_ABSDIFF_S:
    case NV_ABSDIFF_U:
        return lower_op1(c, IR_ABS, IR_I32, op(c, IR_SUB, a, b));
    case NV_ADD:
        return op(c, IR_ADD, a, b);
    case NV_ADD_SAT_S:
        return clamp(c, op(c, IR_ADD, a, b), -top - 1, top);
    case NV_ADD_SAT_U:
        return clamp(c, op(c, IR_ADD, a, b), 0, all);
    case NV_SUB:
        return op(c, IR_SUB, a, b);
    case NV_SUB_SAT_S:
        return clamp(c, op(c, IR_SUB, a, b), -top - 1, top);
    case NV_SUB_SAT_U:
        return clamp(c, op(c, IR_SUB, a, b), 0, all);
    case NV_AVG_S:                /* halves away from zero: add 1 only where the sum is not negative */
        sum = op(c, IR_ADD, a, b);
        return op(c, IR_SHR_S, op(c, IR_ADD, sum, op(c, IR_ADD, op(c, IR_SHR_S, sum, imm(31)), imm(1))), imm(1));
    case NV_AVG_U:
        return op(c, IR_SHR_U, op(c, IR_ADD, op(c, IR_ADD, a, b), imm(1)), imm(1));
    case NV_HADD_U:
        return op(c, IR_SHR_U, op(c, IR_ADD, a, b), imm(1));
    case NV_MAX_S:
    case NV_MAX_U:
        return op(c, IR_MAX_S, a, b);
    case NV_MIN_S:
    case NV_MIN_U:
        return op(c, IR_MIN_S, a, b);
    }
    return a;
}

static val second(const struct nv_row *row, const struct ir_operand *a)
{
    return nv_n_args(row) > 1 ? a[1] : a[0];
}

struct ir_operand nv_simd(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    int bits = row->arg;
    bool is_signed = works_signed(row->op);
    val word = imm(0);

    for (int k = 0; k < 32 / bits; k++) {
        val x = piece(c, a[0], k, bits, is_signed), y = nv_n_args(row) > 1 ? piece(c, second(row, a), k, bits, is_signed) : x;

        word = put(c, word, compute(c, row->op, bits, x, y), k, bits);
    }
    return word;
}

/* The sum of the differences' sizes. */
struct ir_operand nv_simd_sad(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    int bits = row->arg;
    bool is_signed = works_signed(row->op);
    val sum = imm(0);

    for (int k = 0; k < 32 / bits; k++)
        sum = op(c, IR_ADD, sum, compute(c, row->op, bits, piece(c, a[0], k, bits, is_signed), piece(c, a[1], k, bits, is_signed)));
    return sum;
}

static val compare(struct lower_ctx *c, const struct nv_row *row, const val *a, int yes)
{
    int bits = row->arg;
    bool is_signed = row->op == IR_SGE || row->op == IR_SGT || row->op == IR_SLE || row->op == IR_SLT;
    val word = imm(0);

    for (int k = 0; k < 32 / bits; k++) {
        val x = piece(c, a[0], k, bits, is_signed), y = piece(c, a[1], k, bits, is_signed);

        word = put(c, word, lower_select(c, IR_I32, lower_cmp(c, row->op, IR_I32, x, y), imm(yes), imm(0)), k, bits);
    }
    return word;
}

struct ir_operand nv_simd_cmp(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return compare(c, row, a, -1);
}

struct ir_operand nv_simd_set(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return compare(c, row, a, 1);
}
