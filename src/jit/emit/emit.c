/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel: its regions and the functions it calls, each by its plan. */
#include "jit/emit/control.h"
#include "jit/emit/frame.h"

/* Room for what is made anew for each function. */
void begin_plan(struct emit *e)
{
    const struct plan *p = e->p;
    size_t n = (size_t)p->n_blocks;
    e->slot = hw_alloc(p->n_regs * sizeof *e->slot + 1);
    e->mask = hw_alloc(n * sizeof *e->mask);
    e->cur = hw_alloc(n * sizeof *e->cur);
    e->whole = hw_alloc(n * sizeof *e->whole);
    e->cur_whole = hw_alloc(n * sizeof *e->cur_whole);
    e->bb = hw_alloc(n * sizeof *e->bb);
    e->is_source = hw_alloc(n);
    e->rematerialised = hw_alloc(p->n_regs + 1);
    e->available = hw_alloc(p->n_regs + 1);
    e->quiet = plan_quiet_regions(p);
    for (size_t b = 0; b < n; b++)
        if (p->blocks[b].mask_from >= 0)
            e->is_source[p->blocks[b].mask_from] = true;
    e->nowhere = bits_new(&e->arena, n);
    details_plan(e);
}

void end_plan(struct emit *e)
{
    hw_free(e->slot);
    hw_free(e->mask);
    hw_free(e->cur);
    hw_free(e->whole);
    hw_free(e->cur_whole);
    hw_free(e->bb);
    hw_free(e->is_source);
    hw_free(e->rematerialised);
    hw_free(e->available);
}

/* A region by the plan for several warps; what is kept is where the other plan has it. */
static void emit_wide_region(struct emit *e, int region)
{
    const struct plan *one = e->p;
    end_plan(e);
    e->p = one->wide;
    e->C = one->wide->opt.chunks;
    e->narrow = one;
    e->looked_at = -1;
    begin_plan(e);
    emit_region(e, region);
    end_plan(e);
    e->p = one;
    e->C = one->opt.chunks;
    e->narrow = NULL;
    e->looked_at = -1;
    begin_plan(e);
}

static bool emit_callee(struct emit *e, size_t index)
{
    const struct plan *kernel = e->p;
    struct plan_options opt = kernel->opt;
    opt.function = true;
    opt.fair = opt.turns = false;
    opt.local_stride = kernel->func->local_bytes;
    struct plan *p = plan_new(e->kernel->callees.v[index], &opt, e->diag);
    bool ok = p != NULL;
    if (ok && (p->regions.n > 1 || (p->uses_warp_ops && e->W == 1))) {
        diag_error(e->diag, (int)e->kernel->callees.v[index]->ptx_line, 0,
                   "kernel %s: function %s calls itself or is called through a pointer, and has a barrier or a warp operation: "
                   "not supported yet", e->kernel->name, e->kernel->callees.v[index]->name);
        ok = false;
    }
    if (ok) {
        e->p = p;
        begin_plan(e);
        emit_function(e, index);
        end_plan(e);
        e->p = kernel;
    }
    plan_free(p);
    return ok;
}

bool emit_kernel(struct emit *e)
{
    const struct plan *p = e->p;
    e->b = LLVMCreateBuilderInContext(e->cx);
    e->eb = LLVMCreateBuilderInContext(e->cx);
    e->ab = LLVMCreateBuilderInContext(e->cx);
    promise_spaces(e);
    begin_plan(e);
    frame_layout(e);
    for (size_t r = 0; r < p->regions.n; r++) {
        if (p->wide && p->wide_regions >> r & 1)
            emit_wide_region(e, (int)r);
        else
            emit_region(e, (int)r);
    }
    end_plan(e);
    hw_free(e->waiting);
    hw_free(e->alive);
    e->waiting = e->alive = NULL;
    hw_free(e->reg_offset);
    hw_free(e->mask_offset);
    hw_free(e->cur_offset);
    for (size_t k = 0; k < e->kernel->callees.n && emit_callee(e, k); k++) {
    }
    hw_arena_fini(&e->arena);
    LLVMDisposeBuilder(e->b);
    LLVMDisposeBuilder(e->eb);
    LLVMDisposeBuilder(e->ab);
    return e->diag->n_errors == 0;
}
