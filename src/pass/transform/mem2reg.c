/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables in local memory become registers: `float s, c; sincosf(x, &s, &c)` has an address of each, which the function that was inlined stores to.
 * First, generic addresses that are known to be local ones, at constant places, are made local again; then, where every access to local memory is
 * to a whole word at a constant place and no address is left that could lead there, a word is a register. It begins as 0.
 */
#include "pass/plan.h"

enum { MOST_WORDS = 64, MOST_STEPS = 16 };

struct word {
    int64_t at;
    enum ir_type type;
    struct ir_reg *reg;
};

struct locals {
    struct plan *p;
    struct ir_inst **def;        /* by register: its only one, or NULL */
    struct word words[MOST_WORDS];
    unsigned n;
};

static bool plain(const struct ir_inst *i)
{
    return (i->op == IR_LD || i->op == IR_ST) && i->order == IR_WEAK && !(i->flags & (IR_VOLATILE | IR_OUTGOING));
}

static void find_definitions(struct locals *l)
{
    const struct ir_func *f = l->p->func;
    bool *again = hw_alloc(f->regs.n + 1);
    l->def = hw_alloc(f->regs.n * sizeof *l->def + 1);
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++)
            for (int k = 0; k < f->blocks.v[b]->insts.v[j]->n_dst; k++) {
                const struct ir_reg *r = f->blocks.v[b]->insts.v[j]->dst[k];
                if (!r)
                    continue;
                l->def[r->id] = again[r->id] ? NULL : f->blocks.v[b]->insts.v[j];
                again[r->id] = true;
            }
    hw_free(again);
}

/* The local address, a constant, that this generic one was made of, and how far behind it it is. */
static bool made_of(const struct locals *l, struct ir_operand o, int64_t *at)
{
    for (int steps = 0; steps < MOST_STEPS && o.kind == IR_REG; steps++) {
        const struct ir_inst *def = l->def[o.reg->id];
        if (!def)
            return false;
        if (def->op == IR_LOCAL_TO_GENERIC) {
            *at += (int64_t)def->src[0].imm;
            return def->src[0].kind == IR_IMM;
        }
        if (def->op == IR_ADD && def->src[1].kind == IR_IMM)
            *at += (int64_t)def->src[1].imm;
        else if (def->op != IR_MOV)
            return false;
        o = def->src[0];
    }
    return false;
}

static int64_t bytes_of(const struct ir_inst *i)
{
    int elements = i->op == IR_LD ? i->n_dst : i->n_src - 1;
    return elements * (int64_t)(ir_type_bits(i->type) / 8);
}

static bool make_local(const struct locals *l, struct ir_inst *i)
{
    int64_t at = i->imm;
    if (!plain(i) || i->space != IR_GENERIC || !made_of(l, i->src[0], &at) || at < 0 || at + bytes_of(i) > (int64_t)l->p->func->local_bytes)
        return false;
    i->space = IR_LOCAL;
    i->src[0] = ir_imm_operand((uint64_t)at);
    i->imm = 0;
    return true;
}

/* The word there, a new one where nothing overlaps; NULL: another one does. */
static struct word *word_at(struct locals *l, int64_t at, enum ir_type type)
{
    int64_t bytes = ir_type_bits(type) / 8;
    for (unsigned k = 0; k < l->n; k++) {
        struct word *w = &l->words[k];
        if (w->at == at && w->type == type)
            return w;
        if (at < w->at + (int64_t)(ir_type_bits(w->type) / 8) && w->at < at + bytes)
            return NULL;
    }
    if (l->n == MOST_WORDS)
        return NULL;
    l->words[l->n] = (struct word){ at, type, NULL };
    return &l->words[l->n++];
}

static bool find_words(struct locals *l, const struct ir_inst *i)
{
    unsigned bits = ir_type_bits(i->type);
    if (i->op == IR_CALL || i->op == IR_LOCAL_TO_GENERIC || i->op == IR_GENERIC_TO_LOCAL)
        return false;
    if (i->space != IR_LOCAL || !(ir_op_info[i->op].props & IR_PROP_MEM))
        return true;
    if (!plain(i) || i->src[0].kind != IR_IMM || (bits != 32 && bits != 64))
        return false;
    for (int64_t at = 0; at < bytes_of(i); at += bits / 8)
        if (!word_at(l, (int64_t)i->src[0].imm + i->imm + at, ir_type_of_bits(bits)))
            return false;
    return true;
}

static void put_move(struct plan *p, struct ir_block *b, const struct ir_inst *from, struct ir_reg *dst, struct ir_operand src)
{
    struct ir_inst *i = from ? ir_inst_for(p->func, IR_MOV, dst->type, from) : ir_inst_new(p->func, IR_MOV, dst->type);
    ir_inst_dst(i, dst);
    ir_inst_src(i, src);
    ir_block_add(b, i);
}

static void rewrite(struct locals *l, struct ir_block *b, const struct ir_inst *i)
{
    int64_t bytes = ir_type_bits(i->type) / 8;
    struct ir_reg *reg[IR_MAX_SRC];
    int n = i->op == IR_LD ? i->n_dst : i->n_src - 1;
    for (int k = 0; k < n; k++)
        reg[k] = word_at(l, (int64_t)i->src[0].imm + i->imm + k * bytes, ir_type_of_bits(ir_type_bits(i->type)))->reg;
    for (int k = 0; k < n; k++)
        if (i->op == IR_ST)
            put_move(l->p, b, i, reg[k], i->src[1 + k]);
        else if (i->dst[k])
            put_move(l->p, b, i, i->dst[k], ir_reg_operand(reg[k]));
}

/* Does no instruction say no? The kernel's first block must run but once: words begin there. */
static bool all_words_known(struct locals *l)
{
    const struct ir_func *f = l->p->func;
    for (size_t b = 0; b < f->blocks.n; b++) {
        const struct ir_inst *t = ir_block_term(f->blocks.v[b]);
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++)
            if (!find_words(l, f->blocks.v[b]->insts.v[j]))
                return false;
        if (t->target[0] == f->blocks.v[0] || t->target[1] == f->blocks.v[0])
            return false;
    }
    return l->n > 0;
}

static void words_to_registers(struct locals *l)
{
    struct ir_func *f = l->p->func;
    for (unsigned k = 0; k < l->n; k++)
        l->words[k].reg = ir_reg_new(f, l->words[k].type, NULL);
    for (size_t b = 0; b < f->blocks.n; b++) {
        struct ir_block *blk = f->blocks.v[b], all = *blk;
        memset(&blk->insts, 0, sizeof blk->insts);
        for (unsigned k = 0; b == 0 && k < l->n; k++)
            put_move(l->p, blk, NULL, l->words[k].reg, ir_imm_operand(0));
        for (size_t j = 0; j < all.insts.n; j++) {
            if (all.insts.v[j]->space == IR_LOCAL && plain(all.insts.v[j]))
                rewrite(l, blk, all.insts.v[j]);
            else
                ir_block_add(blk, all.insts.v[j]);
        }
        hw_vec_fini(&all.insts);
    }
}

bool plan_mem2reg(struct plan *p)
{
    struct locals l = { .p = p };
    bool changed = false;
    if (!p->func->local_bytes || p->opt.function || p->opt.counted || p->func->callees.n)
        return false;
    find_definitions(&l);
    for (size_t b = 0; b < p->func->blocks.n; b++)
        for (size_t j = 0; j < p->func->blocks.v[b]->insts.n; j++)
            changed |= make_local(&l, p->func->blocks.v[b]->insts.v[j]);
    hw_free(l.def);
    if (changed) {                /* what made the addresses may be of no more use */
        plan_fold(p);
        plan_cfg(p);
    }
    if (!all_words_known(&l))
        return changed;
    words_to_registers(&l);
    plan_fold(p);
    p->n_locals += l.n;
    return true;
}
