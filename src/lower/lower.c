/* SPDX-License-Identifier: Apache-2.0 */
/* PTX to IR: walks over kernels and instructions; the families do the rest. */
#include "lower/frame.h"

/* What inlining may grow a kernel to. */
#define MAX_IR_INSTS ((uint64_t)1 << 20)         /* they take half a gigabyte; LLVM would be at it for hours */

static bool lower_todo(struct lower_ctx *c)
{
    return lower_limit(c, "this instruction is not supported yet");
}

static lower_fn *const lower_table[PTX_FORM_COUNT] = {
#define FORM(id, ...) [PTX_##id] = lower_##id,
#define FORM_TODO(id, ...) [PTX_##id] = lower_todo,
#include "ptx/forms.def"
#undef FORM
#undef FORM_TODO
};

struct ir_block *lower_block_at(struct lower_ctx *c, uint32_t inst, const char *label)
{
    struct ir_block **slot = &c->frame->blocks[inst];
    if (!*slot)
        *slot = lower_new_block(c, label);
    return *slot;
}

/* A guarded instruction: results are selected where it has no other effect, else it is branched around. */
static bool lower_guarded(struct lower_ctx *c)
{
    const struct ptx_inst *inst = c->inst;
    unsigned props = ptx_form_info[inst->form].props;
    if (props & PTX_BRANCH)
        return lower_table[inst->form](c);
    if (props & PTX_PURE) {
        c->guarded_select = true;
        bool ok = lower_table[inst->form](c);
        lower_commit(c);
        c->guarded_select = false;
        return ok;
    }
    struct ir_block *then = lower_new_block(c, NULL), *next = lower_new_block(c, NULL);
    struct ir_operand guard = lower_reg(lower_ptx_reg(c, inst->guard));
    lower_cbr(c, guard, inst->guard_negated ? next : then, inst->guard_negated ? then : next);
    c->block = then;
    bool ok = lower_table[inst->form](c);
    lower_commit(c);
    if (!ir_block_term(c->block))
        lower_br(c, next);
    c->block = next;
    return ok;
}

static bool lower_inst(struct lower_ctx *c)
{
    if (c->n_insts > MAX_IR_INSTS)
        return lower_fail(c, "the kernel is too large once its functions are inlined");
    c->n_pending = 0;
    if (c->inst->guard)
        return lower_guarded(c);
    bool ok = lower_table[c->inst->form](c);
    lower_commit(c);
    return ok;
}

bool lower_body(struct lower_ctx *c)
{
    const struct ptx_func *func = c->frame->func;
    for (size_t i = 0; i < func->labels.n; i++)
        lower_block_at(c, func->labels.v[i]->at, func->labels.v[i]->name);
    for (size_t i = 0; i <= func->insts.n; i++) {
        struct ir_block *here = c->frame->blocks[i];
        c->inst = i < func->insts.n ? &func->insts.v[i] : NULL;
        if (here) {
            if (!ir_block_term(c->block))
                lower_br(c, here);
            c->block = here;
        }
        if (!c->inst || ir_block_term(c->block))
            continue;            /* the end, or code that nothing reaches */
        if (!lower_inst(c) || c->failed)
            return false;
    }
    if (!ir_block_term(c->block)) {
        if (c->frame->leave)
            lower_br(c, c->frame->leave);
        else
            lower_emit(c, IR_RET, IR_VOID);
    }
    return true;
}

/* Blocks nothing jumps to, as the rest after a trap, still need an end. */
void lower_close_blocks(struct lower_ctx *c)
{
    for (size_t i = 0; i < c->f->blocks.n; i++)
        if (!ir_block_term(c->f->blocks.v[i])) {
            c->block = c->f->blocks.v[i];
            lower_emit(c, IR_RET, IR_VOID);
        }
}

static void copy_kernel_facts(struct ir_func *f, const struct ptx_func *k)
{
    for (size_t i = 0; i < k->params.n; i++) {
        const struct ptx_var *v = k->params.v[i];
        struct ir_param p = { hw_arena_strdup(&f->module->arena, v->name), (uint32_t)v->offset, (uint32_t)v->bytes, (uint32_t)v->align };
        hw_vec_push(&f->params, p);
    }
    f->param_bytes = (uint32_t)k->param_bytes;
    memcpy(f->maxntid, k->maxntid, sizeof f->maxntid);
    memcpy(f->reqntid, k->reqntid, sizeof f->reqntid);
    f->minnctapersm = k->minnctapersm;
    f->maxnreg = k->maxnreg;
    f->ptx_line = (uint32_t)k->line;
}

/* What the parameters of a kernel may take: more since PTX 8.1 on newer devices. */
static bool fits_parameters(struct lower_ctx *c)
{
    uint64_t most = c->ptx->version >= 81 && c->ptx->sm >= 70 ? 32764 : 4352, bytes = c->kernel->is_entry ? c->kernel->param_bytes : 0;
    return bytes <= most || lower_fail(c, "the parameters take %llu bytes, at most %llu are allowed", (unsigned long long)bytes,
                                       (unsigned long long)most);
}

bool lower_kernel(struct lower_ctx *c, const struct ptx_func *kernel)
{
    struct lower_frame frame;
    struct lower_layout *l = c->layout;
    hw_map_fini(&l->shared);
    l->shared_bytes = l->dynamic_at = l->local_top = l->local_max = 0;
    l->uses_carry = l->uses_stack = l->uses_reserved = false;
    c->kernel = kernel;
    c->frame = NULL;
    c->inst = NULL;
    c->cc = c->stack = NULL;
    hw_map_fini(&c->inlined);            /* frames of another kernel may lie where those of this one will */
    c->n_insts = 0;
    c->failed = false;
    c->f = c->kernel_f = ir_func_new(c->module, kernel->name);
    c->callees.n = 0;
    copy_kernel_facts(c->f, kernel);
    c->block = lower_new_block(c, NULL);
    bool ok = fits_parameters(c) && lower_layout_scan(c);
    if (ok && !kernel->is_entry) {                         /* only to be checked: the one callee of a kernel that does nothing */
        lower_add_callee(c, kernel);
    } else if (ok && (ok = lower_frame_init(c, &frame, kernel))) {
        c->frame = &frame;
        if (l->uses_carry) {
            c->cc = lower_tmp(c, IR_I32);
            lower_mov(c, c->cc, lower_imm(0));
        }
        lower_stack_init(c);
        ok = lower_body(c);
        c->inst = NULL;
        lower_frame_fini(&frame);
        c->frame = NULL;
    }
    lower_close_blocks(c);
    c->f->local_bytes = (uint32_t)l->local_max;
    ok = ok && lower_check_nesting(c) && lower_callees(c);
    c->f = c->kernel_f;
    c->f->shared_bytes = (uint32_t)l->shared_bytes;
    if (ok && !ir_verify(c->f, c->diag))
        return false;
    return ok && !c->failed;
}

static void copy_files(struct ir_module *out, const struct ptx_module *ptx)
{
    for (size_t i = 0; i < ptx->files.n; i++) {
        while (out->files.n <= ptx->files.v[i].index)
            hw_vec_push(&out->files, NULL);
        out->files.v[ptx->files.v[i].index] = hw_arena_strdup(&out->arena, ptx->files.v[i].name);
    }
}

bool lower_is_kernel(const struct ptx_func *f) { return f->is_entry && f->has_body && !f->is_shadow; }

uint64_t lower_kernel_address(const struct ptx_module *m, const struct ptx_func *f)
{
    uint64_t place = 0;
    for (size_t i = 0; i < m->funcs.n; i++) {
        place += lower_is_kernel(m->funcs.v[i]);
        if (m->funcs.v[i] == f)
            break;
    }
    return f->param_bytes << 32 | place;
}

enum ptx_status lower_module(const struct ptx_module *ptx, struct diag *diag, struct ir_module **out)
{
    struct lower_layout layout = { 0 };
    struct lower_ctx c = { .ptx = ptx, .diag = diag, .layout = &layout, .module = ir_module_new() };
    c.module->ptx_version = ptx->version;
    c.module->sm = ptx->sm;
    c.module->has_debug = ptx->has_debug;
    copy_files(c.module, ptx);
    bool ok = lower_globals(&c, ptx);
    for (size_t i = 0; ok && i < ptx->funcs.n; i++) {
        const struct ptx_func *f = ptx->funcs.v[i];
        if (lower_is_kernel(f) && !lower_kernel(&c, f))
            ok = false;
    }
    hw_map_fini(&layout.shared);
    hw_map_fini(&layout.globals);
    hw_vec_fini(&c.callees);
    hw_map_fini(&c.inlined);
    if (ok) {
        *out = c.module;
        return PTX_OK;
    }
    ir_module_free(c.module);
    return PTX_BAD_PTX;
}
