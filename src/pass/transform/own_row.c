/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each lane goes along a row, a string or a list of its own, one element per iteration: sum += a[row * n + k]. Lane by lane these are places far from each
 * other, but over the iterations each lane reads its memory front to back. Where the loop's end is one comparison for the whole group, it is
 * known some iterations ahead whether it comes to them, and the elements of all these can be read at once (jit/access/own_row.c).
 *
 * This is no hint: the address must grow by the element's size in 64 bits, whatever the numbers are. Stores of the loop (sum[row] += a[row * n + k], of which
 * compilers make a store per iteration) must go to addresses that are known as far ahead: code looks whether a thread's come near its own row, which is
 * all that matters, for what other threads store there meanwhile would be a race.
 */
#include "pass/analysis/access.h"

enum { DEPTH = 8 };

/* Where in the block a register is written, if that is once; *out_n: how often it is. */
static size_t written_at(const struct ir_block *b, const struct ir_reg *r, unsigned *out_n)
{
    size_t at = 0;
    *out_n = 0;
    for (size_t j = 0; j < b->insts.n; j++)
        if (ir_defines(b->insts.v[j], r)) {
            at = j;
            ++*out_n;
        }
    return at;
}

static bool adds_to(const struct ir_inst *i, const struct ir_reg *r, int64_t *out)
{
    for (int k = 0; i->op == IR_ADD && i->type == r->type && k < 2; k++)
        if (i->src[k].kind == IR_REG && i->src[k].reg == r && i->src[1 - k].kind == IR_IMM) {
            *out = i->type == IR_I32 ? (int32_t)i->src[1 - k].imm : (int64_t)i->src[1 - k].imm;
            return *out > INT32_MIN && *out < INT32_MAX;
        }
    return false;
}

/* The register's only definition in the block, at `def`: r = r + constant, or next = r + constant and r = next at the end. */
static bool counts(const struct ir_block *b, const struct ir_reg *r, size_t def, int64_t *out)
{
    const struct ir_inst *i = b->insts.v[def];
    unsigned n = 0;
    if (adds_to(i, r, out))
        return true;
    if (i->op != IR_MOV || i->src[0].kind != IR_REG)
        return false;
    size_t next = written_at(b, i->src[0].reg, &n);
    return n == 1 && next < def && adds_to(b->insts.v[next], r, out);
}

/* By how much the operand, as the block's instruction `at` sees it, grows from one iteration to the next, modulo the type's size; false: not known. */
static bool grows_by(const struct ir_block *b, const struct ir_operand *o, size_t at, int depth, int64_t *out)
{
    unsigned n = 0;
    int64_t x, y;
    *out = 0;
    size_t def = o->kind == IR_REG ? written_at(b, o->reg, &n) : 0;
    if (n == 0)
        return true;
    const struct ir_inst *i = b->insts.v[def];
    if (n > 1 || depth == DEPTH)
        return false;
    if (counts(b, o->reg, def, out))
        return true;
    if (def >= at || i->n_dst != 1)              /* it is the iteration before that it comes from */
        return false;
    switch (i->op) {
    case IR_MOV: case IR_TRUNC: return grows_by(b, &i->src[0], def, depth + 1, out);
    case IR_ADD: case IR_SUB:
        if (!grows_by(b, &i->src[0], def, depth + 1, &x) || !grows_by(b, &i->src[1], def, depth + 1, &y))
            return false;
        *out = i->op == IR_ADD ? x + y : x - y;
        return *out > INT32_MIN && *out < INT32_MAX;
    case IR_MUL: case IR_SHL:
        if (i->src[1].kind == IR_IMM && i->src[1].imm <= (i->op == IR_SHL ? 16 : 1 << 16) && grows_by(b, &i->src[0], def, depth + 1, &x)) {
            *out = i->op == IR_MUL ? x * (int64_t)i->src[1].imm : x * ((int64_t)1 << i->src[1].imm);
            return *out > INT32_MIN && *out < INT32_MAX;
        }
        break;
    default: break;
    }
    for (int k = 0; k < i->n_src; k++)           /* anything, of what stays (a sum that may have wrapped around must not be widened) */
        if (!(ir_op_info[i->op].props & IR_PROP_PURE) || !grows_by(b, &i->src[k], def, depth + 1, &x) || x)
            return false;
    return i->n_src > 0;
}

/* The register that the operand is a copy of, or the low half: through what the block makes of it before instruction `at`. */
static const struct ir_operand *origin(const struct ir_block *b, const struct ir_operand *o, size_t at)
{
    unsigned n = 0;
    for (int depth = 0; depth < DEPTH && o->kind == IR_REG; depth++) {
        size_t def = written_at(b, o->reg, &n);
        const struct ir_inst *i = b->insts.v[def];
        if (n != 1 || def >= at || (i->op != IR_MOV && i->op != IR_TRUNC))
            break;
        o = &i->src[0];
        at = def;
    }
    return o;
}

/* A store that other accesses may read: where it goes in the next iterations is known from its register, which holds an address at the loop's beginning. */
static bool foreseen_store(const struct ir_block *b, const struct ir_inst *i, const struct ir_inst *load, struct plan_own_row *out)
{
    unsigned n = 0;
    int64_t step = 0;
    const struct ir_operand *o = &i->src[0];
    if (access_ordered(i) || (i->space != IR_GLOBAL && i->space != IR_GENERIC) || o->kind != IR_REG || o->reg->type != IR_I64 || o->reg == load->src[0].reg ||
        out->n_stores == PLAN_ROW_STORES)
        return false;
    size_t def = written_at(b, o->reg, &n);
    if (n > 1 || (n == 1 && !counts(b, o->reg, def, &step)))
        return false;
    out->stores[out->n_stores++] = (struct plan_row_store){ i, step };
    return step < 1 << 20 && step > -(1 << 20);
}

/* A loop of one block that all lanes leave together, in which nothing changes memory that other accesses may read but stores as above. */
static bool mostly_reads(const struct plan *p, int block, const struct ir_inst *load, struct plan_own_row *out)
{
    const struct plan_block *b = &p->blocks[block];
    if (b->loop < 0 || p->loops.v[b->loop].header != block || p->loops.v[b->loop].latch != block || b->divergent || p->loops.v[b->loop].spin)
        return false;
    out->n_stores = 0;
    for (size_t j = 0; j + 1 < b->ir->insts.n; j++) {
        const struct ir_inst *i = b->ir->insts.v[j];
        bool reads = i->op == IR_LD && !access_ordered(i);
        bool own = i->op == IR_ST && (i->space == IR_SHARED || i->space == IR_LOCAL) && load->space != IR_GENERIC && !access_ordered(i);
        if (!reads && !own && !(ir_op_info[i->op].props & IR_PROP_PURE) && !(i->op == IR_ST && foreseen_store(b->ir, i, load, out)))
            return false;
    }
    return true;
}

/* The loop's end: a number that all lanes share and that grows by a constant, against one that stays. */
static bool shared_end(const struct plan *p, int block, struct plan_own_row *out)
{
    const struct plan_block *b = &p->blocks[block];
    const struct ir_inst *end = ir_block_term(b->ir);
    unsigned n = 0;
    if (end->op != IR_CBR || end->src[0].kind != IR_REG)
        return false;
    size_t at = written_at(b->ir, end->src[0].reg, &n);
    const struct ir_inst *cmp = b->ir->insts.v[at];
    if (n != 1 || cmp->op != IR_CMP || (cmp->type != IR_I32 && cmp->type != IR_I64))
        return false;
    struct shape s[2] = { plan_operand_shape(p, &cmp->src[0]), plan_operand_shape(p, &cmp->src[1]) };
    if (!shape_group_uniform(&s[0]) || !shape_group_uniform(&s[1]))
        return false;
    for (int k = 0; k < 2; k++) {
        const struct ir_operand *counter = origin(b->ir, &cmp->src[k], at), *bound = origin(b->ir, &cmp->src[1 - k], at);
        size_t grown = counter->kind == IR_REG ? written_at(b->ir, counter->reg, &n) : 0;
        if (counter->kind != IR_REG || n != 1 || !counts(b->ir, counter->reg, grown, &out->by) || out->by == 0 || grown > at)
            continue;
        if (bound->kind == IR_REG && (written_at(b->ir, bound->reg, &n), n > 0))
            continue;
        out->cmp = cmp;
        out->side = k;
        out->counter = counter;
        out->bound = bound;
        out->stays_if = b->succ[0] == block;
        return true;
    }
    return false;
}

/* Can it be said ahead of time that the loop goes on? While a number is below (or not yet at) its bound. */
static bool foreseen(const struct plan_own_row *r)
{
    bool equal = r->cmp->cmp == IR_EQ || r->cmp->cmp == IR_NE;
    if (equal)
        return (r->cmp->cmp == IR_NE) == r->stays_if && r->by < 1 << 20 && r->by > -(1 << 20);
    bool less = r->cmp->cmp == IR_SLT || r->cmp->cmp == IR_SLE || r->cmp->cmp == IR_ULT || r->cmp->cmp == IR_ULE;
    bool order = r->cmp->cmp >= IR_SLT && r->cmp->cmp <= IR_UGE;
    bool below = (less == (r->side == 0)) == r->stays_if;      /* it stays while the counter is small */
    return order && below == (r->by > 0) && r->by < 1 << 20 && r->by > -(1 << 20);
}

bool plan_own_row(const struct plan *p, const struct ir_inst *i, int block, struct plan_own_row *out)
{
    const struct ir_block *b = p->blocks[block].ir;
    unsigned n;
    size_t at = 0;
    if (p->lanes == 1 || i->op != IR_LD || i->n_dst != 1 || access_ordered(i) || (i->space != IR_GLOBAL && i->space != IR_GENERIC) || i->src[0].kind != IR_REG ||
        i->src[0].reg->type != IR_I64 || !mostly_reads(p, block, i, out))
        return false;
    struct access a = access_of(p, i);
    while (at < b->insts.n && b->insts.v[at] != i)
        at++;
    bool apart = a.form == ACCESS_GATHERED || (a.form == ACCESS_STRIDED && a.step >= 16);
    if (!apart || !grows_by(b, &i->src[0], at, 0, &out->step) || out->step < a.bytes || !shared_end(p, block, out) || !foreseen(out))
        return false;
    out->first = written_at(b, out->counter->reg, &n) > at;
    return true;
}

bool plan_same_rows(const struct plan *p, int block, const struct ir_inst *lead, const struct ir_inst *i, int64_t step)
{
    const struct ir_block *b = p->blocks[block].ir;
    bool between = false;
    if (lead->src[0].kind != IR_REG || i->src[0].kind != IR_REG || lead->src[0].reg != i->src[0].reg || lead->type != i->type || lead->space != i->space ||
        i->imm < lead->imm || i->imm - lead->imm > step - (int64_t)ir_type_bits(i->type) / 8)
        return false;
    for (size_t j = 0; j < b->insts.n; j++) {
        if (b->insts.v[j] == i)
            return between;
        between = b->insts.v[j] == lead || (between && !ir_defines(b->insts.v[j], lead->src[0].reg));
    }
    return false;
}
