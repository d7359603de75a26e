/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wmma: products of whole tiles, made of mma's products with n = 8. How a fragment lies in registers is ours to choose: its parts are
 * those of mma, one after the other, and registers that PTX has more of hold them again. m8n32k16 is computed as its transpose, with
 * B on the left.
 *
 * In a fragment of the left or right side x runs along k and y along m or n; in C and D x runs along the n of the product that is
 * computed and y along its m.
 */
#include "lower/frame.h"

enum part { PART_A, PART_B, PART_C };
enum { MAX_REGS = 8 };

struct shape {
    enum ptx_mod mod;
    uint8_t m, n, k;
    uint8_t left, right;         /* products along m and n, after the transposition */
    bool transposed;
};
static const struct shape shapes[] = {
    { PTX_M_M16N16K16, 16, 16, 16, 1, 2, false }, { PTX_M_M32N8K16, 32, 8, 16, 2, 1, false }, { PTX_M_M8N32K16, 8, 32, 16, 2, 1, true },
    { PTX_M_M16N16K8, 16, 16, 8, 1, 2, false },   { PTX_M_M8N8K4, 8, 8, 4, 1, 1, false },     { PTX_M_M8N8K32, 8, 8, 32, 1, 1, false },
    { PTX_M_M8N8K128, 8, 8, 128, 1, 1, false },
};

/* Which element types go with a shape. */
static bool shape_has(const struct shape *s, enum ptx_type element)
{
    switch (element) {
    case PTX_F16: case PTX_BF16: case PTX_S8: case PTX_U8: return s->k == 16;
    case PTX_TF32: return s->k == 8;
    case PTX_F64: return s->k == 4;
    case PTX_S4: case PTX_U4: return s->k == 32;
    case PTX_B1: return s->k == 128;
    case PTX_F32: return s->k == 16 || s->k == 8;
    default: return s->k != 8 && s->k != 4;               /* s32 */
    }
}

static const struct shape *shape_of(struct lower_ctx *c, enum ptx_type element)
{
    const struct shape *s = shapes;
    while (s->mod != lower_mod(c, PTX_C_WMMASHAPE))
        s++;
    if (shape_has(s, element))
        return s;
    lower_fail(c, "this shape does not exist for .%s", ptx_type_info[element].text);
    return NULL;
}

/* Where the registers of a fragment lie in the matrix. */
struct fragment {
    unsigned n;                  /* registers that differ */
    unsigned n_ptx;              /* registers in PTX */
    unsigned per_reg;            /* elements in one, along x */
    bool sums;                   /* C or D */
    struct { uint8_t x, y; } at[MAX_REGS];      /* first element of lane 0 */
};

static unsigned halves_of(const struct shape *s)
{
    return s->m == 8 && s->n == 8 ? 1 : 2;
}

static void describe(const struct shape *s, enum part part, enum ptx_type t, struct fragment *f)
{
    unsigned halves = halves_of(s), bits = ptx_type_bits(t);
    bool is_left = part == (s->transposed ? PART_B : PART_A);
    memset(f, 0, sizeof *f);
    f->per_reg = bits >= 32 ? 1 : 32 / bits;
    f->sums = part == PART_C;
    if (part == PART_C) {
        for (unsigned l = 0; l < s->left; l++)
            for (unsigned r = 0; r < s->right; r++)
                for (unsigned h = 0; h < halves; h++)
                    for (unsigned e = 0; e < 2; e += f->per_reg) {
                        f->at[f->n].x = (uint8_t)(8 * r + e);
                        f->at[f->n++].y = (uint8_t)(16 * l + 8 * h);
                    }
    } else {
        unsigned n_k = s->k / (4 * f->per_reg), tiles = is_left ? s->left : s->right, n_y = is_left ? halves : 1;
        for (unsigned tile = 0; tile < tiles; tile++)
            for (unsigned k = 0; k < n_k; k++)
                for (unsigned h = 0; h < n_y; h++) {
                    f->at[f->n].x = (uint8_t)(4 * k * f->per_reg);
                    f->at[f->n++].y = (uint8_t)(8 * n_y * tile + 8 * h);
                }
    }
    f->n_ptx = t == PTX_F16 && part != PART_C ? 8 : f->n;
}

/* ---- memory ---- */

struct tile {
    struct lower_place at;
    enum ir_type type;                       /* of addresses */
    struct ir_operand ldm;                   /* bytes from one line to the next */
    struct ir_operand lane;                  /* the address of the lane's first element */
    bool along_x;                            /* elements that follow each other in x are neighbours in memory */
    unsigned bits;                           /* of an element */
};

static struct ir_operand times(struct lower_ctx *c, const struct tile *m, struct ir_operand a, unsigned k)
{
    if (a.kind == IR_IMM)
        return lower_imm(m->type == IR_I32 ? (uint32_t)(a.imm * k) : a.imm * k);
    return k == 1 ? a : lower_op2(c, IR_MUL, m->type, a, lower_imm(k));
}

static struct ir_operand plus(struct lower_ctx *c, const struct tile *m, struct ir_operand a, struct ir_operand b)
{
    return b.kind == IR_IMM && b.imm == 0 ? a : lower_op2(c, IR_ADD, m->type, a, b);
}

/* Bytes from (0, 0) to (x, y), of which one is a number of lines. */
static struct ir_operand lines(struct lower_ctx *c, const struct tile *m, struct ir_operand line, struct ir_operand element)
{
    struct ir_operand bytes = m->bits >= 8 ? times(c, m, element, m->bits / 8) : lower_op2(c, IR_SHR_U, m->type, element, lower_imm(m->bits == 4 ? 1 : 3));
    struct ir_operand far = line.kind == IR_IMM ? times(c, m, m->ldm, (unsigned)line.imm) : lower_op2(c, IR_MUL, m->type, line, m->ldm);
    return plus(c, m, far, bytes);
}

/* k: the operand that holds the address; the one that holds the stride, in elements, may be missing. */
static bool open_tile(struct lower_ctx *c, int k, int stride, const struct shape *s, enum part part, enum ptx_type t, const struct fragment *f, struct tile *m)
{
    bool row = lower_has(c, PTX_M_ROW);
    memset(m, 0, sizeof *m);
    if (!lower_find_place(c, k, &m->at))
        return false;
    if (m->at.param || (m->at.space != IR_GENERIC && m->at.space != IR_GLOBAL && m->at.space != IR_SHARED))
        return lower_fail(c, "matrices are in global and shared memory");
    m->bits = ptx_type_bits(t);
    m->along_x = part == PART_A ? row : part == PART_B ? !row : row != s->transposed;
    if (m->bits < 8 && !m->along_x)
        return lower_fail(c, "this layout does not exist for .%s", ptx_type_info[t].text);
    m->type = m->at.addr.kind == IR_REG && m->at.addr.reg->type == IR_I32 ? IR_I32 : IR_I64;
    unsigned packed = part == PART_A ? (row ? s->k : s->m) : part == PART_B ? (row ? s->n : s->k) : row ? s->n : s->m;
    struct ir_operand elements = lower_has_op(c, stride) ? lower_src(c, stride, PTX_U32) : lower_imm(packed);
    elements = lower_resize(c, m->type, IR_I32, false, elements);
    m->ldm = m->bits >= 8 ? times(c, m, elements, m->bits / 8)
           : elements.kind == IR_IMM ? lower_imm(elements.imm * m->bits / 8) : lower_op2(c, IR_SHR_U, m->type, elements, lower_imm(m->bits == 4 ? 1 : 3));
    struct ir_operand lane = lower_sreg(c, "%laneid"), g, x;
    g = lower_resize(c, m->type, IR_I32, false, lower_op2(c, IR_SHR_U, IR_I32, lane, lower_imm(2)));
    x = lower_resize(c, m->type, IR_I32, false, lower_op2(c, IR_AND, IR_I32, lane, lower_imm(3)));
    x = times(c, m, x, f->sums ? 2 : f->per_reg);
    m->lane = plus(c, m, m->at.addr, m->along_x ? lines(c, m, g, x) : lines(c, m, x, g));
    return true;
}

/* A load or store of n neighbours of `type` that begin at (x, y) from the lane's first element. */
static struct ir_inst *touch(struct lower_ctx *c, const struct tile *m, enum ir_op op, enum ir_type type, unsigned x, unsigned y)
{
    unsigned line = m->along_x ? y : x, element = m->along_x ? x : y;
    struct ir_operand addr = plus(c, m, m->lane, times(c, m, m->ldm, line));
    struct ir_inst *i = lower_emit(c, op, type);
    i->space = (uint8_t)m->at.space;
    i->imm = m->at.offset + (int64_t)(element * m->bits / 8);
    ir_inst_src(i, addr);
    return i;
}

static struct ir_operand load_register(struct lower_ctx *c, const struct tile *m, const struct fragment *f, unsigned r)
{
    enum ir_type reg = m->bits == 64 ? IR_I64 : IR_I32, part = ir_type_of_bits(m->bits);
    unsigned n = m->along_x ? 1 : f->per_reg;
    struct ir_operand e[4];
    for (unsigned k = 0; k < n; k++) {
        enum ir_type type = n > 1 ? part : reg;
        struct ir_inst *i = touch(c, m, IR_LD, type, f->at[r].x + k, f->at[r].y);
        ir_inst_dst(i, lower_tmp(c, type));
        e[k] = lower_reg(i->dst[0]);
    }
    if (n == 1)
        return e[0];
    struct ir_inst *i = lower_emit(c, IR_PACK, reg);
    i->type2 = part;
    for (unsigned k = 0; k < n; k++)
        ir_inst_src(i, e[k]);
    ir_inst_dst(i, lower_tmp(c, reg));
    return lower_reg(i->dst[0]);
}

static bool load(struct lower_ctx *c, enum ptx_type reg)
{
    enum ptx_type t = c->inst->type;
    enum part part = lower_has(c, PTX_M_TEX_A) ? PART_A : lower_has(c, PTX_M_TEX_B) ? PART_B : PART_C;
    const struct shape *s = shape_of(c, t);
    struct ir_operand v[MAX_REGS];
    struct fragment f;
    struct tile m;
    bool is_sum = t == PTX_F32 || t == PTX_S32 || ((t == PTX_F16 || t == PTX_F64) && part == PART_C);
    if (!s)
        return false;
    if (is_sum != (part == PART_C))
        return lower_fail(c, "this part of a product is no matrix of .%s", ptx_type_info[t].text);
    describe(s, part, t, &f);
    const struct ptx_operand *d = lower_fragment(c, 0, f.n_ptx);
    if (!d || !open_tile(c, 1, 2, s, part, t, &f, &m))
        return false;
    for (unsigned r = 0; r < f.n; r++)
        v[r] = load_register(c, &m, &f, r);
    for (unsigned r = 0; r < f.n_ptx; r++)
        lower_mov(c, lower_def(c, &d[r], reg), v[r % f.n]);
    return !c->failed;
}

bool lower_WMMA_LOAD(struct lower_ctx *c) { return load(c, PTX_B32); }
bool lower_WMMA_LOAD_F64(struct lower_ctx *c) { return load(c, PTX_B64); }

static bool store(struct lower_ctx *c, enum ptx_type reg)
{
    enum ptx_type t = c->inst->type;
    const struct shape *s = shape_of(c, t);
    struct fragment f;
    struct tile m;
    if (!s)
        return false;
    describe(s, PART_C, t, &f);
    const struct ptx_operand *d = lower_fragment(c, 1, f.n_ptx);
    if (!d || !open_tile(c, 0, 2, s, PART_C, t, &f, &m))
        return false;
    for (unsigned r = 0; r < f.n; r++) {
        struct ir_operand v = lower_value(c, &d[r], reg);
        for (unsigned k = 0; k < (m.along_x ? 1 : f.per_reg); k++) {
            struct ir_operand part = v;
            enum ir_type type = ir_type_of_bits(ptx_type_bits(reg));
            if (!m.along_x && f.per_reg > 1) {
                type = IR_I16;
                part = lower_op1(c, IR_EXTRACT, IR_I16, v);
                lower_last(c)->type2 = IR_I32;
                lower_last(c)->imm = k;
            }
            ir_inst_src(touch(c, &m, IR_ST, type, f.at[r].x + k, f.at[r].y), part);
        }
    }
    return !c->failed;
}

bool lower_WMMA_STORE(struct lower_ctx *c) { return store(c, PTX_B32); }
bool lower_WMMA_STORE_F64(struct lower_ctx *c) { return store(c, PTX_B64); }

/* ---- products ---- */

static bool read_fragment(struct lower_ctx *c, int k, const struct fragment *f, enum ptx_type reg, struct ir_operand *out)
{
    const struct ptx_operand *o = lower_fragment(c, k, f->n_ptx);
    for (unsigned r = 0; o && r < f->n; r++)
        out[r] = lower_value(c, &o[r], reg);
    return o != NULL;
}

/* at, bt: elements of A and B; dt, ct: of D and C; left and right: their kinds, before the transposition. */
static bool product(struct lower_ctx *c, enum ptx_type at, enum ptx_type bt, enum ptx_type dt, enum ptx_type ct, uint8_t a_kind, uint8_t b_kind)
{
    enum ptx_type reg = at == PTX_F64 ? PTX_B64 : PTX_B32;
    const struct shape *s = shape_of(c, at);
    struct ir_operand a[MAX_REGS], b[MAX_REGS], in[MAX_REGS], sums[MAX_REGS], out[MAX_REGS];
    struct fragment fa, fb, fc, fd;
    bool saturates = lower_has(c, PTX_M_SATFINITE) && dt == PTX_S32;
    if (!s)
        return false;
    if (ptx_type_bits(at) != ptx_type_bits(bt))
        return lower_fail(c, "these types do not go together");
    describe(s, PART_A, at, &fa);
    describe(s, PART_B, bt, &fb);
    describe(s, PART_C, ct, &fc);
    describe(s, PART_C, dt, &fd);
    const struct ptx_operand *d = lower_fragment(c, 0, fd.n_ptx);
    if (!d || !read_fragment(c, 1, &fa, reg, a) || !read_fragment(c, 2, &fb, reg, b) || !read_fragment(c, 3, &fc, reg, in))
        return false;
    unsigned halves = halves_of(s), n_k = s->k / (4 * fa.per_reg), n_c = 2 * halves, n = n_c * s->left * s->right;
    memcpy(sums, in, sizeof sums);
    if (ct == PTX_F16)
        lower_sums_from_f16(c, in, n, sums);
    for (unsigned r = 0; saturates && r < n; r++)
        sums[r] = lower_imm(0);
    const struct ir_operand *left = s->transposed ? b : a, *right = s->transposed ? a : b;
    struct kabi_mma m = { s->transposed ? b_kind : a_kind, s->transposed ? a_kind : b_kind, (uint8_t)halves, (uint8_t)n_k };
    for (unsigned l = 0; l < s->left; l++)
        for (unsigned r = 0; r < s->right; r++) {
            unsigned at_c = (l * s->right + r) * n_c;
            lower_mma(c, m, &left[l * halves * n_k], &right[r * n_k], &sums[at_c], &out[at_c]);
        }
    for (unsigned r = 0; saturates && r < n; r++)              /* the products alone cannot overflow */
        out[r] = lower_op2(c, IR_ADDSAT_S, IR_I32, in[r], out[r]);
    if (dt == PTX_F16)
        lower_sums_to_f16(c, out, n, out);
    for (unsigned r = 0; r < fd.n; r++)
        lower_mov(c, lower_def(c, &d[r], reg), out[r]);
    return !c->failed;
}

bool lower_WMMA_F16(struct lower_ctx *c)
{
    if (lower_has(c, PTX_M_SATFINITE))
        return lower_fail(c, ".satfinite is not supported for floating-point products");
    return product(c, PTX_F16, PTX_F16, c->inst->type, c->inst->type2, KABI_MMA_F16, KABI_MMA_F16);
}

bool lower_WMMA_F(struct lower_ctx *c)
{
    uint8_t kind = (uint8_t)lower_mma_type(c->inst->type2);
    if (c->inst->type2 != c->inst->type3)
        return lower_fail(c, "these types do not go together");
    return product(c, c->inst->type2, c->inst->type2, PTX_F32, PTX_F32, kind, kind);
}

bool lower_WMMA_I(struct lower_ctx *c)
{
    return product(c, c->inst->type2, c->inst->type3, PTX_S32, PTX_S32, (uint8_t)lower_mma_type(c->inst->type2), (uint8_t)lower_mma_type(c->inst->type3));
}

bool lower_WMMA_B1(struct lower_ctx *c)
{
    uint8_t kind = lower_has(c, PTX_M_AND) ? KABI_MMA_B1_AND : KABI_MMA_B1_XOR;
    if (lower_has(c, PTX_M_OR))
        return lower_fail(c, "products of bits are made with .and and .xor");
    return product(c, PTX_B1, PTX_B1, PTX_S32, PTX_S32, kind, kind);
}

bool lower_WMMA_F64(struct lower_ctx *c)
{
    if (lower_rnd(c) != IR_RN)
        return lower_fail(c, "only .rn is supported");
    return product(c, PTX_F64, PTX_F64, PTX_F64, PTX_F64, KABI_MMA_F64, KABI_MMA_F64);
}
