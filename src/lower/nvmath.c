/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of external __nv_* functions: the table, and the emitters for integers, bits and conversions. */
#include "lower/nvmath.h"

#include <pthread.h>

#include "base/hash.h"

#define NV(name, signature, emitter, op, arg) { name, signature, nv_##emitter, op, arg },
static const struct nv_row nv_rows[] = {
#include "lower/nvmath.def"
};
#undef NV

static pthread_once_t nv_once = PTHREAD_ONCE_INIT;
static struct hw_map nv_by_name;                 /* const after nv_once */

static void nv_index(void)
{
    for (size_t i = 0; i < HW_LEN(nv_rows); i++)
        hw_map_set_str(&nv_by_name, nv_rows[i].name, (void *)&nv_rows[i]);
}

enum ir_type nv_type(char letter)
{
    switch (letter) {
    case 'i':
        return IR_I32;
    case 'l':
        return IR_I64;
    case 'h':
        return IR_F16;
    case 'f':
        return IR_F32;
    case 'd':
        return IR_F64;
    default:
        return IR_VOID;
    }
}

static enum ir_type integer_of(enum ir_type type)
{
    return ir_type_of_bits(ir_type_bits(type));
}

/* A 16-bit argument or result travels in a parameter of 32 bits. */
static struct ir_operand resize(struct lower_ctx *c, enum ir_type to, struct ir_operand o)
{
    return o.kind == IR_REG ? lower_resize(c, integer_of(to), o.reg->type, false, o) : o;
}

bool lower_nvmath(struct lower_ctx *c, const char *name, struct ir_reg *dst, const struct ir_operand *src, int n_src)
{
    const struct nv_row *row;
    struct ir_operand args[IR_MAX_SRC], result;

    if (strncmp(name, "__nv_", 5))
        return false;
    pthread_once(&nv_once, nv_index);
    row = hw_map_get_str(&nv_by_name, name + 5);
    bool nothing = row && row->signature[0] == 'v';
    if (!row || nv_n_args(row) != n_src || (!dst && !nothing))
        return false;
    for (int i = 0; i < n_src; i++)
        args[i] = resize(c, nv_arg_type(row, i), src[i]);
    result = row->emit(c, row, args);
    if (dst && nothing) {                        /* numba declares sincos() with a result and looks at none */
        lower_mov(c, dst, lower_imm(0));
    } else if (dst) {
        /* an immediate needs no resizing, and a register has the result's size */
        if (result.kind == IR_REG && result.reg->type != dst->type)
            result = lower_resize(c, dst->type, result.reg->type, false, result);
        lower_mov(c, dst, result);
    }
    return true;
}

struct ir_operand nv_emit(struct lower_ctx *c, enum ir_op op, enum ir_type type, enum ir_type result, const struct ir_operand *a, int n)
{
    struct ir_reg *dst = lower_tmp(c, result);
    struct ir_inst *inst = lower_emit(c, op, type);

    ir_inst_dst(inst, dst);
    for (int i = 0; i < n; i++)
        ir_inst_src(inst, a[i]);
    return ir_reg_operand(dst);
}

struct ir_operand nv_emit_rnd(struct lower_ctx *c, enum ir_op op, enum ir_type type, enum ir_rnd rnd, const struct ir_operand *a, int n)
{
    struct ir_operand result = nv_emit(c, op, type, type, a, n);

    lower_last(c)->rnd = (uint8_t)rnd;
    return result;
}

struct ir_operand nv_float(enum ir_type type, double value)
{
    return type == IR_F32 ? lower_f32((float)value) : lower_f64(value);
}

/* ---- integers ---- */

/* One instruction, working on the type of its arguments. arg: the rounding. */
struct ir_operand nv_op(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_operand r = nv_emit(c, row->op, nv_arg_type(row, 0), nv_result_type(row), a, nv_n_args(row));

    lower_last(c)->rnd = (uint8_t)row->arg;
    return r;
}

/* Unlike prmt it looks at three bits of each selector only: no piece is a sign. */
struct ir_operand nv_byte_perm(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    (void)row;
    return lower_op3(c, IR_PRMT, IR_I32, a[0], a[1], lower_op2(c, IR_AND, IR_I32, a[2], lower_imm(0x7777)));
}

struct ir_operand nv_ffs(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type type = nv_arg_type(row, 0);
    struct ir_operand ctz = nv_emit(c, IR_CTZ, type, IR_I32, a, 1);
    struct ir_operand zero = lower_cmp(c, IR_EQ, type, a[0], lower_imm(0));

    return lower_select(c, IR_I32, zero, lower_imm(0), lower_op2(c, IR_ADD, IR_I32, ctz, lower_imm(1)));
}

/* The low 24 bits of each, with their sign when op is SHR_S. */
struct ir_operand nv_mul24(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_operand v[2];

    for (int i = 0; i < 2; i++)
        v[i] = lower_op2(c, row->op, IR_I32, lower_op2(c, IR_SHL, IR_I32, a[i], lower_imm(8)), lower_imm(8));
    return lower_op2(c, IR_MUL, IR_I32, v[0], v[1]);
}

struct ir_operand nv_sad(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_operand max = lower_op2(c, row->op, IR_I32, a[0], a[1]);
    struct ir_operand min = lower_op2(c, row->arg, IR_I32, a[0], a[1]);

    return lower_op2(c, IR_ADD, IR_I32, lower_op2(c, IR_SUB, IR_I32, max, min), a[2]);
}

/* (a + b) >> 1 without losing the carry: what the two share, plus half of where they differ. */
struct ir_operand nv_hadd(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_operand both = lower_op2(c, IR_AND, IR_I32, a[0], a[1]);
    struct ir_operand half = lower_op2(c, row->op, IR_I32, lower_op2(c, IR_XOR, IR_I32, a[0], a[1]), lower_imm(1));

    return lower_op2(c, IR_ADD, IR_I32, both, half);
}

struct ir_operand nv_rhadd(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_operand either = lower_op2(c, IR_OR, IR_I32, a[0], a[1]);
    struct ir_operand half = lower_op2(c, row->op, IR_I32, lower_op2(c, IR_XOR, IR_I32, a[0], a[1]), lower_imm(1));

    return lower_op2(c, IR_SUB, IR_I32, either, half);
}

/* ---- bits of floats ---- */

struct ir_operand nv_same(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    (void)c, (void)row;
    return a[0];
}

struct ir_operand nv_word(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_operand r = nv_emit(c, IR_EXTRACT, IR_I32, IR_I32, a, 1);

    lower_last(c)->type2 = IR_I64;
    lower_last(c)->imm = row->op;
    return r;
}

struct ir_operand nv_hilo(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    struct ir_operand r = nv_emit(c, IR_PACK, IR_I64, IR_I64, (struct ir_operand[]){ a[1], a[0] }, 2);

    (void)row;
    lower_last(c)->type2 = IR_I32;
    return r;
}

static struct ir_operand truth(struct lower_ctx *c, struct ir_operand pred)
{
    return lower_select(c, IR_I32, pred, lower_imm(1), lower_imm(0));
}

struct ir_operand nv_isnan(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return truth(c, lower_cmp(c, IR_FNAN, nv_arg_type(row, 0), a[0], a[0]));
}

/* |x| compared with infinity: equal, or below. */
struct ir_operand nv_isinf(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type type = nv_arg_type(row, 0);

    return truth(c, lower_cmp(c, row->op, type, lower_op1(c, IR_FABS, type, a[0]), nv_float(type, __builtin_inf())));
}

struct ir_operand nv_signbit(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    enum ir_type type = integer_of(nv_arg_type(row, 0));

    return truth(c, lower_cmp(c, IR_SLT, type, a[0], lower_imm(0)));
}

/* The text behind the pointer would choose the payload; nobody can rely on one, so it is always the plain quiet NaN. */
struct ir_operand nv_nan(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    (void)c, (void)a;
    return lower_imm(nv_result_type(row) == IR_F32 ? 0x7fc00000u : 0x7ff8000000000000u);
}

/* ---- conversions ---- */

struct ir_operand nv_cvt(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a)
{
    return lower_cvt(c, row->op, nv_result_type(row), nv_arg_type(row, 0), a[0], row->arg);
}
