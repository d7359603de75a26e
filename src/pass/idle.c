/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that have nothing to do between two barriers: if (threadIdx.x < 16) ..., the steps of a tree. Which threads do something is known
 * when all that decides is the thread's place in its block: the condition is worked out for each of them.
 */
#include "pass/plan.h"

enum { MAX_STEPS = 24 };

struct thread {
    const struct plan *p;
    uint32_t index;
    unsigned steps;              /* that were taken: the same values are made again and again */
};

static bool place(const struct thread *t, int64_t sreg, uint64_t *out)
{
    const uint32_t *n = t->p->opt.ntid;
    switch (sreg) {
    case IR_SREG_TID_X: *out = t->index % n[0]; return true;
    case IR_SREG_TID_Y: *out = t->index / n[0] % n[1]; return true;
    case IR_SREG_TID_Z: *out = t->index / n[0] / n[1]; return true;
    default: return false;
    }
}

static bool value(struct thread *t, const struct ir_operand *o, uint64_t *out)
{
    if (o->kind == IR_IMM) {
        *out = o->imm;
        return true;
    }
    const struct ir_inst *i = o->kind == IR_REG ? t->p->regs[o->reg->id].def : NULL;
    uint64_t v[PLAN_VALUE_SRC] = { 0 };
    if (!i || i->n_dst != 1 || i->n_src > PLAN_VALUE_SRC || ++t->steps > MAX_STEPS)
        return false;
    if (i->op == IR_SREG)
        return place(t, i->imm, out);
    for (int k = 0; k < i->n_src; k++)
        if (!value(t, &i->src[k], &v[k]))
            return false;
    return (ir_op_info[i->op].props & IR_PROP_PURE) && plan_value(i, v, out);
}

static bool nothing_before_end(const struct plan *p, int b)
{
    const struct ir_block *ir = p->blocks[b].ir;
    for (size_t j = 0; j + 1 < ir->insts.n; j++)
        if (!(ir_op_info[ir->insts.v[j]->op].props & IR_PROP_PURE))
            return false;
    return true;
}

/* Where one gets to from b without doing anything: a plain barrier or the kernel's end; -1: not there. */
static int straight_to(const struct plan *p, int b)
{
    for (int steps = 0; steps < p->n_blocks && p->blocks[b].ir->insts.n == 1; steps++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (t->op == IR_RET || (t->op == IR_BAR && plan_stops(t)))
            return b;
        if (t->op != IR_BR)
            break;
        b = p->blocks[b].succ[0];
    }
    return -1;
}

/* One past the last group of which some thread goes another way than `taken`. */
static bool busy_groups(const struct plan *p, const struct ir_operand *condition, uint64_t taken, uint32_t *out)
{
    *out = 0;
    for (uint32_t k = 0; k < p->threads; k++) {
        struct thread t = { .p = p, .index = k };
        uint64_t v;
        if (!value(&t, condition, &v))
            return false;
        if ((v & 1) != taken)
            *out = k / p->lanes + 1;
    }
    return true;
}

bool plan_idle(const struct plan *p, size_t region, struct plan_idle *out)
{
    int entry = p->regions.v[region].entry;
    const struct ir_inst *t = ir_block_term(p->blocks[entry].ir);
    if (!p->lockstep || p->lanes == 1 || p->opt.counted || p->groups < 2 || t->op != IR_CBR || !nothing_before_end(p, entry))
        return false;
    for (int k = 0; k < 2; k++) {
        out->end = straight_to(p, p->blocks[entry].succ[k]);
        if (out->end >= 0 && busy_groups(p, &t->src[0], k == 0, &out->from) && out->from < p->groups)
            return true;
    }
    return false;
}
