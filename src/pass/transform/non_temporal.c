/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results too large for the caches. A store of a whole line that is not in the cache makes the CPU read the line first, only to
 * overwrite it; a store past the caches does not. That pays when the grid writes more than the caches hold, through parameters it reads
 * nothing through, and nothing in the kernel orders its stores: then no other thread may look at them before the grid has ended.
 */
#include "pass/plan.h"

/* Where addresses come from: the parameter at offset 8 * k is bit k; all behind, and those at odd offsets, share the last. */
static uint64_t origin_bit(const struct ir_inst *param)
{
    uint64_t k = (uint64_t)param->imm / 8;
    return (uint64_t)1 << (k < 63 && param->imm % 8 == 0 ? k : 63);
}

struct search {
    const struct ir_func *f;
    uint64_t *origins;           /* by register */
};

static uint64_t origins_of(const struct search *s, const struct ir_operand *o)
{
    return o->kind == IR_REG ? s->origins[o->reg->id] : 0;
}

static uint64_t made_by(const struct search *s, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_PARAM: return i->type == IR_I64 ? origin_bit(i) : 0;
    case IR_MOV: case IR_SUB: return origins_of(s, &i->src[0]);
    case IR_ADD: return origins_of(s, &i->src[0]) | origins_of(s, &i->src[1]);
    case IR_SELECT: return origins_of(s, &i->src[1]) | origins_of(s, &i->src[2]);
    default: return 0;
    }
}

/* Registers may be written many times, in loops too: until nothing changes. */
static void find_origins(struct search *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < s->f->blocks.n; b++)
            for (size_t j = 0; j < s->f->blocks.v[b]->insts.n; j++) {
                const struct ir_inst *i = s->f->blocks.v[b]->insts.v[j];
                if (i->n_dst != 1 || !i->dst[0])
                    continue;
                uint64_t *to = &s->origins[i->dst[0]->id], now = *to | made_by(s, i);
                changed |= now != *to;
                *to = now;
            }
    }
}

static bool outside(const struct ir_inst *i) { return i->space == IR_GENERIC || i->space == IR_GLOBAL; }

/* Parameters that the kernel writes through and never reads through; 0 when somebody may read what was written while it runs. */
static uint64_t written_only(const struct search *s)
{
    uint64_t read = 0, written = 0;
    for (size_t b = 0; b < s->f->blocks.n; b++)
        for (size_t j = 0; j < s->f->blocks.v[b]->insts.n; j++) {
            const struct ir_inst *i = s->f->blocks.v[b]->insts.v[j];
            if (!(ir_op_info[i->op].props & IR_PROP_MEM) || ((i->op == IR_LD || i->op == IR_ST) && i->order == IR_WEAK && !outside(i)))
                continue;
            if ((i->op != IR_LD && i->op != IR_ST) || i->order != IR_WEAK || (i->flags & IR_VOLATILE))
                return 0;
            *(i->op == IR_LD ? &read : &written) |= origins_of(s, &i->src[0]);
        }
    return written & ~read;
}

static bool streams(const struct search *s, const struct ir_inst *i, uint64_t params)
{
    uint64_t from = i->op == IR_ST && outside(i) ? origins_of(s, &i->src[0]) : 0;
    return from && !(from & ~params);
}

/* mark: the stores get the flag. */
static uint32_t look(const struct ir_func *f, bool mark, uint64_t *out_params)
{
    struct search s = { f, hw_alloc(sizeof *s.origins * (f->regs.n + 1)) };
    uint32_t bytes = 0;
    find_origins(&s);
    uint64_t params = f->callees.n ? 0 : written_only(&s);
    for (size_t b = 0; params && b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++) {
            struct ir_inst *i = f->blocks.v[b]->insts.v[j];
            if (!streams(&s, i, params))
                continue;
            bytes += (i->n_src - 1u) * ir_type_bits(i->type) / 8;
            if (mark)
                i->flags |= IR_STREAM;
        }
    hw_free(s.origins);
    *out_params = params;
    return bytes;
}

uint32_t plan_streamed_bytes(const struct ir_func *f, uint64_t *out_params)
{
    return look(f, false, out_params);
}

bool plan_non_temporal(struct plan *p)
{
    uint64_t params;
    if (p->opt.stream)
        look(p->func, true, &params);
    return true;
}
