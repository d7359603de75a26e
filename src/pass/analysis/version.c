/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that are regular if a number which is the same for all lanes has its low bits set: those of t & (distance - 1) are, for all
 * distances of a vector and more. For smaller distances the lanes lie in a known pattern. Likewise max(x - 1, 0) and min(x + 1, width - 1) are
 * what they limit, but for the lanes at an image's edge. A block with such addresses can have several versions, and the numbers say which one to take.
 */
#include "pass/plan.h"

/* Registers of the block that nobody else sees and that lead to addresses. */
static void find_slice(const struct plan *p, int block, bool *in)
{
    const struct ir_block *b = p->blocks[block].ir;
    for (size_t j = b->insts.n - 1; j-- > 0;) {
        const struct ir_inst *i = b->insts.v[j];
        bool memory = i->op == IR_LD || i->op == IR_ST, wanted = (ir_op_info[i->op].props & IR_PROP_PURE) && i->n_dst == 1 && i->dst[0] && in[i->dst[0]->id];
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && (wanted || (memory && k == 0)))
                in[i->src[k].reg->id] = true;
    }
}

static bool own(const struct plan *p, int block, const struct ir_reg *r)
{
    const struct plan_reg *reg = &p->regs[r->id];
    const struct ir_inst *term = ir_block_term(p->blocks[block].ir);
    for (int k = 0; k < term->n_src; k++)
        if (term->src[k].kind == IR_REG && term->src[k].reg == r)
            return false;
    return reg->n_defs == 1 && reg->def_block == block && bits_empty(reg->live_in, (size_t)p->n_blocks);
}

/* Is the first lane's number a multiple of low + 1, and does none of the group's lanes reach the next one? */
static bool group_block(const struct plan *p, const struct shape *a, uint64_t *low)
{
    if (!plan_in_row(p, a) || a->stride <= 0 || a->stride > 1 << 16)
        return false;
    *low = UINT64_MAX >> __builtin_clzll((p->lanes - 1) * (uint64_t)a->stride | 1);
    return a->align > *low;
}

/* a & b: regular, if the number b has all low bits set; if only some, each lane's part of a is cut. */
static bool guess(const struct plan *p, const struct ir_inst *i, unsigned version, struct plan_condition *out, struct shape *out_shape, int32_t *off)
{
    bool chunks = version == PLAN_OF_CHUNKS, pattern = version && !chunks;
    for (int k = 0; k < 2 && i->op == IR_AND && ir_type_bits(i->type) <= 32; k++) {
        struct shape a = plan_operand_shape(p, &i->src[k]), b = plan_operand_shape(p, &i->src[1 - k]);
        if (i->src[1 - k].kind != IR_REG || !shape_group_uniform(&b) || !(chunks ? plan_one_block(p, &a, &out->low) : group_block(p, &a, &out->low)))
            continue;
        out->reg = i->src[1 - k].reg;
        out->value = chunks ? out->low : out->low >> version;
        *out_shape = (struct shape){ pattern ? SHAPE_PATTERN : SHAPE_AFFINE, !chunks, pattern ? 0 : a.stride, 1, UINT64_MAX, 0, pattern || chunks ? 0 : a.step };
        for (unsigned l = 0; pattern && l < p->lanes; l++)
            off[l] = (int32_t)((uint64_t)a.stride * l & out->value);
        return !pattern || (out->low >> (version - 1) && ir_type_bits(i->type) == 32);
    }
    return false;
}

static bool guessed(const struct plan_version *l, const struct ir_reg *r)
{
    for (size_t k = 0; k < l->regs.n; k++)
        if (l->regs.v[k].reg == r)
            return true;
    return false;
}

/* What this operand is if the clamps so far leave all numbers alone. */
static struct ir_operand unclamped(const struct plan_version *l, struct ir_operand o)
{
    for (unsigned k = l->n; k-- > 0 && o.kind == IR_REG;)
        if (l->conditions[k].clamp && l->conditions[k].clamp->dst[0] == o.reg)
            o = l->conditions[k].number;
    return o;
}

/* A minimum or maximum of a number that rises from lane to lane and one that is the same for all. */
static bool guess_clamp(const struct plan *p, const struct plan_version *l, const struct ir_inst *i, struct plan_condition *out, struct shape *out_shape)
{
    bool most = i->op == IR_MIN_S || i->op == IR_MIN_U, sign = i->op == IR_MIN_S || i->op == IR_MAX_S;
    if ((!most && i->op != IR_MAX_S && i->op != IR_MAX_U) || i->type != IR_I32)
        return false;
    for (int k = 0; k < 2; k++) {
        struct shape a = plan_operand_shape(p, &i->src[k]), b = plan_operand_shape(p, &i->src[1 - k]);
        struct ir_operand number = unclamped(l, i->src[k]);
        uint64_t span;
        if (number.kind != IR_REG || guessed(l, number.reg) || !plan_span(p, &a, &span) || a.stride <= 0 || a.stride > 1 << 16 || !shape_group_uniform(&b))
            continue;
        *out = (struct plan_condition){ .clamp = i, .number = number, .limit = i->src[1 - k] };
        if (sign && !most && out->limit.kind == IR_IMM && out->limit.imm <= INT32_MAX)
            a.umax = hw_min_u64(a.umax, INT32_MAX);
        *out_shape = a;
        return true;
    }
    return false;
}

/* The number is asked for where the block begins: what makes it there, in the first n instructions, must be possible before. */
static bool known_before(const struct plan *p, int block, const struct ir_reg *r, size_t n, struct plan_version *l)
{
    const struct ir_block *b = p->blocks[block].ir;
    for (size_t j = 0; j < n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        if (!ir_defines(i, r))
            continue;
        if (p->regs[r->id].def != i || !(ir_op_info[i->op].props & IR_PROP_PURE) || bits_has(p->blocks[block].live_in, r->id))
            return false;                                 /* the last one: its old value is still read here */
        for (unsigned k = 0; k < l->n_ahead; k++)
            if (l->ahead[k] == i)
                return true;
        for (int k = 0; k < i->n_src; k++)
            if (i->src[k].kind == IR_REG && !known_before(p, block, i->src[k].reg, j, l))
                return false;
        if (l->n_ahead == HW_LEN(l->ahead))
            return false;
        l->ahead[l->n_ahead++] = i;
    }
    return true;
}

static bool condition_known(const struct plan *p, int block, const struct plan_condition *c, size_t n, struct plan_version *l)
{
    if (c->reg)
        return known_before(p, block, c->reg, n, l);
    return known_before(p, block, c->number.reg, n, l) && (c->limit.kind != IR_REG || known_before(p, block, c->limit.reg, n, l));
}

/* What this instruction gives can be guessed, under one more condition. */
static bool guess_more(const struct plan *p, int block, size_t at, unsigned version, struct plan_version *l, struct shape *s, int32_t *off)
{
    const struct ir_inst *i = p->blocks[block].ir->insts.v[at];
    if (l->n == HW_LEN(l->conditions))
        return false;
    struct plan_condition *c = &l->conditions[l->n];
    *c = (struct plan_condition){ 0 };
    if (!guess(p, i, version, c, s, off) && (version != 0 || !guess_clamp(p, l, i, c, s)))
        return false;
    if (!condition_known(p, block, c, at, l))
        return false;
    l->n++;
    return true;
}

static void remember(const struct plan *p, struct plan_version *l, struct hw_arena *arena, const struct ir_reg *r, struct shape s, const int32_t *off)
{
    hw_vec_push(&l->regs, ((struct plan_guess){ r, p->regs[r->id].shape, NULL }));
    p->regs[r->id].shape = s;
    if (s.kind != SHAPE_PATTERN)
        return;
    int32_t *copy = hw_arena_alloc(arena, p->lanes * sizeof *copy);
    memcpy(copy, off, p->lanes * sizeof *copy);
    p->regs[r->id].off = copy;
}

void plan_exchange(const struct plan *p, struct plan_version *l)
{
    for (size_t k = 0; k < l->regs.n; k++) {
        struct shape s = p->regs[l->regs.v[k].reg->id].shape;
        const int32_t *off = p->regs[l->regs.v[k].reg->id].off;
        p->regs[l->regs.v[k].reg->id].shape = l->regs.v[k].shape;
        p->regs[l->regs.v[k].reg->id].off = l->regs.v[k].off;
        l->regs.v[k].shape = s;
        l->regs.v[k].off = off;
    }
}

/* Is an access better off in this version? */
static bool gains(const struct plan *p, const struct plan_version *l, const struct ir_inst *i, unsigned version)
{
    if ((i->op != IR_LD && i->op != IR_ST) || !l->n || i->src[0].kind != IR_REG)
        return false;
    if (version && version != PLAN_OF_CHUNKS)
        return plan_butterfly(p, i) > 0;
    return guessed(l, i->src[0].reg);
}

bool plan_version(const struct plan *p, int block, unsigned version, struct hw_arena *arena, struct plan_version *l)
{
    const struct ir_block *b = p->blocks[block].ir;
    bool *slice = hw_alloc(p->n_regs + 1);
    unsigned gained = 0;
    int32_t off[64];
    *l = (struct plan_version){ 0 };
    find_slice(p, block, slice);
    for (size_t j = 0; j + 1 < b->insts.n && p->lanes <= HW_LEN(off); j++) {
        const struct ir_inst *i = b->insts.v[j];
        gained += gains(p, l, i, version);
        if (!(ir_op_info[i->op].props & IR_PROP_PURE) || i->n_dst != 1 || !i->dst[0] || !own(p, block, i->dst[0]) || p->regs[i->dst[0]->id].shape.kind != SHAPE_VARYING)
            continue;
        struct shape s = { 0 };
        if (slice[i->dst[0]->id] && guess_more(p, block, j, version, l, &s, off))
            ;
        else if (version && version != PLAN_OF_CHUNKS && l->n && plan_lane_pattern(p, i, off))
            s = (struct shape){ SHAPE_PATTERN, true, 0, 1, UINT64_MAX, 0, 0 };
        else
            s = plan_result_shape(p, i);
        if (l->n && (s.kind == SHAPE_AFFINE || (s.kind == SHAPE_PATTERN && ir_type_bits(i->type) == 32)))
            remember(p, l, arena, i->dst[0], s, off);
    }
    hw_free(slice);
    plan_exchange(p, l);                                  /* back to how it was */
    if (!gained)
        hw_vec_fini(&l->regs);
    return gained > 0;
}
