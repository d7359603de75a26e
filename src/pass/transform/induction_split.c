/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that a loop carries across barriers. An index that begins with something of the thread's own and grows by the same for all,
 * i = row * n + threadIdx.x; ... i += 16, would be kept for each group. It becomes the sum of what it begins with, which is computed
 * again, and of what was added, which is one number for the whole block.
 */
#include "pass/plan.h"

struct carried {
    struct ir_inst *begin, *grow;
    int begin_block, grow_block;
    int by;                      /* the operand of grow that is added */
};

static bool stops_inside(const struct plan *p, const struct plan_loop *loop)
{
    for (int b = 0; b < p->n_blocks; b++)
        if (bits_has(loop->blocks, (size_t)b) && plan_stops(ir_block_term(p->blocks[b].ir)))
            return true;
    return false;
}

static bool same_for_all(const struct plan *p, const struct ir_operand *o)
{
    return o->kind == IR_IMM || p->regs[o->reg->id].common;
}

/* The two definitions: fills in what it finds, in any order. */
static void note(struct carried *c, const struct plan_reg *r, struct ir_inst *i, int block)
{
    for (int k = 0; k < 2 && i->op == IR_ADD; k++)
        if (i->src[k].kind == IR_REG && i->src[k].reg == r->reg && !(i->src[1 - k].kind == IR_REG && i->src[1 - k].reg == r->reg)) {
            c->grow = i;
            c->grow_block = block;
            c->by = 1 - k;
            return;
        }
    c->begin = i;
    c->begin_block = block;
}

static bool is_carried(struct plan *p, const struct plan_reg *r, const struct carried *c)
{
    if (!c->begin || !c->grow || c->begin->n_dst != 1 || p->blocks[c->grow_block].loop < 0)
        return false;
    const struct plan_loop *loop = &p->loops.v[p->blocks[c->grow_block].loop];
    return !bits_has(loop->blocks, (size_t)c->begin_block) && stops_inside(p, loop) && plan_again(p, c->begin) && same_for_all(p, &c->grow->src[c->by]) &&
        (r->reg->type == IR_I32 || r->reg->type == IR_I64) && c->grow->type == r->reg->type;
}

/* In front of every use but the growing one: the sum. Behind the beginning: nothing was added yet. */
static void split(struct plan *p, struct ir_reg *r, const struct carried *c)
{
    struct ir_func *f = p->func;
    struct ir_reg *added = ir_reg_new(f, r->type, r->name);
    for (int b = 0; b < p->n_blocks; b++) {
        struct ir_block *blk = p->blocks[b].ir;
        for (size_t j = 0; j < blk->insts.n; j++) {
            struct ir_inst *i = blk->insts.v[j];
            struct ir_reg *sum = NULL;
            for (int k = 0; i != c->grow && k < i->n_src; k++)
                if (i->src[k].kind == IR_REG && i->src[k].reg == r) {
                    sum = sum ? sum : ir_reg_new(f, r->type, r->name);
                    i->src[k].reg = sum;
                }
            if (sum) {
                struct ir_inst *add = ir_inst_new(f, IR_ADD, r->type);
                add->ptx_line = i->ptx_line;
                ir_inst_dst(add, sum);
                ir_inst_src(add, ir_reg_operand(r));
                ir_inst_src(add, ir_reg_operand(added));
                ir_block_insert(blk, j++, add);
            }
            if (i == c->begin) {
                struct ir_inst *none = ir_inst_new(f, IR_MOV, r->type);
                none->ptx_line = i->ptx_line;
                ir_inst_dst(none, added);
                ir_inst_src(none, ir_imm_operand(0));
                ir_block_insert(blk, ++j, none);
            }
        }
    }
    c->grow->dst[0] = added;
    c->grow->src[1 - c->by].reg = added;
}

bool plan_induction_split(struct plan *p)
{
    size_t n_regs = p->n_regs;
    bool any = false;
    if (!p->lockstep || p->groups < 2)
        return false;
    struct carried *all = hw_alloc(n_regs * sizeof *all + 1);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k] && p->regs[i->dst[k]->id].n_defs == 2)
                    note(&all[i->dst[k]->id], &p->regs[i->dst[k]->id], i, b);
        }
    for (size_t r = 0; r < n_regs; r++)
        if (p->regs[r].n_defs == 2 && !p->regs[r].common && is_carried(p, &p->regs[r], &all[r])) {
            split(p, p->regs[r].reg, &all[r]);
            any = true;
        }
    hw_free(all);
    return any;
}
