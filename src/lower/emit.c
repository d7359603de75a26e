/* SPDX-License-Identifier: Apache-2.0 */
/* What every family of instructions uses: writing IR, reading operands, storing results. */
#include "lower/frame.h"

#include <stdio.h>

/* Is this the first message about c->inst? A function that several kernels call has its faults in all of them. */
static bool is_news(struct lower_ctx *c)
{
    const void *at = c->inst ? (const void *)c->inst : c->kernel;
    if (c->failed || (c->check && hw_map_get_ptr(&c->check->told, at)))
        return false;
    if (c->check)
        hw_map_set_ptr(&c->check->told, at, c->check);
    return true;
}

static bool tell(struct lower_ctx *c, bool limit, const char *fmt, va_list ap)
{
    char why[300], text[120] = "";
    vsnprintf(why, sizeof why, fmt, ap);
    if (c->inst)
        ptx_inst_text(c->inst, text, sizeof text);
    const char *func = c->frame ? c->frame->func->name : c->kernel->name;
    bool inlined = strcmp(func, c->kernel->name) != 0;
    if (is_news(c))
        (limit && c->check ? diag_warn : diag_error)(c->diag, c->inst ? c->inst->line : c->kernel->line, 0, "%s%s%s in %s '%s'%s%s%s", text,
                                                     *text ? ": " : "", why, c->kernel->is_entry ? "kernel" : "function", c->kernel->name,
                                                     inlined ? " (in function '" : "", inlined ? func : "", inlined ? "')" : "");
    c->failed = true;
    return false;
}

bool lower_fail(struct lower_ctx *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    tell(c, false, fmt, ap);
    va_end(ap);
    return false;
}

bool lower_limit(struct lower_ctx *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    tell(c, true, fmt, ap);
    va_end(ap);
    return false;
}

struct ir_reg *lower_tmp(struct lower_ctx *c, enum ir_type type)
{
    return ir_reg_new(c->f, ir_type_of_bits(ir_type_bits(type)), NULL);
}

static const struct ir_inlined *inlined_new(struct lower_ctx *c, const char *function, uint32_t file, uint32_t line, const struct ir_inlined *outer)
{
    struct ir_inlined *x = hw_arena_new(&c->module->arena, struct ir_inlined);
    *x = (struct ir_inlined){ function ? hw_arena_strdup(&c->module->arena, function) : NULL, file, line, outer };
    return x;
}

/* What the compiler inlined into a function, and behind that where we inline the function. */
const struct ir_inlined *lower_inlined(struct lower_ctx *c, const struct ptx_inlined *from)
{
    if (!from)
        return c->frame ? c->frame->inlined : NULL;
    struct { const void *from, *frame; } key = { from, c->frame ? c->frame->inlined : NULL };
    const struct ir_inlined *x = hw_map_get(&c->inlined, &key, sizeof key);
    if (!x) {
        x = inlined_new(c, from->function, from->file, from->line, lower_inlined(c, from->outer));
        hw_map_set(&c->inlined, &key, sizeof key, (void *)x);
    }
    return x;
}

const struct ir_inlined *lower_inlined_call(struct lower_ctx *c, const struct ptx_func *callee)
{
    const struct ptx_inst *call = c->inst;
    return inlined_new(c, callee->name, call ? call->src_file : 0, call ? call->src_line : 0, call ? lower_inlined(c, call->inlined) : NULL);
}

struct ir_inst *lower_emit(struct lower_ctx *c, enum ir_op op, enum ir_type type)
{
    struct ir_inst *i = ir_inst_new(c->f, op, type);
    if (c->inst) {
        i->ptx_line = (uint32_t)c->inst->line;
        i->src_file = c->inst->src_line ? c->inst->src_file : 0;
        i->src_line = c->inst->src_line;
        i->inlined = lower_inlined(c, c->inst->inlined);
        i->home_file = c->inst->home_file;
        i->home_line = c->inst->home_line;
    }
    ir_block_add(c->block, i);
    c->n_insts++;
    return i;
}

struct ir_inst *lower_last(struct lower_ctx *c)
{
    return c->block->insts.v[c->block->insts.n - 1];
}

static enum ir_type result_type(enum ir_op op, enum ir_type type)
{
    switch (op) {
    case IR_POPC: case IR_CLZ: case IR_CTZ: return IR_I32;
    case IR_CMP: case IR_ISSPACE: return IR_PRED;
    default: return type;
    }
}

static struct ir_inst *emit_to_tmp(struct lower_ctx *c, enum ir_op op, enum ir_type type)
{
    struct ir_reg *d = lower_tmp(c, result_type(op, type));
    struct ir_inst *i = lower_emit(c, op, type);
    ir_inst_dst(i, d);
    return i;
}

struct ir_operand lower_op1(struct lower_ctx *c, enum ir_op op, enum ir_type type, struct ir_operand a)
{
    struct ir_inst *i = emit_to_tmp(c, op, type);
    ir_inst_src(i, a);
    return lower_reg(i->dst[0]);
}

struct ir_operand lower_op2(struct lower_ctx *c, enum ir_op op, enum ir_type type, struct ir_operand a, struct ir_operand b)
{
    struct ir_inst *i = emit_to_tmp(c, op, type);
    ir_inst_src(i, a);
    ir_inst_src(i, b);
    return lower_reg(i->dst[0]);
}

struct ir_operand lower_op3(struct lower_ctx *c, enum ir_op op, enum ir_type type, struct ir_operand a, struct ir_operand b,
                            struct ir_operand d)
{
    struct ir_inst *i = emit_to_tmp(c, op, type);
    ir_inst_src(i, a);
    ir_inst_src(i, b);
    ir_inst_src(i, d);
    return lower_reg(i->dst[0]);
}

struct ir_operand lower_cmp(struct lower_ctx *c, enum ir_cmp cmp, enum ir_type type, struct ir_operand a, struct ir_operand b)
{
    struct ir_operand p = lower_op2(c, IR_CMP, type, a, b);
    lower_last(c)->cmp = (uint8_t)cmp;
    return p;
}

struct ir_operand lower_select(struct lower_ctx *c, enum ir_type type, struct ir_operand pred, struct ir_operand yes, struct ir_operand no)
{
    return lower_op3(c, IR_SELECT, type, pred, yes, no);
}

struct ir_operand lower_cvt(struct lower_ctx *c, enum ir_op op, enum ir_type to, enum ir_type from, struct ir_operand a, enum ir_rnd rnd)
{
    struct ir_operand r = lower_op1(c, op, to, a);
    lower_last(c)->type2 = from;
    lower_last(c)->rnd = (uint8_t)rnd;
    return r;
}

static uint64_t mask_of(unsigned bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

struct ir_operand lower_resize(struct lower_ctx *c, enum ir_type to, enum ir_type from, bool sign_extend, struct ir_operand a)
{
    unsigned tb = ir_type_bits(to), fb = ir_type_bits(from);
    if (a.kind == IR_IMM) {
        uint64_t v = a.imm & mask_of(fb);
        if (sign_extend && fb < 64 && (v >> (fb - 1) & 1))
            v |= ~mask_of(fb);
        struct ir_operand r = lower_imm(v & mask_of(tb));
        r.var = a.var;
        return r;
    }
    if (tb == fb)
        return a;
    enum ir_op op = tb < fb ? IR_TRUNC : sign_extend ? IR_SEXT : IR_ZEXT;
    return lower_cvt(c, op, ir_type_of_bits(tb), ir_type_of_bits(fb), a, IR_RN);
}

void lower_mov(struct lower_ctx *c, struct ir_reg *dst, struct ir_operand value)
{
    if (value.kind == IR_REG && value.reg == dst)
        return;
    struct ir_inst *i = lower_emit(c, IR_MOV, dst->type);
    ir_inst_dst(i, dst);
    ir_inst_src(i, value);
}

struct ir_operand lower_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return lower_imm(bits);
}

struct ir_operand lower_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return lower_imm(bits);
}

struct ir_operand lower_load_generic(struct lower_ctx *c, enum ir_type type, struct ir_operand addr, int64_t offset)
{
    struct ir_operand v = lower_op1(c, IR_LD, type, addr);
    lower_last(c)->space = IR_GENERIC;
    lower_last(c)->imm = offset;
    return v;
}

void lower_store_generic(struct lower_ctx *c, enum ir_type type, struct ir_operand addr, int64_t offset, struct ir_operand value)
{
    struct ir_inst *i = lower_emit(c, IR_ST, type);
    i->space = IR_GENERIC;
    i->imm = offset;
    ir_inst_src(i, addr);
    ir_inst_src(i, value);
}

struct ir_block *lower_new_block(struct lower_ctx *c, const char *label)
{
    return ir_block_new(c->f, label);
}

void lower_br(struct lower_ctx *c, struct ir_block *to)
{
    lower_emit(c, IR_BR, IR_VOID)->target[0] = to;
}

void lower_cbr(struct lower_ctx *c, struct ir_operand pred, struct ir_block *yes, struct ir_block *no)
{
    struct ir_inst *i = lower_emit(c, IR_CBR, IR_VOID);
    ir_inst_src(i, pred);
    i->target[0] = yes;
    i->target[1] = no;
}

enum ir_type lower_type(enum ptx_type t)
{
    switch (t) {
    case PTX_PRED: return IR_PRED;
    case PTX_F16: return IR_F16;
    case PTX_BF16: return IR_BF16;
    case PTX_F32: return IR_F32;
    case PTX_F64: return IR_F64;
    default: return ir_type_of_bits(ptx_type_bits(t));
    }
}

bool lower_has_op(struct lower_ctx *c, int k)
{
    return k < c->inst->n_ops && c->inst->ops[k].kind != PTX_O_NONE;
}

struct ir_reg *lower_ptx_reg(struct lower_ctx *c, const struct ptx_reg *r)
{
    struct ir_reg **slot = &c->frame->regs[r->id];
    if (ptx_type_bits(r->type) > 64)
        lower_fail(c, "registers of .%s cannot be used here", ptx_type_info[r->type].text);
    if (!*slot)
        *slot = ir_reg_new(c->f, ir_type_of_bits(ptx_type_bits(r->type)), r->name);
    return *slot;
}

static struct ir_operand constant(const struct ptx_operand *o, enum ptx_type t)
{
    uint64_t bits = (uint64_t)o->imm;
    double d;
    float f;
    if (t == PTX_PRED)
        return lower_imm(bits != 0);
    if (o->kind == PTX_O_F64 && ptx_type_bits(t) == 32) {
        memcpy(&d, &bits, 8);
        return lower_f32((float)d);
    }
    if (o->kind == PTX_O_F32 && t == PTX_F64) {
        memcpy(&f, &bits, 4);
        return lower_f64(f);
    }
    return lower_imm(bits & mask_of(ptx_type_bits(t)));
}

struct ir_operand lower_value(struct lower_ctx *c, const struct ptx_operand *o, enum ptx_type t)
{
    enum ir_type want = ir_type_of_bits(ptx_type_bits(t));
    struct ir_operand v;
    switch ((enum ptx_operand_kind)o->kind) {
    case PTX_O_INT: case PTX_O_F32: case PTX_O_F64: return constant(o, t);
    case PTX_O_REG:
        v = lower_reg(lower_ptx_reg(c, o->reg));
        v = lower_resize(c, want, v.reg->type, false, v);
        return o->negated ? lower_op1(c, IR_NOT, IR_PRED, v) : v;
    case PTX_O_SREG: return lower_resize(c, want, lower_sreg_type(o->name), false, lower_sreg(c, o->name));
    case PTX_O_VAR: return lower_resize(c, want, IR_I64, false, lower_var_address(c, o->var, o->imm));
    case PTX_O_FUNC:
        if (o->func->is_entry && !o->func->has_body)
            lower_fail(c, "kernel '%s' is declared but not defined", o->func->name);
        return lower_imm(o->func->is_entry ? lower_kernel_address(c->ptx, o->func) : lower_func_address(o->func));
    default: lower_fail(c, "an operand has no value"); break;
    }
    return lower_imm(0);
}

struct ir_operand lower_src(struct lower_ctx *c, int k, enum ptx_type t)
{
    return lower_value(c, &c->inst->ops[k], t);
}

static void add_pending(struct lower_ctx *c, struct ir_reg *reg, enum ptx_type t, struct ir_operand value)
{
    assert(c->n_pending < IR_MAX_DST);
    c->pending[c->n_pending++] = (struct lower_pending){ value, reg, ir_type_of_bits(ptx_type_bits(t)), ptx_type_is_signed(t) };
}

struct ir_reg *lower_def(struct lower_ctx *c, const struct ptx_operand *o, enum ptx_type t)
{
    enum ir_type type = ir_type_of_bits(ptx_type_bits(t));
    if (o->kind != PTX_O_REG)
        return lower_tmp(c, type);           /* _ : nobody looks */
    struct ir_reg *reg = lower_ptx_reg(c, o->reg);
    if (reg->type == type && !c->guarded_select)
        return reg;
    struct ir_reg *value = lower_tmp(c, type);
    add_pending(c, reg, t, lower_reg(value));
    return value;
}

struct ir_reg *lower_dst(struct lower_ctx *c, int k, enum ptx_type t)
{
    return lower_def(c, &c->inst->ops[k], t);
}

/* A temporary made by the instruction just before goes straight into the register: no copy. So nothing may use a value
   once it was handed to lower_set(). */
static bool retarget(struct lower_ctx *c, struct ir_reg *dst, struct ir_operand value)
{
    if (value.kind != IR_REG || value.reg->name || !c->block->insts.n)
        return false;
    struct ir_inst *last = lower_last(c);
    if (last->n_dst != 1 || last->dst[0] != value.reg || value.reg->type != dst->type)
        return false;
    last->dst[0] = dst;
    return true;
}

void lower_set(struct lower_ctx *c, int k, enum ptx_type t, struct ir_operand value)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    enum ir_type type = ir_type_of_bits(ptx_type_bits(t));
    if (o->kind != PTX_O_REG)
        return;                  /* _ : nobody looks */
    struct ir_reg *reg = lower_ptx_reg(c, o->reg);
    if (c->guarded_select) {
        add_pending(c, reg, t, value);
        return;
    }
    value = lower_resize(c, reg->type, type, ptx_type_is_signed(t), value);
    if (!retarget(c, reg, value))
        lower_mov(c, reg, value);
}

void lower_commit(struct lower_ctx *c)
{
    for (int i = 0; i < c->n_pending; i++) {
        const struct lower_pending *p = &c->pending[i];
        struct ir_operand v = lower_resize(c, p->reg->type, p->type, p->sign_extend, p->value);
        if (!c->guarded_select) {
            if (!retarget(c, p->reg, v))
                lower_mov(c, p->reg, v);
            continue;
        }
        struct ir_operand guard = lower_reg(lower_ptx_reg(c, c->inst->guard)), old = lower_reg(p->reg);
        struct ir_inst *s = lower_emit(c, IR_SELECT, p->reg->type);
        ir_inst_dst(s, p->reg);
        ir_inst_src(s, guard);
        ir_inst_src(s, c->inst->guard_negated ? old : v);
        ir_inst_src(s, c->inst->guard_negated ? v : old);
    }
    c->n_pending = 0;
}

enum ir_rnd lower_rnd(struct lower_ctx *c)
{
    switch (lower_mod(c, PTX_C_RND)) {
    case PTX_M_RZ: return IR_RZ;
    case PTX_M_RM: return IR_RM;
    case PTX_M_RP: return IR_RP;
    default: return IR_RN;
    }
}

uint8_t lower_fflags(struct lower_ctx *c)
{
    return (uint8_t)((lower_has(c, PTX_M_FTZ) ? IR_FTZ : 0) | (lower_has(c, PTX_M_SAT) ? IR_SAT : 0));
}
