/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first blend of a register leaves what other lanes had, which is nothing yet. LLVM would keep what the group before left there: hundreds of values
 * that go round the loop over groups, in kernels with hundreds of branches. So such registers become zero shortly before.
 */
#include "jit/emit/control.h"

static bool blended_at(struct emit *e, const struct ir_reg *r, int b)
{
    const struct plan *p = e->p;
    return p->blocks[b].masked && p->regs[r->id].shape.kind == SHAPE_VARYING && plan_blends(p, &p->regs[r->id], b);
}

/* The nearest block that comes before all definitions, where no lane has or needs what the register held; n_blocks: where the group begins. */
static int clear_at(struct emit *e, const struct ir_reg *r, int b)
{
    const struct plan *p = e->p;
    while (b >= 0 && (bits_has(p->blocks[b].live_in, r->id) || plan_blends(p, &p->regs[r->id], b)))
        b = p->blocks[b].idom;
    return b >= 0 && bits_has(p->regions.v[e->region].blocks, (size_t)b) ? b : p->n_blocks;
}

void clear_plan(struct emit *e)
{
    const struct plan *p = e->p;
    const bits_word *here = p->regions.v[e->region].blocks;
    size_t n = (size_t)p->n_blocks;
    bits_word *blended = bits_new(&e->arena, p->n_regs);
    int *before = hw_arena_array(&e->arena, int, p->n_regs + 1);             /* 1 + the block that dominates all definitions */
    e->clear_first = hw_arena_array(&e->arena, int, n + 1);
    e->clear_next = hw_arena_array(&e->arena, int, p->n_regs + 1);
    memset(e->clear_first, -1, (n + 1) * sizeof *e->clear_first);
    for (size_t b = 0; b < n; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++) {
                const struct ir_reg *r = i->dst[k];
                if (!r)
                    continue;
                int d = before[r->id] ? before[r->id] - 1 : (int)b;
                while (!plan_dominates(p, d, (int)b))
                    d = p->blocks[d].idom;
                before[r->id] = d + 1;
                if (bits_has(here, b) && !bits_has(blended, r->id) && blended_at(e, r, (int)b))
                    bits_add(blended, r->id);
            }
        }
    for (size_t r = bits_next(blended, 0, p->n_regs); r < p->n_regs; r = bits_next(blended, r + 1, p->n_regs)) {
        int b = clear_at(e, p->regs[r].reg, before[r] - 1);
        e->clear_next[r] = e->clear_first[b];
        e->clear_first[b] = (int)r;
    }
}

void clear_registers(struct emit *e, int b)
{
    for (int r = e->clear_first[b]; r >= 0; r = e->clear_next[r]) {
        const struct ir_reg *reg = e->p->regs[r].reg;
        for (unsigned c = 0; c < slot_count(e, reg); c++)
            LLVMBuildStore(e->b, LLVMConstNull(slot_type(e, reg)), slot_of(e, reg, c));
    }
}

/* What the program may read before it writes it is 0: no value is wrong, but an undefined one would be another at every use. */
void clear_undefined(struct emit *e)
{
    for (size_t r = 0; r < e->p->n_regs; r++) {
        const struct ir_reg *reg = e->p->regs[r].reg;
        if (!bits_has(e->p->blocks[0].live_in, r))
            continue;
        for (unsigned c = 0; c < slot_count(e, reg); c++)
            LLVMBuildStore(e->b, LLVMConstNull(slot_type(e, reg)), slot_of(e, reg, c));
        e->available[r] = true;
    }
}
