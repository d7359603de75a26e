/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix operations of a warp: mma, and the moves of 8x8 matrices, made of shuffles and loads. kabi/mma.h has the layout of registers.
 * Products of f16, bf16 and tf32 are exact; f16 results are rounded once more at the end. A GPU adds in an order and precision of its
 * own, which are not documented.
 */
#include "lower/frame.h"

static const struct {
    enum ptx_mod mod;
    unsigned m, k;               /* n is 8 */
} shapes[] = {
    { PTX_M_M8N8K4, 8, 4 },       { PTX_M_M8N8K16, 8, 16 },   { PTX_M_M8N8K32, 8, 32 },   { PTX_M_M8N8K128, 8, 128 },
    { PTX_M_M16N8K4, 16, 4 },     { PTX_M_M16N8K8, 16, 8 },   { PTX_M_M16N8K16, 16, 16 }, { PTX_M_M16N8K32, 16, 32 },
    { PTX_M_M16N8K64, 16, 64 },   { PTX_M_M16N8K128, 16, 128 }, { PTX_M_M16N8K256, 16, 256 },
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

const struct ptx_operand *lower_fragment(struct lower_ctx *c, int k, unsigned want)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    unsigned n = o->kind == PTX_O_VEC ? o->n : 1;
    if (n != want) {
        lower_fail(c, "operand %d has %u registers, not %u", k + 1, n, want);
        return NULL;
    }
    return o->kind == PTX_O_VEC ? o->elems : o;
}

int lower_mma_type(enum ptx_type t)
{
    switch (t) {
    case PTX_F16: return KABI_MMA_F16;
    case PTX_BF16: return KABI_MMA_BF16;
    case PTX_TF32: return KABI_MMA_TF32;
    case PTX_F64: return KABI_MMA_F64;
    case PTX_S8: return KABI_MMA_S8;
    case PTX_U8: return KABI_MMA_U8;
    case PTX_S4: return KABI_MMA_S4;
    case PTX_U4: return KABI_MMA_U4;
    default: return -1;
    }
}

/* d = a * b + c. At most two registers of B go into one operation: longer products are several, by rising k. */
void lower_mma(struct lower_ctx *c, struct kabi_mma m, const struct ir_operand *a, const struct ir_operand *b, const struct ir_operand *sum,
               struct ir_operand *d)
{
    enum ir_type type = m.a == KABI_MMA_F64 ? IR_I64 : IR_I32;
    unsigned n_c = 2u * m.halves;
    for (unsigned r = 0; r < n_c; r++)
        d[r] = sum[r];
    for (unsigned k = 0; k < m.n_k; k += 2) {
        struct kabi_mma part = { m.a, m.b, m.halves, (uint8_t)hw_min_u64(2, m.n_k - k) };
        struct ir_inst *i = lower_emit(c, IR_MMA, type);
        i->imm = kabi_mma_pack(part);
        for (unsigned r = 0; r < (unsigned)part.n_k * m.halves; r++)
            ir_inst_src(i, a[k * m.halves + r]);
        for (unsigned r = 0; r < part.n_k; r++)
            ir_inst_src(i, b[k + r]);
        for (unsigned r = 0; r < n_c; r++)
            ir_inst_src(i, d[r]);
        for (unsigned r = 0; r < n_c; r++) {
            ir_inst_dst(i, lower_tmp(c, type));
            d[r] = lower_reg(i->dst[r]);
        }
    }
}

/* The sums of a product as f32: registers of f16 hold two. */
void lower_sums_from_f16(struct lower_ctx *c, const struct ir_operand *regs, unsigned n, struct ir_operand *out)
{
    for (unsigned k = 0; k < n; k++)
        out[k] = lower_cvt(c, IR_FTOF, IR_F32, IR_F16, piece(c, IR_I16, IR_I32, regs[k / 2], k % 2), IR_RN);
}

void lower_sums_to_f16(struct lower_ctx *c, const struct ir_operand *sums, unsigned n, struct ir_operand *out)
{
    struct ir_operand half[2];
    for (unsigned k = 0; k < n; k++) {
        half[k % 2] = lower_cvt(c, IR_FTOF, IR_F16, IR_F32, sums[k], IR_RN);
        if (k % 2)
            out[k / 2] = pack2(c, IR_I32, IR_I16, half[0], half[1]);
    }
}

enum { MAX_A = 8, MAX_B = 4 };

/* ORDER of operands: d, a, b, c. reg: the type of all registers. */
static bool mma(struct lower_ctx *c, struct kabi_mma m, enum ptx_type reg)
{
    struct ir_operand a[MAX_A], b[MAX_B], in[4], sums[4], out[4];
    bool saturates = lower_has(c, PTX_M_SATFINITE), halves = c->inst->type == PTX_F16;
    unsigned s = 0, per_k = 4 * kabi_mma_per_reg(m.a);
    while (shapes[s].mod != lower_mod(c, PTX_C_MMASHAPE))
        s++;
    m.halves = (uint8_t)(shapes[s].m / 8);
    if (shapes[s].k % per_k || shapes[s].k / per_k > MAX_B || shapes[s].k / per_k * m.halves > MAX_A)
        return lower_fail(c, "this shape does not exist for .%s", ptx_type_info[c->inst->type2].text);
    m.n_k = (uint8_t)(shapes[s].k / per_k);
    unsigned n_a = m.halves * m.n_k, n_sum = 2u * m.halves, n_c = halves ? m.halves : n_sum;
    const struct ptx_operand *pa = lower_fragment(c, 1, n_a), *pb = pa ? lower_fragment(c, 2, m.n_k) : NULL, *pc = pb ? lower_fragment(c, 3, n_c) : NULL;
    const struct ptx_operand *pd = pc ? lower_fragment(c, 0, n_c) : NULL;
    if (!pd)
        return false;
    for (unsigned r = 0; r < n_a; r++)
        a[r] = lower_value(c, &pa[r], reg);
    for (unsigned r = 0; r < m.n_k; r++)
        b[r] = lower_value(c, &pb[r], reg);
    for (unsigned r = 0; r < n_c; r++)
        in[r] = sums[r] = lower_value(c, &pc[r], reg);
    if (halves)
        lower_sums_from_f16(c, in, n_sum, sums);
    for (unsigned r = 0; saturates && r < n_sum; r++)
        sums[r] = lower_imm(0);
    lower_mma(c, m, a, b, sums, out);
    for (unsigned r = 0; saturates && r < n_sum; r++)          /* the products alone cannot overflow */
        out[r] = lower_op2(c, IR_ADDSAT_S, IR_I32, in[r], out[r]);
    if (halves)
        lower_sums_to_f16(c, out, n_sum, out);
    for (unsigned r = 0; r < n_c; r++)
        lower_mov(c, lower_def(c, &pd[r], reg), out[r]);
    return !c->failed;
}

bool lower_MMA_F(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type2;
    if (t != c->inst->type3 || (c->inst->type == PTX_F16 && t != PTX_F16))
        return lower_fail(c, "these types do not go together");
    return mma(c, (struct kabi_mma){ .a = (uint8_t)lower_mma_type(t), .b = (uint8_t)lower_mma_type(t) }, PTX_B32);
}

bool lower_MMA_I(struct lower_ctx *c)
{
    if (ptx_type_bits(c->inst->type2) != ptx_type_bits(c->inst->type3))
        return lower_fail(c, "these types do not go together");
    return mma(c, (struct kabi_mma){ .a = (uint8_t)lower_mma_type(c->inst->type2), .b = (uint8_t)lower_mma_type(c->inst->type3) }, PTX_B32);
}

bool lower_MMA_B1(struct lower_ctx *c)
{
    uint8_t t = lower_has(c, PTX_M_AND) ? KABI_MMA_B1_AND : KABI_MMA_B1_XOR;
    if (lower_has(c, PTX_M_OR))
        return lower_fail(c, "products of bits are made with .and and .xor");
    return mma(c, (struct kabi_mma){ .a = t, .b = t }, PTX_B32);
}

bool lower_MMA_F64(struct lower_ctx *c)
{
    return mma(c, (struct kabi_mma){ .a = KABI_MMA_F64, .b = KABI_MMA_F64 }, PTX_B64);
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
    const struct ptx_operand *d = lower_fragment(c, 0, n);
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
    const struct ptx_operand *s = lower_fragment(c, 1, n);
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
