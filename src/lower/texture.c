/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces: tex, tld4, txq, suld, sust, sured, suq. All become the operation TEX with words in and out. */
#include "kabi/texture.h"

#include "lower/frame.h"

static const enum ptx_type coord_types[] = { PTX_F32, PTX_S32 };

static enum tex_geometry geometry_of(struct lower_ctx *c)
{
    switch (lower_mod(c, PTX_C_TEXGEOM)) {
    case PTX_M_2D: return TEX_2D;
    case PTX_M_3D: return TEX_3D;
    case PTX_M_A1D: return TEX_A1D;
    case PTX_M_A2D: return TEX_A2D;
    case PTX_M_CUBE: return TEX_CUBE;
    case PTX_M_ACUBE: return TEX_ACUBE;
    default: return TEX_1D;
    }
}

/* A handle in a register, or the one that the driver has put behind the name of a reference. */
static bool handle_of(struct lower_ctx *c, const struct ptx_operand *o, struct ir_operand *out)
{
    const struct ptx_operand *name = &o->elems[0];
    if (name->kind == PTX_O_REG && !o->imm) {
        *out = lower_value(c, name, PTX_B64);
        return true;
    }
    if (name->kind != PTX_O_VAR || o->imm || (name->var->type != PTX_TEXREF && name->var->type != PTX_SURFREF))
        return lower_fail(c, "a texture or surface is named by a 64-bit handle in a register, a .texref or a .surfref");
    struct ir_operand address = lower_var_address(c, name->var, 0);
    struct ir_inst *i = lower_emit(c, IR_LD, IR_I64);
    struct ir_reg *r = lower_tmp(c, IR_I64);
    i->space = IR_GLOBAL;
    ir_inst_src(i, address);
    ir_inst_dst(i, r);
    *out = lower_reg(r);
    return true;
}

/* [handle, {coordinates}] of operand k: begins the instruction. */
static struct ir_inst *begin(struct lower_ctx *c, int k, struct tex_op op)
{
    const struct ptx_operand *o = &c->inst->ops[k], *coords = o->n > 1 ? &o->elems[1] : NULL;
    bool layered = op.geometry == TEX_A1D || op.geometry == TEX_A2D || op.geometry == TEX_ACUBE;
    struct ir_operand words[TEX_COORDS];
    unsigned n = !coords ? 0 : coords->kind == PTX_O_VEC ? coords->n : 1;
    struct ir_operand handle;
    if (n > TEX_COORDS || (op.kind != TEX_QUERY && n == 0)) {
        lower_fail(c, "the number of coordinates is wrong");
        return NULL;
    }
    for (unsigned w = 0; w < TEX_COORDS; w++) {
        const struct ptx_operand *e = coords && coords->kind == PTX_O_VEC ? &coords->elems[w] : coords;
        bool integer = op.integer || (layered && w == 0);
        words[w] = w < n ? lower_value(c, e, coord_types[integer]) : lower_imm(0);
    }
    if (!handle_of(c, o, &handle))
        return NULL;
    struct ir_inst *i = lower_emit(c, IR_TEX, IR_I32);
    i->imm = tex_pack(op);
    ir_inst_src(i, handle);
    for (unsigned w = 0; w < TEX_COORDS; w++)
        ir_inst_src(i, words[w]);
    return i;
}

/* The words behind the coordinates: a level, or what x and y change by from pixel to pixel. Returns how many. */
static unsigned details(struct lower_ctx *c, struct tex_op op, struct ir_operand *out)
{
    if (op.level)
        out[0] = lower_src(c, 2, coord_types[op.integer]);
    for (unsigned w = 0; op.gradients && w < 2 * TEX_AXES; w++) {
        const struct ptx_operand *g = &c->inst->ops[2 + w / TEX_AXES];
        unsigned axis = w % TEX_AXES, n = g->kind == PTX_O_VEC ? g->n : 1;
        out[w] = axis < n ? lower_value(c, g->kind == PTX_O_VEC ? &g->elems[axis] : g, PTX_F32) : lower_imm(0);
    }
    return op.level ? 1 : op.gradients ? 2 * TEX_AXES : 0;
}

static bool sample(struct lower_ctx *c, struct tex_op op)
{
    struct ir_operand more[2 * TEX_AXES];
    unsigned n_more = details(c, op, more);
    const struct ptx_operand *d = &c->inst->ops[0];
    struct ir_reg *out[TEX_RESULTS];
    for (unsigned w = 0; w < TEX_RESULTS; w++)
        out[w] = lower_tmp(c, IR_I32);
    if (d->n != TEX_RESULTS)
        return lower_fail(c, "a texture gives four values");
    struct ir_inst *i = begin(c, 1, op);
    if (!i)
        return false;
    for (unsigned w = 0; w < n_more; w++)
        ir_inst_src(i, more[w]);
    for (unsigned w = 0; w < TEX_RESULTS; w++)
        ir_inst_dst(i, out[w]);
    for (unsigned w = 0; w < TEX_RESULTS; w++)
        if (d->elems[w].kind != PTX_O_SINK)
            lower_mov(c, lower_def(c, &d->elems[w], c->inst->type), lower_reg(out[w]));
    return true;
}

bool lower_TEX(struct lower_ctx *c)
{
    return sample(c, (struct tex_op){ .kind = TEX_SAMPLE, .geometry = geometry_of(c), .integer = c->inst->type2 == PTX_S32 });
}

bool lower_TEX_LEVEL(struct lower_ctx *c)
{
    return sample(c, (struct tex_op){ .kind = TEX_SAMPLE, .geometry = geometry_of(c), .integer = c->inst->type2 == PTX_S32, .level = 1 });
}

bool lower_TEX_GRAD(struct lower_ctx *c)
{
    return sample(c, (struct tex_op){ .kind = TEX_SAMPLE, .geometry = geometry_of(c), .gradients = 1 });
}

bool lower_TLD4(struct lower_ctx *c)
{
    enum ptx_mod m = lower_mod(c, PTX_C_TEXCOMP);
    uint32_t component = m == PTX_M_TEX_G ? 1 : m == PTX_M_TEX_B ? 2 : m == PTX_M_TEX_A ? 3 : 0;
    return sample(c, (struct tex_op){ .kind = TEX_GATHER, .geometry = geometry_of(c), .component = component & 3 });
}

bool lower_TXQ(struct lower_ctx *c)
{
    struct tex_op op = { .kind = TEX_QUERY, .geometry = TEX_1D };
    switch (lower_mod(c, PTX_C_TEXQUERY)) {
    case PTX_M_WIDTH: op.query = TEX_WIDTH; break;
    case PTX_M_HEIGHT: op.query = TEX_HEIGHT; break;
    case PTX_M_DEPTH: op.query = TEX_DEPTH; break;
    case PTX_M_ARRAY_SIZE: op.query = TEX_LAYERS; break;
    case PTX_M_NUM_MIPMAP_LEVELS: op.query = TEX_LEVELS; break;
    case PTX_M_NUM_SAMPLES: op.query = TEX_SAMPLES; break;
    default: op.query = TEX_NORMALISED; break;
    }
    struct ir_reg *out = lower_tmp(c, IR_I32);
    struct ir_inst *i = begin(c, 1, op);
    if (!i)
        return false;
    ir_inst_dst(i, out);
    lower_set(c, 0, PTX_B32, lower_reg(out));
    return true;
}

bool lower_SUQ(struct lower_ctx *c)
{
    return lower_TXQ(c);
}

/* --- surfaces --- */

static bool surface_op(struct lower_ctx *c, enum tex_kind kind, unsigned n, struct tex_op *out)
{
    enum ptx_mod clamp = lower_mod(c, PTX_C_SURFCLAMP);
    unsigned bytes = ptx_type_bits(c->inst->type) / 8 * n;
    *out = (struct tex_op){ .kind = kind, .geometry = geometry_of(c), .integer = 1, .bytes = bytes & 31,
                            .boundary = clamp == PTX_M_ZERO ? TEX_ZERO : clamp == PTX_M_CLAMP ? TEX_CLAMP : TEX_TRAP };
    return bytes <= 16 || lower_fail(c, "more than 16 bytes at once");
}

static const struct ptx_operand *parts(struct lower_ctx *c, int k, unsigned *n)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    *n = o->kind == PTX_O_VEC ? o->n : 1;
    return o->kind == PTX_O_VEC ? o->elems : o;
}

/* Elements of 1, 2, 4 or 8 bytes lie one behind the other in the words. */
bool lower_SULD(struct lower_ctx *c)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = lower_type(t);
    unsigned n, bits = ptx_type_bits(t);
    const struct ptx_operand *d = parts(c, 0, &n);
    struct ir_reg *out[TEX_RESULTS];
    struct tex_op op;
    if (!surface_op(c, TEX_LOAD, n, &op))
        return false;
    for (unsigned w = 0; w < TEX_RESULTS; w++)
        out[w] = lower_tmp(c, IR_I32);
    struct ir_inst *i = begin(c, 1, op);
    if (!i)
        return false;
    for (unsigned w = 0; w < TEX_RESULTS; w++)
        ir_inst_dst(i, out[w]);
    for (unsigned k = 0; k < n; k++) {
        unsigned at = k * bits;
        struct ir_operand v = lower_reg(out[at / 32]);
        if (d[k].kind == PTX_O_SINK)
            continue;
        if (bits == 64) {
            struct ir_operand low = lower_resize(c, IR_I64, IR_I32, false, v);
            struct ir_operand high = lower_resize(c, IR_I64, IR_I32, false, lower_reg(out[at / 32 + 1]));
            v = lower_op2(c, IR_OR, IR_I64, low, lower_op2(c, IR_SHL, IR_I64, high, lower_imm(32)));
        } else if (bits < 32) {
            v = lower_op2(c, IR_SHR_U, IR_I32, v, lower_imm(at % 32));
            v = lower_resize(c, type, IR_I32, false, v);
        }
        lower_mov(c, lower_def(c, &d[k], t), v);
    }
    return true;
}

static bool store(struct lower_ctx *c, bool formatted)
{
    enum ptx_type t = c->inst->type;
    enum ir_type type = lower_type(t);
    unsigned n, bits = ptx_type_bits(t), used = 0;
    const struct ptx_operand *s = parts(c, 1, &n);
    struct ir_operand words[TEX_RESULTS] = { { 0 } };
    struct tex_op op;
    if (!surface_op(c, TEX_STORE, n, &op))
        return false;
    op.formatted = formatted;
    for (unsigned k = 0; k < n; k++) {
        struct ir_operand v = lower_value(c, &s[k], t);
        unsigned at = k * bits;
        if (bits == 64) {
            words[used++] = lower_resize(c, IR_I32, IR_I64, false, v);
            words[used++] = lower_resize(c, IR_I32, IR_I64, false, lower_op2(c, IR_SHR_U, IR_I64, v, lower_imm(32)));
            continue;
        }
        v = lower_resize(c, IR_I32, type, false, v);
        if (at % 32) {
            v = lower_op2(c, IR_SHL, IR_I32, v, lower_imm(at % 32));
            words[at / 32] = lower_op2(c, IR_OR, IR_I32, words[at / 32], v);
        } else {
            words[used++] = v;
        }
    }
    struct ir_inst *i = begin(c, 0, op);
    if (!i)
        return false;
    for (unsigned w = 0; w < used; w++)
        ir_inst_src(i, words[w]);
    return true;
}

bool lower_SUST(struct lower_ctx *c)
{
    return store(c, false);
}

bool lower_SUST_P(struct lower_ctx *c)
{
    return store(c, true);
}

static bool reduce(struct lower_ctx *c, bool formatted)
{
    enum ptx_type t = c->inst->type;
    struct ir_operand v = lower_src(c, 1, t), high = lower_imm(0);
    struct tex_op op;
    if (!surface_op(c, TEX_REDUCE, 1, &op))
        return false;
    switch (lower_mod(c, PTX_C_REDOP)) {
    case PTX_M_ADD: op.reduction = TEX_ADD; break;
    case PTX_M_MIN: op.reduction = TEX_MIN; break;
    case PTX_M_MAX: op.reduction = TEX_MAX; break;
    case PTX_M_AND: op.reduction = TEX_AND; break;
    case PTX_M_OR: op.reduction = TEX_OR; break;
    default: return lower_fail(c, "sured adds, takes the smaller or the larger value, or combines bits with and or or");
    }
    op.is_signed = ptx_type_is_signed(t);
    op.formatted = formatted;
    if (op.bytes == 8) {
        high = lower_resize(c, IR_I32, IR_I64, false, lower_op2(c, IR_SHR_U, IR_I64, v, lower_imm(32)));
        v = lower_resize(c, IR_I32, IR_I64, false, v);
    }
    struct ir_inst *i = begin(c, 0, op);
    if (!i)
        return false;
    ir_inst_src(i, v);
    if (op.bytes == 8)
        ir_inst_src(i, high);
    return true;
}

bool lower_SURED(struct lower_ctx *c)
{
    return reduce(c, false);
}

bool lower_SURED_P(struct lower_ctx *c)
{
    return reduce(c, true);
}
