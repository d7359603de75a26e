/* SPDX-License-Identifier: Apache-2.0 */
/* A block, and its versions: for all lanes on, for addresses that turn out to be regular. */
#include "jit/emit/control.h"

/*
 * Gathers, and a few loads and computations around them: masks cost next to nothing there, while the choice of a version, which a row's last
 * turn makes the CPU foretell wrongly, comes before the gathers and keeps them waiting.
 */
static bool mostly_gathers(struct emit *e, const struct plan_block *blk)
{
    enum { FEW = 16 };           /* instructions for each */
    size_t gathers = 0;
    for (size_t j = 0; j + 1 < blk->ir->insts.n; j++) {
        const struct ir_inst *i = blk->ir->insts.v[j];
        if (!(ir_op_info[i->op].props & IR_PROP_MEM))
            continue;
        if (i->op != IR_LD || i->n_dst != 1 || own_row_is(e, i, (int)(blk - e->p->blocks)))
            return false;
        struct shape s = o_shape(e, &i->src[0]);
        gathers += s.kind == SHAPE_VARYING && i->space != IR_SHARED && i->space != IR_LOCAL;
        if (s.kind == SHAPE_AFFINE && s.stride && s.stride != element_bytes(i))
            return false;
    }
    return gathers * FEW >= blk->ir->insts.n;
}

bool block_touches_memory(const struct plan_block *blk)
{
    bool touches = false;
    for (size_t j = 0; j + 1 < blk->ir->insts.n; j++)
        touches |= ir_op_info[blk->ir->insts.v[j]->op].props & IR_PROP_MEM;
    return touches;
}

/* Is a version of this block without masks worth its code? */
bool block_gains_without_masks(struct emit *e, const struct plan_block *blk)
{
    return block_touches_memory(blk) && !mostly_gathers(e, blk);
}

static void emit_insts(struct emit *e, const struct plan_block *blk)
{
    for (size_t j = 0; j + 1 < blk->ir->insts.n; j++) {
        if (common_done(e, blk->ir->insts.v[j])) {
            common_take(e, blk->ir->insts.v[j]);
            continue;
        }
        if (!(ir_op_info[blk->ir->insts.v[j]->op].props & IR_PROP_PURE) && !atomic_may_wait(e, blk->ir->insts.v[j]))
            atomics_flush(e);
        details_access(e, blk->ir->insts.v[j]);
        emit_inst(e, blk->ir->insts.v[j]);
        details_look(e, blk->ir, j);
    }
    details_access(e, ir_block_term(blk->ir));
    atomics_flush(e);
}

/*
 * Most of the time all lanes are on: of blocks with memory accesses there is a version for that, without masks and blends.
 */
static bool worth_two_versions(struct emit *e, const struct plan_block *blk)
{
    enum { MOST = 600 };
    if (!e->m[0] || e->W == 1 || e->p->opt.function || e->doubled + blk->ir->insts.n > MOST || !block_gains_without_masks(e, blk) ||
        brief_block(e, e->at))
        return false;
    e->doubled += (unsigned)blk->ir->insts.n;
    return true;
}

/* Addresses of this block may well be regular, or lie in a known pattern: versions for that. */
static unsigned likely_versions(struct emit *e, const struct plan_block *blk, struct plan_version *l)
{
    enum { MOST = 600 };
    unsigned n = 0;
    if (e->m[0] || e->W == 1 || e->p->opt.function || e->details)
        return 0;
    bool patterns = false;
    for (unsigned version = 0; version < PLAN_VERSIONS && e->doubled + blk->ir->insts.n <= MOST; version++) {
        if ((version == PLAN_OF_CHUNKS && patterns) || !plan_version(e->p, e->at, version, &e->arena, &l[n]))
            continue;
        patterns |= version > 0;
        e->doubled += (unsigned)blk->ir->insts.n;
        n++;
    }
    return n;
}

static void swap_slots(struct emit *e, const struct plan_version *l, LLVMValueRef (*with)[PLAN_MAX_CHUNKS])
{
    for (size_t k = 0; k < l->regs.n; k++)
        for (unsigned c = 0; c < PLAN_MAX_CHUNKS; c++) {
            LLVMValueRef was = e->slot[l->regs.v[k].reg->id][c];
            e->slot[l->regs.v[k].reg->id][c] = with[k][c];
            with[k][c] = was;
        }
}

static void emit_version(struct emit *e, const struct plan_block *blk, struct plan_version *l)
{
    LLVMValueRef (*slots)[PLAN_MAX_CHUNKS] = hw_alloc(l->regs.n * sizeof *slots);
    plan_exchange(e->p, l);
    swap_slots(e, l, slots);
    records_block(e, blk->ir);
    butterflies_block(e, blk->ir);
    emit_insts(e, blk);
    e->butterflies.n = 0;
    plan_exchange(e->p, l);
    swap_slots(e, l, slots);
    hw_free(slots);
}

/* i1: the clamp leaves the number of every lane as it is. The last lane's must not have wrapped around either. */
static LLVMValueRef clamp_idle(struct emit *e, const struct plan_condition *c)
{
    bool most = c->clamp->op == IR_MIN_S || c->clamp->op == IR_MIN_U, sign = c->clamp->op == IR_MIN_S || c->clamp->op == IR_MAX_S;
    struct shape s = o_shape(e, &c->number);
    uint64_t span = 0, largest = UINT32_MAX >> sign;
    plan_span(e->p, &s, &span);
    LLVMValueRef first = u_operand(e, &c->number, IR_I32, 0), limit = u_operand(e, &c->limit, IR_I32, 0), last = LLVMBuildAdd(e->b, first, k_int(e, 32, 1, span), "");
    LLVMValueRef whole = LLVMBuildICmp(e->b, sign ? LLVMIntSLE : LLVMIntULE, first, k_int(e, 32, 1, largest - span), "");
    LLVMValueRef idle = most ? LLVMBuildICmp(e->b, sign ? LLVMIntSLE : LLVMIntULE, last, limit, "") : LLVMBuildICmp(e->b, sign ? LLVMIntSGE : LLVMIntUGE, first, limit, "");
    return s.umax <= largest ? idle : LLVMBuildAnd(e->b, whole, idle, "");
}

/* i1: of a number that all lanes share, the low bits are these. */
static LLVMValueRef low_bits_are(struct emit *e, const struct plan_condition *c)
{
    struct ir_operand o = { .kind = IR_REG, .reg = e->p->regs[c->reg->id].reg };
    LLVMValueRef u = u_operand(e, &o, o.reg->type, 0), low = LLVMConstInt(LLVMTypeOf(u), c->low, false);
    return LLVMBuildICmp(e->b, LLVMIntEQ, LLVMBuildAnd(e->b, u, low, ""), LLVMConstInt(LLVMTypeOf(u), c->value, false), "");
}

static void emit_likely(struct emit *e, const struct plan_block *blk, struct plan_version *l, unsigned n)
{
    LLVMBasicBlockRef both = new_block(e, "both");
    e->versions = true;
    for (unsigned version = 0; version < n; version++, l++) {
        LLVMValueRef fits = k_int(e, 1, 1, 1);
        for (unsigned k = 0; k < l->n_ahead; k++)
            emit_inst(e, l->ahead[k]);
        for (unsigned k = 0; k < l->n; k++)
            fits = LLVMBuildAnd(e->b, fits, l->conditions[k].clamp ? clamp_idle(e, &l->conditions[k]) : low_bits_are(e, &l->conditions[k]), "");
        LLVMBasicBlockRef fit = new_block(e, version ? "pattern" : "regular"), other = new_block(e, "other");
        LLVMBuildCondBr(e->b, fits, fit, other);
        LLVMPositionBuilderAtEnd(e->b, fit);
        emit_version(e, blk, l);
        LLVMBuildBr(e->b, both);
        LLVMPositionBuilderAtEnd(e->b, other);
    }
    records_block(e, blk->ir);
    emit_insts(e, blk);
    LLVMBuildBr(e->b, both);
    LLVMPositionBuilderAtEnd(e->b, both);
}

static void emit_body(struct emit *e, const struct plan_block *blk)
{
    struct plan_version likely[PLAN_VERSIONS];
    unsigned n = likely_versions(e, blk, likely);
    if (n)
        emit_likely(e, blk, likely, n);
    else
        emit_insts(e, blk);
    for (unsigned k = 0; k < n; k++) {
        for (size_t r = 0; r < likely[k].regs.n; r++)             /* each version has it in another slot */
            e->available[likely[k].regs.v[r].reg->id] = false;
        hw_vec_fini(&likely[k].regs);
    }
}

static void emit_two_versions(struct emit *e, const struct plan_block *blk)
{
    LLVMValueRef m[PLAN_MAX_CHUNKS], all = e->m[0];
    LLVMTypeRef bits = ty_int(e, e->W, 1);
    for (unsigned c = 0; c < e->C; c++) {
        m[c] = e->m[c];
    }
    LLVMBasicBlockRef full = new_block(e, "full"), look = new_block(e, "look"), part = new_block(e, "part"), both = new_block(e, "both");
    LLVMBuildCondBr(e->b, e->all_here, full, look);
    LLVMPositionBuilderAtEnd(e->b, look);
    for (unsigned c = 1; c < e->C; c++)
        all = LLVMBuildAnd(e->b, all, m[c], "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, cast_to(e, all, bits), LLVMConstAllOnes(bits), ""), full, part);
    LLVMPositionBuilderAtEnd(e->b, full);
    e->m[0] = NULL;
    emit_body(e, blk);
    LLVMBuildBr(e->b, both);
    LLVMPositionBuilderAtEnd(e->b, part);
    memcpy(e->m, m, sizeof *m * e->C);
    emit_insts(e, blk);
    LLVMBuildBr(e->b, both);
    LLVMPositionBuilderAtEnd(e->b, both);
}

void emit_block(struct emit *e, int b)
{
    const struct plan_block *blk = &e->p->blocks[b];
    LLVMPositionBuilderAtEnd(e->b, e->bb[b]);
    e->at = b;
    e->m[0] = NULL;
    for (size_t r = 0; r < e->p->n_regs; r++)
        e->available[r] = bits_has(blk->live_in, r);
    if (blk->masked) {
        e->all_here = mask_access(e, LLVMBuildLoad2(e->b, ty_int(e, 1, 1), blk->mask_from >= 0 ? e->cur_whole[blk->mask_from] : e->whole[b], ""));
        masks_load(e, blk->mask_from >= 0 ? e->cur[blk->mask_from] : e->mask[b], e->m);
        if (blk->mask_from < 0)
            masks_store(e, e->mask[b], NULL);
        if (e->is_source[b]) {
            masks_store(e, e->cur[b], e->m);
            mask_access(e, LLVMBuildStore(e->b, e->all_here, e->cur_whole[b]));
        }
    }
    clear_registers(e, b);
    details_block(e, blk->ir);
    guard_block(e, b);
    walked_turn(e, b);
    records_block(e, blk->ir);
    if (worth_two_versions(e, blk))
        emit_two_versions(e, blk);
    else
        emit_body(e, blk);
    walked_block(e, b);
    own_rows_enter(e, b);
    emit_terminator(e, ir_block_term(blk->ir));
}
