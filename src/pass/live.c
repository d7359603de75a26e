/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of registers, their definitions and uses. */
#include "pass/plan.h"

static bool is_float_def(const struct ir_inst *i, int dst)
{
    switch (i->op) {
    case IR_CMP: case IR_FTOI_S: case IR_FTOI_U: case IR_PACK: case IR_ADDC: case IR_SUBC: return false;
    case IR_ITOF_S: case IR_ITOF_U: case IR_LD: case IR_ATOM: case IR_PARAM: case IR_SELECT: case IR_MOV: return ir_type_is_float(i->type);
    case IR_MATH: return i->dst[dst]->type != IR_PRED && ir_type_is_float(i->type);
    default: return ir_type_is_float(i->type) && ir_type_bits(i->type) == ir_type_bits(i->dst[dst]->type);
    }
}

static void survey(struct plan *p)
{
    size_t n = p->n_regs = p->func->regs.n;
    p->regs = hw_arena_array(&p->arena, struct plan_reg, n + 1);
    for (size_t r = 0; r < n; r++) {
        p->regs[r].reg = p->func->regs.v[r];
        p->regs[r].is_float = true;
        p->regs[r].live_in = bits_new(&p->arena, (size_t)p->n_blocks);
    }
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_src; k++)
                if (i->src[k].kind == IR_REG)
                    p->regs[i->src[k].reg->id].n_uses++;
            for (int k = 0; k < i->n_dst; k++) {
                if (!i->dst[k])
                    continue;
                struct plan_reg *r = &p->regs[i->dst[k]->id];
                r->def = ++r->n_defs == 1 ? i : NULL;
                r->def_block = b;
                r->is_float &= is_float_def(i, k) && ir_type_bits(i->type) == ir_type_bits(r->reg->type);
            }
        }
    for (size_t r = 0; r < n; r++) {
        enum ir_type t = p->regs[r].reg->type;
        p->regs[r].is_float &= p->regs[r].n_defs > 0 && (t == IR_I32 || t == IR_I64);
    }
}

void plan_live(struct plan *p)
{
    survey(p);
    size_t n = p->n_regs;
    bits_word **use = hw_alloc((size_t)p->n_blocks * sizeof *use), **def = hw_alloc((size_t)p->n_blocks * sizeof *def);
    for (int b = 0; b < p->n_blocks; b++) {
        use[b] = bits_new(&p->arena, n);
        def[b] = bits_new(&p->arena, n);
        p->blocks[b].live_in = bits_new(&p->arena, n);
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_src; k++)
                if (i->src[k].kind == IR_REG && !bits_has(def[b], i->src[k].reg->id))
                    bits_add(use[b], i->src[k].reg->id);
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k])
                    bits_add(def[b], i->dst[k]->id);
        }
        bits_or(p->blocks[b].live_in, use[b], n);
    }
    for (bool again = true; again;) {
        again = false;
        for (int b = p->n_blocks - 1; b >= 0; b--) {
            struct plan_block *blk = &p->blocks[b];
            for (int s = 0; s < blk->n_succ; s++) {
                const bits_word *in = p->blocks[blk->succ[s]].live_in;
                for (size_t k = 0; k < bits_words(n); k++) {
                    bits_word more = in[k] & ~def[b][k] & ~blk->live_in[k];
                    if (more) {
                        blk->live_in[k] |= more;
                        again = true;
                    }
                }
            }
        }
    }
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t r = 0; r < n; r++)
            if (bits_has(p->blocks[b].live_in, r))
                bits_add(p->regs[r].live_in, (size_t)b);
    hw_free(use);
    hw_free(def);
}
