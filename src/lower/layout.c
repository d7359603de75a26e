/* SPDX-License-Identifier: Apache-2.0 */
/* Where variables are: shared and local memory of a kernel, the module's .global and .const variables. */
#include "lower/frame.h"

#define MAX_KERNEL_BYTES ((uint64_t)1 << 31)
#define MAX_STATIC_SHARED 0xc000u        /* of every device; more must be asked for when the kernel is launched */
#define MAX_CONST 0x10000u

int64_t lower_local_alloc(struct lower_ctx *c, uint64_t bytes, uint64_t align)
{
    struct lower_layout *l = c->layout;
    uint64_t at = hw_align_up(l->local_top, align);
    if (bytes > MAX_KERNEL_BYTES || at + bytes > MAX_KERNEL_BYTES) {
        lower_fail(c, "local memory is larger than 2 GiB");
        return 0;
    }
    l->local_top = at + bytes;
    l->local_max = hw_max_u64(l->local_max, l->local_top);
    return (int64_t)at;
}

static bool place_shared(struct lower_ctx *c, const struct ptx_var *v)
{
    struct lower_layout *l = c->layout;
    if (v->is_extern || v->is_unsized) {
        c->f->uses_dynamic_shared = true;
        return true;
    }
    if (hw_map_get_ptr(&l->shared, v))
        return true;
    uint64_t at = hw_align_up(l->shared_bytes, v->align);
    if (v->bytes > MAX_KERNEL_BYTES || at + v->bytes > MAX_KERNEL_BYTES)
        return lower_fail(c, "shared memory is larger than 2 GiB");
    l->shared_bytes = at + v->bytes;
    hw_vec_push(&c->kernel_f->shared, ((struct ir_variable){ (uint32_t)at, (uint32_t)v->bytes }));
    hw_map_set_ptr(&l->shared, v, (void *)(uintptr_t)(at + 1));
    return true;
}

struct scan {
    HW_VEC(const struct ptx_func *) todo;
    uint8_t *seen;               /* by ptx_func.id */
};

static void scan_func(struct lower_ctx *c, struct scan *s, const struct ptx_func *f)
{
    if (s->seen[f->id])
        return;
    s->seen[f->id] = 1;
    hw_vec_push(&s->todo, f);
    (void)c;
}

static bool scan_operand(struct lower_ctx *c, struct scan *s, const struct ptx_operand *o)
{
    switch ((enum ptx_operand_kind)o->kind) {
    case PTX_O_VAR: return o->var->space == PTX_SPACE_SHARED ? place_shared(c, o->var) : true;
    case PTX_O_FUNC:
        if (!o->func->is_entry)                  /* a kernel that is launched has memory of its own */
            scan_func(c, s, o->func);
        return true;
    case PTX_O_SREG: c->layout->uses_reserved |= strncmp(o->name, "%reserved_smem", 14) == 0; return true;
    case PTX_O_ADDR: case PTX_O_VEC: case PTX_O_LIST: case PTX_O_PAIR:
        for (unsigned i = 0; i < o->n; i++)
            if (!scan_operand(c, s, &o->elems[i]))
                return false;
        return true;
    default: return true;
    }
}

static bool is_carry(unsigned form)
{
    return form == PTX_ADD_CC || form == PTX_ADDC || form == PTX_SUB_CC || form == PTX_SUBC || form == PTX_MAD_CC || form == PTX_MADC;
}

/* All functions the kernel can reach: dynamic shared memory begins behind the last static variable of any of them. */
bool lower_layout_scan(struct lower_ctx *c)
{
    struct scan s = { .seen = hw_alloc(c->ptx->funcs.n + 1) };
    bool ok = true;
    scan_func(c, &s, c->kernel);
    for (size_t k = 0; ok && k < s.todo.n; k++) {
        const struct ptx_func *f = s.todo.v[k];
        for (size_t i = 0; ok && i < f->insts.n; i++) {
            const struct ptx_inst *inst = &f->insts.v[i];
            c->inst = inst;
            c->layout->uses_carry |= is_carry(inst->form);
            c->layout->uses_stack |= inst->form == PTX_ALLOCA || inst->form == PTX_STACKSAVE || inst->form == PTX_STACKRESTORE;
            for (unsigned o = 0; ok && o < inst->n_ops; o++)
                ok = scan_operand(c, &s, &inst->ops[o]);
        }
    }
    c->inst = NULL;
    if (ok && c->layout->shared_bytes > MAX_STATIC_SHARED)
        ok = lower_fail(c, "%#llx bytes of shared memory are too many, at most %#x may be static", (unsigned long long)c->layout->shared_bytes,
                        MAX_STATIC_SHARED);
    if (c->layout->uses_reserved) {
        c->layout->reserved_at = hw_align_up(c->layout->shared_bytes, 128);
        c->layout->shared_bytes = c->layout->reserved_at + LOWER_RESERVED_SHARED;
    }
    c->layout->dynamic_at = hw_align_up(c->layout->shared_bytes, 16);
    hw_vec_fini(&s.todo);
    hw_free(s.seen);
    return ok;
}

/* .local variables get their place when the function first names them. */
static int64_t local_offset(struct lower_ctx *c, const struct ptx_var *v)
{
    int64_t *at = &c->frame->local_at[v->id];
    if (*at < 0) {
        *at = lower_local_alloc(c, v->bytes, v->align);
        hw_vec_push(&c->f->locals, ((struct ir_variable){ (uint32_t)*at, (uint32_t)v->bytes }));
    }
    return *at;
}

static struct ir_operand address_inst(struct lower_ctx *c, enum ir_op op, int64_t imm)
{
    struct ir_inst *i = lower_emit(c, op, IR_I64);
    ir_inst_dst(i, lower_tmp(c, IR_I64));
    i->imm = imm;
    return lower_reg(i->dst[0]);
}

static struct ir_operand global_address(struct lower_ctx *c, const struct ptx_var *v, int64_t offset)
{
    uintptr_t index = (uintptr_t)hw_map_get_ptr(&c->layout->globals, v);
    if (!index) {
        lower_limit(c, "variable '%s' is a texture, sampler or surface reference, which are not supported yet", v->name);
        return lower_imm(0);
    }
    struct ir_operand a = address_inst(c, IR_VARADDR, (int64_t)index - 1);
    return offset ? lower_op2(c, IR_ADD, IR_I64, a, lower_imm((uint64_t)offset)) : a;
}

static struct ir_operand shared_address(struct lower_ctx *c, uint64_t at, int64_t offset)
{
    struct ir_operand a = lower_imm(at + (uint64_t)offset);
    for (size_t k = 0; k < c->kernel_f->shared.n; k++)
        if (c->kernel_f->shared.v[k].offset == at)
            a.var = (uint32_t)k + 1;
    return a;
}

struct ir_operand lower_var_address(struct lower_ctx *c, const struct ptx_var *v, int64_t offset)
{
    switch (v->space) {
    case PTX_SPACE_GLOBAL: case PTX_SPACE_CONST: return global_address(c, v, offset);
    case PTX_SPACE_SHARED:
        if (v->is_extern || v->is_unsized)
            return lower_imm(c->layout->dynamic_at + (uint64_t)offset);
        return shared_address(c, (uintptr_t)hw_map_get_ptr(&c->layout->shared, v) - 1, offset);
    case PTX_SPACE_LOCAL: return lower_imm((uint64_t)(local_offset(c, v) + offset));
    case PTX_SPACE_PARAM:
        if (c->frame->func->is_entry && !c->frame->slots[v->id].used)
            return address_inst(c, IR_PARAMADDR, (int64_t)v->offset + offset);
        if (c->frame->slots[v->id].in_memory)
            return lower_imm((uint64_t)(c->frame->slots[v->id].local_offset + offset));
        break;
    default: break;
    }
    lower_fail(c, "the address of '%s' cannot be taken", v->name);
    return lower_imm(0);
}

/* The initialiser is at least this long. */
static void reach(struct lower_ctx *c, struct ir_var *out, uint64_t bytes)
{
    if (out->init_bytes >= bytes || bytes > out->bytes)
        return;
    char *longer = hw_arena_alloc(&c->module->arena, bytes);
    memset(longer, 0, bytes);
    if (out->init)
        memcpy(longer, out->init, out->init_bytes);
    out->init = longer;
    out->init_bytes = bytes;
}

static bool copy_refs(struct lower_ctx *c, const struct ptx_var *v, struct ir_var *out)
{
    for (size_t i = 0; i < v->refs.n; i++) {
        const struct ptx_init_ref *ref = &v->refs.v[i];
        if (!ref->var) {                                  /* a function's address, as in a virtual table */
            uint64_t address = lower_func_address(ref->func) + (uint64_t)ref->addend;
            reach(c, out, ref->offset + ref->bytes);
            if (ref->bytes <= 8 && ref->offset + ref->bytes <= v->bytes && ref->shift < 64) {
                address >>= ref->shift;
                memcpy((char *)out->init + ref->offset, &address, ref->bytes);
            }
            continue;
        }
        uintptr_t index = (uintptr_t)hw_map_get_ptr(&c->layout->globals, ref->var);
        if (!index || ref->bytes != 8) {
            diag_error(c->diag, v->line, 0, "the initialiser of '%s' holds %s, which is not supported yet", v->name,
                       index ? "a part of an address" : "the address of a texture or surface");
            return false;
        }
        struct ir_reloc r = { .offset = ref->offset, .var = (int)index - 1, .addend = ref->addend, .generic = ref->generic };
        hw_vec_push(&out->relocs, r);
    }
    return true;
}

static void add_global(struct lower_ctx *c, const struct ptx_var *v)
{
    struct hw_arena *arena = &c->module->arena;
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)
        return;
    struct ir_var *out = hw_arena_new(arena, struct ir_var);
    out->name = v->func ? hw_arena_printf(arena, "%s$%s", v->func->name, v->name) : hw_arena_strdup(arena, v->name);
    out->space = v->space == PTX_SPACE_CONST ? IR_CONST : IR_GLOBAL;
    out->bytes = v->bytes;
    out->align = v->align;
    if (v->init_bytes) {
        out->init = hw_arena_alloc(arena, v->init_bytes);
        out->init_bytes = v->init_bytes;
        memcpy(out->init, v->init, v->init_bytes);
    }
    out->visible = v->is_visible;
    out->external = v->is_extern;
    out->weak = v->is_weak || v->is_common;
    out->managed = v->is_managed;
    out->texture = v->type == PTX_TEXREF;
    out->surface = v->type == PTX_SURFREF;
    hw_vec_push(&c->module->vars, out);
    hw_map_set_ptr(&c->layout->globals, v, (void *)(uintptr_t)c->module->vars.n);
}

static bool finish_global(struct lower_ctx *c, const struct ptx_var *v)
{
    uintptr_t index = (uintptr_t)hw_map_get_ptr(&c->layout->globals, v);
    return !index || copy_refs(c, v, c->module->vars.v[index - 1]);
}

/* A module has one bank of memory for them. */
static bool consts_fit(struct lower_ctx *c)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->module->vars.n; i++)
        if (c->module->vars.v[i]->space == IR_CONST)
            bytes = hw_align_up(bytes, c->module->vars.v[i]->align ? c->module->vars.v[i]->align : 1) + c->module->vars.v[i]->bytes;
    if (bytes > MAX_CONST)
        diag_error(c->diag, 0, 0, "%#llx bytes of constant memory are too many, at most %#x may be used", (unsigned long long)bytes, MAX_CONST);
    return bytes <= MAX_CONST;
}

bool lower_globals(struct lower_ctx *c, const struct ptx_module *ptx)
{
    for (size_t i = 0; i < ptx->vars.n; i++)
        add_global(c, ptx->vars.v[i]);
    for (size_t f = 0; f < ptx->funcs.n; f++)
        for (size_t i = 0; !ptx->funcs.v[f]->is_shadow && i < ptx->funcs.v[f]->vars.n; i++)
            add_global(c, ptx->funcs.v[f]->vars.v[i]);
    bool ok = consts_fit(c);
    /* Initialisers may name variables that come later. */
    for (size_t i = 0; ok && i < ptx->vars.n; i++)
        ok = finish_global(c, ptx->vars.v[i]);
    for (size_t f = 0; ok && f < ptx->funcs.n; f++)
        for (size_t i = 0; ok && !ptx->funcs.v[f]->is_shadow && i < ptx->funcs.v[f]->vars.n; i++)
            ok = finish_global(c, ptx->funcs.v[f]->vars.v[i]);
    return ok;
}
