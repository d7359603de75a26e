/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that IR keeps its own rules. What it finds is a bug of ours, never of the program. */
#include "ir/ir.h"

struct check {
    const struct ir_func *f;
    const struct ir_inst *i;
    struct diag *diag;
    bool ok;
};

static void fail(struct check *c, const char *why)
{
    struct hw_str text = { 0 };
    if (c->i)
        ir_print_inst(&text, c->i);
    diag_error(c->diag, c->i ? (int)c->i->ptx_line : 0, 0, "bad IR in %s: %s%s%s", c->f->name, why, c->i ? ": " : "", text.n ? text.s : "");
    hw_str_fini(&text);
    c->ok = false;
}

/* The type of the k-th operand of an operation whose operands are not all of inst->type; IR_VOID: any. */
static enum ir_type src_type(const struct ir_inst *i, int k)
{
    switch (i->op) {
    case IR_SHL: case IR_SHR_U: case IR_SHR_S: return k == 1 ? IR_I32 : i->type;
    case IR_FSHL: case IR_FSHR: case IR_ADDC: case IR_SUBC: return k == 2 ? IR_I32 : i->type;
    case IR_SELECT: return k == 0 ? IR_PRED : i->type;
    case IR_ZEXT: case IR_SEXT: case IR_TRUNC: case IR_FTOI_S: case IR_FTOI_U: case IR_ITOF_S: case IR_ITOF_U: case IR_FTOF:
    case IR_PACK: case IR_EXTRACT: return i->type2;
    case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC: case IR_GENERIC_TO_LOCAL: return IR_I64;
    case IR_ISSPACE: return IR_I64;
    case IR_TILE_LD: case IR_TILE_ST:
        if (k == 1)
            return IR_I64; /* fallthrough */
    case IR_LD: case IR_ST: case IR_ATOM: case IR_ATOM2: case IR_NOTE:
        if (k > 0)
            return i->type;
        return i->space == IR_SHARED || i->space == IR_LOCAL ? IR_VOID : IR_I64;
    case IR_SHFL: return k == 0 ? i->type : IR_I32;
    case IR_VOTE: return k == 0 ? IR_PRED : IR_I32;
    case IR_MATCH: case IR_REDUX: return k == 0 ? i->type : IR_I32;
    case IR_WARPSYNC: case IR_NANOSLEEP: return IR_I32;
    case IR_VPRINTF: case IR_MALLOC: case IR_FREE: return IR_I64;
    case IR_ASSERTFAIL: return k == 2 ? IR_I32 : IR_I64;
    case IR_CALL: return IR_I64;
    case IR_TEX: return k == 0 ? IR_I64 : IR_I32;
    case IR_CBR: return IR_PRED;
    case IR_BAR: return IR_I32;
    case IR_BAR_RED: return k == 0 ? IR_PRED : IR_I32;
    case IR_WARPOP: return IR_VOID;
    case IR_MATH: return IR_VOID;          /* signatures differ from row to row of math.def */
    default: return i->type;
    }
}

static enum ir_type dst_type(const struct ir_inst *i, int k)
{
    switch (i->op) {
    case IR_POPC: case IR_CLZ: case IR_CTZ: case IR_ACTIVEMASK: case IR_VPRINTF: return IR_I32;
    case IR_ADDC: case IR_SUBC: return k == 1 ? IR_I32 : i->type;
    case IR_CMP: case IR_ISSPACE: return IR_PRED;
    case IR_PARAMADDR: case IR_VARADDR: case IR_SHARED_TO_GENERIC: case IR_GENERIC_TO_SHARED: case IR_LOCAL_TO_GENERIC:
    case IR_GENERIC_TO_LOCAL: case IR_MALLOC: return IR_I64;
    case IR_SHFL: return k == 1 ? IR_PRED : i->type;
    case IR_VOTE: return i->imm == IR_VOTE_BALLOT ? IR_I32 : IR_PRED;
    case IR_MATCH: return k == 1 ? IR_PRED : IR_I32;
    case IR_BAR_RED: return i->imm == IR_BAR_POPC ? IR_I32 : IR_PRED;
    case IR_MATH: case IR_WARPOP: return IR_VOID;
    default: return i->type;
    }
}

static bool reg_fits(const struct ir_func *f, const struct ir_reg *r, enum ir_type want)
{
    if (!r || r->id >= f->regs.n || f->regs.v[r->id] != r || ir_type_is_float(r->type) || r->type == IR_VOID)
        return false;
    return want == IR_VOID || ((r->type == IR_PRED) == (want == IR_PRED) && ir_type_bits(r->type) == ir_type_bits(want));
}

static void check_counts(struct check *c)
{
    const struct ir_inst *i = c->i;
    const struct ir_op_info *info = &ir_op_info[i->op];
    bool dst_ok = info->n_dst < 0 || i->n_dst == info->n_dst || (i->op == IR_MATH && i->n_dst == 2);
    if (!dst_ok)
        fail(c, "wrong number of results");
    if (info->n_src >= 0 && i->n_src != info->n_src)
        fail(c, "wrong number of operands");
    bool vector = i->n_dst == 1 || i->n_dst == 2 || i->n_dst == 4 || i->n_dst == 8;
    if (i->op == IR_LD && !vector)
        fail(c, "a load has 1, 2, 4 or 8 results");
    if (i->op == IR_ST && i->n_src < 2)
        fail(c, "a store has an address and values");
    if (i->op == IR_ATOM && (i->n_dst > 1 || i->n_src != (i->atom == IR_ATOM_CAS ? 3 : 2)))
        fail(c, "an atomic has an address and one operand, compare-and-swap two");
    if (i->op == IR_ATOM2 && ((i->n_dst != 0 && i->n_dst != 2) || i->n_src % 2 == 0 || i->n_src > 5))
        fail(c, "an atomic of 128 bits has pairs of operands");
    if (i->op == IR_PACK && i->n_src * ir_type_bits(i->type2) != ir_type_bits(i->type))
        fail(c, "the pieces do not fill the result");
    if (i->op == IR_EXTRACT && ((uint64_t)i->imm + 1) * ir_type_bits(i->type) > ir_type_bits(i->type2))
        fail(c, "no such piece");
}

static void check_operands(struct check *c)
{
    const struct ir_inst *i = c->i;
    for (int k = 0; k < i->n_dst; k++)
        if (!reg_fits(c->f, i->dst[k], dst_type(i, k)))
            fail(c, "a result has the wrong type");
    for (int k = 0; k < i->n_src; k++) {
        enum ir_type want = src_type(i, k);
        if (i->src[k].kind == IR_REG && !reg_fits(c->f, i->src[k].reg, want))
            fail(c, "an operand has the wrong type");
        else if (i->src[k].kind == IR_NONE)
            fail(c, "an operand is missing");
        else if (i->src[k].kind == IR_IMM && want != IR_VOID && ir_type_bits(want) < 64 && i->src[k].imm >> ir_type_bits(want))
            fail(c, "a constant is wider than its type");
    }
    bool narrow_ok = i->op != IR_TRUNC || ir_type_bits(i->type) < ir_type_bits(i->type2);
    bool widen_ok = (i->op != IR_ZEXT && i->op != IR_SEXT) || ir_type_bits(i->type) > ir_type_bits(i->type2);
    if (!narrow_ok || !widen_ok)
        fail(c, "a conversion goes the wrong way");
}

static int n_targets(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_BR: case IR_BAR: case IR_BAR_RED: case IR_YIELD: case IR_WARPOP: return 1;
    case IR_CBR: return 2;
    default: return 0;
    }
}

static void check_targets(struct check *c)
{
    int want = n_targets(c->i);
    for (int t = 0; t < 2; t++) {
        const struct ir_block *b = c->i->target[t];
        if (t >= want ? b != NULL : (!b || b->id >= c->f->blocks.n || c->f->blocks.v[b->id] != b))
            fail(c, "bad branch target");
    }
}

static void check_block(struct check *c, const struct ir_block *b, size_t index)
{
    c->i = NULL;
    if (b->id != index)
        fail(c, "a block's id is not its place");
    if (!ir_block_term(b))
        fail(c, "a block has no end");
    for (size_t k = 0; k < b->insts.n; k++) {
        c->i = b->insts.v[k];
        if ((unsigned)c->i->op >= IR_OP_COUNT || (unsigned)c->i->type >= IR_TYPE_COUNT || (unsigned)c->i->type2 >= IR_TYPE_COUNT) {
            c->i = NULL;
            fail(c, "unknown operation or type");
            continue;
        }
        if ((ir_op_info[c->i->op].props & IR_PROP_TERM) && k + 1 != b->insts.n)
            fail(c, "a block goes on after its end");
        check_counts(c);
        check_operands(c);
        check_targets(c);
    }
}

bool ir_verify(const struct ir_func *f, struct diag *diag)
{
    struct check c = { .f = f, .diag = diag, .ok = true };
    if (!f->blocks.n)
        fail(&c, "no blocks");
    for (size_t b = 0; b < f->blocks.n; b++)
        check_block(&c, f->blocks.v[b], b);
    return c.ok;
}
