/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes and divergence, one joint fixpoint: shapes say which branches diverge, divergent branches say which definitions
 * must be blended, and a blended register varies.  It starts from "nothing is known" and only ever gives up knowledge.
 */
#include "pass/plan.h"

#define UNBOUNDED UINT64_MAX

static struct shape varying(void) { return (struct shape){ .kind = SHAPE_VARYING, .align = 1, .umax = UNBOUNDED }; }
static struct shape uniform(bool group) { return (struct shape){ .kind = SHAPE_AFFINE, .group = group, .align = 1, .umax = UNBOUNDED }; }

/* Bits above the largest value are zero. */
static uint64_t zeros_above(uint64_t umax)
{
    return umax == UNBOUNDED ? 0 : umax == 0 ? UINT64_MAX : __builtin_clzll(umax) ? ~(UINT64_MAX >> __builtin_clzll(umax)) : 0;
}

static struct shape with_zeros(struct shape s, uint64_t zero)
{
    s.zero = zero | zeros_above(s.umax);
    return s;
}

static uint64_t low_bit(uint64_t x) { return x ? x & -x : (uint64_t)1 << 63; }
static uint64_t type_max(enum ir_type t) { return ir_type_bits(t) >= 64 ? UINT64_MAX - 1 : ((uint64_t)1 << ir_type_bits(t)) - 1; }
static int64_t wrap(int64_t x, enum ir_type t)
{
    unsigned bits = ir_type_bits(t);
    return bits >= 64 ? x : (int64_t)((uint64_t)x << (64 - bits)) >> (64 - bits);
}

struct shape plan_operand_shape(const struct plan *p, const struct ir_operand *o)
{
    if (o->kind == IR_REG)
        return p->regs[o->reg->id].shape;
    return (struct shape){ SHAPE_AFFINE, true, 0, low_bit(o->imm), o->imm, ~o->imm, 0 };
}

int64_t plan_lane_offset(const struct plan *p, const struct shape *s, unsigned lane)
{
    return (int64_t)(lane / p->row) * s->step + (int64_t)(lane % p->row) * s->stride;
}

bool plan_in_row(const struct plan *p, const struct shape *s)
{
    return s->kind == SHAPE_AFFINE && s->group && (p->lanes <= p->row || s->step == (int64_t)p->row * s->stride);
}

bool plan_span(const struct plan *p, const struct shape *s, uint64_t *out)
{
    enum { FAR = 1 << 20 };
    if (s->kind != SHAPE_AFFINE || !s->group || s->stride < 0 || s->step < 0 || s->stride > FAR || s->step > FAR * PLAN_LANES)
        return false;
    *out = (uint64_t)plan_lane_offset(p, s, p->lanes - 1);
    return true;
}

/* Each chunk has a base of its own. */
static struct shape by_chunks(const struct plan *p, struct shape s)
{
    if (s.group && s.stride)
        s.align = hw_min_u64(s.align, low_bit(p->opt.width * (uint64_t)s.stride));
    if (s.step)
        s.align = hw_min_u64(s.align, low_bit((uint64_t)s.step));
    s.group = false;
    s.step = 0;
    return s;
}

static struct shape varying_upto(uint64_t umax)
{
    struct shape s = varying();
    s.umax = umax;
    return with_zeros(s, 0);
}

static struct shape add(const struct plan *p, struct shape a, struct shape b, enum ir_type t, bool minus)
{
    bool fits = !minus && a.umax <= type_max(t) && b.umax <= type_max(t) - a.umax, carries = minus || ~a.zero & ~b.zero;
    uint64_t zero = carries ? low_bit(~a.zero | ~b.zero) - 1 : a.zero & b.zero;
    if (a.kind != SHAPE_AFFINE || b.kind != SHAPE_AFFINE)
        return with_zeros(varying_upto(fits ? a.umax + b.umax : UNBOUNDED), zero);
    if (!a.group || !b.group)
        a = by_chunks(p, a), b = by_chunks(p, b);
    struct shape s = { SHAPE_AFFINE, a.group, wrap(minus ? a.stride - b.stride : a.stride + b.stride, t),
                       a.align < b.align ? a.align : b.align, UNBOUNDED, 0,
                       wrap(minus ? a.step - b.step : a.step + b.step, t) };
    if (fits)
        s.umax = a.umax + b.umax;
    return with_zeros(s, zero);
}

static struct shape scale(struct shape a, uint64_t factor, enum ir_type t)
{
    uint64_t zero = hw_is_pow2(factor) ? a.zero * factor + (factor - 1) : low_bit(~a.zero) - 1;
    if (a.kind != SHAPE_AFFINE)
        return with_zeros(varying_upto(factor && a.umax <= type_max(t) / factor ? a.umax * factor : UNBOUNDED), zero);
    struct shape s = { SHAPE_AFFINE, a.group, wrap((int64_t)((uint64_t)a.stride * factor), t), 1, UNBOUNDED, 0, wrap((int64_t)((uint64_t)a.step * factor), t) };
    uint64_t bit = low_bit(factor);
    s.align = a.align >= ((uint64_t)1 << 62) / bit ? (uint64_t)1 << 62 : a.align * bit;
    if (factor && a.umax <= type_max(t) / factor)
        s.umax = a.umax * factor;
    if (factor == 0)
        s.stride = s.step = 0, s.umax = 0;
    return with_zeros(s, zero);
}

/*
 * Does base + l * stride (+ w * step) stay within one aligned block of 2^k for all lanes?  Looks at whole groups first, then chunks. Lanes that
 * stay within a smaller block, as far as the base is aligned, stay within the larger one around it.
 */
static bool within(const struct plan *p, const struct shape *a, unsigned k, bool *group)
{
    uint64_t block = (uint64_t)1 << k, span;
    if (a->kind != SHAPE_AFFINE || a->stride < 0 || k >= 62)
        return false;
    if ((a->stride || a->step) && plan_span(p, a, &span) && span < hw_min_u64(a->align, block)) {
        *group = true;
        return true;
    }
    *group = false;
    return a->stride && (p->opt.width - 1) * (uint64_t)a->stride < hw_min_u64(by_chunks(p, *a).align, block);
}

static struct shape and_mask(const struct plan *p, struct shape a, uint64_t mask, enum ir_type t)
{
    bool group;
    mask &= type_max(t) == UINT64_MAX - 1 ? UINT64_MAX : type_max(t);
    if (hw_is_pow2(mask + 1)) {                           /* low bits */
        unsigned k = (unsigned)__builtin_ctzll(mask + 1);
        if (a.kind == SHAPE_AFFINE && a.umax <= mask)
            return a;
        if (mask != UINT64_MAX && within(p, &a, k, &group)) {
            a = group ? a : by_chunks(p, a);
            return with_zeros((struct shape){ SHAPE_AFFINE, group, a.stride, a.align, mask, 0, a.step }, a.zero);
        }
        if (a.kind == SHAPE_AFFINE && mask != UINT64_MAX && !((uint64_t)a.stride & mask) && !((uint64_t)a.step & mask))
            return with_zeros((struct shape){ SHAPE_AFFINE, a.group, 0, a.align, mask, 0, 0 }, a.zero);       /* whole blocks apart: all in the same place */
        struct shape v = varying();
        v.umax = mask;
        return with_zeros(v, a.zero);
    }
    unsigned k = (unsigned)__builtin_ctzll(mask);
    uint64_t every = type_max(t) | 1, above = a.umax >= every ? 0 : a.umax ? every & ~(UINT64_MAX >> __builtin_clzll(a.umax)) : every;
    if ((mask | above) == (every & (UINT64_MAX << k)) && within(p, &a, k, &group)) {     /* high bits; above the largest value any will do */
        a = group ? a : by_chunks(p, a);
        return with_zeros((struct shape){ SHAPE_AFFINE, group, 0, a.align, hw_min_u64(a.umax, mask), 0, 0 }, a.zero | ~mask);
    }
    return with_zeros(varying(), a.zero | ~mask);
}

static struct shape shift_right(const struct plan *p, struct shape a, uint64_t k, enum ir_type t, bool is_signed)
{
    bool group;
    uint64_t umax = a.umax == UNBOUNDED ? type_max(t) >> (k & 63) : a.umax >> (k & 63);
    if (k < 62 && within(p, &a, (unsigned)k, &group)) {
        a = group ? a : by_chunks(p, a);
        return with_zeros((struct shape){ SHAPE_AFFINE, group, 0, a.align >> k ? a.align >> k : 1, umax, 0, 0 }, 0);
    }
    return varying_upto(k < ir_type_bits(t) && (!is_signed || a.umax <= type_max(t) >> 1) ? umax : UNBOUNDED);
}

/* The same of a place in a shared variable, which is exact for whole blocks: no lane that is on is near the ends of the type. */
static struct shape block_of_place(const struct plan *p, struct shape a, uint64_t k, enum ir_type t)
{
    uint64_t low = ((uint64_t)1 << k) - 1;
    if (a.kind != SHAPE_AFFINE || k >= 32 || ((uint64_t)a.stride & low) || ((uint64_t)a.step & low))
        return shift_right(p, a, k, t, true);
    return with_zeros((struct shape){ SHAPE_AFFINE, a.group, a.stride >> k, a.align >> k ? a.align >> k : 1, UNBOUNDED, 0, a.step >> k }, 0);
}

/* Widening is exact when no lane can have wrapped around the narrow type; for a register used only in addresses the
   emitter takes the reading in which the lanes behind the wrap are right, since the others lie 4 GiB away. */
static bool rises(const struct shape *s)
{
    enum { FAR = 1 << 20 };
    return s->stride >= 0 && s->step >= 0 && s->step <= FAR;
}

static struct shape widen(const struct plan *p, const struct ir_inst *i, struct shape a)
{
    uint64_t limit = i->op == IR_SEXT ? type_max(i->type2) >> 1 : type_max(i->type2);
    if (a.kind != SHAPE_AFFINE) {
        struct shape v = varying();
        if (i->op == IR_ZEXT)
            v.umax = type_max(i->type2);
        return with_zeros(v, 0);
    }
    if (a.stride == 0 && a.step && a.umax > limit && !(p->regs[i->dst[0]->id].addr_only && i->type2 == IR_I32))
        a = by_chunks(p, a);
    if (a.stride == 0 && a.step == 0) {
        if (a.umax > limit)
            a.umax = i->op == IR_ZEXT ? type_max(i->type2) : UNBOUNDED;
        return with_zeros(a, i->op == IR_ZEXT || a.umax != UNBOUNDED ? a.zero : 0);
    }
    if (a.umax <= limit)
        return a;
    if (p->regs[i->dst[0]->id].addr_only && i->type2 == IR_I32) {
        a.umax = UNBOUNDED;
        a.zero = 0;
        return a.step && a.step != (int64_t)p->row * a.stride && !rises(&a) ? by_chunks(p, a) : a;
    }
    return varying();
}

/* A block of rows of 32 threads (or of a vector's lanes), or of layers: each row of a group is the next one, with none left over. */
static bool row_by_row(const struct plan *p, uint64_t below, uint32_t n)
{
    return p->lanes > p->row && below == p->row && n % (p->lanes / p->row) == 0;
}

static struct shape tid_shape(const struct plan *p, int dim)
{
    const uint32_t *n = p->opt.ntid;
    uint32_t lanes = p->lanes, w = p->opt.width;
    uint64_t umax = n[dim] - 1;
    int64_t step = lanes > p->row ? p->row : 0;
    bool line = n[1] == 1 && n[2] == 1;
    if (dim == 0 && line)
        return with_zeros((struct shape){ SHAPE_AFFINE, true, 1, lanes, hw_align_up(p->threads, lanes) - 1, 0, step }, 0);
    if (dim == 0 && n[0] % lanes == 0)
        return with_zeros((struct shape){ SHAPE_AFFINE, true, 1, lanes, umax, 0, step }, 0);
    if (dim == 0 && n[0] == p->row && p->threads % lanes == 0)                 /* each row begins at 0 */
        return with_zeros((struct shape){ SHAPE_AFFINE, true, 1, (uint64_t)1 << 62, umax, 0, 0 }, 0);
    if (dim == 0 && n[0] % w == 0)
        return with_zeros((struct shape){ SHAPE_AFFINE, false, 1, w, umax, 0, 0 }, 0);
    uint64_t below = dim == 0 ? 1 : dim == 1 ? n[0] : (uint64_t)n[0] * n[1];
    if (dim > 0 && row_by_row(p, below, n[dim]))
        return with_zeros((struct shape){ SHAPE_AFFINE, true, 0, lanes / p->row, umax, 0, 1 }, 0);
    if (dim > 0 && below % w == 0) {
        struct shape s = uniform(below % lanes == 0);
        s.umax = umax;
        return with_zeros(s, 0);
    }
    struct shape s = varying();
    s.umax = umax;
    return with_zeros(s, 0);
}

static struct shape sreg_range(const struct plan *p, int64_t id)
{
    struct shape s = uniform(true);
    switch (id) {
    case IR_SREG_TID_X: case IR_SREG_TID_Y: case IR_SREG_TID_Z: return tid_shape(p, (int)(id - IR_SREG_TID_X));
    case IR_SREG_CTAID_X:
        s.umax = p->opt.small_grid ? 0x7fffffffu / p->opt.ntid[0] - 1 : 0x7ffffffeu;
        return s;
    case IR_SREG_CTAID_Y: case IR_SREG_CTAID_Z: s.umax = 65534; return s;
    case IR_SREG_NCTAID_X: s.umax = p->opt.small_grid ? 0x7fffffffu / p->opt.ntid[0] : 0x7fffffffu; return s;
    case IR_SREG_NCTAID_Y: case IR_SREG_NCTAID_Z: s.umax = 65535; return s;
    case IR_SREG_LANEID:
        s = (struct shape){ SHAPE_AFFINE, true, 1, (uint64_t)1 << 62, 31, 0, p->lanes > p->row && p->row < PLAN_LANES ? p->row : 0 };
        return p->row < PLAN_LANES && p->lanes > PLAN_LANES ? by_chunks(p, s) : s;
    case IR_SREG_WARPID: s.umax = 31; return s;
    case IR_SREG_LANEMASK_EQ: case IR_SREG_LANEMASK_LE: case IR_SREG_LANEMASK_LT: case IR_SREG_LANEMASK_GE: case IR_SREG_LANEMASK_GT: return varying();
    default: return s;
    }
}

static struct shape sreg_shape(const struct plan *p, int64_t id)
{
    struct shape s = sreg_range(p, id);
    return with_zeros(s, s.zero);
}

static struct shape join(const struct plan *p, struct shape a, struct shape b)
{
    if (a.kind == SHAPE_UNKNOWN)
        return b;
    if (b.kind == SHAPE_UNKNOWN)
        return a;
    uint64_t umax = b.umax > a.umax ? UNBOUNDED : a.umax;  /* growing: a loop counts up; give up at once */
    if (a.kind != SHAPE_AFFINE || b.kind != SHAPE_AFFINE || a.stride != b.stride) {
        struct shape v = varying();
        v.umax = umax;
        return with_zeros(v, a.zero & b.zero);
    }
    if (!a.group || !b.group || a.step != b.step)
        a = by_chunks(p, a), b = by_chunks(p, b);
    return (struct shape){ SHAPE_AFFINE, a.group, a.stride, a.align < b.align ? a.align : b.align, umax, a.zero & b.zero, a.step };
}

static bool is_imm(const struct ir_operand *o) { return o->kind == IR_IMM; }

/* Results that are uniform whenever every operand is. */
static struct shape default_shape(const struct shape *s, int n)
{
    bool group = true;
    for (int k = 0; k < n; k++) {
        if (!shape_uniform(&s[k]))
            return varying();
        group &= s[k].group && s[k].step == 0;
    }
    return uniform(group);
}

/* Some are decided by what the numbers can be: tid.y < 38, where it is 7 at most. */
static bool decided(const struct ir_inst *i, const struct shape *s)
{
    if (s[0].kind != SHAPE_AFFINE || !is_imm(&i->src[1]) || s[0].umax > type_max(i->type) >> 1 || i->src[1].imm > type_max(i->type) >> 1)
        return false;
    switch (i->cmp) {
    case IR_ULT: case IR_UGE: case IR_SLT: case IR_SGE: return s[0].umax < i->src[1].imm;
    case IR_ULE: case IR_UGT: case IR_SLE: case IR_SGT: return s[0].umax <= i->src[1].imm;
    default: return false;
    }
}

/*
 * tid < 32 is the same for all lanes of a warp: their values lie in one aligned block of 2^k, and the other side is a
 * multiple of 2^k (for < and >=; one less than that for <= and >), so that no lane is on the other side of it. Aligned
 * blocks are contiguous in the order of signed numbers too.
 */
static struct shape compare_shape(const struct plan *p, const struct ir_inst *i, const struct shape *s)
{
    bool swapped = s[0].stride == 0 && s[0].step == 0, below = i->cmp == IR_SLT || i->cmp == IR_ULT || i->cmp == IR_SGE || i->cmp == IR_UGE;
    bool above = i->cmp == IR_SGT || i->cmp == IR_UGT || i->cmp == IR_SLE || i->cmp == IR_ULE;
    const struct shape *a = &s[swapped], *b = &s[!swapped];
    const struct ir_operand *limit = &i->src[!swapped];
    if (decided(i, s))
        return uniform(true);
    if (a->kind != SHAPE_AFFINE || b->kind != SHAPE_AFFINE || a->stride < 0 || (!a->stride && !a->step) || b->stride || a->stride > 1 << 16 || !(below || above))
        return default_shape(s, 2);
    uint64_t zeros = swapped ? (above ? b->zero : is_imm(limit) ? limit->imm : 0) : below ? b->zero : is_imm(limit) ? limit->imm : 0;
    for (unsigned lanes = p->lanes;; lanes = p->opt.width) {
        bool group;
        uint64_t span = (lanes - 1) * (uint64_t)a->stride;
        if (lanes != p->lanes || plan_span(p, a, &span)) {
            unsigned k = 64 - (unsigned)__builtin_clzll(span | 1);
            uint64_t low = ((uint64_t)1 << k) - 1;
            if (k < ir_type_bits(i->type) && (zeros & low) == low && within(p, a, k, &group))
                return uniform(group && shape_group_uniform(b));
        }
        if (lanes == p->opt.width)
            return default_shape(s, 2);
    }
}

static struct shape load_shape(const struct plan *p, const struct ir_inst *i, const struct shape *addr)
{
    if (i->space == IR_LOCAL || !shape_uniform(addr))
        return varying();
    return uniform(shape_group_uniform(addr));
}

static struct shape param_shape(const struct plan *p, const struct ir_inst *i)
{
    struct shape s = uniform(true);
    for (uint32_t k = 0; k < p->opt.n_whole; k++)
        if (p->opt.whole[k] == (uint64_t)i->imm && (i->type == IR_I32 || i->type == IR_I64)) {
            s.align = PLAN_LANES;
            s.zero = PLAN_LANES - 1;
        }
    return s;
}

/* Shifts, masks, and divisions, which are the same for powers of two. */
static struct shape bits_shape(const struct plan *p, const struct ir_inst *i, const struct shape *s)
{
    bool both_uniform = s[0].kind == SHAPE_AFFINE && s[1].kind == SHAPE_AFFINE && !s[0].stride && !s[1].stride;
    switch (i->op) {
    case IR_SHL:
        if (is_imm(&i->src[1]) && i->src[1].imm < ir_type_bits(i->type))
            return scale(s[0], (uint64_t)1 << i->src[1].imm, i->type);
        return default_shape(s, 2);
    case IR_AND: {
        if (!is_imm(&i->src[1]) && !is_imm(&i->src[0]))
            return default_shape(s, 2);
        int v = is_imm(&i->src[1]) ? 0 : 1;
        if (!both_uniform)
            return and_mask(p, s[v], i->src[1 - v].imm, i->type);
        struct shape r = default_shape(s, 2);
        r.umax = i->src[1 - v].imm & type_max(i->type);
        return with_zeros(r, s[v].zero);
    }
    case IR_OR: case IR_XOR: {
        if (!(~s[0].zero & ~s[1].zero) && s[0].kind == SHAPE_AFFINE && s[1].kind == SHAPE_AFFINE)
            return add(p, s[0], s[1], i->type, false);    /* no bits in common: the same as adding */
        struct shape r = default_shape(s, 2);
        r.zero = s[0].zero & s[1].zero;
        return r;
    }
    case IR_SHR_U: case IR_SHR_S:
        if (i->flags & IR_PLACE)
            return block_of_place(p, s[0], i->src[1].imm, i->type);
        if (is_imm(&i->src[1]) && !both_uniform)
            return shift_right(p, s[0], i->src[1].imm, i->type, i->op == IR_SHR_S);
        return default_shape(s, 2);
    case IR_DIV_U:
        if (is_imm(&i->src[1]) && hw_is_pow2(i->src[1].imm) && !both_uniform)
            return shift_right(p, s[0], (uint64_t)__builtin_ctzll(i->src[1].imm), i->type, false);
        return default_shape(s, 2);
    case IR_REM_U:
        if (is_imm(&i->src[1]) && hw_is_pow2(i->src[1].imm) && !both_uniform)
            return and_mask(p, s[0], i->src[1].imm - 1, i->type);
        return default_shape(s, 2);
    default: return default_shape(s, 2);
    }
}

/* An address in another space: shared memory is one place for a block, local memory one for each thread. */
static struct shape space_shape(const struct plan *p, const struct ir_inst *i, struct shape s)
{
    if (s.kind == SHAPE_AFFINE && (i->op == IR_LOCAL_TO_GENERIC || i->op == IR_GENERIC_TO_LOCAL)) {
        int64_t step = i->op == IR_LOCAL_TO_GENERIC ? (int64_t)p->func->local_bytes : -(int64_t)p->func->local_bytes;
        s.stride += step;
        if (s.group && p->lanes > p->row)
            s.step += step * p->row;
    }
    s.align = 1;
    s.umax = UNBOUNDED;
    s.zero = 0;
    return s;
}

static struct shape negative_shape(const struct ir_inst *i, struct shape s)
{
    struct shape r = scale(s, UINT64_MAX, i->type);
    r.umax = UNBOUNDED;
    r.zero = 0;
    if (i->op == IR_NOT)
        r.align = 1;
    return r;
}

static struct shape narrow_shape(const struct ir_inst *i, struct shape s)
{
    if (s.kind == SHAPE_AFFINE) {
        s.stride = wrap(s.stride, i->type);
        s.step = wrap(s.step, i->type);
        s.umax = s.umax <= type_max(i->type) ? s.umax : UNBOUNDED;
    }
    return with_zeros(s, s.zero);
}

struct shape plan_result_shape(const struct plan *p, const struct ir_inst *i)
{
    struct shape s[IR_MAX_SRC];
    for (int k = 0; k < i->n_src; k++) {
        s[k] = plan_operand_shape(p, &i->src[k]);
        if (s[k].kind == SHAPE_UNKNOWN)
            return s[k];
    }
    switch (i->op) {
    case IR_MOV: return s[0];
    case IR_ADD: return add(p, s[0], s[1], i->type, false);
    case IR_SUB: return add(p, s[0], s[1], i->type, true);
    case IR_NEG: case IR_NOT: return negative_shape(i, s[0]);
    case IR_MUL:
        if (is_imm(&i->src[1]))
            return scale(s[0], i->src[1].imm, i->type);
        if (is_imm(&i->src[0]))
            return scale(s[1], i->src[0].imm, i->type);
        return default_shape(s, 2);
    case IR_SHL: case IR_AND: case IR_OR: case IR_XOR: case IR_SHR_U: case IR_SHR_S: case IR_DIV_U: case IR_REM_U: return bits_shape(p, i, s);
    case IR_ZEXT: case IR_SEXT: return widen(p, i, s[0]);
    case IR_TRUNC: return narrow_shape(i, s[0]);
    case IR_SELECT:
        if (shape_group_uniform(&s[0]))
            return join(p, s[1], s[2]);
        return default_shape(s, 3);
    case IR_SREG: return sreg_shape(p, i->imm);
    case IR_PARAM: return param_shape(p, i);
    case IR_PARAMADDR: case IR_VARADDR: return uniform(true);
    case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC: case IR_GENERIC_TO_LOCAL: return space_shape(p, i, s[0]);
    case IR_CMP: return compare_shape(p, i, s);
    case IR_LD: return load_shape(p, i, &s[0]);
    case IR_VOTE: return shape_group_uniform(&s[1]) ? uniform(true) : varying();     /* tiles of a warp vote apart */
    case IR_ACTIVEMASK: case IR_BAR_RED: return uniform(true);
    case IR_ATOM: case IR_ATOM2: case IR_TILE_LD: case IR_SHFL: case IR_MATCH: case IR_REDUX: case IR_MMA: case IR_VPRINTF: case IR_MALLOC: case IR_TEX: return varying();
    default: return default_shape(s, i->n_src);
    }
}

bool plan_one_block(const struct plan *p, const struct shape *a, uint64_t *low)
{
    bool group;
    if (a->kind != SHAPE_AFFINE || a->stride <= 0 || a->stride > 1 << 16)
        return false;
    unsigned k = 64 - (unsigned)__builtin_clzll((p->opt.width - 1) * (uint64_t)a->stride | 1);
    *low = ((uint64_t)1 << k) - 1;
    return within(p, a, k, &group);
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->kind == b->kind && a->group == b->group && a->stride == b->stride && a->align == b->align && a->umax == b->umax && a->zero == b->zero &&
        a->step == b->step;
}

static bool flow_shapes(struct plan *p)
{
    bool changed = false;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            for (int k = 0; k < i->n_dst; k++) {
                if (!i->dst[k])
                    continue;
                struct plan_reg *r = &p->regs[i->dst[k]->id];
                struct shape s = r->n_defs > 1 || r->shape.kind == SHAPE_UNKNOWN ? join(p, r->shape, plan_result_shape(p, i)) : plan_result_shape(p, i);
                /* parts of a group may load different values, and come together again */
                if (s.kind == SHAPE_AFFINE && (plan_blends(p, r, b) || (i->op == IR_LD && i->space != IR_CONST && bits_has(p->apart, (size_t)b)))) {
                    uint64_t zero = s.zero;
                    s = varying();
                    s.zero = zero;
                }
                if (r->shape.kind == SHAPE_VARYING && s.kind != SHAPE_VARYING)
                    continue;                             /* never climb back */
                if (r->shape.kind == SHAPE_AFFINE && s.kind == SHAPE_AFFINE && r->n_defs == 1) {
                    if (!r->shape.group || s.step != r->shape.step)
                        s = by_chunks(p, s);
                    if (s.align > r->shape.align)
                        s.align = r->shape.align;
                    if (s.umax > r->shape.umax)
                        s.umax = UNBOUNDED;
                    if (s.stride != r->shape.stride)
                        s = varying();
                }
                if (r->shape.kind != SHAPE_UNKNOWN)
                    s.zero &= r->shape.zero;
                if (!same_shape(&s, &r->shape)) {
                    r->shape = s;
                    changed = true;
                }
            }
        }
    return changed;
}

static bool flow_divergence(struct plan *p)
{
    bool changed = false;
    for (int b = 0; b < p->n_blocks; b++) {
        struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (t->op != IR_CBR || p->blocks[b].divergent)
            continue;
        struct shape s = plan_operand_shape(p, &t->src[0]);
        if (s.kind != SHAPE_UNKNOWN && !shape_group_uniform(&s)) {
            p->blocks[b].divergent = true;
            changed = true;
        }
    }
    return changed;
}

/* Edge e of branch `a` leads to b, and the other perhaps not. True when b's class grew. met: (e, b) of this branch so far, for a block is met again in each of the
   loops around it, and many loops may be around each other. */
static bool depends(struct plan *p, uint64_t *met, int a, int e, int b)
{
    const struct plan_block *from = &p->blocks[a];
    if (bits_has(met, (size_t)(2 * b + e)))
        return false;
    bits_add(met, (size_t)(2 * b + e));
    bool grew = bits_or(p->blocks[b].cls, from->cls, p->n_cls);
    if (from->divergent && !bits_has(p->blocks[b].cls, (size_t)(2 * a + e))) {
        bits_add(p->blocks[b].cls, (size_t)(2 * a + e));
        grew = true;
    }
    return grew;
}

/* The same in one iteration of a loop; and which blocks lanes may come past on their way to the next. */
static bool depends_in_loop(struct plan *p, uint64_t *met, struct plan_loop *loop, int a)
{
    const struct plan_block *from = &p->blocks[a];
    int first = loop->header, stop = loop->ipdom[a - first];
    bool grew = false;
    for (int e = 0; e < 2; e++) {
        int other = from->succ[1 - e];
        bool skips = bits_has(loop->skipped, (size_t)(a - first)) || (from->divergent && other != first && bits_has(loop->blocks, (size_t)other));
        if (from->succ[e] == first || !bits_has(loop->blocks, (size_t)from->succ[e]))
            continue;
        for (int b = from->succ[e]; b >= 0 && b != stop; b = loop->ipdom[b - first]) {
            grew |= depends(p, met, a, e, b);
            if (skips && !bits_has(loop->skipped, (size_t)(b - first))) {
                bits_add(loop->skipped, (size_t)(b - first));
                grew = true;
            }
        }
    }
    return grew;
}

/* class(B) = for every edge (A, e) that decides whether B runs: that edge if A diverges, and class(A). */
static void classes(struct plan *p)
{
    size_t n = (size_t)p->n_blocks;
    p->n_cls = 2 * n + 1;
    uint64_t *met = bits_new(&p->arena, p->n_cls);
    for (int b = 0; b < p->n_blocks; b++) {
        if (!p->blocks[b].cls)
            p->blocks[b].cls = bits_new(&p->arena, p->n_cls);
        if (p->partial || bits_has(p->apart, (size_t)b))
            bits_add(p->blocks[b].cls, 2 * n);
    }
    for (bool again = true; again;) {
        again = false;
        for (int a = 0; a < p->n_blocks; a++) {
            struct plan_block *from = &p->blocks[a];
            if (from->n_succ < 2)
                continue;
            memset(met, 0, bits_words(p->n_cls) * sizeof *met);
            for (int e = 0; e < 2; e++)
                for (int b = from->succ[e]; b >= 0 && b != from->ipdom; b = p->blocks[b].ipdom)
                    again |= depends(p, met, a, e, b);
            for (int l = from->loop; l >= 0; l = p->loops.v[l].parent)
                again |= depends_in_loop(p, met, &p->loops.v[l], a);
        }
    }
    for (int b = 0; b < p->n_blocks; b++)                 /* at a barrier groups are whole again */
        if (!p->partial && !bits_has(p->apart, (size_t)b))
            bits_del(p->blocks[b].cls, 2 * n);
    for (int b = 0; b < p->n_blocks; b++)
        plan_class_ends(&p->blocks[b], bits_words(p->n_cls));
}

/* A register is address-only when all its uses are address arithmetic of address-only registers, or addresses. */
static void find_addresses(struct plan *p)
{
    for (size_t r = 0; r < p->n_regs; r++)
        p->regs[r].addr_only = p->regs[r].reg->type == IR_I64;
    for (bool again = true; again;) {
        again = false;
        for (int b = 0; b < p->n_blocks; b++)
            for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
                struct ir_inst *i = p->blocks[b].ir->insts.v[j];
                for (int k = 0; k < i->n_src; k++) {
                    if (i->src[k].kind != IR_REG || !p->regs[i->src[k].reg->id].addr_only)
                        continue;
                    bool address = false;
                    switch (i->op) {
                    case IR_LD: case IR_ST: case IR_ATOM: case IR_ATOM2: case IR_TILE_LD: case IR_TILE_ST: address = k == 0; break;
                    case IR_MOV: case IR_ADD: case IR_SUB: case IR_MUL: case IR_SHL: case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED:
                        address = i->dst[0]->type == IR_I64 && p->regs[i->dst[0]->id].addr_only;
                        break;
                    case IR_AND: case IR_SHR_S: address = (i->flags & IR_PLACE) && p->regs[i->dst[0]->id].addr_only; break;
                    default: break;
                    }
                    if (!address) {
                        p->regs[i->src[k].reg->id].addr_only = false;
                        again = true;
                    }
                }
            }
    }
}

/* A value that is made of nothing but itself and what nobody has written yet, as in `@p add t, t, x` on a fresh t. */
static bool give_up_unknown(struct plan *p)
{
    bool changed = false;
    for (size_t r = 0; r < p->n_regs; r++)
        if (p->regs[r].shape.kind == SHAPE_UNKNOWN) {
            p->regs[r].shape = varying();
            changed = true;
        }
    return changed;
}

void plan_shapes(struct plan *p)
{
    find_addresses(p);
    classes(p);
    if (p->lanes == 1) {
        for (size_t r = 0; r < p->n_regs; r++)
            p->regs[r].shape = uniform(true);
        return;
    }
    for (size_t r = 0; r < p->n_regs; r++)
        if (p->regs[r].n_defs == 0)                       /* read but never written: anything will do */
            p->regs[r].shape = uniform(true);
    for (;;) {
        bool changed = flow_shapes(p);
        if (flow_divergence(p)) {
            classes(p);
            changed = true;
        }
        if (!changed && !give_up_unknown(p))
            break;
    }
}
