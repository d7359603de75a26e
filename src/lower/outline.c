/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that stay functions: those that call themselves, and those called through pointers.
 * Parameters and results travel in local memory: a callee's begins where its caller's ends, with the results first and the
 * parameters behind them, each at its own alignment.
 */
#include "lower/frame.h"

static uint64_t place(uint64_t *at, uint64_t bytes, uint64_t align)
{
    uint64_t offset = hw_align_up(*at, align ? align : 1);
    *at = offset + bytes;
    return offset;
}

/* The largest power of two that divides the place and fits what is left, 8 at most. */
static unsigned step(uint64_t offset, uint64_t left)
{
    unsigned n = 8;
    while (n > left || offset % n)
        n /= 2;
    return n;
}

static struct ir_inst *outgoing(struct lower_ctx *c, enum ir_op op, enum ir_type type, uint64_t offset)
{
    struct ir_inst *i = lower_emit(c, op, type);
    ir_inst_src(i, lower_imm(0));
    i->space = IR_LOCAL;
    i->flags = IR_OUTGOING;
    i->imm = (int64_t)offset;
    return i;
}

/* What a call passes: a .param variable of the caller, or a register or constant. */
static void shape_of(const struct ptx_operand *o, uint64_t *bytes, uint64_t *align)
{
    if (o->kind == PTX_O_VAR) {
        *bytes = o->var->bytes;
        *align = o->var->align;
    } else {
        *bytes = *align = o->kind == PTX_O_REG ? ptx_type_bits(o->reg->type) / 8 : 4;
    }
}

static void store_arg(struct lower_ctx *c, const struct ptx_operand *o, uint64_t offset, uint64_t bytes)
{
    if (o->kind != PTX_O_VAR) {
        enum ptx_type t = o->kind == PTX_O_REG ? o->reg->type : PTX_B32;
        struct ir_operand v = lower_value(c, o, t);
        ir_inst_src(outgoing(c, IR_ST, ir_type_of_bits(ptx_type_bits(t)), offset), v);
        return;
    }
    for (uint64_t at = 0; at < bytes;) {
        unsigned n = step(offset + at, bytes - at);
        enum ir_type t = ir_type_of_bits(n * 8);
        struct ir_operand v = lower_slot_read(c, c->frame, o->var, at, t);
        ir_inst_src(outgoing(c, IR_ST, t, offset + at), v);
        at += n;
    }
}

static struct ir_operand load_result(struct lower_ctx *c, enum ir_type t, uint64_t offset)
{
    struct ir_reg *r = lower_tmp(c, t);
    ir_inst_dst(outgoing(c, IR_LD, t, offset), r);
    return lower_reg(r);
}

static void take_result(struct lower_ctx *c, const struct ptx_operand *o, uint64_t offset, uint64_t bytes)
{
    if (o->kind == PTX_O_REG) {
        lower_mov(c, lower_ptx_reg(c, o->reg), load_result(c, ir_type_of_bits((unsigned)bytes * 8), offset));
        return;
    }
    if (o->kind != PTX_O_VAR)
        return;
    struct lower_slot *slot = &c->frame->slots[o->var->id];
    for (uint32_t i = 0; !slot->in_memory && i < slot->n_pieces; i++) {
        enum ir_type t = ir_type_of_bits(slot->pieces[i].bytes * 8);
        lower_slot_write(c, c->frame, o->var, slot->pieces[i].offset, t, load_result(c, t, offset + slot->pieces[i].offset));
    }
    for (uint64_t at = 0; slot->in_memory && at < bytes;) {
        unsigned n = step(offset + at, bytes - at);
        enum ir_type t = ir_type_of_bits(n * 8);
        lower_slot_write(c, c->frame, o->var, at, t, load_result(c, t, offset + at));
        at += n;
    }
}

static bool emit_call(struct lower_ctx *c, int64_t callee, const struct ptx_operand *target, const struct ptx_operand *args, unsigned n_args,
                      const struct ptx_operand *rets, unsigned n_rets)
{
    uint64_t at = 0, bytes, align, result_at[16];
    if (n_rets > HW_LEN(result_at))
        return lower_limit(c, "a call with more than %zu results is not supported", HW_LEN(result_at));
    struct ir_operand address = target ? lower_value(c, target, PTX_B64) : lower_imm(0);
    for (unsigned i = 0; i < n_rets; i++) {
        shape_of(&rets[i], &bytes, &align);
        result_at[i] = place(&at, bytes, align);
    }
    for (unsigned i = 0; i < n_args; i++) {
        shape_of(&args[i], &bytes, &align);
        store_arg(c, &args[i], place(&at, bytes, align), bytes);
    }
    struct ir_inst *call = lower_emit(c, IR_CALL, IR_VOID);
    call->imm = callee;
    if (target)
        ir_inst_src(call, address);
    for (unsigned i = 0; i < n_rets; i++) {
        shape_of(&rets[i], &bytes, &align);
        take_result(c, &rets[i], result_at[i], bytes);
    }
    return !c->failed;
}

/* The function's place among the kernel's callees; it is lowered after the kernel. */
int64_t lower_add_callee(struct lower_ctx *c, const struct ptx_func *func)
{
    for (size_t i = 0; i < c->callees.n; i++)
        if (c->callees.v[i] == func)
            return (int64_t)i;
    hw_vec_push(&c->callees, func);
    ir_callee_new(c->kernel_f, func->name, lower_func_address(func))->ptx_line = (uint32_t)func->line;
    return (int64_t)c->callees.n - 1;
}

bool lower_out_of_line(struct lower_ctx *c, const struct ptx_func *func, const struct ptx_operand *args, unsigned n_args,
                       const struct ptx_operand *rets, unsigned n_rets)
{
    return emit_call(c, lower_add_callee(c, func), NULL, args, n_args, rets, n_rets);
}

static bool operand_names(const struct ptx_operand *o, const struct ptx_func *f)
{
    if (o->kind == PTX_O_FUNC)
        return o->func == f;
    bool composite = o->kind == PTX_O_ADDR || o->kind == PTX_O_VEC || o->kind == PTX_O_LIST || o->kind == PTX_O_PAIR;
    for (unsigned i = 0; composite && i < o->n; i++)
        if (operand_names(&o->elems[i], f))
            return true;
    return false;
}

static bool vars_name(struct ptx_var *const *vars, size_t n, const struct ptx_func *f)
{
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < vars[i]->refs.n; r++)
            if (vars[i]->refs.v[r].func == f)
                return true;
    return false;
}

/* Does anything but a direct call name the function? */
static bool address_taken(const struct ptx_module *m, const struct ptx_func *f)
{
    if (vars_name(m->vars.v, m->vars.n, f))
        return true;
    for (size_t k = 0; k < m->funcs.n; k++) {
        const struct ptx_func *g = m->funcs.v[k];
        if (vars_name(g->vars.v, g->vars.n, f))
            return true;
        for (size_t i = 0; i < g->insts.n; i++)
            for (unsigned o = 0; g->insts.v[i].form != PTX_CALL && o < g->insts.v[i].n_ops; o++)
                if (operand_names(&g->insts.v[i].ops[o], f))
                    return true;
    }
    return false;
}

bool lower_indirect(struct lower_ctx *c, const struct ptx_operand *target, const struct ptx_operand *args, unsigned n_args,
                    const struct ptx_operand *rets, unsigned n_rets)
{
    for (size_t i = 0; i < c->ptx->funcs.n; i++) {
        const struct ptx_func *f = c->ptx->funcs.v[i];
        if (!f->is_entry && f->has_body && !f->is_shadow && address_taken(c->ptx, f))
            lower_add_callee(c, f);
    }
    return emit_call(c, -1, target, args, n_args, rets, n_rets);
}

/* ---- the callee's side ---- */

static void place_formals(struct lower_ctx *c, struct lower_frame *frame, const struct ptx_func *func, uint64_t *at, uint64_t *reg_at)
{
    for (int k = 0; k < 2; k++) {
        size_t n = k ? func->params.n : func->rets.n;
        for (size_t i = 0; i < n; i++) {
            const struct ptx_var *v = k ? func->params.v[i] : func->rets.v[i];
            uint64_t offset = place(at, v->bytes, v->align);
            frame->slots[v->id].used = frame->slots[v->id].in_memory = true;
            frame->slots[v->id].local_offset = (int64_t)offset;
            if (!k && v->reg && i < 16)
                reg_at[i] = offset;
            if (k && v->reg) {
                enum ir_type t = ir_type_of_bits((unsigned)v->bytes * 8);
                struct ir_operand value = lower_op1(c, IR_LD, t, lower_imm(offset));
                lower_last(c)->space = IR_LOCAL;
                lower_mov(c, lower_ptx_reg(c, v->reg), value);
            }
        }
    }
}

static bool lower_callee(struct lower_ctx *c, size_t index)
{
    const struct ptx_func *func = c->callees.v[index];
    struct lower_layout *l = c->layout;
    struct lower_frame frame;
    uint64_t formals = 0, reg_at[16] = { 0 };
    c->f = c->kernel_f->callees.v[index];
    c->inst = NULL;
    c->frame = NULL;
    c->block = lower_new_block(c, NULL);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < (k ? func->params.n : func->rets.n); i++) {
            const struct ptx_var *v = k ? func->params.v[i] : func->rets.v[i];
            place(&formals, v->bytes, v->align);
        }
    l->local_top = l->local_max = hw_align_up(formals, 16);
    bool ok = lower_frame_init(c, &frame, func);
    if (ok) {
        c->frame = &frame;
        uint64_t at = 0;
        place_formals(c, &frame, func, &at, reg_at);
        if (l->uses_carry) {
            c->cc = lower_tmp(c, IR_I32);
            lower_mov(c, c->cc, lower_imm(0));
        }
        lower_stack_init(c);
        frame.leave = lower_new_block(c, NULL);
        ok = lower_body(c);
        c->block = frame.leave;
        for (size_t i = 0; ok && i < func->rets.n && i < 16; i++)
            if (func->rets.v[i]->reg) {
                struct ir_inst *st = lower_emit(c, IR_ST, ir_type_of_bits((unsigned)func->rets.v[i]->bytes * 8));
                ir_inst_src(st, lower_imm(reg_at[i]));
                ir_inst_src(st, lower_reg(lower_ptx_reg(c, func->rets.v[i]->reg)));
                st->space = IR_LOCAL;
            }
        if (!ir_block_term(c->block))
            lower_emit(c, IR_RET, IR_VOID);
    }
    lower_frame_fini(&frame);
    c->frame = NULL;
    c->inst = NULL;
    lower_close_blocks(c);
    c->f->local_bytes = (uint32_t)l->local_max;
    return ok && !c->failed && lower_check_nesting(c) && ir_verify(c->f, c->diag);
}

bool lower_callees(struct lower_ctx *c)
{
    for (size_t i = 0; i < c->callees.n; i++)              /* lowering one may add more */
        if (!lower_callee(c, i))
            return false;
    return true;
}
