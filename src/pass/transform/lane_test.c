/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about all lanes of a group: the first lane's number is each lane's own less the lane's place, and the last one's so much more. */
#include "pass/transform/lane_test.h"

bool lane_numbers(const struct plan *p)
{
    const uint32_t *n = p->opt.ntid;
    return hw_is_pow2(p->lanes) && ((n[1] == 1 && n[2] == 1) || n[0] % p->lanes == 0);
}

bool lane_affine(const struct plan *p, const struct ir_operand *o, int64_t *out_stride)
{
    enum { FAR = 1 << 20 };
    struct shape s = plan_operand_shape(p, o);
    if (o->kind != IR_REG || s.kind != SHAPE_AFFINE || !s.stride || !plan_in_row(p, &s) || s.stride > FAR || s.stride < -FAR)
        return false;
    *out_stride = s.stride;
    return true;
}

struct ir_operand lane_imm(enum ir_type t, int64_t v) { return ir_imm_operand(t == IR_I64 ? (uint64_t)v : (uint32_t)v); }

static struct ir_reg *insert(struct plan *p, struct ir_block *b, size_t at, enum ir_op op, enum ir_type t, struct ir_operand x, struct ir_operand y)
{
    struct ir_inst *i = ir_inst_new(p->func, op, t);
    struct ir_reg *r = ir_reg_new(p->func, op == IR_CMP ? IR_PRED : t, NULL);
    ir_inst_dst(i, r);
    ir_inst_src(i, x);
    ir_inst_src(i, y);
    ir_block_insert(b, at, i);
    return r;
}

struct ir_reg *lane_value(struct plan *p, struct ir_block *b, enum ir_op op, enum ir_type t, struct ir_operand x, struct ir_operand y)
{
    return insert(p, b, b->insts.n, op, t, x, y);
}

struct ir_reg *lane_cmp(struct plan *p, struct ir_block *b, enum ir_cmp c, enum ir_type t, struct ir_operand x, struct ir_operand y)
{
    struct ir_reg *r = insert(p, b, b->insts.n, IR_CMP, t, x, y);
    b->insts.v[b->insts.n - 1]->cmp = (uint8_t)c;
    return r;
}

struct ir_reg *lane_offset(struct plan *p, enum ir_type t, int64_t stride)
{
    struct ir_block *first = p->func->blocks.v[0];
    size_t at = 0;
    struct ir_inst *tid = ir_inst_new(p->func, IR_SREG, IR_I32);
    struct ir_reg *x = ir_reg_new(p->func, IR_I32, NULL);
    tid->imm = IR_SREG_TID_X;
    ir_inst_dst(tid, x);
    ir_block_insert(first, at++, tid);
    x = insert(p, first, at++, IR_AND, IR_I32, ir_reg_operand(x), ir_imm_operand(p->lanes - 1));
    if (t == IR_I64) {
        struct ir_inst *wide = ir_inst_new(p->func, IR_ZEXT, IR_I64);
        wide->type2 = IR_I32;
        ir_inst_src(wide, ir_reg_operand(x));
        x = ir_reg_new(p->func, IR_I64, NULL);
        ir_inst_dst(wide, x);
        ir_block_insert(first, at++, wide);
    }
    return insert(p, first, at, IR_MUL, t, ir_reg_operand(x), lane_imm(t, stride));
}

struct ir_reg *lane_first(struct plan *p, struct ir_block *b, enum ir_type t, struct ir_operand own, int64_t stride)
{
    return lane_value(p, b, IR_SUB, t, own, ir_reg_operand(lane_offset(p, t, stride)));
}

/* Which lane is the first to answer otherwise: that with the largest number, or with the smallest? */
static bool bounded_above(enum ir_cmp c, int lane, bool answer)
{
    bool less = c == IR_SLT || c == IR_SLE || c == IR_ULT || c == IR_ULE;
    return (less == (lane == 0)) == answer;
}

static struct ir_reg *negated(struct plan *p, struct ir_block *b, struct ir_reg *r)
{
    struct ir_inst *not = ir_inst_new(p->func, IR_NOT, IR_PRED);
    ir_inst_src(not, ir_reg_operand(r));
    r = ir_reg_new(p->func, IR_PRED, NULL);
    ir_inst_dst(not, r);
    ir_block_add(b, not);
    return r;
}

struct ir_reg *lane_all(struct plan *p, struct ir_block *b, const struct lane_test *x, struct ir_operand own, struct ir_operand bound)
{
    enum ir_type t = x->cmp->type;
    enum ir_cmp c = (enum ir_cmp)x->cmp->cmp;
    int64_t span = x->stride * (int64_t)(p->lanes - 1);
    struct ir_reg *first = lane_first(p, b, t, own, x->stride);
    struct ir_reg *last = lane_value(p, b, IR_ADD, t, ir_reg_operand(first), lane_imm(t, span));
    struct ir_reg *least = x->stride > 0 ? first : last, *most = x->stride > 0 ? last : first;
    if (c == IR_EQ || c == IR_NE) {                       /* nobody's number is the bound: it does not lie between */
        struct ir_reg *from = lane_value(p, b, IR_SUB, t, bound, ir_reg_operand(least));
        return lane_cmp(p, b, IR_UGT, t, ir_reg_operand(from), lane_imm(t, span < 0 ? -span : span));
    }
    bool sign = c >= IR_SLT && c <= IR_SGE;               /* numbers must not wrap around on the way from the first to the last */
    struct ir_reg *whole = lane_cmp(p, b, sign ? IR_SLE : IR_ULE, t, ir_reg_operand(least), ir_reg_operand(most));
    struct ir_operand o[2] = { bound, bound };
    o[x->lane] = ir_reg_operand(bounded_above(c, x->lane, x->answer) ? most : least);
    struct ir_reg *answer = lane_cmp(p, b, c, t, o[0], o[1]);
    if (!x->answer)
        answer = negated(p, b, answer);
    return lane_value(p, b, IR_AND, IR_PRED, ir_reg_operand(whole), ir_reg_operand(answer));
}

void lane_branch(struct plan *p, struct ir_block *b, struct ir_reg *cond, struct ir_block *yes, struct ir_block *no)
{
    struct ir_inst *t = ir_inst_new(p->func, IR_CBR, IR_VOID);
    ir_inst_src(t, ir_reg_operand(cond));
    t->target[0] = yes;
    t->target[1] = no;
    ir_block_add(b, t);
}
