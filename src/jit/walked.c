/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that take a constant step in every turn of a loop, and are used in every turn: sum += *p++. One that begins in the window stays
 * there, or comes to the part at its ends where nothing is mapped, which no step is long enough to pass. So the check is made before
 * the loop, of all such pointers at once, and the loop asks for its answer; only where that is doubt every turn's addresses are looked at.
 */
#include "jit/emit.h"

#include "base/os.h"

struct walked {
    const struct ir_inst *access;
    LLVMValueRef doubt, fn;                      /* i1, in memory */
};

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

static bool walks(struct emit *e, int block, const struct ir_inst *i)
{
    const int64_t far = (int64_t)(HW_WINDOW_EDGE / 4);
    struct shape s;
    int64_t step;
    if (!guard_leads(e, i) || i->src[0].reg->type != IR_I64)
        return false;
    s = o_shape(e, &i->src[0]);
    return s.kind == SHAPE_AFFINE && steps_after(e->p->blocks[block].ir, i, &step) && step > -far && step < far && step % guard_align(i) == 0 &&
        s.stride >= 0 && s.stride <= 64 && s.stride % guard_align(i) == 0;
}

/* At the end of a block, before it leads into a loop. */
void walked_block(struct emit *e, int b)
{
    const struct plan *p = e->p;
    int to = p->blocks[b].n_succ == 1 ? p->blocks[b].succ[0] : -1;
    LLVMValueRef bad = NULL, doubt = NULL;
    if (to <= b || e->W == 1 || p->opt.function || e->details || entered_from(p, to) != b)
        return;
    guard_block(e, to);
    for (size_t j = 0; j < p->blocks[to].ir->insts.n; j++) {
        const struct ir_inst *i = p->blocks[to].ir->insts.v[j];
        if ((i->op != IR_LD && i->op != IR_ST) || i->src[0].kind != IR_REG || !walks(e, to, i))
            continue;
        struct shape s = o_shape(e, &i->src[0]);
        for (unsigned c = 0; c < (s.group && s.step == 0 ? 1 : e->C); c++) {
            LLVMValueRef a = guard_doubtful(e, i, LLVMBuildPtrToInt(e->b, u_address(e, i, c), ty_int(e, 64, 1), ""), 1);
            bad = bad ? LLVMBuildOr(e->b, bad, a, "") : a;
        }
        doubt = doubt ? doubt : entry_alloca(e, ty_int(e, 1, 1), "doubt");
        struct walked *w = hw_arena_alloc(&e->arena, sizeof *w);
        *w = (struct walked){ i, doubt, e->fn };
        hw_vec_push(&e->walked, w);
    }
    if (doubt)
        LLVMBuildStore(e->b, bad, doubt);
}

static const struct walked *walked_of(const struct emit *e, const struct ir_inst *i)
{
    for (size_t k = 0; k < e->walked.n; k++)
        if (e->walked.v[k]->access == i && e->walked.v[k]->fn == e->fn)
            return e->walked.v[k];
    return NULL;
}

bool walked_before(const struct emit *e, const struct ir_inst *i) { return walked_of(e, i) != NULL; }

void walked_check(struct emit *e, const struct ir_inst *i)
{
    const struct walked *w = walked_of(e, i);
    if (!w)
        return;
    struct shape s = o_shape(e, &i->src[0]);
    LLVMBasicBlockRef fine = cold_begin(e, LLVMBuildLoad2(e->b, ty_int(e, 1, 1), w->doubt, ""));
    for (unsigned c = 0; c < e->C; c++)
        guard_ask_row(e, i, LLVMBuildPtrToInt(e->b, u_address(e, i, c), ty_int(e, 64, 1), ""), s.stride, c);
    cold_end(e, fine);
}
