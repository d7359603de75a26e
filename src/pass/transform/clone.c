/* SPDX-License-Identifier: Apache-2.0 */
/* A private copy of a function's reachable part, which the other passes may change. */
#include "pass/plan.h"

static void reach(const struct ir_block *b, bool *seen)
{
    /* An explicit stack: generated code can have very long chains of blocks. */
    HW_VEC(const struct ir_block *) stack = { 0 };
    hw_vec_push(&stack, b);
    seen[b->id] = true;
    while (stack.n) {
        b = hw_vec_pop(&stack);
        const struct ir_inst *t = ir_block_term(b);
        for (int i = 0; i < 2; i++)
            if (t->target[i] && !seen[t->target[i]->id]) {
                seen[t->target[i]->id] = true;
                hw_vec_push(&stack, t->target[i]);
            }
    }
    hw_vec_fini(&stack);
}

void plan_clone(struct plan *p, const struct ir_func *from)
{
    p->home = ir_module_new();
    p->home->ptx_version = from->module->ptx_version;
    p->home->sm = from->module->sm;
    struct ir_func *f = p->func = ir_func_new(p->home, from->name);
    f->param_bytes = from->param_bytes;
    f->shared_bytes = p->shared_room = from->shared_bytes;
    for (size_t i = 0; i < from->shared.n; i++)
        hw_vec_push(&f->shared, from->shared.v[i]);
    for (size_t i = 0; i < from->locals.n; i++)
        hw_vec_push(&f->locals, from->locals.v[i]);
    p->own_local = (uint32_t)hw_align_up(from->local_bytes, 16);     /* so that every thread's begins aligned */
    f->local_bytes = p->opt.local_stride ? p->opt.local_stride : p->own_local;
    f->uses_dynamic_shared = from->uses_dynamic_shared;
    for (size_t i = 0; i < from->params.n; i++)
        hw_vec_push(&f->params, from->params.v[i]);

    for (size_t i = 0; i < from->regs.n; i++)
        ir_reg_new(f, from->regs.v[i]->type, from->regs.v[i]->name);
    bool *seen = hw_alloc(from->blocks.n);
    struct ir_block **map = hw_alloc(from->blocks.n * sizeof *map);
    reach(from->blocks.v[0], seen);
    for (size_t i = 0; i < from->blocks.n; i++)
        if (seen[i])
            map[i] = ir_block_new(f, from->blocks.v[i]->label);
    for (size_t i = 0; i < from->blocks.n; i++) {
        if (!seen[i])
            continue;
        for (size_t j = 0; j < from->blocks.v[i]->insts.n; j++) {
            const struct ir_inst *old = from->blocks.v[i]->insts.v[j];
            if (old->op == IR_NOTE && !p->opt.counted)
                continue;
            struct ir_inst *copy = ir_inst_new(f, old->op, old->type);
            *copy = *old;
            for (int k = 0; k < copy->n_dst; k++)
                if (copy->dst[k])
                    copy->dst[k] = f->regs.v[old->dst[k]->id];
            for (int k = 0; k < copy->n_src; k++)
                if (copy->src[k].kind == IR_REG)
                    copy->src[k].reg = f->regs.v[old->src[k].reg->id];
            for (int k = 0; k < 2; k++)
                if (copy->target[k])
                    copy->target[k] = map[old->target[k]->id];
            if (ir_op_info[copy->op].props & IR_PROP_CONV)
                p->uses_warp_ops = true;
            ir_block_add(map[i], copy);
        }
    }
    hw_free(seen);
    hw_free(map);
}
