/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid-stride loops, one iteration at a time. for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) has each warp jump through
 * memory in steps of the whole grid: neither the caches nor the hardware's prefetching gain from what lies beside. All threads of the grid together go through
 * memory front to back, if each makes one iteration before any makes the next. So the kernel becomes code for one iteration, whose number the engine tells
 * (%visit), and says whether another one is needed (more); the engine visits many blocks for the first iteration, then for the second, and so on.
 *
 * Each thread does what it did, in the same order. What a thread carries from one iteration to the next must therefore be numbers that grow by the same in
 * each: they are computed from the visit. What stands before the loop is done in every visit: it may only compute.
 */
#include "pass/transform/lane_test.h"

struct stride_loop {
    struct plan *p;
    const struct plan_loop *l;
    struct ir_reg *index;                        /* the loop's number, of the type of its test */
    const struct ir_inst *test;                  /* of the latch */
    int side;                                    /* of the index in it */
    bool stays;                                  /* the answer with which the loop goes on */
    struct ir_block *exit;
};
enum { MOST_CARRIED = 8 };

static bool inside(const struct stride_loop *s, int block) { return bits_has(s->l->blocks, (size_t)block); }

/* The register's only definition in the loop, or outside of it. NULL: there is none, or several. */
static struct ir_inst *only_def(const struct stride_loop *s, const struct ir_reg *r, bool in, int *out_block)
{
    struct ir_inst *found = NULL;
    for (int b = 0; b < s->p->n_blocks; b++)
        for (size_t j = 0; inside(s, b) == in && j < s->p->blocks[b].ir->insts.n; j++)
            if (ir_defines(s->p->blocks[b].ir->insts.v[j], r)) {
                if (found)
                    return NULL;
                found = s->p->blocks[b].ir->insts.v[j];
                *out_block = b;
            }
    return found;
}

static bool changes(const struct stride_loop *s, const struct ir_operand *o)
{
    for (int b = 0; o->kind == IR_REG && b < s->p->n_blocks; b++)
        for (size_t j = 0; inside(s, b) && j < s->p->blocks[b].ir->insts.n; j++)
            if (ir_defines(s->p->blocks[b].ir->insts.v[j], o->reg))
                return true;
    return false;
}

/* What the number is made of, through copies and extensions: with a grid of fewer than 2^31 threads neither of those that are asked for below has a sign bit. */
static const struct ir_inst *source(const struct stride_loop *s, const struct ir_operand *o, bool first)
{
    for (int depth = 0; o->kind == IR_REG && depth < 8; depth++) {
        int block;
        const struct ir_inst *d = first ? only_def(s, o->reg, false, &block) : s->p->regs[o->reg->id].def;
        if (!d || (d->op != IR_MOV && d->op != IR_ZEXT && d->op != IR_SEXT))
            return d;
        o = &d->src[0];
        first = false;
    }
    return NULL;
}

static bool is_sreg(const struct stride_loop *s, const struct ir_operand *o, enum ir_sreg which)
{
    const struct ir_inst *d = source(s, o, false);
    return d && d->op == IR_SREG && d->imm == (int64_t)which;
}

/* The special register times the block's size in x. */
static bool is_times_block(const struct stride_loop *s, const struct ir_inst *d, enum ir_sreg which)
{
    uint32_t n = s->p->opt.ntid[0];
    if (!d)
        return false;
    if (n == 1 && d->op == IR_SREG)
        return d->imm == (int64_t)which;
    bool product = (d->op == IR_MUL && d->src[1].kind == IR_IMM && d->src[1].imm == n) ||
        (d->op == IR_SHL && d->src[1].kind == IR_IMM && d->src[1].imm < 32 && (uint32_t)1 << d->src[1].imm == n);
    return product && is_sreg(s, &d->src[0], which);
}

static bool is_first_index(const struct stride_loop *s, const struct ir_operand *o)
{
    const struct ir_inst *d = source(s, o, true);
    for (int k = 0; d && d->op == IR_ADD && k < 2; k++)
        if (is_sreg(s, &d->src[k], IR_SREG_TID_X) && is_times_block(s, source(s, &d->src[1 - k], false), IR_SREG_CTAID_X))
            return true;
    return false;
}

/* The loop goes on while the index, which has just grown, is below a bound. */
static bool find_test(struct stride_loop *s)
{
    const struct plan *p = s->p;
    const struct plan_block *latch = &p->blocks[s->l->latch];
    const struct ir_inst *t = ir_block_term(latch->ir);
    if (t->op != IR_CBR || t->src[0].kind != IR_REG || latch->n_succ != 2)
        return false;
    s->stays = t->target[0] == p->blocks[s->l->header].ir;
    s->exit = t->target[s->stays ? 1 : 0];
    const struct ir_inst *cmp = s->test = p->regs[t->src[0].reg->id].def;
    if (!cmp || cmp->op != IR_CMP || (cmp->type != IR_I32 && cmp->type != IR_I64) || p->regs[t->src[0].reg->id].def_block != s->l->latch)
        return false;
    for (s->side = 0; s->side < 2; s->side++) {
        bool less = cmp->cmp == IR_SLT || cmp->cmp == IR_SLE || cmp->cmp == IR_ULT || cmp->cmp == IR_ULE;
        bool more = cmp->cmp == IR_SGT || cmp->cmp == IR_SGE || cmp->cmp == IR_UGT || cmp->cmp == IR_UGE;
        if (!(s->side == 0 ? (s->stays ? less : more) : (s->stays ? more : less)) || cmp->src[s->side].kind != IR_REG || changes(s, &cmp->src[1 - s->side]))
            continue;
        s->index = cmp->src[s->side].reg;
        return true;
    }
    return false;
}

static size_t place_of(const struct ir_block *b, const struct ir_inst *i)
{
    for (size_t j = 0; j < b->insts.n; j++)
        if (b->insts.v[j] == i)
            return j;
    return b->insts.n;
}

/* What is added to the register in every iteration, once, by one number that does not change. */
static const struct ir_operand *step_of(const struct stride_loop *s, const struct ir_reg *r, const struct ir_inst **out_def)
{
    int block;
    const struct ir_inst *d = only_def(s, r, true, &block);
    *out_def = d;
    if (!d || d->op != IR_ADD || !plan_dominates(s->p, block, s->l->latch))
        return NULL;
    for (size_t k = 0; k < s->p->loops.n; k++)           /* not in a loop within */
        if (&s->p->loops.v[k] != s->l && bits_has(s->p->loops.v[k].blocks, (size_t)block) && inside(s, s->p->loops.v[k].header) && s->p->loops.v[k].header != s->l->header)
            return NULL;
    for (int k = 0; k < 2; k++)
        if (d->src[k].kind == IR_REG && d->src[k].reg == r && !changes(s, &d->src[1 - k]))
            return &d->src[1 - k];
    return NULL;
}

static bool steps_by_grid(const struct stride_loop *s)
{
    const struct ir_inst *def;
    const struct ir_operand *step = step_of(s, s->index, &def);
    const struct ir_block *latch = s->p->blocks[s->l->latch].ir;
    if (!step || step->kind != IR_REG || s->p->regs[step->reg->id].def == NULL || !is_times_block(s, source(s, step, false), IR_SREG_NCTAID_X))
        return false;
    size_t at = place_of(latch, def);
    if (at < latch->insts.n && at > place_of(latch, s->test))            /* the test is of the number before it grew */
        return false;
    struct ir_operand index = ir_reg_operand(s->index);
    return is_first_index(s, &index);
}

/* Every way leads through the loop, which alone does anything; what it leaves nobody reads. */
static bool does_all(const struct stride_loop *s)
{
    bool memory = false;
    for (int b = 0; b < s->p->n_blocks; b++) {
        const struct plan_block *blk = &s->p->blocks[b];
        for (size_t j = 0; j < blk->ir->insts.n; j++) {
            const struct ir_inst *i = blk->ir->insts.v[j];
            unsigned props = ir_op_info[i->op].props;
            if (plan_stops(i) || i->op == IR_CALL || i->op == IR_TRAP || i->op == IR_MALLOC || i->op == IR_FREE || i->op == IR_NANOSLEEP || i->op == IR_NOTE || i->op == IR_ENTER)
                return false;
            if ((props & IR_PROP_MEM) && (i->space == IR_SHARED || i->space == IR_LOCAL))
                return false;
            if (i->op == IR_SHARED_TO_GENERIC || i->op == IR_LOCAL_TO_GENERIC)
                return false;
            if (!inside(s, b) && !(props & IR_PROP_PURE) && i->op != IR_BR && i->op != IR_CBR && i->op != IR_RET)
                return false;
            memory |= inside(s, b) && (i->op == IR_LD || i->op == IR_ST);
        }
        for (int k = 0; inside(s, b) && b != s->l->latch && k < blk->n_succ; k++)
            if (!inside(s, blk->succ[k]))
                return false;
    }
    for (size_t k = 0; k < s->p->loops.n; k++)
        if (!inside(s, s->p->loops.v[k].header) || s->p->loops.v[k].spin)
            return false;
    return memory && s->l->parent < 0;
}

struct carried {
    struct ir_reg *reg;
    const struct ir_operand *step;
};

/* What one iteration hands to the next: only numbers that grow. */
static bool find_carried(const struct stride_loop *s, struct carried *out, unsigned *out_n)
{
    *out_n = 0;
    for (size_t r = 0; r < s->p->n_regs; r++) {
        const struct ir_inst *def;
        struct ir_operand o = { .kind = IR_REG, .reg = s->p->regs[r].reg };
        if (!bits_has(s->p->blocks[s->l->header].live_in, r) || !changes(s, &o))
            continue;
        const struct ir_operand *step = step_of(s, o.reg, &def);
        if (!step || *out_n == MOST_CARRIED || (o.reg->type != IR_I32 && o.reg->type != IR_I64))
            return false;
        out[(*out_n)++] = (struct carried){ o.reg, step };
    }
    return true;
}

/* --- the change --- */

/* Of one operand, or of none (IR_NONE). */
static struct ir_reg *unary(struct plan *p, struct ir_block *b, enum ir_op op, enum ir_type t, struct ir_operand x)
{
    struct ir_inst *i = ir_inst_new(p->func, op, t);
    struct ir_reg *r = ir_reg_new(p->func, t, NULL);
    ir_inst_dst(i, r);
    if (x.kind != IR_NONE)
        ir_inst_src(i, x);
    if (op == IR_TRUNC || op == IR_ZEXT || op == IR_SEXT)
        i->type2 = op == IR_TRUNC ? IR_I64 : IR_I32;
    ir_block_add(b, i);
    return r;
}

static struct ir_operand widened(struct plan *p, struct ir_block *b, enum ir_op op, enum ir_type t, struct ir_operand o)
{
    return t == IR_I64 ? o : ir_reg_operand(unary(p, b, op, IR_I64, o));
}

/* Is a number still below the bound? Both have 64 bits, so that the number has not wrapped around, whatever the loop's own has. */
static struct ir_reg *below_bound(const struct stride_loop *s, struct ir_block *b, struct ir_operand number)
{
    bool sign = s->test->cmp >= IR_SLT && s->test->cmp <= IR_SGE;
    struct ir_operand o[2];
    o[s->side] = number;
    o[1 - s->side] = widened(s->p, b, sign ? IR_SEXT : IR_ZEXT, s->test->type, s->test->src[1 - s->side]);
    struct ir_reg *r = lane_cmp(s->p, b, (enum ir_cmp)s->test->cmp, IR_I64, o[0], o[1]);
    return s->stays ? r : unary(s->p, b, IR_NOT, IR_PRED, ir_reg_operand(r));
}

/* Numbers as they are in this visit; of the index that of 64 bits. */
static struct ir_operand set_carried(const struct stride_loop *s, struct ir_block *b, struct ir_reg *visit, const struct carried *carried, unsigned n)
{
    struct plan *p = s->p;
    struct ir_operand index = { 0 };
    for (unsigned k = 0; k < n; k++) {
        struct ir_reg *r = carried[k].reg;
        struct ir_operand old = ir_reg_operand(r), sum;
        if (r == s->index) {
            struct ir_operand step = widened(p, b, IR_ZEXT, r->type, *carried[k].step);
            struct ir_operand grown = ir_reg_operand(lane_value(p, b, IR_MUL, IR_I64, ir_reg_operand(visit), step));
            index = sum = ir_reg_operand(lane_value(p, b, IR_ADD, IR_I64, widened(p, b, IR_ZEXT, r->type, old), grown));
            if (r->type == IR_I32)
                sum = ir_reg_operand(unary(p, b, IR_TRUNC, IR_I32, sum));
        } else {
            struct ir_reg *times = r->type == IR_I32 ? unary(p, b, IR_TRUNC, IR_I32, ir_reg_operand(visit)) : visit;
            struct ir_operand grown = ir_reg_operand(lane_value(p, b, IR_MUL, r->type, ir_reg_operand(times), *carried[k].step));
            sum = ir_reg_operand(lane_value(p, b, IR_ADD, r->type, old, grown));
        }
        struct ir_inst *set = ir_inst_new(p->func, IR_MOV, r->type);
        ir_inst_dst(set, r);
        ir_inst_src(set, sum);
        ir_block_add(b, set);
    }
    return index;
}

/* Says whether another visit is needed. The first lane of a group has its least index: where that leaves the loop, all have. */
static void tell_more(const struct stride_loop *s, struct ir_block *b, struct ir_operand index, const struct ir_operand *step)
{
    struct plan *p = s->p;
    if (lane_numbers(p))
        index = ir_reg_operand(lane_first(p, b, IR_I64, index, 1));
    struct ir_operand next = ir_reg_operand(lane_value(p, b, IR_ADD, IR_I64, index, widened(p, b, IR_ZEXT, s->index->type, *step)));
    struct ir_inst *more = ir_inst_new(p->func, IR_MORE, IR_VOID);
    ir_inst_src(more, ir_reg_operand(below_bound(s, b, next)));
    ir_block_add(b, more);
}

/* A test before the loop that asks of the index what the loop's own does: no thread comes to the loop that would not stay in it. */
static struct ir_inst *find_guard(const struct stride_loop *s)
{
    static const enum ir_cmp opposite[] = { [IR_SLT] = IR_SGE, [IR_SGE] = IR_SLT, [IR_SLE] = IR_SGT, [IR_SGT] = IR_SLE,
                                            [IR_ULT] = IR_UGE, [IR_UGE] = IR_ULT, [IR_ULE] = IR_UGT, [IR_UGT] = IR_ULE };
    const struct ir_operand *bound = &s->test->src[1 - s->side];
    if (bound->kind == IR_REG && !s->p->regs[bound->reg->id].def)        /* it may have been another number then */
        return NULL;
    enum ir_cmp same = (enum ir_cmp)s->test->cmp;
    for (int b = 0; b < s->p->n_blocks; b++) {
        struct ir_inst *t = ir_block_term(s->p->blocks[b].ir);
        const struct ir_inst *cmp = !inside(s, b) && t->op == IR_CBR && t->src[0].kind == IR_REG ? s->p->regs[t->src[0].reg->id].def : NULL;
        if (!cmp || cmp->op != IR_CMP || cmp->type != s->test->type || inside(s, s->p->regs[t->src[0].reg->id].def_block) || !plan_dominates(s->p, b, s->l->header))
            continue;
        const struct ir_operand *x = &cmp->src[s->side], *y = &cmp->src[1 - s->side];
        if (x->kind != IR_REG || x->reg != s->index || y->kind != bound->kind || y->reg != bound->reg || y->imm != bound->imm)
            continue;
        bool to_loop = s->p->blocks[b].n_succ == 2 && plan_dominates(s->p, s->p->blocks[b].succ[1], s->l->header) ? false : true;
        int succ = s->p->blocks[b].n_succ == 2 ? s->p->blocks[b].succ[to_loop ? 0 : 1] : -1;
        bool answer = s->stays == to_loop;       /* the branch to the loop and the one back to its head have the same answer */
        if (succ >= 0 && s->p->blocks[succ].preds.n == 1 && plan_dominates(s->p, succ, s->l->header) && (enum ir_cmp)cmp->cmp == (answer ? same : opposite[same]))
            return t;
    }
    return NULL;
}

static void retarget(struct ir_block *b, const struct ir_block *from, struct ir_block *to)
{
    struct ir_inst *t = ir_block_term(b);
    for (int k = 0; k < 2; k++)
        if (t->target[k] == from)
            t->target[k] = to;
}

static void change(const struct stride_loop *s, const struct carried *carried, unsigned n)
{
    struct plan *p = s->p;
    struct ir_block *header = p->blocks[s->l->header].ir, *latch = p->blocks[s->l->latch].ir, *enter = ir_block_new(p->func, NULL);
    struct ir_inst *guard = find_guard(s), *end = ir_block_term(latch);
    const struct ir_inst *def;
    const struct ir_operand *step = step_of(s, s->index, &def);
    struct ir_reg *visit = unary(p, enter, IR_SREG, IR_I64, (struct ir_operand){ 0 });
    enter->insts.v[0]->imm = IR_SREG_VISIT;
    struct ir_operand index = set_carried(s, enter, visit, carried, n);
    tell_more(s, enter, index, step);
    struct ir_reg *stays = below_bound(s, enter, index);
    if (!guard) {                                /* the first iteration is made without a test */
        struct ir_reg *first = lane_cmp(p, enter, IR_EQ, IR_I64, ir_reg_operand(visit), ir_imm_operand(0));
        stays = lane_value(p, enter, IR_OR, IR_PRED, ir_reg_operand(first), ir_reg_operand(stays));
    }
    lane_branch(p, enter, stays, header, s->exit);
    for (int b = 0; b < p->n_blocks; b++)
        if (!inside(s, b))
            retarget(p->blocks[b].ir, header, enter);
    if (guard) {                                 /* the index only grows: the test in this visit answers for it */
        int b = 0;
        while (ir_block_term(p->blocks[b].ir) != guard)
            b++;
        guard->target[0] = plan_dominates(p, p->blocks[b].succ[0], s->l->header) || p->blocks[b].succ[0] == s->l->header ? guard->target[0] : guard->target[1];
        guard->target[1] = NULL;
        guard->op = IR_BR;
        guard->n_src = 0;
    }
    end->op = IR_BR;
    end->target[0] = s->exit;
    end->target[1] = NULL;
    end->n_src = 0;
    p->visits = true;
}

bool plan_grid_stride(struct plan *p)
{
    struct carried carried[MOST_CARRIED];
    unsigned n;
    if (!p->opt.small_grid || p->opt.function || p->opt.fair || p->opt.turns || p->opt.plain || p->opt.counted || p->visits || p->func->local_bytes)
        return false;
    for (size_t k = 0; k < p->loops.n; k++) {
        struct stride_loop s = { .p = p, .l = &p->loops.v[k] };
        if (!find_test(&s) || !steps_by_grid(&s) || !does_all(&s) || !find_carried(&s, carried, &n))
            continue;
        change(&s, carried, n);
        return true;
    }
    return false;
}
