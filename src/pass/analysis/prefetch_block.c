/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far on the next block's addresses are. Blocks run in the order of blockIdx.x, so that an address made of it tells what the
 * next block will touch: code can have that fetched meanwhile. A hint: a wrong answer only costs time.
 */
#include "pass/plan.h"

#include <stdlib.h>

enum { MAX_DEPTH = 24 };

static bool step_of(const struct plan *p, const struct ir_operand *o, int depth, int64_t *out);
static bool step_of_result(const struct plan *p, const struct ir_inst *i, int depth, int64_t *out);

/* Is it the register itself, and something added? By way of copies too. */
static bool made_of(const struct plan *p, const struct ir_inst *i, const struct ir_reg *r, int depth)
{
    bool found = false;
    if (depth > MAX_DEPTH || (i->op != IR_ADD && i->op != IR_MOV))
        return false;
    for (int k = 0; k < i->n_src; k++)
        if (i->src[k].kind == IR_REG) {
            const struct ir_inst *def = p->regs[i->src[k].reg->id].def;
            found |= i->src[k].reg == r || (def && made_of(p, def, r, depth + 1));
        }
    return found;
}

static bool two_steps(const struct plan *p, const struct ir_inst *i, int depth, int64_t *a, int64_t *b)
{
    return step_of(p, &i->src[0], depth, a) && step_of(p, &i->src[1], depth, b);
}

/* A loop that fills a tile: to a small constant, and no barrier in it. What goes on longer is not fetched a block ahead. */
static bool fills(const struct plan *p, int loop)
{
    enum { SMALL = 256 };
    bool ends = false;
    for (int b = 0; b < p->n_blocks && loop >= 0; b++) {
        const struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (!plan_in_loop(p, b, loop))
            continue;
        if (plan_stops(t))
            return false;
        const struct ir_inst *cmp = t->op == IR_CBR && t->src[0].kind == IR_REG ? p->regs[t->src[0].reg->id].def : NULL;
        ends |= cmp && cmp->op == IR_CMP && cmp->src[1].kind == IR_IMM && cmp->src[1].imm <= SMALL;
    }
    return ends;
}

/* What such a loop changes goes on in the same steps in each block (i = begin; i += 32): the next block's is as far away as what it begins with. */
static bool step_of_changing(const struct plan *p, const struct ir_reg *r, int depth, int64_t *out)
{
    bool found = false;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            int64_t step;
            if (!ir_defines(i, r))
                continue;
            if (made_of(p, i, r, depth)) {
                if (!fills(p, p->blocks[b].loop))
                    return false;
                continue;
            }
            if (!step_of_result(p, i, depth, &step) || (found && step != *out))
                return false;
            *out = step;
            found = true;
        }
    return found;
}

static bool step_of(const struct plan *p, const struct ir_operand *o, int depth, int64_t *out)
{
    *out = 0;
    if (o->kind != IR_REG)
        return true;
    const struct ir_inst *i = p->regs[o->reg->id].def;
    if (depth > MAX_DEPTH)
        return false;
    return i ? step_of_result(p, i, depth, out) : step_of_changing(p, o->reg, depth + 1, out);
}

static bool step_of_result(const struct plan *p, const struct ir_inst *i, int depth, int64_t *out)
{
    int64_t a, b;
    *out = 0;
    switch (i->op) {
    case IR_PARAM: case IR_PARAMADDR: case IR_VARADDR: return true;
    case IR_SREG:
        *out = i->imm == IR_SREG_CTAID_X;
        return true;
    case IR_MOV: case IR_ZEXT: case IR_SEXT: case IR_TRUNC: return step_of(p, &i->src[0], depth + 1, out);
    case IR_ADD: case IR_SUB: case IR_OR:
        if (!two_steps(p, i, depth + 1, &a, &b))
            return false;
        *out = i->op == IR_SUB ? a - b : a + b;
        return true;
    case IR_MUL: {
        int k = i->src[0].kind == IR_IMM ? 1 : 0;
        if (!two_steps(p, i, depth + 1, &a, &b))
            return false;
        if (i->src[1 - k].kind == IR_IMM)
            *out = (k ? b : a) * (int64_t)(int32_t)i->src[1 - k].imm;
        return i->src[1 - k].kind == IR_IMM || (a == 0 && b == 0);
    }
    case IR_SHL:
        if (i->src[1].kind != IR_IMM || i->src[1].imm > 31 || !step_of(p, &i->src[0], depth + 1, &a))
            return false;
        *out = a * ((int64_t)1 << i->src[1].imm);
        return true;
    default: {
        bool same = ir_op_info[i->op].props & IR_PROP_PURE;      /* of values that do not change with the block */
        for (int k = 0; same && k < i->n_src; k++)
            same = step_of(p, &i->src[k], depth + 1, &a) && a == 0;
        return same;
    }
    }
}

static bool step_known(const struct plan *p, const struct ir_operand *address, int64_t *out_bytes)
{
    return address->kind == IR_REG && step_of(p, address, 0, out_bytes);
}

/*
 * Loads of p[i], p[i + blockDim], p[i + 2 * blockDim], ...: together the block reads one piece of memory, but warp by warp, in an order
 * that defeats the hardware's prefetching (measured: 3 times slower than front to back). Which of them is this one, of how many?
 */
static int series(const struct plan *p, const struct ir_inst *i, int64_t span, int *out_n)
{
    enum { MOST = 64 };
    int64_t lowest = i->imm;
    uint64_t seen = 0;
    for (int round = 0; round < 2; round++)
        for (int b = 0; b < p->n_blocks; b++)
            for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
                const struct ir_inst *o = p->blocks[b].ir->insts.v[j];
                if (o->op != i->op || o->space != i->space || o->n_src != i->n_src || o->src[0].kind != IR_REG || o->src[0].reg != i->src[0].reg || (o->imm - i->imm) % span)
                    continue;
                if (round == 0 && o->imm < lowest)
                    lowest = o->imm;
                else if (round == 1 && (o->imm - lowest) / span < MOST)
                    seen |= (uint64_t)1 << (o->imm - lowest) / span;
            }
    *out_n = ~seen ? __builtin_ctzll(~seen) : MOST;
    return (int)((i->imm - lowest) / span);
}

/* Of loads from the same lines, as in p[i - 1] + p[i] + p[i + 1], one fetches. */
static bool another_fetches(const struct plan *p, const struct ir_inst *i, int64_t line, bool *again)
{
    *again = false;
    for (int b = 0; b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *o = p->blocks[b].ir->insts.v[j];
            if (o == i || o->op != i->op || o->space != i->space || o->src[0].kind != IR_REG || o->src[0].reg != i->src[0].reg || llabs(o->imm - i->imm) >= line)
                continue;
            *again = true;
            if (llabs(o->imm) < llabs(i->imm) || (llabs(o->imm) == llabs(i->imm) && o->imm < i->imm))
                return true;
        }
    return false;
}

/* y[i] = ... y[i] ...: the load has fetched it. Asking for the line once more, to write to it, costs time (7 % of saxpy's on an Intel machine). */
static bool load_fetches(const struct plan *p, const struct ir_inst *store)
{
    for (int b = 0; store->op == IR_ST && b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *o = p->blocks[b].ir->insts.v[j];
            if (o->op == IR_LD && o->space == store->space && o->src[0].kind == IR_REG && o->src[0].reg == store->src[0].reg && o->imm == store->imm)
                return true;
        }
    return false;
}

static bool outside(const struct ir_inst *i)
{
    bool local = i->space == IR_SHARED || i->space == IR_LOCAL || i->space == IR_PARAM_SPACE;
    return (ir_op_info[i->op].props & IR_PROP_MEM) && !local;
}

/* Tables that all blocks read are in the caches. */
static bool same_for_all(const struct plan *p, const struct ir_inst *i)
{
    int64_t bytes;
    return i->op == IR_LD && step_known(p, &i->src[0], &bytes) && bytes == 0;
}

bool plan_leaves_memory(const struct plan *p, size_t region, unsigned *out_work)
{
    enum { FUNCTION = 20 };
    unsigned work = 0;
    bool quiet = true;
    for (int b = 0; b < p->n_blocks; b++) {
        if (!bits_has(p->regions.v[region].blocks, (size_t)b))
            continue;
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            quiet &= !outside(i) || same_for_all(p, i);
            work += i->op == IR_MATH ? FUNCTION : 1;
        }
    }
    *out_work = work;
    return quiet;
}

static bool in_loops(const struct plan *p, size_t region)
{
    for (int b = 0; b < p->n_blocks; b++)
        if (bits_has(p->regions.v[region].blocks, (size_t)b) && p->blocks[b].loop >= 0)
            return true;
    return false;
}

/*
 * A kernel that reads, computes and writes, with barriers between: what the next block reads and what this one writes is best fetched
 * while it computes. The regions that leave memory alone and that all groups pass once, if they have most of the work: bits; 0: none such.
 */
uint64_t plan_quiet_regions(const struct plan *p)
{
    unsigned total = 0, in_quiet = 0;
    uint64_t all = 0;
    for (size_t k = 0; k < p->regions.n && k < 64 && p->lockstep; k++) {
        unsigned work;
        bool quiet = plan_leaves_memory(p, k, &work) && !in_loops(p, k);
        total += work;
        if (quiet && k > 0) {
            in_quiet += work;
            all |= (uint64_t)1 << k;
        }
    }
    return 2 * in_quiet > total ? all : 0;
}

bool plan_fetch(const struct plan *p, const struct ir_inst *i, unsigned row_bytes, struct plan_fetch *out)
{
    enum { LINE = 64, FAR = 1 << 20, AHEAD = 384, PAGE = 4096 };
    struct shape s = plan_operand_shape(p, &i->src[0]);
    int64_t span = (int64_t)p->groups * row_bytes;
    int n;
    bool tile = p->opt.ntid[1] > 1 && p->opt.ntid[0] <= p->lanes, rows = p->lanes > p->row || s.group;
    if ((i->space != IR_GENERIC && i->space != IR_GLOBAL) || !(tile ? rows : plan_in_row(p, &s)) || !step_known(p, &i->src[0], &out->bytes)
        || llabs(out->bytes) < LINE || llabs(out->bytes) > FAR || p->groups < 2 || load_fetches(p, i))
        return false;
    out->first = out->per_group = 0;
    if (tile) {                  /* short rows of a tile, each somewhere else */
        out->bytes *= (AHEAD + llabs(out->bytes) - 1) / llabs(out->bytes);       /* small tiles are done before memory answers */
        bool again, another = another_fetches(p, i, LINE, &again);
        out->near = again || p->regions.n == 1;
        return !another;
    }
    out->near = true;
    int at = series(p, i, span, &n);
    if (n < 2 && p->loops.n == 0 && p->regions.n == 1) {         /* front to back: further ahead than the hardware looks, which stops at each page */
        out->bytes *= (PAGE + llabs(out->bytes) - 1) / llabs(out->bytes);
        return true;
    }
    if (n < 2 || at >= n)
        return false;
    out->first = (int64_t)at * row_bytes - (int64_t)at * span;
    out->per_group = (int64_t)(n - 1) * row_bytes;
    return true;
}
