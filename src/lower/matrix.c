/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix operations of a warp, made of shuffles, loads and ordinary arithmetic, so that every build can run them.
 *
 * All shapes have one layout. With g = lane / 4, t = lane % 4 and e elements in a register (or 1 of f64):
 *   A: register r holds row g + 8 * (r % rows), columns (r / rows) * 4e + t * e + 0 .. e-1, rows being 2 for m16, 1 for m8
 *   B: register r holds rows r * 4e + t * e + 0 .. e-1 of column g
 *   C and D: elements 2h and 2h + 1 are columns 2t and 2t + 1 of row g + 8h
 * Products of f16, bf16 and tf32 are exact. A sum begins with C and takes the products by rising k, each rounded to f32 as an
 * fma; f16 results are rounded once more at the end. A GPU adds in an order and precision of its own, which are not documented.
 */
#include "lower/frame.h"

struct shape {
    enum ptx_mod mod;
    unsigned m, k;               /* n is 8 */
};
static const struct shape shapes[] = {
    { PTX_M_M8N8K4, 8, 4 }, { PTX_M_M8N8K16, 8, 16 }, { PTX_M_M16N8K4, 16, 4 }, { PTX_M_M16N8K8, 16, 8 }, { PTX_M_M16N8K16, 16, 16 }, { PTX_M_M16N8K32, 16, 32 },
};

static struct ir_operand lane_id(struct lower_ctx *c)
{
    return lower_sreg(c, "%laneid");
}

static struct ir_operand add(struct lower_ctx *c, struct ir_operand a, uint64_t b) { return lower_op2(c, IR_ADD, IR_I32, a, lower_imm(b)); }
static struct ir_operand times(struct lower_ctx *c, struct ir_operand a, unsigned log2) { return lower_op2(c, IR_SHL, IR_I32, a, lower_imm(log2)); }
static struct ir_operand row_of(struct lower_ctx *c, struct ir_operand lane) { return lower_op2(c, IR_SHR_U, IR_I32, lane, lower_imm(2)); }
static struct ir_operand column_of(struct lower_ctx *c, struct ir_operand lane) { return lower_op2(c, IR_AND, IR_I32, lane, lower_imm(3)); }

/* The value that another lane has. The whole warp takes part. */
static struct ir_operand from_lane(struct lower_ctx *c, struct ir_operand v, struct ir_operand lane)
{
    struct ir_inst *i = lower_emit(c, IR_SHFL, IR_I32);
    i->imm = IR_SHFL_IDX;
    ir_inst_src(i, v);
    ir_inst_src(i, lane);
    ir_inst_src(i, lower_imm(31));
    ir_inst_src(i, lower_imm(0xffffffffu));
    ir_inst_dst(i, lower_tmp(c, IR_I32));
    ir_inst_dst(i, lower_tmp(c, IR_PRED));
    return lower_reg(i->dst[0]);
}

static struct ir_operand piece(struct lower_ctx *c, enum ir_type to, enum ir_type from, struct ir_operand a, unsigned k)
{
    struct ir_operand r = lower_op1(c, IR_EXTRACT, to, a);
    lower_last(c)->type2 = from;
    lower_last(c)->imm = k;
    return r;
}

static struct ir_operand pack2(struct lower_ctx *c, enum ir_type wide, enum ir_type part, struct ir_operand lo, struct ir_operand hi)
{
    struct ir_operand r = lower_op2(c, IR_PACK, wide, lo, hi);
    lower_last(c)->type2 = part;
    return r;
}

/* ---- mma ---- */

enum { MAX_REGS = 4, MAX_PER_REG = 4, MAX_K = 32 };

struct mma {
    enum ptx_type dt, at, bt;
    unsigned rows, per_reg, n_k;           /* rows: 1 or 2 halves of m; n_k: registers along k */
    enum ir_type acc;                      /* what sums are made in */
    struct ir_operand a[MAX_REGS], b[MAX_REGS], sum[4], lane;
};

static const struct ptx_operand *fragment(struct lower_ctx *c, int k, unsigned want)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    unsigned n = o->kind == PTX_O_VEC ? o->n : 1;
    if (n != want) {
        lower_fail(c, "operand %d has %u registers, not %u", k + 1, n, want);
        return NULL;
    }
    return o->kind == PTX_O_VEC ? o->elems : o;
}

/* Element e of a register that holds several, as the type of the sums. */
static struct ir_operand element(struct lower_ctx *c, const struct mma *m, enum ptx_type t, struct ir_operand reg, unsigned e)
{
    switch (t) {
    case PTX_F16: return lower_cvt(c, IR_FTOF, IR_F32, IR_F16, piece(c, IR_I16, IR_I32, reg, e), IR_RN);
    case PTX_BF16: return lower_cvt(c, IR_FTOF, IR_F32, IR_BF16, piece(c, IR_I16, IR_I32, reg, e), IR_RN);
    case PTX_TF32: return lower_op2(c, IR_AND, IR_I32, reg, lower_imm(0xffffe000u));    /* the other bits do not count */
    case PTX_S8: return lower_resize(c, IR_I32, IR_I8, true, piece(c, IR_I8, IR_I32, reg, e));
    case PTX_U8: return lower_resize(c, IR_I32, IR_I8, false, piece(c, IR_I8, IR_I32, reg, e));
    default: break;
    }
    (void)m;
    return reg;
}

/* A register of another lane; those of f64 go in two halves. */
static struct ir_operand fetch(struct lower_ctx *c, const struct mma *m, struct ir_operand v, struct ir_operand lane)
{
    if (m->acc != IR_F64)
        return from_lane(c, v, lane);
    struct ir_operand lo = from_lane(c, piece(c, IR_I32, IR_I64, v, 0), lane), hi = from_lane(c, piece(c, IR_I32, IR_I64, v, 1), lane);
    return pack2(c, IR_I64, IR_I32, lo, hi);
}

/* Adds the products of four lanes' registers number kb along k. */
static void multiply(struct lower_ctx *c, struct mma *m, unsigned kb)
{
    struct ir_operand quad = lower_op2(c, IR_AND, IR_I32, m->lane, lower_imm(28)), columns = times(c, column_of(c, m->lane), 3);
    for (unsigned t = 0; t < 4; t++) {
        struct ir_operand b[2], a[2];
        for (unsigned j = 0; j < 2; j++)
            b[j] = fetch(c, m, m->b[kb], add(c, columns, 4 * j + t));
        for (unsigned h = 0; h < m->rows; h++)
            a[h] = fetch(c, m, m->a[kb * m->rows + h], add(c, quad, t));
        for (unsigned e = 0; e < m->per_reg; e++) {
            struct ir_operand x[2], y[2];
            for (unsigned j = 0; j < 2; j++)
                y[j] = element(c, m, m->bt, b[j], e);
            for (unsigned h = 0; h < m->rows; h++)
                x[h] = element(c, m, m->at, a[h], e);
            for (unsigned k = 0; k < 2 * m->rows; k++)
                m->sum[k] = m->acc == IR_I32 ? lower_op2(c, IR_ADD, IR_I32, m->sum[k], lower_op2(c, IR_MUL, IR_I32, x[k / 2], y[k % 2]))
                                             : lower_op3(c, IR_FMA, m->acc, x[k / 2], y[k % 2], m->sum[k]);
        }
    }
}

static bool read_fragments(struct lower_ctx *c, struct mma *m, enum ptx_type reg, struct ir_operand *cs)
{
    unsigned n_c = m->dt == PTX_F16 ? m->rows : 2 * m->rows;
    const struct ptx_operand *a = fragment(c, 1, m->rows * m->n_k), *b = a ? fragment(c, 2, m->n_k) : NULL, *s = b ? fragment(c, 3, n_c) : NULL;
    if (!s || !fragment(c, 0, n_c))
        return false;
    for (unsigned r = 0; r < m->rows * m->n_k; r++)
        m->a[r] = lower_value(c, &a[r], reg);
    for (unsigned r = 0; r < m->n_k; r++)
        m->b[r] = lower_value(c, &b[r], reg);
    for (unsigned r = 0; r < n_c; r++)
        cs[r] = lower_value(c, &s[r], reg);
    return !c->failed;
}

static bool mma(struct lower_ctx *c, struct mma *m, enum ptx_type reg)
{
    struct ir_operand cs[4];
    bool saturates = lower_has(c, PTX_M_SATFINITE);
    const struct shape *s = shapes;
    while (s->mod != lower_mod(c, PTX_C_MMASHAPE))
        s++;
    m->rows = s->m / 8;
    if (s->k % (4 * m->per_reg) || s->k / (4 * m->per_reg) * m->rows > MAX_REGS)
        return lower_fail(c, "this shape does not exist for .%s", ptx_type_info[m->at].text);
    m->n_k = s->k / (4 * m->per_reg);
    if (!read_fragments(c, m, reg, cs))
        return false;
    m->lane = lane_id(c);
    for (unsigned k = 0; k < 2 * m->rows; k++)
        m->sum[k] = saturates ? lower_imm(0) : m->dt == PTX_F16 ? element(c, m, PTX_F16, cs[k / 2], k % 2) : cs[k];
    for (unsigned kb = 0; kb < m->n_k; kb++)
        multiply(c, m, kb);
    const struct ptx_operand *d = c->inst->ops[0].kind == PTX_O_VEC ? c->inst->ops[0].elems : &c->inst->ops[0];
    struct ir_operand out[4];
    for (unsigned k = 0; k < 2 * m->rows; k++) {
        out[k] = m->sum[k];
        if (saturates)                     /* the products alone cannot overflow */
            out[k] = lower_op2(c, IR_ADDSAT_S, IR_I32, cs[k], m->sum[k]);
        if (m->dt == PTX_F16)
            out[k] = lower_cvt(c, IR_FTOF, IR_F16, IR_F32, m->sum[k], IR_RN);
    }
    for (unsigned r = 0; m->dt == PTX_F16 && r < m->rows; r++)
        out[r] = pack2(c, IR_I32, IR_I16, out[2 * r], out[2 * r + 1]);
    for (unsigned r = 0; r < (m->dt == PTX_F16 ? m->rows : 2 * m->rows); r++)
        lower_mov(c, lower_def(c, &d[r], reg), out[r]);
    return true;
}

bool lower_MMA_F(struct lower_ctx *c)
{
    struct mma m = { .dt = c->inst->type, .at = c->inst->type2, .bt = c->inst->type3, .acc = IR_F32 };
    if (m.at != m.bt || (m.dt == PTX_F16 && m.at != PTX_F16))
        return lower_fail(c, "these types do not go together");
    m.per_reg = m.at == PTX_TF32 ? 1 : 2;
    return mma(c, &m, PTX_B32);
}

bool lower_MMA_I(struct lower_ctx *c)
{
    struct mma m = { .dt = PTX_S32, .at = c->inst->type2, .bt = c->inst->type3, .acc = IR_I32, .per_reg = 4 };
    return mma(c, &m, PTX_B32);
}

bool lower_MMA_F64(struct lower_ctx *c)
{
    struct mma m = { .dt = PTX_F64, .at = PTX_F64, .bt = PTX_F64, .acc = IR_F64, .per_reg = 1 };
    return mma(c, &m, PTX_B64);
}

/* ---- 8x8 matrices of 16-bit elements in shared memory ---- */

static unsigned matrix_count(struct lower_ctx *c)
{
    return lower_has(c, PTX_M_X4) ? 4 : lower_has(c, PTX_M_X2) ? 2 : 1;
}

/* One element, or two neighbours, of a row whose address another lane has. */
static struct ir_inst *touch_row(struct lower_ctx *c, enum ir_op op, enum ir_type type, struct ir_operand addr, struct ir_operand lane, struct ir_operand offset)
{
    struct ir_operand at = lower_op2(c, IR_ADD, IR_I32, from_lane(c, addr, lane), offset);
    struct ir_inst *i = lower_emit(c, op, type);
    i->space = IR_SHARED;
    ir_inst_src(i, at);
    return i;
}

static struct ir_operand load_row(struct lower_ctx *c, enum ir_type type, struct ir_operand addr, struct ir_operand lane, struct ir_operand offset)
{
    struct ir_inst *i = touch_row(c, IR_LD, type, addr, lane, offset);
    ir_inst_dst(i, lower_tmp(c, type));
    return lower_reg(i->dst[0]);
}

bool lower_LDMATRIX(struct lower_ctx *c)
{
    unsigned n = matrix_count(c);
    const struct ptx_operand *d = fragment(c, 0, n);
    struct ir_operand addr, lane, g, t, out[4];
    if (!d || !lower_shared_address(c, 1, &addr))
        return false;
    lane = lane_id(c), g = row_of(c, lane), t = column_of(c, lane);
    for (unsigned i = 0; i < n; i++) {
        if (lower_has(c, PTX_M_TRANS)) {
            struct ir_operand row = add(c, times(c, t, 1), 8 * i), at = times(c, g, 1), lo = load_row(c, IR_I16, addr, row, at);
            out[i] = pack2(c, IR_I32, IR_I16, lo, load_row(c, IR_I16, addr, add(c, row, 1), at));
        } else {
            out[i] = load_row(c, IR_I32, addr, add(c, g, 8 * i), times(c, t, 2));
        }
    }
    for (unsigned i = 0; i < n; i++)
        lower_mov(c, lower_def(c, &d[i], PTX_B32), out[i]);
    return true;
}

bool lower_STMATRIX(struct lower_ctx *c)
{
    unsigned n = matrix_count(c);
    const struct ptx_operand *s = fragment(c, 1, n);
    struct ir_operand addr, lane, g, t;
    if (!s || !lower_shared_address(c, 0, &addr))
        return false;
    lane = lane_id(c), g = row_of(c, lane), t = column_of(c, lane);
    for (unsigned i = 0; i < n; i++) {
        struct ir_operand v = lower_value(c, &s[i], PTX_B32);
        if (!lower_has(c, PTX_M_TRANS)) {
            ir_inst_src(touch_row(c, IR_ST, IR_I32, addr, add(c, g, 8 * i), times(c, t, 2)), v);
            continue;
        }
        for (unsigned e = 0; e < 2; e++) {
            struct ir_operand half = piece(c, IR_I16, IR_I32, v, e);
            ir_inst_src(touch_row(c, IR_ST, IR_I16, addr, add(c, times(c, t, 1), 8 * i + e), times(c, g, 1)), half);
        }
    }
    return true;
}

/* Row 2t + e, column g of the matrix is half g % 2 of lane (2t + e) * 4 + g / 2. */
bool lower_MOVMATRIX(struct lower_ctx *c)
{
    struct ir_operand a = lower_src(c, 1, PTX_B32), lane = lane_id(c), g = row_of(c, lane), t = column_of(c, lane), half[2];
    struct ir_operand first = lower_op2(c, IR_ADD, IR_I32, times(c, t, 3), lower_op2(c, IR_SHR_U, IR_I32, g, lower_imm(1)));
    struct ir_operand shift = times(c, lower_op2(c, IR_AND, IR_I32, g, lower_imm(1)), 4);
    for (unsigned e = 0; e < 2; e++)
        half[e] = piece(c, IR_I16, IR_I32, lower_op2(c, IR_SHR_U, IR_I32, from_lane(c, a, add(c, first, 4 * e)), shift), 0);
    lower_set(c, 0, PTX_B32, pack2(c, IR_I32, IR_I16, half[0], half[1]));
    return true;
}
