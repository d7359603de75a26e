/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are the same for all groups of a block, such as table[threadIdx.x % 16], or for every other one, every fourth: how many low
 * bits of a value depend on nothing but the lane within that many groups, or within the chunk.
 */
#include "pass/plan.h"

enum { ALL_BITS = 64, MAX_DEPTH = 12 };

static unsigned log2_of(uint64_t pow2) { return (unsigned)__builtin_ctzll(pow2); }

/* period: lanes after which the value must repeat */
static unsigned of_sreg(const struct plan *p, int64_t id, uint32_t period)
{
    const uint32_t *n = p->opt.ntid;
    switch (id) {
    case IR_SREG_TID_X:
        if (period % n[0] == 0)
            return ALL_BITS;
        return (n[1] == 1 && n[2] == 1) || n[0] % period == 0 ? log2_of(period) : 0;
    case IR_SREG_LANEID: return period == p->lanes ? ALL_BITS : log2_of(period);
    case IR_SREG_NTID_X: case IR_SREG_NTID_Y: case IR_SREG_NTID_Z: case IR_SREG_CTAID_X: case IR_SREG_CTAID_Y: case IR_SREG_CTAID_Z:
    case IR_SREG_NCTAID_X: case IR_SREG_NCTAID_Y: case IR_SREG_NCTAID_Z: return ALL_BITS;
    default: return 0;
    }
}

static unsigned at_least(unsigned bits, enum ir_type t) { return bits >= ir_type_bits(t) ? ALL_BITS : bits; }
static unsigned below(unsigned bits, uint64_t mask) { return bits == ALL_BITS || mask >> bits == 0 ? ALL_BITS : bits; }

static unsigned same_bits(const struct plan *p, const struct ir_operand *o, uint32_t period, int depth)
{
    if (o->kind != IR_REG)
        return ALL_BITS;
    const struct ir_inst *i = p->regs[o->reg->id].def;
    if (!i || depth > MAX_DEPTH || i->n_src > 3)
        return 0;
    unsigned least = ALL_BITS, first = 0;
    for (int k = 0; k < i->n_src; k++) {
        unsigned bits = same_bits(p, &i->src[k], period, depth + 1);
        least = bits < least ? bits : least;
        first = k ? first : bits;
    }
    const struct ir_operand *by = i->n_src > 1 && i->src[1].kind == IR_IMM ? &i->src[1] : NULL;
    switch (i->op) {
    case IR_SREG: return of_sreg(p, i->imm, period);
    case IR_PARAM: case IR_PARAMADDR: case IR_VARADDR: return ALL_BITS;
    case IR_MOV: case IR_ADD: case IR_SUB: case IR_MUL: case IR_OR: case IR_XOR: case IR_NOT: case IR_NEG: return least;
    case IR_AND: return by ? below(first, by->imm) : least;
    case IR_REM_U: return by && hw_is_pow2(by->imm) ? below(first, by->imm - 1) : least == ALL_BITS ? ALL_BITS : 0;
    case IR_SHL: return by && by->imm < ALL_BITS ? at_least(first + (unsigned)by->imm, i->type) : least == ALL_BITS ? ALL_BITS : 0;
    case IR_ZEXT: case IR_SEXT: return at_least(first, i->type2);
    case IR_TRUNC: return at_least(first, i->type);
    default: return (ir_op_info[i->op].props & IR_PROP_PURE) && least == ALL_BITS ? ALL_BITS : 0;
    }
}

bool plan_block_invariant(const struct plan *p, const struct ir_operand *o, uint32_t period)
{
    return same_bits(p, o, period, 0) >= ALL_BITS;
}

/* Nothing in the region writes memory that a load of global memory could see. */
static bool reads_only(const struct plan *p, size_t region)
{
    for (int b = 0; b < p->n_blocks; b++) {
        if (!bits_has(p->regions.v[region].blocks, (size_t)b))
            continue;
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++) {
            const struct ir_inst *i = p->blocks[b].ir->insts.v[j];
            bool weak = !(i->flags & IR_VOLATILE) && i->order == IR_WEAK, own = i->space == IR_SHARED || i->space == IR_LOCAL;
            if ((ir_op_info[i->op].props & IR_PROP_MEM) && !(i->op == IR_LD && weak) && !(i->op == IR_ST && weak && own))
                return false;
        }
    }
    return true;
}

/* After how many groups does the value repeat? 0: too seldom for the block's groups to gain from it. */
static uint32_t repeats(const struct plan *p, const struct ir_operand *o)
{
    for (uint32_t n = 1; n <= PLAN_COMMON_GROUPS && 2 * n <= p->groups; n *= 2)
        if (plan_block_invariant(p, o, n * p->lanes))
            return n;
    return 0;
}

size_t plan_common_loads(const struct plan *p, size_t region, struct plan_common_load *out, size_t most)
{
    const struct plan_block *blk = &p->blocks[p->regions.v[region].entry];
    bool reads = reads_only(p, region);
    size_t n = 0;
    if (!p->lockstep || p->lanes == 1 || p->groups < 2 || blk->masked)
        return 0;
    for (size_t j = 0; j < blk->ir->insts.n && n < most; j++) {
        const struct ir_inst *i = blk->ir->insts.v[j];
        bool good = i->op == IR_LD && i->space == IR_GLOBAL && !(i->flags & IR_VOLATILE) && i->order == IR_WEAK &&
            (reads || (i->flags & IR_NONCOHERENT)) && i->src[0].kind == IR_REG && p->regs[i->src[0].reg->id].remat;
        uint32_t groups = good ? repeats(p, &i->src[0]) : 0;
        for (int k = 0; k < i->n_dst; k++)
            good = good && (!i->dst[k] || p->regs[i->dst[k]->id].n_defs == 1);
        if (good && groups)
            out[n++] = (struct plan_common_load){ i, groups };
    }
    return n;
}
