/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where addresses come from, and what becomes of values that are read: what the checker asks of instrumented kernels.
 *
 * An address is followed back through everything that it was computed of. If that names one variable, or nothing but parameters of the kernel, then the
 * access belongs to that variable, or to the memory that one of those parameters points to, and nowhere else. All definitions of a register count, so a
 * claim can be missing but is never wrong. A number of 32 bits that was read from memory is an index; one of 64 bits may be an address.
 */
#include "pass/origin.h"

enum { MOST_STEPS = 256 };

struct origin_defs {
    uint32_t *first;             /* by register: where its definitions begin in `defs`; one more at the end */
    struct ir_inst **defs;
    uint32_t *uses, *selects, *stores;           /* by register: all of its uses, those as a value that SELECT chooses from, those as a value that is stored */
    struct ir_block **def_block;
    bool *used_there;            /* by register: in the block that defines it */
    size_t n_regs;
};

static void count_uses(struct origin_defs *o, const struct ir_inst *i)
{
    for (int k = 0; k < i->n_src; k++) {
        if (i->src[k].kind != IR_REG)
            continue;
        uint32_t r = i->src[k].reg->id;
        o->uses[r]++;
        o->selects[r] += i->op == IR_SELECT && k > 0;
        o->stores[r] += i->op == IR_ST && k > 0;
    }
}

static void note_block(struct origin_defs *o, struct ir_block *b)
{
    for (size_t j = 0; j < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && o->def_block[i->src[k].reg->id] == b)
                o->used_there[i->src[k].reg->id] = true;
        for (int k = 0; k < i->n_dst; k++)
            if (i->dst[k])
                o->def_block[i->dst[k]->id] = b;
    }
}

struct origin_defs *origin_defs_new(const struct ir_func *f)
{
    struct origin_defs *o = hw_alloc(sizeof *o);
    size_t n = f->regs.n, total = 0;
    o->n_regs = n;
    o->first = hw_alloc((n + 2) * sizeof *o->first);
    o->uses = hw_alloc((n + 1) * sizeof *o->uses);
    o->selects = hw_alloc((n + 1) * sizeof *o->selects);
    o->stores = hw_alloc((n + 1) * sizeof *o->stores);
    o->def_block = hw_alloc((n + 1) * sizeof(struct ir_block *));
    o->used_there = hw_alloc(n + 1);
    for (size_t b = 0; b < f->blocks.n; b++) {
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            count_uses(o, i);
            for (int k = 0; k < i->n_dst; k++)
                if (i->dst[k]) {
                    o->first[i->dst[k]->id + 2]++;
                    total++;
                }
        }
        note_block(o, f->blocks.v[b]);
    }
    for (size_t r = 0; r < n; r++)               /* first[r + 1]: where r's are put next; afterwards where they end */
        o->first[r + 2] += o->first[r + 1];
    o->defs = hw_alloc((total + 1) * sizeof(struct ir_inst *));
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++)
            for (int k = 0; k < f->blocks.v[b]->insts.v[j]->n_dst; k++) {
                const struct ir_reg *r = f->blocks.v[b]->insts.v[j]->dst[k];
                if (r)
                    o->defs[o->first[r->id + 1]++] = f->blocks.v[b]->insts.v[j];
            }
    return o;
}

void origin_defs_free(struct origin_defs *o)
{
    if (!o)
        return;
    hw_free(o->first);
    hw_free(o->uses);
    hw_free(o->selects);
    hw_free(o->stores);
    hw_free(o->def_block);
    hw_free(o->used_there);
    hw_free(o->defs);
    hw_free(o);
}

/* ---- addresses ---- */

struct slice {
    struct origin_defs *o;
    struct origin *out;
    uint32_t todo[MOST_STEPS];
    unsigned n, done;
    bool unknown;
};

static void follow(struct slice *s, const struct ir_operand *x)
{
    if (x->kind == IR_IMM && x->var) {
        if (s->out->shared && s->out->shared != x->var)
            s->unknown = true;
        s->out->shared = x->var;
    }
    if (x->kind != IR_REG)
        return;
    for (unsigned k = 0; k < s->n; k++)
        if (s->todo[k] == x->reg->id)
            return;
    if (s->n == MOST_STEPS)
        s->unknown = true;
    else
        s->todo[s->n++] = x->reg->id;
}

static void add_param(struct slice *s, const struct ir_inst *i)
{
    struct origin *out = s->out;
    if (ir_type_bits(i->type) < 64)
        return;
    for (unsigned k = 0; k < out->n_params; k++)
        if (out->params[k] == (uint32_t)i->imm)
            return;
    if (out->n_params == ORIGIN_PARAMS)
        s->unknown = true;
    else
        out->params[out->n_params++] = (uint32_t)i->imm;
}

/* What a value of at most 32 bits cannot hold: an address of global memory. Shared addresses are such, but not such that were read from memory. */
static void visit_def(struct slice *s, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_PARAM: add_param(s, i); return;
    case IR_VARADDR:
        s->unknown |= s->out->variable && s->out->variable != (uint32_t)i->imm + 1;
        s->out->variable = (uint32_t)i->imm + 1;
        return;
    case IR_SREG: return;
    case IR_SELECT:
        follow(s, &i->src[1]);
        follow(s, &i->src[2]);
        return;
    case IR_PACK: case IR_PARAMADDR: case IR_LOCAL_TO_GENERIC: case IR_GENERIC_TO_LOCAL: case IR_MATH: s->unknown = true; return;
    case IR_CMP: case IR_FTOI_S: case IR_FTOI_U: return;
    default: break;
    }
    if (!(ir_op_info[i->op].props & IR_PROP_PURE)) {
        s->unknown |= ir_type_bits(i->type) > 32 && i->op != IR_SHFL && i->op != IR_REDUX && i->op != IR_VOTE;
        return;
    }
    for (int k = 0; k < i->n_src; k++)
        follow(s, &i->src[k]);
}

void origin_of(struct origin_defs *o, const struct ir_inst *i, struct origin *out)
{
    struct slice s = { .o = o, .out = out };
    *out = (struct origin){ 0 };
    follow(&s, &i->src[0]);
    while (s.done < s.n && !s.unknown) {
        uint32_t r = s.todo[s.done++];
        uint32_t from = r ? o->first[r] : 0, to = o->first[r + 1];
        for (uint32_t d = from; d < to && !s.unknown; d++)
            visit_def(&s, o->defs[d]);
    }
    if (s.unknown || (out->shared && out->variable))
        *out = (struct origin){ 0 };
}

/* ---- values ---- */

enum origin_use origin_use_of(const struct origin_defs *o, const struct ir_reg *r)
{
    if (!r || r->id >= o->n_regs || !o->uses[r->id])
        return ORIGIN_UNUSED;
    if (o->uses[r->id] == o->selects[r->id])
        return ORIGIN_CHOSEN;
    return o->uses[r->id] == o->stores[r->id] ? ORIGIN_COPIED : ORIGIN_USED;
}

bool origin_used_elsewhere(const struct origin_defs *o, const struct ir_reg *r) { return r && !o->used_there[r->id]; }
