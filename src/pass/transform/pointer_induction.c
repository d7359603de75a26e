/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that walk: p = base + start[v] * 4 before a loop and p += 4 in it, each thread along a row of its own. Compilers make them of
 * row[e], and 64-bit addresses fill twice as many vectors as indices do. Those lanes that are in the loop have all taken as many steps, so that
 * the steps are taken by the base, a scalar, and the index stays what it was: the access is a gather by 32-bit indices (indexed.c).
 */
#include "pass/plan.h"

struct walking {
    struct ir_inst *begin, *grow;
    int begin_block, grow_block;
    struct ir_operand step;
    struct ir_reg *index;        /* I32 */
    unsigned scale;
    const struct ir_inst *wide, *product;
};

/* r = r + step */
static bool grows(const struct ir_inst *i, const struct ir_reg *r, struct ir_operand *step)
{
    for (int k = 0; i->op == IR_ADD && k < 2; k++)
        if (i->src[k].kind == IR_REG && i->src[k].reg == r && i->src[1 - k].kind == IR_IMM) {
            *step = i->src[1 - k];
            return true;
        }
    return false;
}

static void note(struct walking *w, const struct ir_reg *r, struct ir_inst *i, int block)
{
    if (grows(i, r, &w->step)) {
        w->grow = i;
        w->grow_block = block;
    } else {
        w->begin = i;
        w->begin_block = block;
    }
}

static struct ir_inst *def_of(const struct plan *p, const struct ir_operand *o)
{
    return o->kind == IR_REG ? p->regs[o->reg->id].def : NULL;
}

static bool is_uniform(const struct plan *p, const struct ir_operand *o)
{
    struct shape s = plan_operand_shape(p, o);
    return shape_group_uniform(&s);
}

/* sext(index) * scale */
static bool is_product(const struct plan *p, const struct ir_operand *o, struct walking *w)
{
    w->product = def_of(p, o);
    if (!w->product || w->product->type != IR_I64 || !plan_scale(w->product, &w->scale))
        return false;
    w->wide = def_of(p, &w->product->src[0]);
    if (!w->wide || w->wide->op != IR_SEXT || w->wide->type2 != IR_I32 || w->wide->src[0].kind != IR_REG)
        return false;
    w->index = w->wide->src[0].reg;
    return true;
}

/* One number of each lane, and what else is added is the same for all. */
static bool is_sum(const struct plan *p, const struct ir_inst *i, struct walking *w)
{
    for (int k = 0; i && i->op == IR_ADD && i->type == IR_I64 && k < 2; k++)
        if (is_uniform(p, &i->src[1 - k]) && (is_product(p, &i->src[k], w) || is_sum(p, def_of(p, &i->src[k]), w)))
            return true;
    return false;
}

/* The index is there before the pointer, and neither is made anew in the loop: all uses see the two that belong together. */
static bool stays(const struct plan *p, const struct walking *w, const struct plan_loop *loop)
{
    const struct plan_reg *index = &p->regs[w->index->id];
    return index->def && !bits_has(loop->blocks, (size_t)index->def_block) && !bits_has(loop->blocks, (size_t)w->begin_block) &&
        plan_dominates(p, index->def_block, w->begin_block) && plan_dominates(p, w->begin_block, loop->header);
}

static bool one_word(const struct ir_inst *i, unsigned scale)
{
    bool global = i->space == IR_GENERIC || i->space == IR_GLOBAL;
    return global && ir_type_bits(i->type) / 8 % scale == 0 && ((i->op == IR_LD && i->n_dst == 1) || (i->op == IR_ST && i->n_src == 2) || i->op == IR_ATOM);
}

/* Nothing but addresses of single words, in the loop. */
static bool used_for_words(const struct plan *p, const struct walking *w, const struct ir_reg *r, const struct plan_loop *loop)
{
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; i != w->grow && k < i->n_src; k++)
                if (i->src[k].kind == IR_REG && i->src[k].reg == r && (k > 0 || !one_word(i, w->scale) || !bits_has(loop->blocks, (size_t)b)))
                    return false;
        }
    return true;
}

static bool is_walking(const struct plan *p, const struct plan_reg *r, struct walking *w)
{
    if (!w->begin || !w->grow || p->blocks[w->grow_block].loop < 0 || r->reg->type != IR_I64 || r->shape.kind != SHAPE_VARYING)
        return false;
    const struct plan_loop *loop = &p->loops.v[p->blocks[w->grow_block].loop];
    return !plan_blends(p, r, w->grow_block) && !plan_blends(p, r, w->begin_block) && is_sum(p, w->begin, w) && stays(p, w, loop) &&
        used_for_words(p, w, r->reg, loop);
}

static struct ir_inst *new_inst(struct plan *p, const struct ir_inst *like, enum ir_op op, struct ir_reg *dst, struct ir_operand a)
{
    struct ir_inst *i = ir_inst_new(p->func, op, IR_I64);
    i->ptx_line = like->ptx_line;
    ir_inst_dst(i, dst);
    ir_inst_src(i, a);
    return i;
}

static struct ir_reg *new_reg(struct plan *p) { return ir_reg_new(p->func, IR_I64, NULL); }

/* Behind the beginning: the base is the pointer less the lane's own number, which is the same for all lanes. */
static void split_begin(struct plan *p, const struct walking *w, struct ir_block *b, size_t at, struct ir_reg *base)
{
    struct ir_reg *rest = NULL;
    for (const struct ir_inst *i = w->begin;; ) {
        int own = i->src[0].kind == IR_REG && !is_uniform(p, &i->src[0]) ? 0 : 1;
        struct ir_reg *sum = new_reg(p);
        struct ir_inst *add = new_inst(p, w->begin, IR_ADD, sum, i->src[1 - own]);
        ir_inst_src(add, rest ? ir_reg_operand(rest) : ir_imm_operand(0));
        ir_block_insert(b, at++, add);
        rest = sum;
        if (def_of(p, &i->src[own]) == w->product)
            break;
        i = def_of(p, &i->src[own]);
    }
    ir_block_insert(b, at, new_inst(p, w->begin, IR_MOV, base, ir_reg_operand(rest)));
}

/* In front of an access: the address, made of the base and the index in a way that indexed.c knows. */
static struct ir_reg *put_address(struct plan *p, const struct walking *w, struct ir_block *b, size_t *at, const struct ir_inst *access, struct ir_reg *base)
{
    struct ir_reg *wide = new_reg(p), *product = new_reg(p), *sum = new_reg(p);
    struct ir_inst *i = new_inst(p, access, IR_SEXT, wide, ir_reg_operand(w->index));
    i->type2 = IR_I32;
    ir_block_insert(b, (*at)++, i);
    i = new_inst(p, access, w->product->op, product, ir_reg_operand(wide));
    ir_inst_src(i, w->product->src[1]);
    ir_block_insert(b, (*at)++, i);
    i = new_inst(p, access, IR_ADD, sum, ir_reg_operand(base));
    ir_inst_src(i, ir_reg_operand(product));
    ir_block_insert(b, (*at)++, i);
    return sum;
}

static void rewrite(struct plan *p, struct ir_reg *r, const struct walking *w)
{
    struct ir_reg *base = new_reg(p);
    for (int b = 0; b < p->n_blocks; b++) {
        struct ir_block *blk = p->blocks[b].ir;
        struct ir_reg *sum = NULL;
        for (size_t j = 0; j < blk->insts.n; j++) {
            struct ir_inst *i = blk->insts.v[j];
            if (i == w->grow) {
                sum = NULL;
                continue;
            }
            if (i->n_src > 0 && i->src[0].kind == IR_REG && i->src[0].reg == r && i != w->begin) {
                sum = sum ? sum : put_address(p, w, blk, &j, i, base);
                i->src[0].reg = sum;
            }
            if (i == w->begin)
                split_begin(p, w, blk, j + 1, base);
        }
    }
    w->grow->dst[0] = base;
    for (int k = 0; k < 2; k++)
        if (w->grow->src[k].kind == IR_REG)
            w->grow->src[k].reg = base;
}

/* Is it the first load of a turn that has this base? */
static bool first_of(const struct plan *p, const struct ir_inst *access, const struct ir_reg *base, int loop)
{
    struct plan_indexed x;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; plan_in_loop(p, b, loop) && j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if (i == access || (i->op == IR_LD && plan_indexed(p, i, b, &x) && x.base->kind == IR_REG && x.base->reg == base))
                return i == access;
        }
    return false;
}

/* What the base began with is asked for in the loop, and is not kept at a barrier: there must be none. */
bool plan_row(const struct plan *p, const struct ir_inst *access, int block, struct plan_row *out)
{
    struct plan_indexed x;
    int loop = p->blocks[block].loop;
    bool begins = false, grow = false;
    if (loop < 0 || p->regions.n > 1 || !plan_indexed(p, access, block, &x) || x.without_sign || x.base->kind != IR_REG || p->regs[x.base->reg->id].n_defs != 2)
        return false;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            struct ir_operand step;
            if (!ir_defines(i, x.base->reg))
                continue;
            if (grows(i, x.base->reg, &step) && p->blocks[b].loop == loop) {
                grow = true;
                out->step = (int64_t)step.imm;
            } else if (i->op == IR_MOV && i->src[0].kind == IR_REG && p->regs[i->src[0].reg->id].def && plan_dominates(p, b, p->loops.v[loop].header)) {
                begins = true;
                out->begin = &i->src[0];
            }
        }
    out->now = x.base;
    out->index = x.index;
    out->scale = x.scale;
    return begins && grow && first_of(p, access, x.base->reg, loop);
}

bool plan_pointer_induction(struct plan *p)
{
    size_t n_regs = p->n_regs;
    bool any = false;
    if (p->lanes == 1 || p->opt.counted)
        return false;
    struct walking *all = hw_alloc(n_regs * sizeof *all + 1);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k] && p->regs[i->dst[k]->id].n_defs == 2)
                    note(&all[i->dst[k]->id], i->dst[k], i, b);
        }
    for (size_t r = 0; r < n_regs; r++)
        if (p->regs[r].n_defs == 2 && is_walking(p, &p->regs[r], &all[r])) {
            rewrite(p, p->regs[r].reg, &all[r]);
            any = true;
        }
    hw_free(all);
    return any;
}
