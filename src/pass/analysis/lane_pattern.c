/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns: numbers that are no base + lane * stride but still lie at known distances from the first lane's, the same in every chunk, as
 * (t - t % 4) * 4 + t % 4 does, the place where four threads in a row put what they exchange.
 */
#include "pass/plan.h"

enum { MAX_DEPTH = 12, WIDEST = 64 };

struct pattern {
    int64_t off[WIDEST];
    uint64_t align;              /* a power of two that divides the first lane's number */
};

static uint64_t low_bit(uint64_t x) { return x ? x & -x : (uint64_t)1 << 62; }

static void affine(const struct plan *p, const struct shape *s, struct pattern *out)
{
    for (unsigned l = 0; l < p->opt.width; l++)
        out->off[l] = (int64_t)l * s->stride;
    out->align = s->align;
    if (s->group && s->stride)
        out->align = hw_min_u64(out->align, low_bit(p->opt.width * (uint64_t)s->stride));
    if (s->step)
        out->align = hw_min_u64(out->align, low_bit((uint64_t)s->step));
}

static bool find(const struct plan *p, const struct ir_operand *o, int depth, struct pattern *out);

static bool sum(const struct plan *p, const struct ir_inst *i, int depth, struct pattern *out)
{
    struct pattern b;
    if (!find(p, &i->src[0], depth, out) || !find(p, &i->src[1], depth, &b))
        return false;
    for (unsigned l = 0; l < p->opt.width; l++)
        out->off[l] += i->op == IR_SUB ? -b.off[l] : b.off[l];
    out->align = hw_min_u64(out->align, b.align);
    return true;
}

static bool product(const struct plan *p, const struct ir_inst *i, uint64_t factor, int depth, struct pattern *out)
{
    if (!factor || factor > UINT16_MAX || !find(p, &i->src[0], depth, out))
        return false;
    for (unsigned l = 0; l < p->opt.width; l++)
        out->off[l] *= (int64_t)factor;
    out->align = hw_min_u64(out->align, (uint64_t)1 << 40) * low_bit(factor);
    return true;
}

/* The first lane's number has no bits where the distances have theirs: each is cut for itself. */
static bool cut(const struct plan *p, const struct ir_inst *i, int depth, struct pattern *out)
{
    if (i->src[1].kind != IR_IMM || !find(p, &i->src[0], depth, out))
        return false;
    for (unsigned l = 0; l < p->opt.width; l++) {
        if (out->off[l] < 0 || (uint64_t)out->off[l] >= out->align)
            return false;
        out->off[l] &= (int64_t)i->src[1].imm;
    }
    return true;
}

static bool find(const struct plan *p, const struct ir_operand *o, int depth, struct pattern *out)
{
    struct shape s = plan_operand_shape(p, o);
    const struct ir_inst *i = o->kind == IR_REG ? p->regs[o->reg->id].def : NULL;
    if (s.kind == SHAPE_AFFINE) {
        affine(p, &s, out);
        return true;
    }
    if (!i || depth > MAX_DEPTH)
        return false;
    switch (i->op) {
    case IR_MOV: case IR_ZEXT: case IR_SEXT: case IR_TRUNC: return find(p, &i->src[0], depth + 1, out);
    case IR_ADD: case IR_SUB: return sum(p, i, depth + 1, out);
    case IR_OR: {
        struct shape a = plan_operand_shape(p, &i->src[0]), b = plan_operand_shape(p, &i->src[1]);
        return !(~a.zero & ~b.zero) && sum(p, i, depth + 1, out);
    }
    case IR_AND: return cut(p, i, depth + 1, out);
    case IR_MUL: return i->src[1].kind == IR_IMM && product(p, i, i->src[1].imm, depth + 1, out);
    case IR_SHL: return i->src[1].kind == IR_IMM && i->src[1].imm < 16 && product(p, i, (uint64_t)1 << i->src[1].imm, depth + 1, out);
    default: return false;
    }
}

bool plan_runs(const struct plan *p, const struct ir_operand *o, unsigned run, int64_t step, int64_t apart)
{
    struct pattern found;
    if (p->opt.width > WIDEST || !find(p, o, 0, &found))
        return false;
    for (unsigned l = 0; l < p->opt.width; l++)
        if (found.off[l] - found.off[0] != (int64_t)(l / run) * apart + (int64_t)(l % run) * step)
            return false;
    return true;
}

/* ---- the shape PATTERN ---- */

static bool offsets(const struct plan *p, const struct ir_operand *o, int32_t *off)
{
    struct shape s = plan_operand_shape(p, o);
    if ((s.kind != SHAPE_AFFINE || !s.group) && s.kind != SHAPE_PATTERN)
        return false;
    for (unsigned l = 0; l < p->lanes; l++)
        off[l] = s.kind == SHAPE_PATTERN ? p->regs[o->reg->id].off[l] : (int32_t)(uint32_t)plan_lane_offset(p, &s, l);
    return true;
}

bool plan_lane_pattern(const struct plan *p, const struct ir_inst *i, int32_t *off)
{
    int32_t b[WIDEST] = { 0 };
    uint32_t factor = 1;
    if (ir_type_bits(i->type) != 32 || p->lanes > WIDEST || !i->n_src || !offsets(p, &i->src[0], off))
        return false;
    switch (i->op) {
    case IR_MOV: case IR_TRUNC: break;
    case IR_ADD: case IR_SUB:
        if (!offsets(p, &i->src[1], b))
            return false;
        factor = i->op == IR_ADD ? 1 : UINT32_MAX;
        for (unsigned l = 0; l < p->lanes; l++)
            off[l] = (int32_t)((uint32_t)off[l] + (uint32_t)b[l] * factor);
        return true;
    case IR_MUL:
        if (i->src[1].kind != IR_IMM)
            return false;
        factor = (uint32_t)i->src[1].imm;
        break;
    case IR_SHL:
        if (i->src[1].kind != IR_IMM || i->src[1].imm >= 32)
            return false;
        factor = (uint32_t)1 << i->src[1].imm;
        break;
    default: return false;
    }
    for (unsigned l = 0; l < p->lanes; l++)
        off[l] = (int32_t)((uint32_t)off[l] * factor);
    return true;
}

unsigned plan_butterfly(const struct plan *p, const struct ir_inst *i)
{
    unsigned bytes = ir_type_bits(i->type) / 8, w = p->opt.width;
    bool plain = !(i->flags & IR_VOLATILE) && i->order == IR_WEAK && (i->op == IR_LD ? i->n_dst == 1 && i->dst[0] : i->n_src == 2);
    if ((i->op != IR_LD && i->op != IR_ST) || i->space != IR_SHARED || !plain || (bytes != 4 && bytes != 8) || i->src[0].kind != IR_REG)
        return 0;
    const struct plan_reg *r = &p->regs[i->src[0].reg->id];
    for (unsigned run = 1; r->shape.kind == SHAPE_PATTERN && run <= w; run *= 2) {
        unsigned l = 0;
        while (l < p->lanes && r->off[l] - r->off[l - l % w] == (int32_t)((l % w / run * 2 * run + l % run) * bytes))
            l++;
        if (l == p->lanes)
            return run;
    }
    return 0;
}
