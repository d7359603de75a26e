/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A version of the code for groups whose lanes agree. x = k % w, y = k / w, where k counts the threads: few groups lie across the end of a row; in all others
 * y is one number and x rises from lane to lane as k does, so that one scalar division and a comparison replace a division in each lane, and addresses are
 * rows instead of gathers. Likewise every function of k that only rises, such as the multiplications that compilers make of a division by a constant, is one
 * number if it is the same in the first lane and the last; and a choice by a comparison (x + 1 < w ? x + 1 : 0) is one of its sides.
 *
 * From the first such instruction on, the code is there twice, and a question about the group decides. It is right for each thread by itself.
 */
#include "pass/transform/lane_test.h"

enum { MOST_INSTS = 400, MOST_GROWTH = 800, MOST_PARTS = 12, MOST_NODES = 10, FAR_LANE = 1 << 12 };

enum part_kind { PART_QUOTIENT, PART_REMAINDER, PART_RISING, PART_CHOICE };

/* One instruction that is simpler where the lanes agree. */
struct part {
    enum part_kind kind;
    const struct ir_inst *inst;
    int block;
    size_t at;
    enum ir_type type;
    struct ir_operand x, w;      /* x, of each lane, rises by stride; w is the same for all: the divisor */
    int64_t stride;
    bool sign;
    struct lane_test test;       /* of a choice */
    int arm;
    struct ir_reg *quotient, *rest;      /* where the version begins: x / w or the function, the same for all; the first lane's x % w */
};

struct version {
    struct plan *p;
    const bool *slice;           /* registers that lead to addresses */
    int block;                   /* what the code begins with that is there twice: */
    size_t at;
    bits_word *in;               /* the blocks, without the first */
    size_t insts;
    struct part parts[MOST_PARTS];
    unsigned n;
    struct ir_reg **early;       /* by register: its value where the version begins, if that is made later in the program */
};

/* ---- functions that rise with x ---- */

struct rising {
    struct ir_operand x;
    uint64_t most;               /* for all x from 0 to the largest number with a sign */
    double slope;
    unsigned n;
    const struct ir_reg *inner[MOST_NODES];
};

static uint64_t largest(enum ir_type t) { return t == IR_I64 ? UINT64_MAX : UINT32_MAX; }
static bool word(enum ir_type t) { return t == IR_I32 || t == IR_I64; }

static bool rising(const struct plan *p, const struct ir_operand *o, struct rising *out);

static bool same_x(const struct ir_operand *a, const struct ir_operand *b) { return a->kind == IR_REG && a->reg == b->reg; }

/* a + b, and a - mulhi(a, constant), which takes at most every step back. */
static bool rising_sum(const struct plan *p, const struct ir_inst *i, struct rising *out)
{
    struct rising a = *out, b;
    if (!rising(p, &i->src[0], &a))
        return false;
    b = a;
    if (!rising(p, &i->src[1], &b) || !same_x(&a.x, &b.x))
        return false;
    *out = b;
    if (i->op == IR_ADD) {
        out->most = a.most + b.most;
        out->slope = a.slope + b.slope;
        return b.most <= largest(i->type) - a.most;
    }
    const struct ir_inst *d = p->regs[i->src[1].reg->id].def;
    out->most = a.most;
    out->slope = a.slope;
    return d && d->op == IR_MULHI_U && d->src[1].kind == IR_IMM && same_x(&d->src[0], &i->src[0]);
}

/* An operation with a constant, whose operand rises and is described by *out already. */
static bool rising_step(const struct ir_inst *i, struct rising *out)
{
    uint64_t k = i->src[1].imm, half = largest(i->type) >> 1;
    bool sign = i->op == IR_SHR_S || i->op == IR_MULHI_S || i->op == IR_DIV_S || i->op == IR_SEXT;
    if (sign && out->most > half)
        return false;
    switch (i->op) {
    case IR_SHR_U: case IR_SHR_S:
        if (k >= ir_type_bits(i->type))
            return false;
        out->most >>= k;
        out->slope /= (double)((uint64_t)1 << k);
        return true;
    case IR_MULHI_U: case IR_MULHI_S:
        if (i->op == IR_MULHI_S && k > half)
            return false;
        out->most = (uint64_t)((unsigned __int128)out->most * k >> ir_type_bits(i->type));
        out->slope *= (double)k / (i->type == IR_I64 ? 0x1p64 : 0x1p32);
        return true;
    case IR_DIV_U: case IR_DIV_S:
        if (!k || (i->op == IR_DIV_S && k > half))
            return false;
        out->most /= k;
        out->slope /= (double)k;
        return true;
    case IR_MUL:
        if (k && out->most > largest(i->type) / k)
            return false;
        out->most *= k;
        out->slope *= (double)k;
        return true;
    case IR_AND:                                          /* high bits */
        if (!hw_is_pow2((~k & largest(i->type)) + 1))
            return false;
        out->slope /= (double)((~k & largest(i->type)) + 1);
        return true;
    default: return false;
    }
}

static bool rising(const struct plan *p, const struct ir_operand *o, struct rising *out)
{
    int64_t stride;
    if (o->kind != IR_REG || !word(o->reg->type))
        return false;
    if (lane_affine(p, o, &stride)) {
        if (stride < 0 || stride > FAR_LANE)
            return false;
        out->x = *o;
        out->most = largest(o->reg->type) >> 1;
        out->slope = (double)stride;
        return true;
    }
    const struct ir_inst *i = p->regs[o->reg->id].def;
    if (!i || out->n == MOST_NODES || p->regs[o->reg->id].shape.kind != SHAPE_VARYING || !word(i->type))
        return false;
    unsigned n = out->n++;
    if (i->op == IR_ADD || i->op == IR_SUB) {
        if (!rising_sum(p, i, out))
            return false;
    } else if (i->op == IR_ZEXT || i->op == IR_TRUNC || i->op == IR_SEXT) {
        if (!word(i->src[0].kind == IR_REG ? i->src[0].reg->type : IR_PRED) || !rising(p, &i->src[0], out) || out->most > largest(IR_I32) >> (i->op == IR_SEXT))
            return false;
    } else if (i->n_src != 2 || i->src[1].kind != IR_IMM || !rising(p, &i->src[0], out) || !rising_step(i, out)) {
        return false;
    }
    out->inner[n] = o->reg;
    return true;
}

/* The same function of another number, at the end of a block. */
static struct ir_reg *rising_of(struct plan *p, struct ir_block *b, const struct ir_operand *o, const struct ir_operand *x, struct ir_reg *value)
{
    if (same_x(o, x))
        return value;
    const struct ir_inst *i = p->regs[o->reg->id].def;
    struct ir_inst *copy = ir_inst_new(p->func, i->op, i->type);
    *copy = *i;
    for (int k = 0; k < i->n_src; k++)
        if (i->src[k].kind == IR_REG)
            copy->src[k] = ir_reg_operand(rising_of(p, b, &i->src[k], x, value));
    copy->dst[0] = ir_reg_new(p->func, i->dst[0]->type, NULL);
    ir_block_add(b, copy);
    return copy->dst[0];
}

/* ---- what is simpler where lanes agree ---- */

/* A divisor for which a group often lies within one row. */
static bool divisor(const struct plan *p, const struct ir_operand *w, int64_t stride, bool sign, enum ir_type t)
{
    struct shape s = plan_operand_shape(p, w);
    if (!shape_group_uniform(&s))
        return false;
    return w->kind == IR_REG || (w->imm >= p->lanes * (uint64_t)stride && w->imm <= largest(t) >> sign);
}

static bool find_division(const struct plan *p, const struct ir_inst *i, const bool *slice, struct part *out)
{
    bool quotient = i->op == IR_DIV_S || i->op == IR_DIV_U, mask = i->op == IR_AND && i->src[1].kind == IR_IMM && hw_is_pow2(i->src[1].imm + 1) && slice[i->dst[0]->id];
    if (!quotient && !mask && i->op != IR_REM_S && i->op != IR_REM_U)
        return false;
    *out = (struct part){ .kind = quotient ? PART_QUOTIENT : PART_REMAINDER, .x = i->src[0], .w = i->src[1], .sign = i->op == IR_DIV_S || i->op == IR_REM_S };
    if (mask)
        out->w = ir_imm_operand(i->src[1].imm + 1);
    return lane_affine(p, &out->x, &out->stride) && out->stride > 0 && out->stride <= FAR_LANE && (!mask || i->src[1].imm < largest(i->type)) &&
        divisor(p, &out->w, out->stride, out->sign, i->type);
}

/* The side of a choice that is regular. Where both are, it is the one that was compared: x + 1 < w ? x + 1 : x + 1 - w. */
static int regular_arm(const struct plan *p, const struct ir_inst *i, const struct ir_operand *compared)
{
    int64_t stride;
    bool yes = lane_affine(p, &i->src[1], &stride), no = lane_affine(p, &i->src[2], &stride);
    if (yes && no)
        return same_x(&i->src[2], compared) ? 2 : 1;
    return yes ? 1 : no ? 2 : 0;
}

static bool find_choice(const struct plan *p, const struct ir_inst *i, const bool *slice, struct part *out)
{
    if (i->op != IR_SELECT || !slice[i->dst[0]->id] || i->src[0].kind != IR_REG)
        return false;
    const struct ir_inst *cmp = p->regs[i->src[0].reg->id].def;
    for (int k = 0; cmp && cmp->op == IR_CMP && word(cmp->type) && cmp->cmp <= IR_UGE && k < 2; k++) {
        struct shape bound = plan_operand_shape(p, &cmp->src[1 - k]);
        *out = (struct part){ .kind = PART_CHOICE, .x = cmp->src[k], .w = cmp->src[1 - k], .arm = regular_arm(p, i, &cmp->src[k]) };
        if (!out->arm || !lane_affine(p, &out->x, &out->stride) || !shape_group_uniform(&bound))
            continue;
        out->test = (struct lane_test){ cmp, k, out->stride, out->arm == 1 };
        return cmp->cmp > IR_NE || (cmp->cmp == IR_NE) == (out->arm == 1);
    }
    return false;
}

static bool find_rising(const struct plan *p, const struct ir_inst *i, const bool *slice, struct rising *r, struct part *out)
{
    struct ir_operand o = ir_reg_operand(i->dst[0]);
    *r = (struct rising){ 0 };
    if (!slice[i->dst[0]->id] || !word(i->dst[0]->type) || p->regs[i->dst[0]->id].n_defs != 1 || !rising(p, &o, r) || r->slope * p->lanes > 1)
        return false;
    *out = (struct part){ .kind = PART_RISING, .x = r->x };
    return lane_affine(p, &out->x, &out->stride);
}

static bool find_part(const struct plan *p, const struct ir_inst *i, const bool *slice, struct rising *r, struct part *out)
{
    r->n = 0;
    if (i->n_dst != 1 || !i->dst[0] || !(ir_op_info[i->op].props & IR_PROP_PURE) || p->regs[i->dst[0]->id].shape.kind != SHAPE_VARYING || !word(i->type))
        return false;
    return find_division(p, i, slice, out) || find_choice(p, i, slice, out) || find_rising(p, i, slice, r, out);
}

/* Registers that lead to addresses. */
static bool *find_slice(const struct plan *p)
{
    bool *in = hw_alloc(p->n_regs + 1);
    for (bool again = true; again;) {
        again = false;
        for (int b = p->n_blocks; b-- > 0;)
            for (size_t j = p->blocks[b].ir->insts.n; j-- > 0;) {
                const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
                bool memory = i->op == IR_LD || i->op == IR_ST || i->op == IR_ATOM, wanted = (ir_op_info[i->op].props & IR_PROP_PURE) && i->n_dst == 1 && i->dst[0] && in[i->dst[0]->id];
                for (int k = 0; k < i->n_src; k++)
                    if (i->src[k].kind == IR_REG && (wanted || (memory && k == 0)) && !in[i->src[k].reg->id])
                        in[i->src[k].reg->id] = again = true;
            }
    }
    return in;
}

/* ---- the blocks that are there twice ---- */

/* Blocks that the first one dominates, up to barriers: after one, groups go on together. */
static bool find_blocks(struct version *v)
{
    struct plan *p = v->p;
    bits_word *after = bits_new(&p->arena, (size_t)p->n_blocks);
    v->in = bits_new(&p->arena, (size_t)p->n_blocks);
    for (bool again = true; again;) {
        again = false;
        for (int b = v->block; b < p->n_blocks; b++) {
            bool behind = bits_has(after, (size_t)b) || plan_stops(ir_block_term(p->blocks[b].ir));
            for (int k = 0; behind && plan_dominates(p, v->block, b) && k < p->blocks[b].n_succ; k++) {
                int to = p->blocks[b].succ[k];
                if (to != v->block && plan_dominates(p, v->block, to) && !bits_has(after, (size_t)to)) {
                    bits_add(after, (size_t)to);
                    again = true;
                }
            }
        }
    }
    v->insts = p->blocks[v->block].ir->insts.n - v->at;
    for (int b = 0; b < p->n_blocks; b++)
        if (b != v->block && plan_dominates(p, v->block, b) && !bits_has(after, (size_t)b)) {
            bits_add(v->in, (size_t)b);
            v->insts += p->blocks[b].ir->insts.n;
        }
    return v->insts <= MOST_INSTS;
}

static size_t place_of(const struct plan *p, int block, const struct ir_inst *i)
{
    size_t j = 0;
    while (j < p->blocks[block].ir->insts.n && p->blocks[block].ir->insts.v[j] != i)
        j++;
    return j;
}

/* Has a register with several definitions the same value at a place in the version as where that begins? */
static bool unchanged(const struct version *v, const struct ir_reg *r, int block, size_t at)
{
    const struct plan *p = v->p;
    if (p->blocks[block].loop != p->blocks[v->block].loop)
        return false;
    for (int b = v->block; b <= block; b++) {
        if (b != v->block && !bits_has(v->in, (size_t)b))
            continue;
        size_t from = b == v->block ? v->at : 0, to = b == block ? at : p->blocks[b].ir->insts.n;
        for (size_t j = from; j < to; j++)
            if (ir_defines(p->blocks[b].ir->insts.v[j], r))
                return false;
    }
    return true;
}

/* Can this operand of an instruction in the version be had where it begins? */
static bool known_early(const struct version *v, const struct ir_operand *o, int block, size_t at, unsigned depth)
{
    const struct plan *p = v->p;
    if (o->kind != IR_REG)
        return true;
    const struct plan_reg *r = &p->regs[o->reg->id];
    if (r->n_defs != 1)
        return unchanged(v, o->reg, block, at);
    size_t place = place_of(p, r->def_block, r->def);
    if (r->def_block == v->block ? place < v->at : plan_dominates(p, r->def_block, v->block))
        return true;
    bool in = r->def_block == v->block || bits_has(v->in, (size_t)r->def_block);
    if (!in || !depth || !(ir_op_info[r->def->op].props & IR_PROP_PURE) || r->def->n_dst != 1 || !plan_dominates(p, r->def_block, block))
        return false;
    for (int k = 0; k < r->def->n_src; k++)
        if (!known_early(v, &r->def->src[k], r->def_block, place, depth - 1))
            return false;
    return true;
}

/* Parts of the function that rises are no parts for themselves, where nobody else uses them. */
static void drop_inner(struct version *v, const struct rising *r)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < v->n; k++) {
        int uses = 0;
        for (unsigned j = 1; j < r->n; j++)
            uses += v->parts[k].kind == PART_RISING && r->inner[j] == v->parts[k].inst->dst[0];
        if (!uses || uses < v->p->regs[v->parts[k].inst->dst[0]->id].n_uses)
            v->parts[kept++] = v->parts[k];
    }
    v->n = kept;
}

static void find_parts(struct version *v)
{
    const struct plan *p = v->p;
    struct rising r;
    for (int b = v->block; b < p->n_blocks; b++) {
        if (b != v->block && !bits_has(v->in, (size_t)b))
            continue;
        for (size_t j = b == v->block ? v->at : 0; j < p->blocks[b].ir->insts.n && v->n < MOST_PARTS; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            struct part *part = &v->parts[v->n];
            enum { DEEP = 6 };
            if (!find_part(p, i, v->slice, &r, part) || !known_early(v, &part->x, b, j, DEEP) || !known_early(v, &part->w, b, j, DEEP))
                continue;
            part->inst = i;
            part->block = b;
            part->at = j;
            part->type = part->x.reg->type;
            struct part found = *part;
            drop_inner(v, &r);
            v->parts[v->n++] = found;
        }
    }
}

/* ---- writing it ---- */

/* An operand as it is where the version begins: what is made later is made there once more. */
static struct ir_operand early(struct version *v, struct ir_block *b, const struct ir_operand *o)
{
    const struct plan *p = v->p;
    if (o->kind != IR_REG)
        return *o;
    const struct plan_reg *r = &p->regs[o->reg->id];
    bool later = r->n_defs == 1 && (r->def_block == v->block ? place_of(p, v->block, r->def) == b->insts.n : bits_has(v->in, (size_t)r->def_block));
    if (!later)
        return *o;
    if (!v->early[o->reg->id]) {
        struct ir_inst *copy = ir_inst_new(p->func, r->def->op, r->def->type);
        *copy = *r->def;
        for (int k = 0; k < copy->n_src; k++)
            copy->src[k] = early(v, b, &r->def->src[k]);
        copy->dst[0] = v->early[o->reg->id] = ir_reg_new(p->func, o->reg->type, NULL);
        ir_block_add(b, copy);
    }
    return ir_reg_operand(v->early[o->reg->id]);
}

static struct ir_reg *both(struct plan *p, struct ir_block *b, struct ir_reg *x, struct ir_reg *y)
{
    return x ? lane_value(p, b, IR_AND, IR_PRED, ir_reg_operand(x), ir_reg_operand(y)) : y;
}

static bool same_division(const struct part *a, const struct part *b)
{
    bool w = a->w.kind == b->w.kind && (a->w.kind == IR_REG ? a->w.reg == b->w.reg : a->w.imm == b->w.imm);
    return b->kind <= PART_REMAINDER && a->type == b->type && a->sign == b->sign && same_x(&a->x, &b->x) && w;
}

/* Do the lanes lie in one row of w: is the first one's place in its row so far from the end? */
static struct ir_reg *test_division(struct version *v, struct ir_block *b, struct part *d)
{
    struct plan *p = v->p;
    enum ir_type t = d->type;
    struct ir_operand x = early(v, b, &d->x), w = early(v, b, &d->w), span = lane_imm(t, d->stride * (int64_t)(p->lanes - 1));
    struct ir_reg *first = lane_first(p, b, t, x, d->stride);
    d->quotient = lane_value(p, b, d->sign ? IR_DIV_S : IR_DIV_U, t, ir_reg_operand(first), w);
    d->rest = lane_value(p, b, IR_SUB, t, ir_reg_operand(first), ir_reg_operand(lane_value(p, b, IR_MUL, t, ir_reg_operand(d->quotient), w)));
    struct ir_reg *last = lane_value(p, b, IR_ADD, t, ir_reg_operand(first), span), *end = lane_value(p, b, IR_ADD, t, ir_reg_operand(d->rest), span);
    struct ir_reg *fits = lane_cmp(p, b, IR_ULT, t, ir_reg_operand(end), w), *sane;
    if (d->sign) {                                        /* none is negative */
        struct ir_reg *signs = lane_value(p, b, IR_OR, t, ir_reg_operand(first), ir_reg_operand(last));
        sane = lane_cmp(p, b, IR_SGE, t, ir_reg_operand(lane_value(p, b, IR_OR, t, ir_reg_operand(signs), w)), lane_imm(t, 0));
    } else {
        sane = lane_cmp(p, b, IR_UGE, t, ir_reg_operand(last), ir_reg_operand(first));
    }
    return both(p, b, sane, fits);
}

/* Is the function the same in the first lane and the last, and x not negative in either? */
static struct ir_reg *test_rising(struct version *v, struct ir_block *b, struct part *d)
{
    struct plan *p = v->p;
    struct ir_operand root = ir_reg_operand(d->inst->dst[0]);
    struct ir_reg *first = lane_first(p, b, d->type, early(v, b, &d->x), d->stride);
    struct ir_reg *last = lane_value(p, b, IR_ADD, d->type, ir_reg_operand(first), lane_imm(d->type, d->stride * (int64_t)(p->lanes - 1)));
    struct ir_reg *signs = lane_value(p, b, IR_OR, d->type, ir_reg_operand(first), ir_reg_operand(last));
    struct ir_reg *sane = lane_cmp(p, b, IR_SGE, d->type, ir_reg_operand(signs), lane_imm(d->type, 0));
    d->quotient = rising_of(p, b, &root, &d->x, first);
    struct ir_reg *other = rising_of(p, b, &root, &d->x, last);
    return both(p, b, sane, lane_cmp(p, b, IR_EQ, d->inst->dst[0]->type, ir_reg_operand(d->quotient), ir_reg_operand(other)));
}

static struct ir_reg *test_parts(struct version *v, struct ir_block *b)
{
    struct ir_reg *all = NULL;
    for (unsigned k = 0; k < v->n; k++) {
        struct part *d = &v->parts[k];
        for (unsigned j = 0; j < k && d->kind <= PART_REMAINDER && !d->quotient; j++)
            if (same_division(d, &v->parts[j])) {
                d->quotient = v->parts[j].quotient;
                d->rest = v->parts[j].rest;
            }
        if (d->quotient)
            continue;
        struct ir_reg *one;
        if (d->kind == PART_CHOICE)
            one = lane_all(v->p, b, &d->test, early(v, b, &d->x), early(v, b, &d->w));
        else
            one = d->kind == PART_RISING ? test_rising(v, b, d) : test_division(v, b, d);
        all = both(v->p, b, all, one);
    }
    return all;
}

/* An instruction of the version, in the place of the one that it copies. */
static void simplify(struct version *v, struct ir_inst *copy, const struct ir_inst *from)
{
    const struct part *d = NULL;
    for (unsigned k = 0; k < v->n && !d; k++)
        d = v->parts[k].inst == from ? &v->parts[k] : NULL;
    if (!d)
        return;
    copy->op = d->kind == PART_REMAINDER ? IR_ADD : IR_MOV;
    copy->type = copy->dst[0]->type;
    copy->n_src = 0;
    copy->flags = 0;
    if (d->kind == PART_CHOICE) {
        ir_inst_src(copy, from->src[d->arm]);
    } else if (d->kind == PART_REMAINDER) {
        ir_inst_src(copy, ir_reg_operand(d->rest));
        ir_inst_src(copy, ir_reg_operand(lane_offset(v->p, d->type, d->stride)));
    } else {
        ir_inst_src(copy, ir_reg_operand(d->quotient));
    }
}

static void copy_block(struct version *v, const struct ir_block *from, struct ir_block **map)
{
    for (size_t j = 0; j < from->insts.n; j++) {
        const struct ir_inst *i = from->insts.v[j];
        struct ir_inst *copy = ir_inst_new(v->p->func, i->op, i->type);
        *copy = *i;
        for (int k = 0; k < 2; k++)
            if (copy->target[k] && map[copy->target[k]->id])
                copy->target[k] = map[copy->target[k]->id];
        simplify(v, copy, i);
        ir_block_add(map[from->id], copy);
    }
}

static bool is_part(const struct version *v, const struct ir_inst *i)
{
    for (unsigned k = 0; k < v->n; k++)
        if (v->parts[k].inst == i)
            return true;
    return false;
}

/* Does the block lead back to the beginning of a loop that the version is a part of? */
static bool leads_back(const struct version *v, int block)
{
    const struct plan *p = v->p;
    for (int k = 0; k < p->blocks[block].n_succ; k++) {
        int to = p->blocks[block].succ[k];
        if (plan_dominates(p, to, block) && (to == v->block || !bits_has(v->in, (size_t)to)))
            return true;
    }
    return false;
}

/* A barrier is there once, and so is the end of a loop around the version, with what decides about it: full_loop.c wants one. */
static void split_end(struct version *v, int block, struct ir_block *b)
{
    size_t from = b->insts.n - 1;
    if (!plan_stops(b->insts.v[from]) && !leads_back(v, block))
        return;
    while (from > 0 && !plan_stops(b->insts.v[b->insts.n - 1]) && (ir_op_info[b->insts.v[from - 1]->op].props & IR_PROP_PURE) && !is_part(v, b->insts.v[from - 1]))
        from--;
    struct ir_inst *on = ir_inst_new(v->p->func, IR_BR, IR_VOID);
    on->target[0] = plan_split(v->p, b, from);
    ir_block_add(b, on);
}

static void write_version(struct version *v)
{
    struct plan *p = v->p;
    HW_VEC(struct ir_block *) twice = { 0 };
    struct ir_block *head = p->blocks[v->block].ir;
    v->early = hw_alloc((p->func->regs.n + 1) * sizeof *v->early);
    struct ir_block *tail = plan_split(p, head, v->at);
    hw_vec_push(&twice, tail);
    split_end(v, v->block, tail);
    for (int b = 0; b < p->n_blocks; b++)
        if (bits_has(v->in, (size_t)b)) {
            hw_vec_push(&twice, p->blocks[b].ir);
            split_end(v, b, p->blocks[b].ir);
        }
    struct ir_block **map = hw_alloc((p->func->blocks.n + twice.n) * sizeof *map);
    for (size_t k = 0; k < twice.n; k++)
        map[twice.v[k]->id] = ir_block_new(p->func, twice.v[k]->label);
    struct ir_reg *agree = test_parts(v, head);
    for (size_t k = 0; k < twice.n; k++)
        copy_block(v, twice.v[k], map);
    lane_branch(p, head, agree, map[tail->id], tail);
    hw_vec_fini(&twice);
    hw_free(map);
    hw_free(v->early);
}

bool plan_group_version(struct plan *p)
{
    size_t growth = 0;
    struct rising r;
    struct part part;
    bool changed = false;
    if (p->lanes == 1 || p->opt.function || p->opt.fair || p->opt.turns || p->opt.counted || !lane_numbers(p))
        return false;
    bool *slice = find_slice(p);
    bits_word *done = bits_new(&p->arena, (size_t)p->n_blocks);
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; !bits_has(done, (size_t)b) && j < p->blocks[b].ir->insts.n; j++) {
            struct version v = { .p = p, .slice = slice, .block = b, .at = j };
            if (!find_part(p, p->blocks[b].ir->insts.v[j], slice, &r, &part) || !find_blocks(&v))
                continue;
            find_parts(&v);
            if (!v.n || growth + v.insts > MOST_GROWTH)
                continue;
            for (int k = b; k < p->n_blocks; k++)
                if (plan_dominates(p, b, k))
                    bits_add(done, (size_t)k);
            write_version(&v);
            growth += v.insts;
            changed = true;
        }
    hw_free(slice);
    if (changed)                                          /* copies of what only comes after a loop's end, which is there once */
        plan_drop_unreachable(p->func);
    return changed;
}
