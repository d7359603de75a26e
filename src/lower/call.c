/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. Functions of the module are inlined: fresh registers, their blocks in the middle of the caller's. Parameters
 * and results, which PTX passes through .param variables, become registers wherever every access to such a variable
 * agrees on its pieces; only where the address is taken or pieces overlap is there memory.
 */
#include "lower/frame.h"
#include "lower/nvmath.h"

enum { MAX_CALL_DEPTH = 200, MAX_PIECES = 256, MAX_ARGS = 64 };

/* ---- .param variables ---- */

static void slot_access(struct lower_frame *frame, const struct ptx_var *v, int64_t offset, unsigned bytes)
{
    struct lower_slot *slot = &frame->slots[v->id];
    slot->used = true;
    if (offset < 0 || bytes > 8 || (uint64_t)offset + bytes > v->bytes)
        slot->in_memory = true;
    if (slot->in_memory)
        return;
    for (uint32_t i = 0; i < slot->n_pieces; i++) {
        const struct lower_piece *p = &slot->pieces[i];
        if (p->offset == offset && p->bytes == bytes)
            return;
        if (p->offset < offset + bytes && offset < p->offset + p->bytes)
            slot->in_memory = true;
    }
    if (slot->n_pieces == MAX_PIECES)
        slot->in_memory = true;
    if (slot->in_memory)
        return;
    if (!(slot->n_pieces & (slot->n_pieces - 1))) {          /* grow at 0, 1, 2, 4, ... */
        struct lower_piece *bigger = hw_arena_array(&frame->arena, struct lower_piece, slot->n_pieces ? slot->n_pieces * 2 : 1);
        if (slot->n_pieces)
            memcpy(bigger, slot->pieces, slot->n_pieces * sizeof *bigger);
        slot->pieces = bigger;
    }
    slot->pieces[slot->n_pieces++] = (struct lower_piece){ (uint32_t)offset, bytes, NULL };
}

static bool is_slot(const struct lower_frame *frame, const struct ptx_var *v)
{
    if (v->space != PTX_SPACE_PARAM || v->func != frame->func || v->reg)
        return false;
    /* A kernel's own parameters are in the parameter buffer. */
    for (size_t i = 0; frame->func->is_entry && i < frame->func->params.n; i++)
        if (frame->func->params.v[i] == v)
            return false;
    return true;
}

static unsigned n_elements(const struct ptx_inst *inst)
{
    switch (ptx_mod_of(inst, PTX_C_VEC)) {
    case PTX_M_V2: return 2;
    case PTX_M_V4: return 4;
    case PTX_M_V8: return 8;
    default: return 1;
    }
}

static void note_operand(struct lower_frame *frame, const struct ptx_inst *inst, const struct ptx_operand *o)
{
    bool access = inst->form == PTX_LD || inst->form == PTX_ST || inst->form == PTX_LDU;
    if (o->kind == PTX_O_ADDR && o->elems[0].kind == PTX_O_VAR && access && is_slot(frame, o->elems[0].var)) {
        unsigned bytes = ptx_type_bits(inst->type) / 8;
        for (unsigned e = 0; e < n_elements(inst); e++)
            slot_access(frame, o->elems[0].var, o->imm + (int64_t)(e * bytes), bytes);
    } else if (o->kind == PTX_O_ADDR || o->kind == PTX_O_VEC) {
        for (unsigned e = 0; e < o->n; e++)
            note_operand(frame, inst, &o->elems[e]);
    } else if (o->kind == PTX_O_VAR && is_slot(frame, o->var)) {
        frame->slots[o->var->id].used = frame->slots[o->var->id].in_memory = true;
    } else if (o->kind == PTX_O_LIST) {
        for (unsigned e = 0; e < o->n; e++)
            if (o->elems[e].kind == PTX_O_VAR && is_slot(frame, o->elems[e].var))
                frame->slots[o->elems[e].var->id].used = true;
    }
}

bool lower_frame_init(struct lower_ctx *c, struct lower_frame *frame, const struct ptx_func *func)
{
    memset(frame, 0, sizeof *frame);
    frame->func = func;
    frame->caller = c->frame;
    frame->regs = hw_arena_array(&frame->arena, struct ir_reg *, func->regs.n + 1);
    frame->slots = hw_arena_array(&frame->arena, struct lower_slot, func->vars.n + 1);
    frame->local_at = hw_arena_array(&frame->arena, int64_t, func->vars.n + 1);
    frame->blocks = hw_arena_array(&frame->arena, struct ir_block *, func->insts.n + 1);
    for (size_t i = 0; i < func->insts.n; i++)
        for (unsigned o = 0; o < func->insts.v[i].n_ops; o++)
            note_operand(frame, &func->insts.v[i], &func->insts.v[i].ops[o]);
    for (size_t i = 0; i < func->vars.n; i++) {
        const struct ptx_var *v = func->vars.v[i];
        frame->local_at[v->id] = -1;
        if (frame->slots[v->id].in_memory)
            frame->slots[v->id].local_offset = lower_local_alloc(c, v->bytes, v->align);
    }
    return !c->failed;
}

void lower_frame_fini(struct lower_frame *frame)
{
    hw_arena_fini(&frame->arena);
}

static struct ir_reg *piece_reg(struct lower_ctx *c, struct lower_piece *p)
{
    if (!p->reg)
        p->reg = lower_tmp(c, ir_type_of_bits(p->bytes * 8));
    return p->reg;
}

/* Pieces of other sizes put together in 64 bits; bytes that nobody wrote are zero. */
static struct ir_operand compose(struct lower_ctx *c, struct lower_slot *slot, uint64_t offset, enum ir_type type)
{
    uint64_t bytes = ir_type_bits(type) / 8;
    struct ir_operand sum = lower_imm(0);
    for (uint32_t i = 0; i < slot->n_pieces; i++) {
        struct lower_piece *p = &slot->pieces[i];
        if (p->offset >= offset + bytes || offset >= p->offset + p->bytes)
            continue;
        struct ir_operand v = lower_resize(c, IR_I64, ir_type_of_bits(p->bytes * 8), false, lower_reg(piece_reg(c, p)));
        if (p->offset > offset)
            v = lower_op2(c, IR_SHL, IR_I64, v, lower_imm((p->offset - offset) * 8));
        else if (p->offset < offset)
            v = lower_op2(c, IR_SHR_U, IR_I64, v, lower_imm((offset - p->offset) * 8));
        sum = sum.kind == IR_IMM ? v : lower_op2(c, IR_OR, IR_I64, sum, v);
    }
    return lower_resize(c, type, IR_I64, false, sum);
}

struct ir_operand lower_slot_read(struct lower_ctx *c, struct lower_frame *frame, const struct ptx_var *v, uint64_t offset, enum ir_type type)
{
    struct lower_slot *slot = &frame->slots[v->id];
    if (slot->in_memory) {
        struct ir_operand r = lower_op1(c, IR_LD, type, lower_imm((uint64_t)slot->local_offset));
        lower_last(c)->space = IR_LOCAL;
        lower_last(c)->imm = (int64_t)offset;
        return r;
    }
    for (uint32_t i = 0; i < slot->n_pieces; i++)
        if (slot->pieces[i].offset == offset && slot->pieces[i].bytes * 8 == ir_type_bits(type))
            return lower_reg(piece_reg(c, &slot->pieces[i]));
    return compose(c, slot, offset, type);
}

void lower_slot_write(struct lower_ctx *c, struct lower_frame *frame, const struct ptx_var *v, uint64_t offset, enum ir_type type,
                      struct ir_operand value)
{
    struct lower_slot *slot = &frame->slots[v->id];
    if (slot->in_memory) {
        struct ir_inst *i = lower_emit(c, IR_ST, type);
        i->space = IR_LOCAL;
        i->imm = (int64_t)offset;
        ir_inst_src(i, lower_imm((uint64_t)slot->local_offset));
        ir_inst_src(i, value);
        return;
    }
    for (uint32_t i = 0; i < slot->n_pieces; i++)
        if (slot->pieces[i].offset == offset && slot->pieces[i].bytes * 8 == ir_type_bits(type))
            lower_mov(c, piece_reg(c, &slot->pieces[i]), value);
}

/* Copies what the reader will look at from one frame's variable to the other's. */
static void copy_slot(struct lower_ctx *c, struct lower_frame *from, const struct ptx_var *src, struct lower_frame *to, const struct ptx_var *dst)
{
    const struct lower_slot *d = &to->slots[dst->id], *s = &from->slots[src->id];
    if (!d->used)
        return;
    if (!d->in_memory) {
        for (uint32_t i = 0; i < d->n_pieces; i++) {
            enum ir_type type = ir_type_of_bits(d->pieces[i].bytes * 8);
            lower_slot_write(c, to, dst, d->pieces[i].offset, type, lower_slot_read(c, from, src, d->pieces[i].offset, type));
        }
        return;
    }
    if (!s->in_memory) {
        for (uint32_t i = 0; i < s->n_pieces; i++) {
            enum ir_type type = ir_type_of_bits(s->pieces[i].bytes * 8);
            lower_slot_write(c, to, dst, s->pieces[i].offset, type, lower_slot_read(c, from, src, s->pieces[i].offset, type));
        }
        return;
    }
    uint64_t bytes = hw_min_u64(src->bytes, dst->bytes), align = hw_min_u64(hw_min_u64(src->align, dst->align), 8);
    for (uint64_t at = 0; at < bytes;) {
        uint64_t n = align;
        while (at + n > bytes)
            n /= 2;
        enum ir_type type = ir_type_of_bits((unsigned)n * 8);
        lower_slot_write(c, to, dst, at, type, lower_slot_read(c, from, src, at, type));
        at += n;
    }
}

/* ---- the call ---- */

static const struct ptx_operand *list_op(struct lower_ctx *c, int k, unsigned *n)
{
    const struct ptx_operand *o = &c->inst->ops[k];
    *n = o->kind == PTX_O_LIST ? o->n : 0;
    return o->kind == PTX_O_LIST ? o->elems : NULL;
}

static enum ptx_type formal_type(const struct ptx_var *formal)
{
    if (!formal->is_array)
        return formal->type;
    return formal->bytes == 8 ? PTX_B64 : formal->bytes == 4 ? PTX_B32 : formal->bytes == 2 ? PTX_B16 : PTX_B8;
}

static bool reg_fits(struct lower_ctx *c, const struct ptx_operand *o, const struct ptx_var *formal)
{
    return ptx_type_bits(o->reg->type) == ptx_type_bits(formal_type(formal)) ||
           lower_fail(c, "%s and the parameter '%s' are not of one size", o->reg->name, formal->name);
}

/* The value of an argument as wide as its formal parameter. */
static struct ir_operand arg_value(struct lower_ctx *c, const struct ptx_operand *arg, const struct ptx_var *formal)
{
    enum ptx_type t = formal_type(formal);
    if (arg->kind == PTX_O_VAR && is_slot(c->frame, arg->var))
        return lower_slot_read(c, c->frame, arg->var, 0, ir_type_of_bits(ptx_type_bits(t)));
    if (arg->kind == PTX_O_REG && !reg_fits(c, arg, formal))
        return lower_imm(0);
    return lower_value(c, arg, t);
}

static void pass_args(struct lower_ctx *c, struct lower_frame *callee, const struct ptx_operand *args, unsigned n)
{
    struct lower_frame *caller = c->frame;
    for (unsigned i = 0; i < n; i++) {
        const struct ptx_var *formal = callee->func->params.v[i];
        if (formal->reg) {
            struct ir_operand v = arg_value(c, &args[i], formal);
            c->frame = callee;
            lower_mov(c, lower_ptx_reg(c, formal->reg), v);
            c->frame = caller;
        } else if (args[i].kind == PTX_O_VAR && is_slot(caller, args[i].var)) {
            copy_slot(c, caller, args[i].var, callee, formal);
        } else {
            enum ir_type type = ir_type_of_bits(ptx_type_bits(formal_type(formal)));
            lower_slot_write(c, callee, formal, 0, type, arg_value(c, &args[i], formal));
        }
    }
}

/* Stores a result that is a plain value. */
static void set_result(struct lower_ctx *c, const struct ptx_operand *to, const struct ptx_var *formal, struct ir_operand value)
{
    enum ir_type type = ir_type_of_bits(ptx_type_bits(formal_type(formal)));
    if (to->kind == PTX_O_VAR && is_slot(c->frame, to->var)) {
        const struct lower_slot *slot = &c->frame->slots[to->var->id];
        if (slot->in_memory) {
            lower_slot_write(c, c->frame, to->var, 0, type, value);
            return;
        }
        for (uint32_t i = 0; i < slot->n_pieces; i++) {
            enum ir_type piece = ir_type_of_bits(slot->pieces[i].bytes * 8);
            struct ir_operand v = value;
            if (slot->pieces[i].offset)
                v = lower_op2(c, IR_SHR_U, type, v, lower_imm(slot->pieces[i].offset * 8));
            lower_slot_write(c, c->frame, to->var, slot->pieces[i].offset, piece, lower_resize(c, piece, type, false, v));
        }
    } else if (to->kind == PTX_O_REG && reg_fits(c, to, formal)) {
        lower_mov(c, lower_ptx_reg(c, to->reg), value);
    }
}

static void take_results(struct lower_ctx *c, struct lower_frame *callee, const struct ptx_operand *rets, unsigned n)
{
    struct lower_frame *caller = c->frame;
    for (unsigned i = 0; i < n; i++) {
        const struct ptx_var *formal = callee->func->rets.v[i];
        if (!formal->reg && rets[i].kind == PTX_O_VAR && is_slot(caller, rets[i].var)) {
            copy_slot(c, callee, formal, caller, rets[i].var);
            continue;
        }
        struct ir_operand v;
        if (formal->reg) {
            c->frame = callee;
            v = lower_reg(lower_ptx_reg(c, formal->reg));
            c->frame = caller;
        } else {
            v = lower_slot_read(c, callee, formal, 0, ir_type_of_bits(ptx_type_bits(formal_type(formal))));
        }
        set_result(c, &rets[i], formal, v);
    }
}

static bool inline_call(struct lower_ctx *c, const struct ptx_func *func, const struct ptx_operand *args, unsigned n_args,
                        const struct ptx_operand *rets, unsigned n_rets)
{
    int depth = 0;
    for (const struct lower_frame *f = c->frame; f; f = f->caller, depth++)
        if (f->func == func)
            return lower_out_of_line(c, func, args, n_args, rets, n_rets);
    if (depth >= MAX_CALL_DEPTH)
        return lower_out_of_line(c, func, args, n_args, rets, n_rets);
    struct lower_frame callee, *caller = c->frame;
    uint64_t top = c->layout->local_top;
    const struct ptx_inst *inst = c->inst;
    if (!lower_frame_init(c, &callee, func)) {
        lower_frame_fini(&callee);
        return false;
    }
    pass_args(c, &callee, args, n_args);
    callee.inlined = lower_inlined_call(c, func);
    callee.leave = lower_new_block(c, NULL);
    c->frame = &callee;
    bool guarded = c->guarded_select;
    struct ir_reg *stack = c->stack ? lower_tmp(c, IR_I64) : NULL;
    if (stack)
        lower_mov(c, stack, lower_reg(c->stack));
    bool ok = lower_body(c);
    c->guarded_select = guarded;
    c->frame = caller;
    c->inst = inst;
    c->block = callee.leave;
    if (stack)
        lower_mov(c, c->stack, lower_reg(stack));         /* what the function took goes with it */
    if (ok)
        take_results(c, &callee, rets, n_rets);
    c->layout->local_top = top;
    lower_frame_fini(&callee);
    return ok && !c->failed;
}

/* Functions that the engine provides. */
struct service {
    const char *name;
    enum ir_op op;
    const char *signature;       /* nv_type()'s letters: the result, then the parameters */
    uint8_t n_used;              /* of these */
};

static const struct service *service_of(const char *name)
{
    static const struct service services[] = {
        { "vprintf", IR_VPRINTF, "ill", 2 },
        { "__assertfail", IR_ASSERTFAIL, "vllill", 4 },        /* the fifth is the size of a character */
        { "malloc", IR_MALLOC, "ll", 1 },
        { "free", IR_FREE, "vl", 1 },
        { "cudaGraphSetConditional", IR_ST, "vli", 2 },
    };
    for (size_t i = 0; i < HW_LEN(services); i++)
        if (strcmp(services[i].name, name) == 0)
            return &services[i];
    return NULL;
}

static bool is_of_size(const struct ptx_var *formal, char letter)
{
    return ptx_type_bits(formal_type(formal)) == ir_type_bits(nv_type(letter));
}

/* A result may be left out. */
static bool declared_as(const struct ptx_func *func, const char *signature)
{
    if (func->params.n != strlen(signature) - 1 || func->rets.n > (signature[0] != 'v'))
        return false;
    for (size_t i = 0; i < func->params.n; i++)
        if (!is_of_size(func->params.v[i], signature[i + 1]))
            return false;
    return !func->rets.n || is_of_size(func->rets.v[0], signature[0]);
}

static void emit_service(struct lower_ctx *c, const struct service *service, struct ir_reg *dst, const struct ir_operand *src)
{
    enum ir_type result = nv_type(service->signature[0]);
    struct ir_inst *i = lower_emit(c, service->op, result);
    for (int k = 0; k < service->n_used; k++)
        ir_inst_src(i, src[k]);
    if (result != IR_VOID)
        ir_inst_dst(i, dst ? dst : lower_tmp(c, result));
}

bool lower_is_provided(const char *name)
{
    return service_of(name) || strncmp(name, "__nv_", 5) == 0 || strncmp(name, "__cudaCDP2", 10) == 0;
}

/* The driver brings the device runtime's functions with it; others may come from other files. */
static bool found_elsewhere(const struct lower_ctx *c, const char *name)
{
    return c->check && !c->failed && (c->check->open || strncmp(name, "__cudaCDP2", 10) == 0);
}

static bool external_call(struct lower_ctx *c, const struct ptx_func *func, const struct ptx_operand *args, unsigned n_args,
                          const struct ptx_operand *rets, unsigned n_rets)
{
    struct ir_operand src[MAX_ARGS];
    struct ir_reg *dst = NULL;
    if (n_args > MAX_ARGS || n_rets > 1)
        return lower_fail(c, "external function '%s' is not known", func->name);
    for (unsigned i = 0; i < n_args; i++)
        src[i] = arg_value(c, &args[i], func->params.v[i]);
    if (n_rets)
        dst = lower_tmp(c, ir_type_of_bits(ptx_type_bits(formal_type(func->rets.v[0]))));
    const struct service *service = service_of(func->name);
    if (service && !declared_as(func, service->signature))
        return lower_fail(c, "'%s' is declared with other parameters than expected", func->name);
    if (service && service->op == IR_ST)
        lower_store_generic(c, IR_I32, src[0], 0, src[1]);     /* a handle is the address of its value: core/graph/condition.h */
    else if (service)
        emit_service(c, service, dst, src);
    else if (!lower_nvmath(c, func->name, dst, src, (int)n_args) && !found_elsewhere(c, func->name))
        return c->failed ? false : lower_fail(c, "function '%s' is declared but not defined", func->name);
    if (n_rets)
        set_result(c, &rets[0], func->rets.v[0], lower_reg(dst));
    return !c->failed;
}

/* call{.uni} (rets), function, (args) */
bool lower_CALL(struct lower_ctx *c)
{
    unsigned n_rets, n_args;
    const struct ptx_operand *rets = list_op(c, 0, &n_rets), *args = list_op(c, 2, &n_args), *f = &c->inst->ops[1];
    if (f->kind != PTX_O_FUNC)
        return lower_indirect(c, f, args, n_args, rets, n_rets);
    const struct ptx_func *func = f->func;
    if (func->is_entry)
        return lower_fail(c, "'%s' is a kernel and cannot be called", func->name);
    if (n_args != func->params.n || n_rets != func->rets.n)
        return lower_fail(c, "'%s' takes %zu arguments and gives %zu results", func->name, func->params.n, func->rets.n);
    if (func->has_body)
        return inline_call(c, func, args, n_args, rets, n_rets);
    return external_call(c, func, args, n_args, rets, n_rets);
}
