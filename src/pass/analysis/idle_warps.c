/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups that have nothing to do between two barriers: if (threadIdx.x < 16) ..., the steps of a tree. Which threads do something is known
 * when all that decides is the thread's place in its block: the condition is worked out for each of them.
 */
#include "pass/plan.h"

enum { MAX_STEPS = 24 };

struct thread {
    struct plan_thread at;
    const struct plan *p;
    unsigned steps;              /* that were taken: the same values are made again and again */
};

static bool value(struct plan_thread *at, const struct ir_operand *o, uint64_t *out)
{
    struct thread *t = hw_container_of(at, struct thread, at);
    const struct ir_inst *i = t->p->regs[o->reg->id].def;
    return i && ++t->steps <= MAX_STEPS && plan_thread_value(at, i, out);
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

/* From which blocks of the region can `to` be reached before a barrier? */
static void note_ways(const struct plan *p, const struct plan_region *r, int to, bits_word *out)
{
    bits_add(out, (size_t)to);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < p->n_blocks; b++) {
            bool leads = false;
            for (int k = 0; k < p->blocks[b].n_succ && !plan_stops(ir_block_term(p->blocks[b].ir)); k++)
                leads |= bits_has(out, (size_t)p->blocks[b].succ[k]);
            if (!leads || bits_has(out, (size_t)b) || !bits_has(r->blocks, (size_t)b))
                continue;
            bits_add(out, (size_t)b);
            changed = true;
        }
    }
}

static bool is_common(const struct plan *p, const struct ir_operand *o) { return o->kind != IR_REG || p->regs[o->reg->id].common; }

/* All groups go from the region's beginning to this block, or none does, and nothing is done on the way. */
static bool all_come_idle(const struct plan *p, size_t region, int block)
{
    bits_word *ways = hw_alloc((bits_words((size_t)p->n_blocks) + 1) * sizeof *ways);
    bool idle = true;
    note_ways(p, &p->regions.v[region], block, ways);
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        bool together = b == block || t->op == IR_BR || (t->op == IR_CBR && is_common(p, &t->src[0]));
        idle &= !bits_has(ways, (size_t)b) || (nothing_before_end(p, b) && together);
    }
    hw_free(ways);
    return idle;
}

/* threadIdx.x, in a block of one dimension: the thread's number */
static bool is_number(const struct plan *p, const struct ir_operand *o)
{
    const struct ir_inst *i = o->kind == IR_REG ? p->regs[o->reg->id].def : NULL;
    return i && i->op == IR_SREG && i->imm == IR_SREG_TID_X && p->opt.ntid[1] == 1 && p->opt.ntid[2] == 1;
}

/* Which of the comparison's answers holds for all threads from some number on? -1: neither */
static int answer_of_last(const struct ir_inst *cmp, bool number_first)
{
    switch (cmp->cmp) {
    case IR_SGT: case IR_SGE: case IR_UGT: case IR_UGE: return number_first;
    case IR_SLT: case IR_SLE: case IR_ULT: case IR_ULE: return !number_first;
    default: return -1;
    }
}

/* The steps of a tree in a loop: if (threadIdx.x < n) ... and a barrier. */
bool plan_leave(const struct plan *p, size_t region, int block, struct plan_leave *out)
{
    const struct ir_inst *t = ir_block_term(p->blocks[block].ir);
    if (!p->lockstep || p->lanes == 1 || p->opt.counted || p->groups < 2 || p->blocks[block].masked || t->op != IR_CBR || t->src[0].kind != IR_REG)
        return false;
    const struct ir_inst *cmp = p->regs[t->src[0].reg->id].def;
    if (!cmp || cmp->op != IR_CMP || cmp->type != IR_I32)
        return false;
    bool first = is_number(p, &cmp->src[0]);
    int answer = answer_of_last(cmp, first);
    if (answer < 0 || (!first && !is_number(p, &cmp->src[1])) || !is_common(p, &cmp->src[first]))
        return false;
    out->cmp = cmp;
    out->number = first ? 0 : 1;
    out->answer = answer;
    out->end = straight_to(p, p->blocks[block].succ[answer ? 0 : 1]);
    return out->end >= 0 && all_come_idle(p, region, block);
}

/* One past the last group of which some thread goes another way than `taken`. */
static bool busy_groups(const struct plan *p, const struct ir_operand *condition, uint64_t taken, uint32_t *out)
{
    *out = 0;
    for (uint32_t k = 0; k < p->threads; k++) {
        struct thread t = { .p = p, .at.operand = value };
        uint64_t v;
        plan_thread_at(p, k, t.at.tid);
        if (condition->kind != IR_REG || !value(&t.at, condition, &v))
            return false;
        if ((v & 1) != taken)
            *out = k / p->lanes + 1;
    }
    return true;
}

bool plan_idle_warps(const struct plan *p, size_t region, struct plan_idle_warps *out)
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
