/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the first or the last lane tells of all: where a number that rises from lane to lane is compared with a limit, one lane decides, and
 * a comparison of scalars takes the place of vectors and masks.
 */
#include "jit/emit.h"

/* The instruction that made this value, if that was in the block at hand and what it was made of is still there. */
const struct ir_inst *ends_made_here(struct emit *e, const struct ir_operand *o)
{
    const struct ir_block *b = e->p->blocks[e->at].ir;
    const struct ir_inst *def = o->kind == IR_REG ? e->p->regs[o->reg->id].def : NULL;
    size_t at = 0;
    while (at < b->insts.n && b->insts.v[at] != def)
        at++;
    if (!def || at == b->insts.n)
        return NULL;
    for (int k = 0; k < def->n_src; k++)
        for (size_t j = at; def->src[k].kind == IR_REG && j < b->insts.n; j++)
            if (ir_defines(b->insts.v[j], def->src[k].reg))
                return NULL;
    return def;
}

/* Not 0 is above 0: `y > 0` of what is known not to be negative comes from compilers so. */
static bool not_zero(const struct ir_inst *cmp, bool exchanged, bool holds)
{
    const struct ir_operand *limit = &cmp->src[exchanged ? 0 : 1];
    return cmp->cmp == (holds ? IR_NE : IR_EQ) && limit->kind == IR_IMM && limit->imm == 0;
}

/* The comparison with its sides exchanged, or its opposite; IR_EQ: not one of order. */
static enum ir_cmp order(const struct ir_inst *cmp, bool exchanged, bool holds)
{
    static const enum ir_cmp swapped[] = { [IR_SLT] = IR_SGT, [IR_SLE] = IR_SGE, [IR_SGT] = IR_SLT, [IR_SGE] = IR_SLE,
                                           [IR_ULT] = IR_UGT, [IR_ULE] = IR_UGE, [IR_UGT] = IR_ULT, [IR_UGE] = IR_ULE };
    static const enum ir_cmp inverse[] = { [IR_SLT] = IR_SGE, [IR_SLE] = IR_SGT, [IR_SGT] = IR_SLE, [IR_SGE] = IR_SLT,
                                           [IR_ULT] = IR_UGE, [IR_ULE] = IR_UGT, [IR_UGT] = IR_ULE, [IR_UGE] = IR_ULT };
    enum ir_cmp c = (enum ir_cmp)cmp->cmp;
    if (not_zero(cmp, exchanged, holds))
        return IR_UGT;
    if (c < IR_SLT || c > IR_UGE)
        return IR_EQ;
    c = exchanged ? swapped[c] : c;
    return holds ? c : inverse[c];
}

static const struct { LLVMIntPredicate predicate; bool sign, below; } orders[] = {
    [IR_SLT] = { LLVMIntSLT, true, true },   [IR_SLE] = { LLVMIntSLE, true, true },
    [IR_SGT] = { LLVMIntSGT, true, false },  [IR_SGE] = { LLVMIntSGE, true, false },
    [IR_ULT] = { LLVMIntULT, false, true },  [IR_ULE] = { LLVMIntULE, false, true },
    [IR_UGT] = { LLVMIntUGT, false, false }, [IR_UGE] = { LLVMIntUGE, false, false },
};

static LLVMValueRef compare(struct emit *e, const struct ir_inst *cmp, bool holds)
{
    if (cmp->type != IR_I32 && cmp->type != IR_I64)
        return NULL;
    unsigned bits = ir_type_bits(cmp->type);
    for (int k = 0; k < 2; k++) {
        struct shape s = o_shape(e, &cmp->src[k]), limit = o_shape(e, &cmp->src[1 - k]);
        enum ir_cmp c = order(cmp, k == 1, holds);
        uint64_t span, largest = UINT64_MAX >> (64 - bits) >> orders[c].sign;
        if (c == IR_EQ || !plan_span(e->p, &s, &span) || span == 0 || !shape_group_uniform(&limit))
            continue;
        LLVMValueRef first = u_operand(e, &cmp->src[k], cmp->type, 0), to = u_operand(e, &cmp->src[1 - k], cmp->type, 0);
        LLVMValueRef end = orders[c].below ? LLVMBuildAdd(e->b, first, k_int(e, bits, 1, span), "") : first;
        LLVMValueRef all = LLVMBuildICmp(e->b, orders[c].predicate, end, to, "");
        if (s.align > span || s.umax <= largest - span)          /* no lane's wraps around */
            return all;
        LLVMValueRef whole = LLVMBuildICmp(e->b, orders[c].sign ? LLVMIntSLE : LLVMIntULE, first, k_int(e, bits, 1, largest - span), "");
        return LLVMBuildAnd(e->b, all, whole, "");
    }
    return NULL;
}

/* One value for each chunk, or one for all. */
static LLVMValueRef chunks_have(struct emit *e, const struct ir_operand *o, bool value)
{
    LLVMValueRef all = NULL;
    for (unsigned c = 0; c < slot_count(e, o->reg); c++) {
        LLVMValueRef v = u_operand(e, o, IR_PRED, c);
        v = value ? v : LLVMBuildNot(e->b, v, "");
        all = all ? LLVMBuildAnd(e->b, all, v, "") : v;
    }
    return all;
}

static LLVMValueRef all_have(struct emit *e, const struct ir_operand *o, bool value, int depth)
{
    enum { DEEP = 4 };
    struct shape s = o_shape(e, o);
    const struct ir_inst *i = ends_made_here(e, o);
    if (o->kind == IR_REG && shape_uniform(&s) && (!i || shape_group_uniform(&s)))
        return chunks_have(e, o, value);
    if (!i || depth == DEEP)
        return NULL;
    if (i->op == IR_CMP)
        return compare(e, i, value);
    if (i->op == IR_NOT)
        return all_have(e, &i->src[0], !value, depth + 1);
    if (i->op != (value ? IR_AND : IR_OR))
        return NULL;
    LLVMValueRef a = all_have(e, &i->src[0], value, depth + 1), b = a ? all_have(e, &i->src[1], value, depth + 1) : NULL;
    return b ? LLVMBuildAnd(e->b, a, b, "") : NULL;
}

LLVMValueRef ends_all_have(struct emit *e, const struct ir_operand *predicate, bool value)
{
    return all_have(e, predicate, value, 0);
}
