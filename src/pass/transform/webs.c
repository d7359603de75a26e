/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits registers into webs: two definitions of a register stay together only when some use can see both.
 * PTX written by hand reuses registers, and compilers do for loop variables; a shape belongs to a web.
 * Only registers with several definitions take part.
 *
 * A value that costs nothing and is where a loop begins (the thread's number, a parameter) is there twice: uses that can see this
 * definition alone get a register of their own, whose shape the loop does not spoil.
 */
#include "pass/plan.h"

struct def {
    struct ir_inst *inst;
    int dst;                     /* which result */
    int reg;
    int parent;                  /* union-find */
    struct ir_reg *web;          /* where it goes */
    struct ir_reg *alone;        /* for uses that see this definition alone; NULL: there are none */
};

struct webs {
    struct plan *p;
    HW_VEC(struct def) defs;
    HW_VEC(int) *of_reg;         /* definitions of each register; empty when it has just one */
    bits_word **in;              /* by block (order): definitions that reach its start */
    bool *joined;                /* by definition: its web has others */
};

static int find(struct webs *w, int d)
{
    while (w->defs.v[d].parent != d)
        d = w->defs.v[d].parent = w->defs.v[w->defs.v[d].parent].parent;
    return d;
}

static void collect(struct webs *w)
{
    struct plan *p = w->p;
    int *count = hw_alloc(p->func->regs.n * sizeof *count + 1);
    for (int pass = 0; pass < 2; pass++)
        for (int b = 0; b < p->n_blocks; b++)
            for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
                struct ir_inst *i = p->blocks[b].ir->insts.v[j];
                for (int k = 0; k < i->n_dst; k++) {
                    if (!i->dst[k])
                        continue;
                    int r = (int)i->dst[k]->id;
                    if (pass == 0) {
                        count[r]++;
                    } else if (count[r] > 1) {
                        struct def d = { i, k, r, (int)w->defs.n, NULL, NULL };
                        hw_vec_push(&w->of_reg[r], (int)w->defs.n);
                        hw_vec_push(&w->defs, d);
                    }
                }
            }
    hw_free(count);
}

/* Walks a block forward from the definitions that reach it; `use` sees every operand with those in force there. */
static void walk(struct webs *w, int b, bits_word *now, int *next_def, void (*use)(struct webs *, struct ir_operand *, const bits_word *))
{
    struct ir_block *blk = w->p->blocks[b].ir;
    for (size_t j = 0; j < blk->insts.n; j++) {
        struct ir_inst *i = blk->insts.v[j];
        if (use)
            for (int k = 0; k < i->n_src; k++)
                if (i->src[k].kind == IR_REG && w->of_reg[i->src[k].reg->id].n)
                    use(w, &i->src[k], now);
        for (int k = 0; k < i->n_dst; k++) {
            if (!i->dst[k] || !w->of_reg[i->dst[k]->id].n)
                continue;
            int r = (int)i->dst[k]->id;
            for (size_t d = 0; d < w->of_reg[r].n; d++)
                bits_del(now, (size_t)w->of_reg[r].v[d]);
            bits_add(now, (size_t)*next_def);
            ++*next_def;
        }
    }
}

static void join_use(struct webs *w, struct ir_operand *o, const bits_word *now)
{
    int first = -1, r = (int)o->reg->id;
    for (size_t k = 0; k < w->of_reg[r].n; k++) {
        int d = w->of_reg[r].v[k];
        if (!bits_has(now, (size_t)d))
            continue;
        if (first < 0)
            first = find(w, d);
        else
            w->defs.v[find(w, d)].parent = first;
    }
}

/* The same instruction again costs nothing and gives the same. */
static bool is_free(const struct ir_inst *i)
{
    for (int k = 0; k < i->n_src; k++)
        if (i->src[k].kind == IR_REG)
            return false;
    return plan_cheap(i);
}

static void rename_use(struct webs *w, struct ir_operand *o, const bits_word *now)
{
    int r = (int)o->reg->id, seen = 0;
    struct def *d = NULL;
    for (size_t k = 0; k < w->of_reg[r].n; k++)
        if (bits_has(now, (size_t)w->of_reg[r].v[k])) {
            d = &w->defs.v[w->of_reg[r].v[k]];
            seen++;
        }
    if (!d)
        return;
    o->reg = d->web;
    if (seen > 1 || !w->joined[d - w->defs.v] || !is_free(d->inst))
        return;
    if (!d->alone)
        d->alone = ir_reg_new(w->p->func, d->web->type, d->web->name);
    o->reg = d->alone;
}

/* In front of a definition the same for those who see it alone. */
static void repeat_alone(struct webs *w, struct ir_block *b, int *next_def)
{
    for (size_t j = 0; j < b->insts.n; j++) {
        struct ir_inst *i = b->insts.v[j];
        for (int k = 0; k < i->n_dst; k++) {
            if (!i->dst[k] || !w->of_reg[i->dst[k]->id].n)
                continue;
            struct def *d = &w->defs.v[(*next_def)++];
            if (!d->alone)
                continue;
            struct ir_inst *again = ir_inst_new(w->p->func, i->op, i->type);
            *again = *i;
            again->dst[0] = d->alone;
            ir_block_insert(b, j++, again);
        }
    }
}

static void rename_all(struct webs *w, int *first_def)
{
    struct plan *p = w->p;
    bool *root_first = hw_alloc(p->func->regs.n + 1);
    w->joined = hw_alloc(w->defs.n + 1);
    for (size_t d = 0; d < w->defs.n; d++) {
        int root = find(w, (int)d);
        if ((size_t)root != d) {
            w->joined[d] = w->joined[root] = true;
            continue;
        }
        struct ir_reg *old = p->func->regs.v[w->defs.v[d].reg];
        w->defs.v[d].web = root_first[old->id] ? ir_reg_new(p->func, old->type, old->name) : old;   /* the first web keeps the register */
        root_first[old->id] = true;
    }
    for (size_t d = 0; d < w->defs.n; d++)
        w->defs.v[d].web = w->defs.v[find(w, (int)d)].web;
    bits_word *now = bits_new(&p->arena, w->defs.n);
    for (int b = 0; b < p->n_blocks; b++) {
        memcpy(now, w->in[b], bits_words(w->defs.n) * sizeof *now);
        int next = first_def[b];
        walk(w, b, now, &next, rename_use);
    }
    for (int b = 0; b < p->n_blocks; b++) {
        int next = first_def[b];
        repeat_alone(w, p->blocks[b].ir, &next);
    }
    for (size_t d = 0; d < w->defs.n; d++)
        w->defs.v[d].inst->dst[w->defs.v[d].dst] = w->defs.v[d].web;
    hw_free(root_first);
    hw_free(w->joined);
}

bool plan_webs(struct plan *p)
{
    struct webs w = { .p = p };
    size_t n_regs = p->func->regs.n;
    w.of_reg = hw_alloc(n_regs * sizeof *w.of_reg + 1);
    collect(&w);
    size_t n = w.defs.n;
    /* A bound on the memory of the reaching-definitions sets: past it registers stay as they are, which is only slower. */
    if (n && n * (size_t)p->n_blocks < (size_t)1 << 32) {
        int *first_def = hw_alloc((size_t)p->n_blocks * sizeof *first_def);
        bits_word **out = hw_alloc((size_t)p->n_blocks * sizeof *out);
        w.in = hw_alloc((size_t)p->n_blocks * sizeof *w.in);
        int next = 0;
        for (int b = 0; b < p->n_blocks; b++) {
            first_def[b] = next;
            w.in[b] = bits_new(&p->arena, n);
            out[b] = bits_new(&p->arena, n);
            bits_word *scratch = w.in[b];
            walk(&w, b, scratch, &next, NULL);
            memset(scratch, 0, bits_words(n) * sizeof *scratch);
        }
        bits_word *now = bits_new(&p->arena, n);
        for (bool again = true; again;) {
            again = false;
            for (int b = 0; b < p->n_blocks; b++) {
                for (size_t k = 0; k < p->blocks[b].preds.n; k++)
                    bits_or(w.in[b], out[p->blocks[b].preds.v[k]], n);
                memcpy(now, w.in[b], bits_words(n) * sizeof *now);
                int at = first_def[b];
                walk(&w, b, now, &at, NULL);
                again |= bits_or(out[b], now, n);
            }
        }
        for (int b = 0; b < p->n_blocks; b++) {
            memcpy(now, w.in[b], bits_words(n) * sizeof *now);
            int at = first_def[b];
            walk(&w, b, now, &at, join_use);
        }
        rename_all(&w, first_def);
        hw_free(first_def);
        hw_free(out);
        hw_free(w.in);
    }
    for (size_t r = 0; r < n_regs; r++)
        hw_vec_fini(&w.of_reg[r]);
    hw_free(w.of_reg);
    hw_vec_fini(&w.defs);
    return true;
}
