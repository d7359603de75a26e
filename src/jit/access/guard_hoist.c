/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that take a constant step in every turn of a loop: sum += *p++. Before the loop it is found for how many turns all of them certainly stay in
 * the window. The loop counts those down, one number for all its pointers; when none is left, every turn's addresses are looked at. So each turn is
 * behind a test that covers its own addresses: what LLVM moves out of the loop, or does in some turns only, stays behind it too.
 */
#include "jit/emit.h"

#include "base/os.h"

struct walked {
    const struct ir_inst *access;
    int block;                                   /* the loop */
    LLVMValueRef left, fn;                       /* i64, in memory: turns that need no look */
};

/* Kept from the window's ends: more than what an access may be away from the address that is tested (a row of lanes, an index that wraps around). */
#define MARGIN (HW_WINDOW_EDGE / 4 * 3)

/* Of a loop of one block, entered from one other that leads nowhere else: its number, or -1. */
static int entered_from(const struct plan *p, int block)
{
    const struct plan_block *b = &p->blocks[block];
    int from = -1;
    if (b->loop < 0 || p->loops.v[b->loop].header != block || p->loops.v[b->loop].latch != block)
        return -1;
    for (size_t k = 0; k < b->preds.n; k++) {
        if (b->preds.v[k] == block)
            continue;
        if (from >= 0)
            return -1;
        from = b->preds.v[k];
    }
    return from >= 0 && p->blocks[from].n_succ == 1 && ir_block_term(p->blocks[from].ir)->op == IR_BR ? from : -1;
}

/* The register takes one constant step in the block, after this access. */
static bool steps_after(const struct ir_block *b, const struct ir_inst *access, int64_t *out)
{
    const struct ir_reg *r = access->src[0].reg;
    bool seen = false;
    unsigned steps = 0;
    for (size_t j = 0; j < b->insts.n; j++) {
        const struct ir_inst *i = b->insts.v[j];
        seen |= i == access;
        if (!ir_defines(i, r))
            continue;
        if (!seen || i->op != IR_ADD || i->src[0].kind != IR_REG || i->src[0].reg != r || i->src[1].kind != IR_IMM)
            return false;
        *out = (int64_t)i->src[1].imm;
        steps++;
    }
    return steps == 1;
}

static bool walks(struct emit *e, int block, const struct ir_inst *i, int64_t *out_step)
{
    const int64_t far = (int64_t)(HW_WINDOW_EDGE / 4);
    struct shape s;
    if (!guard_leads(e, i) || i->src[0].reg->type != IR_I64)
        return false;
    s = o_shape(e, &i->src[0]);
    return s.kind == SHAPE_AFFINE && steps_after(e->p->blocks[block].ir, i, out_step) && *out_step > -far && *out_step < far &&
        *out_step % guard_align(i) == 0 && s.stride >= 0 && s.stride <= 64 && s.stride % guard_align(i) == 0;
}

/* i64: for how many turns the lanes of a chunk certainly stay in the window, and are aligned. */
static LLVMValueRef safe_turns(struct emit *e, const struct ir_inst *i, int64_t step, unsigned chunk)
{
    const uint64_t begin = ((uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT) + MARGIN, end = ((uint64_t)(HW_WINDOW_TAG + 1) << HW_WINDOW_SHIFT) - MARGIN;
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    uint64_t far = (uint64_t)(step < 0 ? -step : step);
    unsigned log2 = far > 1 ? 64 - (unsigned)__builtin_clzll(far - 1) : 0;
    LLVMValueRef a = LLVMBuildPtrToInt(e->b, u_address(e, i, chunk), i64, "");
    LLVMValueRef room = step < 0 ? LLVMBuildSub(e->b, a, k_int(e, 64, 1, begin), "") : LLVMBuildSub(e->b, k_int(e, 64, 1, end), a, "");
    LLVMValueRef low = LLVMBuildAnd(e->b, a, k_int(e, 64, 1, guard_align(i) - 1), "");
    LLVMValueRef bad = LLVMBuildICmp(e->b, LLVMIntUGT, room, k_int(e, 64, 1, end - begin), "");
    bad = LLVMBuildOr(e->b, bad, LLVMBuildICmp(e->b, LLVMIntNE, low, LLVMConstNull(i64), ""), "");
    return LLVMBuildSelect(e->b, bad, LLVMConstNull(i64), LLVMBuildLShr(e->b, room, k_int(e, 64, 1, log2), ""), "");
}

/* Chunks of one base, not far from it, are covered by the first one's test. */
static unsigned chunks_to_test(struct emit *e, const struct shape *s)
{
    enum { NEAR = 1 << 30 };
    for (unsigned c = 0; c < e->C; c++)
        if (!s->group || plan_lane_offset(e->p, s, c * e->W) >= NEAR || plan_lane_offset(e->p, s, c * e->W) <= -NEAR)
            return e->C;
    return 1;
}

/* At the end of a block, before it leads into a loop. */
void walked_block(struct emit *e, int b)
{
    const struct plan *p = e->p;
    int to = p->blocks[b].n_succ == 1 ? p->blocks[b].succ[0] : -1;
    LLVMValueRef left = NULL, turns = NULL;
    int64_t step = 0;
    if (to <= b || e->W == 1 || p->opt.function || e->details || entered_from(p, to) != b)
        return;
    guard_block(e, to);
    for (size_t j = 0; j < p->blocks[to].ir->insts.n; j++) {
        const struct ir_inst *i = p->blocks[to].ir->insts.v[j];
        if ((i->op != IR_LD && i->op != IR_ST) || i->src[0].kind != IR_REG || !walks(e, to, i, &step))
            continue;
        struct shape s = o_shape(e, &i->src[0]);
        for (unsigned c = 0, n = chunks_to_test(e, &s); c < n; c++) {
            LLVMValueRef more = safe_turns(e, i, step, c);
            turns = turns ? intrinsic2(e, "llvm.umin", ty_int(e, 64, 1), turns, more) : more;
        }
        left = left ? left : entry_alloca(e, ty_int(e, 64, 1), "turns");
        struct walked *w = hw_arena_alloc(&e->arena, sizeof *w);
        *w = (struct walked){ i, to, left, e->fn };
        hw_vec_push(&e->walked, w);
    }
    if (left)
        LLVMBuildStore(e->b, turns, left);
}

bool walked_before(const struct emit *e, const struct ir_inst *i)
{
    for (size_t k = 0; k < e->walked.n; k++)
        if (e->walked.v[k]->access == i && e->walked.v[k]->fn == e->fn)
            return true;
    return false;
}

void walked_turn(struct emit *e, int b)
{
    LLVMBasicBlockRef fine = NULL;
    LLVMTypeRef i64 = ty_int(e, 64, 1);
    for (size_t k = 0; k < e->walked.n; k++) {
        const struct walked *w = e->walked.v[k];
        if (w->block != b || w->fn != e->fn)
            continue;
        if (!fine) {
            LLVMValueRef left = LLVMBuildLoad2(e->b, i64, w->left, ""), none = LLVMBuildICmp(e->b, LLVMIntEQ, left, LLVMConstNull(i64), "");
            LLVMBuildStore(e->b, LLVMBuildSub(e->b, left, k_int(e, 64, 1, 1), ""), w->left);
            fine = cold_begin(e, none);
            LLVMBuildStore(e->b, LLVMConstNull(i64), w->left);
        }
        struct shape s = o_shape(e, &w->access->src[0]);
        for (unsigned c = 0; c < e->C; c++)
            guard_ask_row(e, w->access, LLVMBuildPtrToInt(e->b, u_address(e, w->access, c), i64, ""), s.stride, c);
    }
    if (fine)
        cold_end(e, fine);
}
