/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Full iterations and the remainder as two loops. for (i = first + lane; i < n; i += step): lanes leave such a loop one by one, so that its masks are made
 * anew in every iteration, though all lanes stay in it until the last one. A copy of the loop in front of it goes on while the lane whose number comes
 * nearest to the bound stays: that is one comparison for the group, and nobody parts there. The loop as it was does the rest.
 *
 * The copy is right for each thread by itself: it makes no iteration that this thread would not make.
 */
#include "pass/plan.h"

enum { MOST_INSTS = 160, MOST_GROWTH = 400 };

/* The test at a loop's end: it goes on if `cmp`, of a number of each lane and one that all share, answers `stays`. */
struct exit_test {
    const struct ir_inst *cmp;
    int lane;                    /* which operand is the lane's */
    int64_t stride;
    bool stays;
};

/* Which lane leaves first: that with the largest number, or with the smallest. */
static bool bounded_above(enum ir_cmp c, int lane, bool stays)
{
    bool less = c == IR_SLT || c == IR_SLE || c == IR_ULT || c == IR_ULE;
    return (less == (lane == 0)) == stays;
}

static bool has_order(enum ir_cmp c) { return c >= IR_SLT && c <= IR_UGE; }
static bool has_sign(enum ir_cmp c) { return c >= IR_SLT && c <= IR_SGE; }

static bool find_test(const struct plan *p, const struct plan_loop *l, struct exit_test *out)
{
    const struct plan_block *latch = &p->blocks[l->latch];
    const struct ir_inst *t = ir_block_term(latch->ir);
    if (t->op != IR_CBR || !latch->divergent || t->src[0].kind != IR_REG || (latch->succ[0] == l->header) == (latch->succ[1] == l->header))
        return false;
    const struct ir_inst *cmp = p->regs[t->src[0].reg->id].def;
    if (!cmp || cmp->op != IR_CMP || !has_order((enum ir_cmp)cmp->cmp) || (cmp->type != IR_I32 && cmp->type != IR_I64) ||
        !bits_has(l->blocks, (size_t)p->regs[t->src[0].reg->id].def_block))
        return false;
    for (int k = 0; k < 2; k++) {
        struct shape lane = plan_operand_shape(p, &cmp->src[k]), bound = plan_operand_shape(p, &cmp->src[1 - k]);
        if (lane.kind != SHAPE_AFFINE || !lane.stride || !plan_in_row(p, &lane) || !shape_group_uniform(&bound) || lane.stride > 1 << 20 || lane.stride < -(1 << 20))
            continue;
        *out = (struct exit_test){ cmp, k, lane.stride, latch->succ[0] == l->header };
        return true;
    }
    return false;
}

/* A small loop without others in it, and without stops and exchanges between lanes, which touches memory. */
static bool fits(const struct plan *p, size_t loop, size_t *out_insts)
{
    size_t n = 0;
    bool memory = false;
    for (size_t k = 0; k < p->loops.n; k++)
        if (p->loops.v[k].parent == (int)loop)
            return false;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; bits_has(p->loops.v[loop].blocks, (size_t)b) && j < p->blocks[b].ir->insts.n; j++, n++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            if ((ir_op_info[i->op].props & IR_PROP_CONV) || plan_stops(i) || i->op == IR_CALL || i->op == IR_TRAP)
                return false;
            memory |= i->op == IR_LD || i->op == IR_ST;
        }
    *out_insts = n;
    return memory && n <= MOST_INSTS && !p->loops.v[loop].spin && p->loops.v[loop].header > 0;
}

/* Lanes of a group are numbered along x. */
static bool numbers_lanes(const struct plan *p)
{
    const uint32_t *n = p->opt.ntid;
    return (n[1] == 1 && n[2] == 1) || n[0] % p->lanes == 0;
}

static struct ir_reg *value(struct plan *p, struct ir_block *b, size_t at, enum ir_op op, enum ir_type t, struct ir_operand x, struct ir_operand y)
{
    struct ir_inst *i = ir_inst_new(p->func, op, t);
    struct ir_reg *r = ir_reg_new(p->func, t, NULL);
    ir_inst_dst(i, r);
    ir_inst_src(i, x);
    ir_inst_src(i, y);
    ir_block_insert(b, at, i);
    return r;
}

/* At the function's beginning: the lane's number in its group, times the stride. */
static struct ir_reg *lane_offset(struct plan *p, enum ir_type t, int64_t stride)
{
    struct ir_block *first = p->func->blocks.v[0];
    size_t at = 0;
    struct ir_inst *tid = ir_inst_new(p->func, IR_SREG, IR_I32);
    struct ir_reg *x = ir_reg_new(p->func, IR_I32, NULL);
    tid->imm = IR_SREG_TID_X;
    ir_inst_dst(tid, x);
    ir_block_insert(first, at++, tid);
    x = value(p, first, at++, IR_AND, IR_I32, ir_reg_operand(x), ir_imm_operand(p->lanes - 1));
    if (t == IR_I64) {
        struct ir_inst *wide = ir_inst_new(p->func, IR_ZEXT, IR_I64);
        wide->type2 = IR_I32;
        ir_inst_src(wide, ir_reg_operand(x));
        x = ir_reg_new(p->func, IR_I64, NULL);
        ir_inst_dst(wide, x);
        ir_block_insert(first, at++, wide);
    }
    return value(p, first, at, IR_MUL, t, ir_reg_operand(x), ir_imm_operand(t == IR_I64 ? (uint64_t)stride : (uint32_t)stride));
}

static struct ir_operand number(enum ir_type t, int64_t v) { return ir_imm_operand(t == IR_I64 ? (uint64_t)v : (uint32_t)v); }

/* At the end of a block that lacks its own: do all lanes stay? Their numbers must not wrap around on the way from the first to the last. */
static struct ir_reg *all_stay(struct plan *p, struct ir_block *b, const struct exit_test *x)
{
    enum ir_type t = x->cmp->type;
    enum ir_cmp c = (enum ir_cmp)x->cmp->cmp;
    int64_t span = x->stride * (int64_t)(p->lanes - 1);
    struct ir_reg *offset = lane_offset(p, t, x->stride);
    struct ir_operand own = x->cmp->src[x->lane];
    struct ir_reg *first = value(p, b, b->insts.n, IR_SUB, t, own, ir_reg_operand(offset));
    struct ir_reg *last = value(p, b, b->insts.n, IR_ADD, t, ir_reg_operand(first), number(t, span));
    struct ir_reg *least = x->stride > 0 ? first : last, *most = x->stride > 0 ? last : first;
    struct ir_reg *whole = value(p, b, b->insts.n, IR_CMP, t, ir_reg_operand(least), ir_reg_operand(most));
    whole->type = IR_PRED;
    b->insts.v[b->insts.n - 1]->cmp = has_sign(c) ? IR_SLE : IR_ULE;
    struct ir_operand o[2] = { x->cmp->src[0], x->cmp->src[1] };
    o[x->lane] = ir_reg_operand(bounded_above(c, x->lane, x->stays) ? most : least);
    struct ir_reg *answer = value(p, b, b->insts.n, IR_CMP, t, o[0], o[1]);
    answer->type = IR_PRED;
    b->insts.v[b->insts.n - 1]->cmp = x->cmp->cmp;
    if (!x->stays) {
        struct ir_inst *not = ir_inst_new(p->func, IR_NOT, IR_PRED);
        ir_inst_src(not, ir_reg_operand(answer));
        answer = ir_reg_new(p->func, IR_PRED, NULL);
        ir_inst_dst(not, answer);
        ir_block_add(b, not);
    }
    return value(p, b, b->insts.n, IR_AND, IR_PRED, ir_reg_operand(whole), ir_reg_operand(answer));
}

static void copy_blocks(struct plan *p, const struct plan_loop *l, struct ir_block **map)
{
    for (int b = 0; b < p->n_blocks; b++)
        if (bits_has(l->blocks, (size_t)b))
            map[p->blocks[b].ir->id] = ir_block_new(p->func, p->blocks[b].ir->label);
    for (int b = 0; b < p->n_blocks; b++) {
        const struct ir_block *from = p->blocks[b].ir;
        for (size_t j = 0; bits_has(l->blocks, (size_t)b) && j < from->insts.n; j++) {
            struct ir_inst *copy = ir_inst_new(p->func, from->insts.v[j]->op, from->insts.v[j]->type);
            *copy = *from->insts.v[j];
            for (int k = 0; k < 2; k++)
                if (copy->target[k] && map[copy->target[k]->id])
                    copy->target[k] = map[copy->target[k]->id];
            ir_block_add(map[from->id], copy);
        }
    }
}

static void branch(struct plan *p, struct ir_block *b, struct ir_reg *cond, struct ir_block *yes, struct ir_block *no)
{
    struct ir_inst *t = ir_inst_new(p->func, IR_CBR, IR_VOID);
    ir_inst_src(t, ir_reg_operand(cond));
    t->target[0] = yes;
    t->target[1] = no;
    ir_block_add(b, t);
}

static void split_loop(struct plan *p, const struct plan_loop *l, const struct exit_test *x)
{
    size_t n_ids = p->func->blocks.n;
    struct ir_block **map = hw_alloc(n_ids * sizeof *map), *header = p->blocks[l->header].ir, *latch = p->blocks[l->latch].ir;
    copy_blocks(p, l, map);
    for (size_t b = 0; b < p->func->blocks.n; b++) {      /* the first iteration is in the copy */
        struct ir_inst *t = ir_block_term(p->func->blocks.v[b]);
        for (int k = 0; k < 2 && !(b < n_ids && map[b]); k++)
            if (t->target[k] == header)
                t->target[k] = map[header->id];
    }
    struct ir_block *end = map[latch->id], *rest = ir_block_new(p->func, NULL);
    struct ir_inst *test = hw_vec_pop(&end->insts);
    *test = *ir_block_term(latch);
    ir_block_add(rest, test);
    branch(p, end, all_stay(p, end, x), map[header->id], rest);
    hw_free(map);
}

bool plan_full_loop(struct plan *p)
{
    size_t growth = 0, n;
    bool changed = false;
    if (p->lanes == 1 || p->opt.function || p->opt.fair || p->opt.turns || p->opt.counted || !hw_is_pow2(p->lanes) || !numbers_lanes(p))
        return false;
    for (size_t l = 0; l < p->loops.n; l++) {
        struct exit_test x;
        if (!fits(p, l, &n) || growth + n > MOST_GROWTH || !find_test(p, &p->loops.v[l], &x))
            continue;
        split_loop(p, &p->loops.v[l], &x);
        growth += n;
        changed = true;
    }
    return changed;
}
