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

/* What of an access's address jit/ may ask for instead of it, made in a block before: used where the access is, though no operand says so. */
struct parts {
    const struct plan *p;
    const struct ir_reg **begin;         /* by register: of one with two definitions, what a MOV begins it with (pointer_induction.c) */
    int block;
    bits_word *use, *def;
};

static const struct ir_inst *def_of(const struct plan *p, const struct ir_operand *o)
{
    return o->kind == IR_REG ? p->regs[o->reg->id].def : NULL;
}

static void use_part(const struct parts *s, const struct ir_operand *o)
{
    const struct plan_reg *r = o->kind == IR_REG ? &s->p->regs[o->reg->id] : NULL;
    if (!r || bits_has(s->def, r->reg->id))
        return;
    if (!r->def || (r->def_block != s->block && plan_dominates(s->p, r->def_block, s->block)))
        bits_add(s->use, r->reg->id);
    const struct ir_reg *begin = s->begin[r->reg->id];
    if (begin && s->p->regs[begin->id].def && plan_dominates(s->p, s->p->regs[begin->id].def_block, s->block) && !bits_has(s->def, begin->id))
        bits_add(s->use, begin->id);
}

/* base + widened index * scale, as indexed.c sees it: the base and the index. */
static void use_parts(const struct parts *s, const struct ir_inst *i)
{
    bool access = i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOM;
    const struct ir_inst *sum = access ? def_of(s->p, &i->src[0]) : NULL;
    unsigned scale;
    for (int k = 0; sum && sum->op == IR_ADD && k < 2; k++) {
        const struct ir_inst *product = def_of(s->p, &sum->src[1 - k]);
        const struct ir_inst *wide = product && product->type == IR_I64 && plan_scale(product, &scale) ? def_of(s->p, &product->src[0]) : NULL;
        if (!wide || (wide->op != IR_SEXT && wide->op != IR_ZEXT) || wide->type2 != IR_I32)
            continue;
        use_part(s, &sum->src[k]);
        use_part(s, &wide->src[0]);
    }
}

static bool stops_anywhere(const struct plan *p)
{
    bool stops = false;
    for (int b = 0; b < p->n_blocks; b++)
        stops |= plan_stops(ir_block_term(p->blocks[b].ir));
    return stops;
}

static const struct ir_reg **find_begins(struct plan *p)
{
    const struct ir_reg **begin = hw_arena_array(&p->arena, const struct ir_reg *, p->n_regs + 1);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if (i->op == IR_MOV && i->src[0].kind == IR_REG && p->regs[i->dst[0]->id].n_defs == 2)
                begin[i->dst[0]->id] = i->src[0].reg;
        }
    return begin;
}

void plan_live(struct plan *p)
{
    survey(p);
    size_t n = p->n_regs;
    const struct ir_reg **begin = p->lanes > 1 && !stops_anywhere(p) ? find_begins(p) : NULL;      /* nothing is looked for beyond a barrier */
    bits_word **use = hw_alloc((size_t)p->n_blocks * sizeof *use), **def = hw_alloc((size_t)p->n_blocks * sizeof *def);
    for (int b = 0; b < p->n_blocks; b++) {
        use[b] = bits_new(&p->arena, n);
        def[b] = bits_new(&p->arena, n);
        p->blocks[b].live_in = bits_new(&p->arena, n);
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if (begin)
                use_parts(&(struct parts){ p, begin, b, use[b], def[b] }, i);
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
