/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Butterflies in shared memory: runs of lanes, each followed by a gap as long, as s[2 * t - (t & (distance - 1))] has them for distances below a
 * vector's length (likely.c). Two accesses of which one fills the gaps of the other, s[i] and s[i + distance], are two whole vectors and
 * permutations by constants. Whether they do is asked at run time, of the first lanes' addresses.
 */
#include "jit/emit.h"

struct butterfly {
    const struct ir_inst *low, *high;            /* in the order of the program; high may be NULL: one access for itself */
    const struct ir_inst *place;                 /* the one of both where both are done */
    unsigned run;
};

static struct butterfly *butterfly_of(struct emit *e, const struct ir_inst *i)
{
    for (size_t k = 0; k < e->butterflies.n; k++)
        if (e->butterflies.v[k]->low == i || e->butterflies.v[k]->high == i)
            return e->butterflies.v[k];
    return NULL;
}

static bool defined_before(const struct ir_block *b, size_t at, const struct ir_reg *r)
{
    for (size_t j = at; j < b->insts.n; j++)
        if (ir_defines(b->insts.v[j], r))
            return false;
    return true;
}

static bool reads(const struct ir_inst *i, const struct ir_reg *r)
{
    for (int k = 0; k < i->n_src; k++)
        if (i->src[k].kind == IR_REG && i->src[k].reg == r)
            return true;
    return false;
}

/* May the access a wait until after i? */
static bool may_wait(const struct ir_inst *a, const struct ir_inst *i)
{
    const struct ir_reg *value = a->op == IR_LD ? a->dst[0] : a->src[1].kind == IR_REG ? a->src[1].reg : NULL;
    return !ir_defines(i, a->src[0].reg) && !(value && ir_defines(i, value)) && !(a->op == IR_LD && reads(i, value));
}

static bool same_pattern(const struct plan *p, const struct ir_inst *a, const struct ir_inst *b)
{
    return !memcmp(p->regs[a->src[0].reg->id].off, p->regs[b->src[0].reg->id].off, p->lanes * sizeof *p->regs->off);
}

/* The other access, later in the block, if nothing in between hinders that both are done at once, at the place of the last one or, of loads, of the first. */
static void find_partner(struct emit *e, const struct ir_block *b, size_t at, struct butterfly *f)
{
    const struct ir_inst *a = f->low;
    bool waits = true;
    for (size_t j = at + 1; j + 1 < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        if (i->op == a->op && i->type == a->type && !butterfly_of(e, i) && plan_butterfly(e->p, i) == f->run && same_pattern(e->p, a, i)) {
            f->place = waits && may_wait(a, i) ? i : a->op == IR_LD && defined_before(b, at, i->src[0].reg) ? a : NULL;
            f->high = f->place ? i : NULL;
            return;
        }
        waits &= may_wait(a, i);
        if (!(ir_op_info[i->op].props & IR_PROP_PURE) && (a->op != IR_LD || i->op != IR_LD || (i->flags & IR_VOLATILE) || i->order != IR_WEAK))
            return;
    }
}

void butterflies_block(struct emit *e, const struct ir_block *b)
{
    e->butterflies.n = 0;
    for (size_t j = 0; j + 1 < b->insts.n; j++) {
        unsigned run = plan_butterfly(e->p, b->insts.v[j]);
        if (!run || butterfly_of(e, b->insts.v[j]))
            continue;
        struct butterfly *f = hw_arena_alloc(&e->arena, sizeof *f);
        *f = (struct butterfly){ .low = b->insts.v[j], .run = run };
        if (run < e->W)
            find_partner(e, b, j, f);
        hw_vec_push(&e->butterflies, f);
    }
}

static LLVMValueRef first_offset(struct emit *e, const struct ir_inst *i)
{
    LLVMValueRef u = u_operand(e, &i->src[0], IR_I32, 0);
    return LLVMBuildAdd(e->b, u, k_int(e, 32, 1, (uint64_t)i->imm), "");
}

/* Does `high` fill the gaps of `low`? What holds for the first chunk holds for all: their patterns are the same. */
static LLVMValueRef fills_gaps(struct emit *e, const struct butterfly *f)
{
    LLVMValueRef apart = LLVMBuildSub(e->b, first_offset(e, f->high), first_offset(e, f->low), "");
    return LLVMBuildICmp(e->b, LLVMIntEQ, apart, k_int(e, 32, 1, f->run * element_bytes(f->low)), "");
}

static LLVMValueRef at_offset(struct emit *e, LLVMValueRef p, unsigned bytes)
{
    LLVMValueRef k = k_int(e, 64, 1, bytes);
    return LLVMBuildGEP2(e->b, ty_int(e, 8, 1), p, &k, 1, "");
}

static LLVMValueRef load_vector(struct emit *e, const struct ir_inst *i, LLVMValueRef p)
{
    LLVMValueRef v = LLVMBuildLoad2(e->b, ty(e, i->type, e->W), p, "");
    promise_align(e, v, element_bytes(i));
    return tag_memory(e, v, TAG_SHARED);
}

static void store_vector(struct emit *e, const struct ir_inst *i, LLVMValueRef v, LLVMValueRef p)
{
    LLVMValueRef s = LLVMBuildStore(e->b, v, p);
    promise_align(e, s, element_bytes(i));
    tag_memory(e, s, TAG_SHARED);
}

static LLVMValueRef pick(struct emit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *from)
{
    LLVMValueRef at[64];
    for (unsigned l = 0; l < e->W; l++)
        at[l] = k_int(e, 32, 1, from[l]);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(at, e->W), "");
}

/* Two vectors in a row hold the words of both; where = 0: those of `low`, 1: of `high`. */
static LLVMValueRef take_runs(struct emit *e, unsigned run, LLVMValueRef *row, unsigned where)
{
    unsigned from[64] = { 0 };
    for (unsigned l = 0; l < e->W; l++)
        from[l] = l / run * 2 * run + l % run + where * run;
    return pick(e, row[0], row[1], from);
}

/* One access: the second vector ends where the last lane's word does, so that nothing behind it is read. */
static LLVMValueRef load_alone(struct emit *e, const struct ir_inst *i, unsigned run, unsigned chunk)
{
    unsigned from[64] = { 0 }, words = 2 * e->W - run, skip = words - e->W;
    LLVMValueRef p = u_address(e, i, chunk), a = load_vector(e, i, p);
    if (run == e->W)
        return a;
    LLVMValueRef b = load_vector(e, i, at_offset(e, p, skip * element_bytes(i)));
    for (unsigned l = 0; l < e->W; l++) {
        unsigned word = l / run * 2 * run + l % run;
        from[l] = word < e->W ? word : word - skip + e->W;
    }
    return pick(e, a, b, from);
}

static void load_both(struct emit *e, const struct butterfly *f, unsigned chunk, LLVMValueRef *out)
{
    LLVMValueRef p = u_address(e, f->low, chunk), row[2];
    for (unsigned k = 0; k < 2; k++)
        row[k] = load_vector(e, f->low, at_offset(e, p, k * e->W * element_bytes(f->low)));
    for (unsigned k = 0; k < 2; k++)
        out[k] = take_runs(e, f->run, row, k);
}

/* Begins the way of two accesses at once; *other is the way of two for themselves. */
static void part_ways(struct emit *e, const struct butterfly *f, LLVMBasicBlockRef *other, LLVMBasicBlockRef *join)
{
    LLVMBasicBlockRef both = LLVMAppendBasicBlockInContext(e->cx, e->fn, "butterfly");
    *other = LLVMAppendBasicBlockInContext(e->cx, e->fn, "apart");
    *join = LLVMAppendBasicBlockInContext(e->cx, e->fn, "joined");
    LLVMBuildCondBr(e->b, fills_gaps(e, f), both, *other);
    LLVMPositionBuilderAtEnd(e->b, both);
}

static void load_pair(struct emit *e, const struct butterfly *f)
{
    LLVMBasicBlockRef ends[2], other, join;
    LLVMValueRef v[2][PLAN_MAX_CHUNKS][2];
    part_ways(e, f, &other, &join);
    for (unsigned c = 0; c < e->C; c++)
        load_both(e, f, c, v[0][c]);
    ends[0] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, other);
    for (unsigned c = 0; c < e->C; c++) {
        v[1][c][0] = load_alone(e, f->low, f->run, c);
        v[1][c][1] = load_alone(e, f->high, f->run, c);
    }
    ends[1] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, join);
    LLVMValueRef phi[PLAN_MAX_CHUNKS][2];
    for (unsigned c = 0; c < e->C; c++)
        for (unsigned k = 0; k < 2; k++) {
            LLVMValueRef from[] = { v[0][c][k], v[1][c][k] };
            phi[c][k] = LLVMBuildPhi(e->b, LLVMTypeOf(from[0]), "");
            LLVMAddIncoming(phi[c][k], from, ends, 2);
        }
    for (unsigned c = 0; c < e->C; c++)
        for (unsigned k = 0; k < 2; k++)
            set_varying(e, k ? f->high : f->low, 0, c, phi[c][k]);
}

bool butterfly_load(struct emit *e, const struct ir_inst *i)
{
    const struct butterfly *f = butterfly_of(e, i);
    if (!f)
        return false;
    if (f->place == i)
        load_pair(e, f);
    else if (!f->high)
        for (unsigned c = 0; c < e->C; c++)
            set_varying(e, i, 0, c, load_alone(e, i, f->run, c));
    return true;
}

static void store_alone(struct emit *e, const struct ir_inst *i, unsigned run, unsigned chunk)
{
    LLVMValueRef v = v_operand(e, &i->src[1], i->type, chunk), p = u_address(e, i, chunk);
    LLVMTypeRef overloads[] = { LLVMTypeOf(v), ty_ptr(e) };
    if (run == e->W)
        store_vector(e, i, v, p);
    for (unsigned half = 0; half < 2 && run < e->W; half++) {
        unsigned from[64] = { 0 };
        LLVMValueRef on[64];
        for (unsigned l = 0; l < e->W; l++) {
            unsigned word = half * e->W + l;
            on[l] = k_int(e, 1, 1, word / run % 2 == 0);
            from[l] = word / (2 * run) * run + word % run;
        }
        LLVMValueRef args[] = { pick(e, v, v, from), at_offset(e, p, half * e->W * element_bytes(i)), k_int(e, 32, 1, promised_align(e, element_bytes(i))), LLVMConstVector(on, e->W) };
        tag_memory(e, intrinsic(e, "llvm.masked.store", overloads, 2, args, 4), TAG_SHARED);
    }
}

static void store_both(struct emit *e, const struct butterfly *f, unsigned chunk)
{
    LLVMValueRef low = v_operand(e, &f->low->src[1], f->low->type, chunk), high = v_operand(e, &f->high->src[1], f->low->type, chunk);
    LLVMValueRef p = u_address(e, f->low, chunk);
    for (unsigned half = 0; half < 2; half++) {
        unsigned from[64] = { 0 };
        for (unsigned l = 0; l < e->W; l++) {
            unsigned word = half * e->W + l;
            from[l] = word / (2 * f->run) * f->run + word % f->run + word / f->run % 2 * e->W;
        }
        store_vector(e, f->low, pick(e, low, high, from), at_offset(e, p, half * e->W * element_bytes(f->low)));
    }
}

static void store_pair(struct emit *e, const struct butterfly *f)
{
    LLVMBasicBlockRef other, join;
    part_ways(e, f, &other, &join);
    for (unsigned c = 0; c < e->C; c++)
        store_both(e, f, c);
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, other);
    for (unsigned c = 0; c < e->C; c++)
        store_alone(e, f->low, f->run, c);
    for (unsigned c = 0; c < e->C; c++)
        store_alone(e, f->high, f->run, c);
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, join);
}

bool butterfly_store(struct emit *e, const struct ir_inst *i)
{
    const struct butterfly *f = butterfly_of(e, i);
    if (!f)
        return false;
    if (f->place == i)
        store_pair(e, f);
    else if (!f->high)
        for (unsigned c = 0; c < e->C; c++)
            store_alone(e, i, f->run, c);
    return true;
}
