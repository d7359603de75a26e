/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of __nv_* that call a row of ir/math.def, and lengths of vectors. */
#include "lower/nvmath.h"

typedef struct ir_operand val;

static val call(struct lower_ctx *c, enum ir_math id, enum ir_type result, const val *a, int n)
{
    val r = nv_emit(c, IR_MATH, result, result, a, n);

    lower_last(c)->imm = id;
    return r;
}

static val to_f64(struct lower_ctx *c, val x)
{
    return lower_cvt(c, IR_FTOF, IR_F64, IR_F32, x, IR_RN);
}

static val to_f32(struct lower_ctx *c, val x)
{
    return lower_cvt(c, IR_FTOF, IR_F32, IR_F64, x, IR_RN);
}

struct ir_operand nv_math(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return call(c, row->op, nv_result_type(row), a, nv_n_args(row));
}

/* A float function by way of the double one. */
struct ir_operand nv_math_wide(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    val wide[IR_MAX_SRC];

    for (int i = 0; i < nv_n_args(row); i++)
        wide[i] = nv_arg_type(row, i) == IR_F32 ? to_f64(c, a[i]) : a[i];
    return to_f32(c, call(c, row->op, IR_F64, wide, nv_n_args(row)));
}

/* An int is exact as a double, not as a float. */
struct ir_operand nv_powi(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    bool single = nv_result_type(row) == IR_F32;
    val x = single ? to_f64(c, a[0]) : a[0];
    val r = call(c, IR_MATH_POW, IR_F64, (val[]){ x, lower_cvt(c, IR_ITOF_S, IR_F64, IR_I32, a[1], IR_RN) }, 2);

    return single ? to_f32(c, r) : r;
}

struct ir_operand nv_remquo(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    bool single = nv_result_type(row) == IR_F32;
    val wide[2] = { single ? to_f64(c, a[0]) : a[0], single ? to_f64(c, a[1]) : a[1] };
    val r = call(c, single ? IR_MATH_REMAINDERF : IR_MATH_REMAINDER, nv_result_type(row), a, 2);

    lower_store_generic(c, IR_I32, a[2], 0, call(c, IR_MATH_REMQUO_Q, IR_I32, wide, 2));
    return r;
}

struct ir_operand nv_sincos(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type t = nv_arg_type(row, 0);
    val s = call(c, row->op, t, a, 1), k = call(c, row->arg, t, a, 1);

    lower_store_generic(c, t, a[1], 0, s);
    lower_store_generic(c, t, a[2], 0, k);
    return (val){ 0 };
}

/* ---- lengths ---- */

/* From the sum of squares (F64) to a float; an infinite coordinate wins over a NaN beside it. */
static val finish_f32(struct lower_ctx *c, bool inverse, val sum, val largest)
{
    val r = lower_op1(c, IR_FSQRT, IR_F64, sum);
    val infinite = lower_cmp(c, IR_FEQ, IR_F32, largest, nv_float(IR_F32, __builtin_inf()));

    if (inverse)
        r = lower_op2(c, IR_FDIV, IR_F64, nv_float(IR_F64, 1), r);
    return lower_select(c, IR_F32, infinite, nv_float(IR_F32, inverse ? 0 : __builtin_inf()), to_f32(c, r));
}

/* Squares of floats are exact in F64 and cannot overflow there. op: 1 / length. */
struct ir_operand nv_length_f32(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    val sum = nv_float(IR_F64, 0), largest = nv_float(IR_F32, 0);

    for (int i = 0; i < nv_n_args(row); i++) {
        val x = to_f64(c, a[i]);

        sum = lower_op3(c, IR_FMA, IR_F64, x, x, sum);
        largest = lower_op2(c, IR_FMAX, IR_F32, largest, lower_op1(c, IR_FABS, IR_F32, a[i]));
    }
    return finish_f32(c, row->op, sum, largest);
}

/* A loop over the n elements behind a pointer. Between begin and end, x is the element. */
struct loop {
    struct ir_reg *i, *at;
    struct ir_block *head, *exit;
    val x;
};

static void loop_begin(struct lower_ctx *c, struct loop *loop, enum ir_type t, val n, val base)
{
    struct ir_block *body = lower_new_block(c, NULL);

    loop->i = lower_tmp(c, IR_I32);
    loop->at = lower_tmp(c, IR_I64);
    loop->head = lower_new_block(c, NULL);
    loop->exit = lower_new_block(c, NULL);
    lower_mov(c, loop->i, lower_imm(0));
    lower_mov(c, loop->at, base);
    lower_br(c, loop->head);
    c->block = loop->head;
    lower_cbr(c, lower_cmp(c, IR_SLT, IR_I32, lower_reg(loop->i), n), body, loop->exit);
    c->block = body;
    loop->x = lower_load_generic(c, t, lower_reg(loop->at), 0);
}

static void loop_end(struct lower_ctx *c, struct loop *loop, enum ir_type t)
{
    lower_mov(c, loop->i, lower_op2(c, IR_ADD, IR_I32, lower_reg(loop->i), lower_imm(1)));
    lower_mov(c, loop->at, lower_op2(c, IR_ADD, IR_I64, lower_reg(loop->at), lower_imm(ir_type_bits(t) / 8)));
    lower_br(c, loop->head);
    c->block = loop->exit;
}

struct ir_operand nv_norm_f32(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_reg *sum = lower_tmp(c, IR_F64), *largest = lower_tmp(c, IR_F32);
    struct loop loop;
    val x;

    lower_mov(c, sum, nv_float(IR_F64, 0));
    lower_mov(c, largest, nv_float(IR_F32, 0));
    loop_begin(c, &loop, IR_F32, a[0], a[1]);
    x = to_f64(c, loop.x);
    lower_mov(c, sum, lower_op3(c, IR_FMA, IR_F64, x, x, lower_reg(sum)));
    lower_mov(c, largest, lower_op2(c, IR_FMAX, IR_F32, lower_reg(largest), lower_op1(c, IR_FABS, IR_F32, loop.x)));
    loop_end(c, &loop, IR_F32);
    return finish_f32(c, row->op, lower_reg(sum), lower_reg(largest));
}

/* Doubles need two passes: the largest element gives a power of two that keeps the squares in range. */
struct ir_operand nv_norm_f64(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_reg *sum = lower_tmp(c, IR_F64), *largest = lower_tmp(c, IR_F64);
    struct loop loop;
    val field, scale, back, x, r, infinite;

    lower_mov(c, sum, nv_float(IR_F64, 0));
    lower_mov(c, largest, nv_float(IR_F64, 0));
    loop_begin(c, &loop, IR_F64, a[0], a[1]);
    lower_mov(c, largest, lower_op2(c, IR_FMAX, IR_F64, lower_reg(largest), lower_op1(c, IR_FABS, IR_F64, loop.x)));
    loop_end(c, &loop, IR_F64);

    /* exponent field of the largest, kept where both the power and its inverse are normal numbers */
    field = lower_op2(c, IR_SHR_U, IR_I64, lower_reg(largest), lower_imm(52));
    field = lower_op2(c, IR_MIN_U, IR_I64, lower_op2(c, IR_MAX_U, IR_I64, field, lower_imm(1)), lower_imm(2045));
    back = lower_op2(c, IR_SHL, IR_I64, field, lower_imm(52));
    scale = lower_op2(c, IR_SHL, IR_I64, lower_op2(c, IR_SUB, IR_I64, lower_imm(2046), field), lower_imm(52));

    loop_begin(c, &loop, IR_F64, a[0], a[1]);
    x = lower_op2(c, IR_FMUL, IR_F64, loop.x, scale);
    lower_mov(c, sum, lower_op3(c, IR_FMA, IR_F64, x, x, lower_reg(sum)));
    loop_end(c, &loop, IR_F64);

    r = lower_op1(c, IR_FSQRT, IR_F64, lower_reg(sum));
    infinite = lower_cmp(c, IR_FEQ, IR_F64, lower_reg(largest), nv_float(IR_F64, __builtin_inf()));
    if (row->op)
        r = lower_op2(c, IR_FMUL, IR_F64, lower_op2(c, IR_FDIV, IR_F64, nv_float(IR_F64, 1), r), scale);
    else
        r = lower_op2(c, IR_FMUL, IR_F64, r, back);
    return lower_select(c, IR_F64, infinite, nv_float(IR_F64, row->op ? 0 : __builtin_inf()), r);
}
