/* SPDX-License-Identifier: Apache-2.0 */
/* Making IR, and the tables that describe it. */
#include "ir/names.h"

#define PURE IR_PROP_PURE
#define MEM IR_PROP_MEM
#define TERM IR_PROP_TERM
#define CONV IR_PROP_CONV
const struct ir_op_info ir_op_info[IR_OP_COUNT] = {
#define OP(id, text, n_dst, n_src, props) [IR_##id] = { text, n_dst, n_src, props },
#include "ir/ops.def"
#undef OP
};
#undef PURE
#undef MEM
#undef TERM
#undef CONV

const char *const ir_sreg_names[IR_SREG_COUNT] = {
#define SREG(id, text) text,
#include "ir/sregs.def"
#undef SREG
};

const char *const ir_math_names[IR_MATH_COUNT] = {
#define MATH(id, name, ...) name,
#include "ir/math.def"
#undef MATH
};

/* ORDER ir_type */
static const struct {
    uint8_t bits;
    bool is_float;
} types[] = {
    { 0, false }, { 1, false }, { 8, false }, { 16, false }, { 32, false }, { 64, false }, { 128, false }, { 16, true }, { 16, true }, { 32, true }, { 64, true },
};
static_assert(HW_LEN(types) == IR_TYPE_COUNT, "one row per enum ir_type");

unsigned ir_type_bits(enum ir_type t)
{
    return types[t].bits;
}

bool ir_type_is_float(enum ir_type t)
{
    return types[t].is_float;
}

const char *ir_type_name(enum ir_type t)
{
    return ir_name(&ir_type_names, t);
}

enum ir_type ir_type_of_bits(unsigned bits)
{
    switch (bits) {
    case 1: return IR_PRED;
    case 8: return IR_I8;
    case 16: return IR_I16;
    case 32: return IR_I32;
    case 64: return IR_I64;
    case 128: return IR_I128;
    default: return IR_VOID;
    }
}

struct ir_module *ir_module_new(void)
{
    return hw_alloc(sizeof(struct ir_module));
}

static void func_fini(struct ir_func *f)
{
    for (size_t i = 0; i < f->blocks.n; i++)
        hw_vec_fini(&f->blocks.v[i]->insts);
    hw_vec_fini(&f->blocks);
    hw_vec_fini(&f->regs);
    hw_vec_fini(&f->params);
    hw_vec_fini(&f->shared);
    hw_vec_fini(&f->locals);
    for (size_t i = 0; i < f->callees.n; i++)
        func_fini(f->callees.v[i]);
    hw_vec_fini(&f->callees);
}

void ir_module_free(struct ir_module *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->funcs.n; i++)
        func_fini(m->funcs.v[i]);
    for (size_t i = 0; i < m->vars.n; i++)
        hw_vec_fini(&m->vars.v[i]->relocs);
    hw_vec_fini(&m->funcs);
    hw_vec_fini(&m->vars);
    hw_vec_fini(&m->files);
    hw_arena_fini(&m->arena);
    hw_free(m);
}

struct ir_func *ir_func_new(struct ir_module *m, const char *name)
{
    struct ir_func *f = hw_arena_new(&m->arena, struct ir_func);
    f->module = m;
    f->name = hw_arena_strdup(&m->arena, name);
    hw_vec_push(&m->funcs, f);
    return f;
}

struct ir_func *ir_callee_new(struct ir_func *kernel, const char *name, uint64_t address)
{
    struct ir_func *f = hw_arena_new(&kernel->module->arena, struct ir_func);
    f->module = kernel->module;
    f->name = hw_arena_strdup(&kernel->module->arena, name);
    f->address = address;
    hw_vec_push(&kernel->callees, f);
    return f;
}

struct ir_reg *ir_reg_new(struct ir_func *f, enum ir_type type, const char *name)
{
    struct ir_reg *r = hw_arena_new(&f->module->arena, struct ir_reg);
    r->id = (uint32_t)f->regs.n;
    r->type = type;
    r->name = name ? hw_arena_strdup(&f->module->arena, name) : NULL;
    hw_vec_push(&f->regs, r);
    return r;
}

struct ir_block *ir_block_new(struct ir_func *f, const char *label)
{
    struct ir_block *b = hw_arena_new(&f->module->arena, struct ir_block);
    b->id = (uint32_t)f->blocks.n;
    b->label = label ? hw_arena_strdup(&f->module->arena, label) : NULL;
    hw_vec_push(&f->blocks, b);
    return b;
}

struct ir_inst *ir_inst_new(struct ir_func *f, enum ir_op op, enum ir_type type)
{
    struct ir_inst *i = hw_arena_new(&f->module->arena, struct ir_inst);
    i->op = op;
    i->type = type;
    return i;
}

struct ir_inst *ir_inst_for(struct ir_func *f, enum ir_op op, enum ir_type type, const struct ir_inst *from)
{
    struct ir_inst *i = ir_inst_new(f, op, type);
    i->ptx_line = from->ptx_line;
    i->src_file = from->src_file;
    i->src_line = from->src_line;
    i->inlined = from->inlined;
    i->home_file = from->home_file;
    i->home_line = from->home_line;
    return i;
}

void ir_inst_dst(struct ir_inst *i, struct ir_reg *reg)
{
    assert(i->n_dst < IR_MAX_DST);
    i->dst[i->n_dst++] = reg;
}

void ir_inst_src(struct ir_inst *i, struct ir_operand o)
{
    assert(i->n_src < IR_MAX_SRC);
    i->src[i->n_src++] = o;
}

void ir_block_add(struct ir_block *b, struct ir_inst *i)
{
    hw_vec_push(&b->insts, i);
}

void ir_block_insert(struct ir_block *b, size_t at, struct ir_inst *i)
{
    hw_vec_push(&b->insts, i);
    for (size_t j = b->insts.n - 1; j > at; j--)
        b->insts.v[j] = b->insts.v[j - 1];
    b->insts.v[at] = i;
}

bool ir_defines(const struct ir_inst *i, const struct ir_reg *r)
{
    for (int k = 0; k < i->n_dst; k++)
        if (i->dst[k] == r)
            return true;
    return false;
}

struct ir_inst *ir_block_term(const struct ir_block *b)
{
    if (!b->insts.n)
        return NULL;
    struct ir_inst *last = b->insts.v[b->insts.n - 1];
    return ir_op_info[last->op].props & IR_PROP_TERM ? last : NULL;
}
