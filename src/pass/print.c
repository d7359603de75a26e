/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as text, for HOSTWARP_DUMP=ir and for people. */
#include "pass/plan.h"

static void print_shape(struct hw_str *out, const struct plan *p, const struct shape *s)
{
    if (s->kind == SHAPE_VARYING)
        hw_str_puts(out, "varying");
    else if (s->stride == 0)
        hw_str_puts(out, s->group && s->step ? (p->row < PLAN_LANES ? "uniform/row" : "uniform/warp") : s->group ? "uniform" : "uniform/chunk");
    else
        hw_str_printf(out, "stride %lld%s", (long long)s->stride, s->group ? "" : "/chunk");
    if (s->kind == SHAPE_AFFINE && s->group && !plan_in_row(p, s))
        hw_str_printf(out, " step %lld", (long long)s->step);
}

void plan_print(struct hw_str *out, const struct plan *p)
{
    hw_str_printf(out, "kernel %s  block %ux%ux%u  %ux%u lanes, %zu regions\n", p->func->name, p->opt.ntid[0], p->opt.ntid[1], p->opt.ntid[2],
                  p->opt.width, p->opt.chunks, p->regions.n);
    for (int b = 0; b < p->n_blocks; b++) {
        const struct plan_block *blk = &p->blocks[b];
        hw_str_printf(out, "B%d (%s)%s%s%s", b, blk->ir->label ? blk->ir->label : "-", blk->divergent ? " divergent" : "", blk->masked ? " masked" : "",
                      blk->exit_only ? " exit" : "");
        if (blk->mask_from >= 0)
            hw_str_printf(out, " mask of B%d", blk->mask_from);
        if (blk->resume >= 0)
            hw_str_printf(out, " region %d", blk->resume);
        hw_str_puts(out, " ->");
        for (int s = 0; s < blk->n_succ; s++)
            hw_str_printf(out, " B%d", blk->succ[s]);
        hw_str_puts(out, "\n");
        for (size_t j = 0; j < blk->ir->insts.n; j++) {
            const struct ir_inst *i = blk->ir->insts.v[j];
            hw_str_puts(out, "    ");
            ir_print_inst(out, i);
            if (out->n && out->s[out->n - 1] == '\n')
                out->n--;
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k]) {
                    hw_str_puts(out, k ? ", " : "   ; ");
                    print_shape(out, p, &p->regs[i->dst[k]->id].shape);
                }
            hw_str_puts(out, "\n");
        }
    }
}
