/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of the form base + index * scale, with one base for all lanes and a 32-bit index: table[column[k]]. A gather takes them as they
 * are, with half as many vectors as addresses would fill, and a look at the base tells that every index is harmless.
 */
#include "pass/plan.h"

struct walk {
    const struct plan *p;
    const struct ir_block *b;
    int block;
    size_t before, first;        /* the access; the earliest instruction of the address */
    bool elsewhere;              /* a part of the address is made in another block */
};

/* The one definition of a register, in this block and in front of the access or in one that comes before it. What is not kept at a barrier must not
   be asked for behind it: only kernels without barriers look beyond the block. */
static const struct ir_inst *def_before(struct walk *w, const struct ir_operand *o)
{
    const struct plan_reg *r = o->kind == IR_REG ? &w->p->regs[o->reg->id] : NULL;
    if (!r || !r->def)
        return NULL;
    if (r->def_block != w->block) {
        w->elsewhere = true;
        return w->p->regions.n == 1 && plan_dominates(w->p, r->def_block, w->block) ? r->def : NULL;
    }
    for (size_t j = 0; j < w->before; j++)
        if (w->b->insts.v[j] == r->def) {
            w->first = j < w->first ? j : w->first;
            return r->def;
        }
    return NULL;
}

static const struct ir_inst *def_here(struct walk *w, const struct ir_operand *o)
{
    return o->kind == IR_REG && w->p->regs[o->reg->id].def && w->p->regs[o->reg->id].def_block == w->block ? def_before(w, o) : NULL;
}

/* Nobody writes the register between the address's first instruction and the access. One that is written in one place only is not written there: each
   way from it to the access leads through the address's instructions. */
static bool stays(const struct walk *w, const struct ir_operand *o)
{
    if (w->elsewhere && o->kind == IR_REG)
        return w->p->regs[o->reg->id].def != NULL;
    for (size_t j = w->first; o->kind == IR_REG && j < w->before; j++)
        if (ir_defines(w->b->insts.v[j], o->reg))
            return false;
    return true;
}

static struct walk walk_to(const struct plan *p, const struct ir_inst *i, int block)
{
    struct walk w = { p, p->blocks[block].ir, block, 0, SIZE_MAX, false };
    while (w.before < w.b->insts.n && w.b->insts.v[w.before] != i)
        w.before++;
    return w;
}

bool plan_scale(const struct ir_inst *i, unsigned *out)
{
    uint64_t k = i->n_src > 1 && i->src[1].kind == IR_IMM ? i->src[1].imm : 0;
    if (i->op == IR_SHL)
        k = k <= 3 ? (uint64_t)1 << k : 0;
    else if (i->op != IR_MUL)
        k = 0;
    *out = (unsigned)k;
    return k == 2 || k == 4 || k == 8;
}

bool plan_indexed(const struct plan *p, const struct ir_inst *i, int block, struct plan_indexed *out)
{
    struct walk w = walk_to(p, i, block);
    const struct ir_inst *sum = w.before < w.b->insts.n && (i->space == IR_GENERIC || i->space == IR_GLOBAL || i->space == IR_CONST) ? def_before(&w, &i->src[0]) : NULL;
    for (int k = 0; sum && sum->op == IR_ADD && k < 2; k++) {
        const struct ir_operand *base = &sum->src[k];
        struct shape s = plan_operand_shape(p, base);
        const struct ir_inst *product = shape_uniform(&s) ? def_before(&w, &sum->src[1 - k]) : NULL;
        const struct ir_inst *wide = product && product->type == IR_I64 && plan_scale(product, &out->scale) ? def_before(&w, &product->src[0]) : NULL;
        if (!wide || (wide->op != IR_SEXT && wide->op != IR_ZEXT) || wide->type2 != IR_I32 || wide->src[0].kind != IR_REG)
            continue;
        s = plan_operand_shape(p, &wide->src[0]);
        out->base = base;
        out->index = &wide->src[0];
        out->without_sign = wide->op == IR_ZEXT && s.umax > INT32_MAX;
        return stays(&w, base) && stays(&w, out->index);
    }
    return false;
}

/* The operand of an instruction of this block, if that is `op` with a constant; *out_k: the constant. Else the operand itself. */
static const struct ir_operand *through(struct walk *w, const struct ir_operand *o, enum ir_op op, uint32_t *out_k)
{
    const struct ir_inst *i = def_here(w, o);
    if (!i || i->op != op || i->type != IR_I32 || i->src[1].kind != IR_IMM || (uint32_t)i->src[1].imm == 0)
        return o;
    *out_k = (uint32_t)i->src[1].imm;
    return &i->src[0];
}

bool plan_field(const struct plan *p, const struct ir_inst *i, int block, struct plan_field *out)
{
    struct walk w = walk_to(p, i, block);
    const struct ir_inst *sum = w.before < w.b->insts.n ? def_here(&w, &i->src[0]) : NULL;
    const struct ir_operand *product = &i->src[0];
    uint32_t left = 0;
    *out = (struct plan_field){ .scale = 1, .mask = UINT32_MAX };
    for (int k = 0; sum && sum->op == IR_ADD && sum->type == IR_I32 && k < 2 && !out->base; k++) {
        struct shape s = plan_operand_shape(p, &sum->src[k]);
        if (shape_group_uniform(&s)) {
            out->base = &sum->src[k];
            product = &sum->src[1 - k];
        }
    }
    product = through(&w, through(&w, product, IR_MUL, &out->scale), IR_SHL, &left);
    if (left > 3)
        return false;
    out->scale <<= left;
    out->word = through(&w, through(&w, product, IR_AND, &out->mask), IR_SHR_U, &out->shift);
    return out->word->kind == IR_REG && out->word->reg->type == IR_I32 && out->shift < 32 && def_here(&w, out->word) && (!out->base || stays(&w, out->base));
}
