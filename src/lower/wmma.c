/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wmma: products of whole tiles, made of mma's products with n = 8. kabi/tile.h says how fragments lie in registers; registers that PTX has
 * more of hold the others again.
 */
#include "kabi/tile.h"
#include "lower/frame.h"

static const struct {
    enum ptx_mod mod;
    enum tile_shape_id id;
} shapes[] = {
    { PTX_M_M16N16K16, TILE_M16N16K16 }, { PTX_M_M32N8K16, TILE_M32N8K16 }, { PTX_M_M8N32K16, TILE_M8N32K16 }, { PTX_M_M16N16K8, TILE_M16N16K8 },
    { PTX_M_M8N8K4, TILE_M8N8K4 },       { PTX_M_M8N8K32, TILE_M8N8K32 },   { PTX_M_M8N8K128, TILE_M8N8K128 },
};

/* Which element types go with a shape. */
static bool shape_has(const struct tile_shape *s, enum ptx_type element)
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

static bool shape_of(struct lower_ctx *c, enum ptx_type element, enum tile_shape_id *out)
{
    unsigned s = 0;
    while (shapes[s].mod != lower_mod(c, PTX_C_WMMASHAPE))
        s++;
    *out = shapes[s].id;
    return shape_has(&tile_shapes[*out], element) || lower_fail(c, "this shape does not exist for .%s", ptx_type_info[element].text);
}

static struct tile_fragment fragment_of(enum tile_shape_id shape, enum tile_part part, enum ptx_type t)
{
    return tile_fragment_of((struct tile_access){ .shape = (uint8_t)shape, .part = (uint8_t)part, .bits = (uint8_t)ptx_type_bits(t) });
}

/* A and B of f16 have eight registers in every shape. */
static unsigned n_ptx(const struct tile_fragment *f, enum tile_part part, enum ptx_type t)
{
    return t == PTX_F16 && part != TILE_C ? 8 : f->n;
}

/* ---- memory ---- */

/* The instruction that moves a tile, with its address and the distance between lines. k: the operand that holds the address; the one that
   holds the stride, in elements, may be missing. NULL after an error. */
static struct ir_inst *tile(struct lower_ctx *c, enum ir_op op, int k, int stride, enum tile_shape_id shape, enum tile_part part, enum ptx_type t)
{
    const struct tile_shape *s = &tile_shapes[shape];
    bool row = lower_has(c, PTX_M_ROW);
    struct tile_access a = { .shape = (uint8_t)shape, .part = (uint8_t)part, .bits = (uint8_t)ptx_type_bits(t) };
    struct lower_place at;
    if (!lower_find_place(c, k, &at))
        return NULL;
    if (at.param || (at.space != IR_GENERIC && at.space != IR_GLOBAL && at.space != IR_SHARED)) {
        lower_fail(c, "matrices are in global and shared memory");
        return NULL;
    }
    a.along_x = part == TILE_A ? row : part == TILE_B ? !row : row != s->transposed;
    if (a.bits < 8 && !a.along_x) {
        lower_fail(c, "this layout does not exist for .%s", ptx_type_info[t].text);
        return NULL;
    }
    unsigned packed = part == TILE_A ? (row ? s->k : s->m) : part == TILE_B ? (row ? s->n : s->k) : row ? s->n : s->m;
    struct ir_operand elements = lower_has_op(c, stride) ? lower_src(c, stride, PTX_U32) : lower_imm(packed);
    elements = lower_resize(c, IR_I64, IR_I32, false, elements);
    struct ir_operand ldm = lower_op2(c, IR_SHR_U, IR_I64, lower_op2(c, IR_MUL, IR_I64, elements, lower_imm(a.bits)), lower_imm(3));
    if (at.offset) {
        bool narrow = at.addr.kind == IR_REG && at.addr.reg->type == IR_I32;
        at.addr = lower_op2(c, IR_ADD, narrow ? IR_I32 : IR_I64, at.addr, lower_imm(narrow ? (uint32_t)at.offset : (uint64_t)at.offset));
    }
    struct ir_inst *i = lower_emit(c, op, a.bits == 64 ? IR_I64 : IR_I32);
    i->space = (uint8_t)at.space;
    i->imm = tile_pack(a);
    ir_inst_src(i, at.addr);
    ir_inst_src(i, ldm);
    return i;
}

static bool load(struct lower_ctx *c, enum ptx_type reg)
{
    enum ptx_type t = c->inst->type;
    enum tile_part part = lower_has(c, PTX_M_TEX_A) ? TILE_A : lower_has(c, PTX_M_TEX_B) ? TILE_B : TILE_C;
    enum tile_shape_id shape;
    bool is_sum = t == PTX_F32 || t == PTX_S32 || ((t == PTX_F16 || t == PTX_F64) && part == TILE_C);
    if (!shape_of(c, t, &shape))
        return false;
    if (is_sum != (part == TILE_C))
        return lower_fail(c, "this part of a product is no matrix of .%s", ptx_type_info[t].text);
    struct tile_fragment f = fragment_of(shape, part, t);
    unsigned n = n_ptx(&f, part, t);
    const struct ptx_operand *d = lower_fragment(c, 0, n);
    struct ir_inst *i = d ? tile(c, IR_TILE_LD, 1, 2, shape, part, t) : NULL;
    if (!i)
        return false;
    for (unsigned r = 0; r < f.n; r++)
        ir_inst_dst(i, lower_tmp(c, i->type));
    for (unsigned r = 0; r < n; r++)
        lower_mov(c, lower_def(c, &d[r], reg), lower_reg(i->dst[r % f.n]));
    return !c->failed;
}

bool lower_WMMA_LOAD(struct lower_ctx *c) { return load(c, PTX_B32); }
bool lower_WMMA_LOAD_F64(struct lower_ctx *c) { return load(c, PTX_B64); }

static bool store(struct lower_ctx *c, enum ptx_type reg)
{
    enum ptx_type t = c->inst->type;
    enum tile_shape_id shape;
    if (!shape_of(c, t, &shape))
        return false;
    struct tile_fragment f = fragment_of(shape, TILE_C, t);
    struct ir_operand v[TILE_MAX_REGS];
    const struct ptx_operand *d = lower_fragment(c, 1, f.n);
    for (unsigned r = 0; d && r < f.n; r++)
        v[r] = lower_value(c, &d[r], reg);
    struct ir_inst *i = d ? tile(c, IR_TILE_ST, 0, 2, shape, TILE_C, t) : NULL;
    for (unsigned r = 0; i && r < f.n; r++)
        ir_inst_src(i, v[r]);
    return i && !c->failed;
}

bool lower_WMMA_STORE(struct lower_ctx *c) { return store(c, PTX_B32); }
bool lower_WMMA_STORE_F64(struct lower_ctx *c) { return store(c, PTX_B64); }

/* ---- products ---- */

static bool read_fragment(struct lower_ctx *c, int k, enum tile_part part, enum ptx_type t, const struct tile_fragment *f, enum ptx_type reg,
                          struct ir_operand *out)
{
    const struct ptx_operand *o = lower_fragment(c, k, n_ptx(f, part, t));
    for (unsigned r = 0; o && r < f->n; r++)
        out[r] = lower_value(c, &o[r], reg);
    return o != NULL;
}

/* at, bt: elements of A and B; dt, ct: of D and C; a_kind and b_kind: enum kabi_mma_type. */
static bool product(struct lower_ctx *c, enum ptx_type at, enum ptx_type bt, enum ptx_type dt, enum ptx_type ct, uint8_t a_kind, uint8_t b_kind)
{
    enum ptx_type reg = at == PTX_F64 ? PTX_B64 : PTX_B32;
    struct ir_operand a[TILE_MAX_REGS], b[TILE_MAX_REGS], in[TILE_MAX_REGS], sums[TILE_MAX_REGS], out[TILE_MAX_REGS];
    bool saturates = lower_has(c, PTX_M_SATFINITE) && dt == PTX_S32;
    enum tile_shape_id shape;
    if (!shape_of(c, at, &shape))
        return false;
    if (ptx_type_bits(at) != ptx_type_bits(bt))
        return lower_fail(c, "these types do not go together");
    const struct tile_shape *s = &tile_shapes[shape];
    struct tile_fragment fa = fragment_of(shape, TILE_A, at), fb = fragment_of(shape, TILE_B, bt), fc = fragment_of(shape, TILE_C, ct),
                         fd = fragment_of(shape, TILE_C, dt);
    const struct ptx_operand *d = lower_fragment(c, 0, fd.n);
    if (!d || !read_fragment(c, 1, TILE_A, at, &fa, reg, a) || !read_fragment(c, 2, TILE_B, bt, &fb, reg, b) ||
        !read_fragment(c, 3, TILE_C, ct, &fc, reg, in))
        return false;
    unsigned halves = tile_halves(s), n_k = s->k / (4 * fa.per_reg), n_c = 2 * halves, n = n_c * s->left * s->right;
    for (unsigned r = 0; r < fc.n; r++)
        sums[r] = in[r];
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
