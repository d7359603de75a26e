/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow between blocks: static predication. Lanes that part wait in blocks; every jump visits those on its way. */
#include "jit/emit/control.h"
#include "jit/emit/frame.h"

/* The group stops in this state; if all of the block's stop with the same answer, the region returns it. */
void group_stops(struct emit *e, LLVMValueRef state, int32_t answer)
{
    if (e->p->lockstep) {                                 /* all groups give the same answer */
        LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)answer), e->common);
    } else if (e->p->regions.n > 1) {
        LLVMTypeRef i32 = ty_int(e, 32, 1);
        LLVMBuildStore(e->b, state, frame_state_ptr(e, e->warp));
        LLVMValueRef so_far = LLVMBuildLoad2(e->b, i32, e->common, ""), mine = k_int(e, 32, 1, (uint64_t)(int64_t)answer);
        LLVMValueRef first = LLVMBuildICmp(e->b, LLVMIntEQ, so_far, k_int(e, 32, 1, (uint64_t)(int64_t)-3), "");
        LLVMValueRef same = LLVMBuildOr(e->b, first, LLVMBuildICmp(e->b, LLVMIntEQ, so_far, mine, ""), "");
        LLVMBuildStore(e->b, LLVMBuildSelect(e->b, same, mine, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_MIXED), ""), e->common);
    }
    LLVMBuildBr(e->b, e->next);
}

static void group_done(struct emit *e)
{
    group_stops(e, k_int(e, 32, 1, KABI_DONE), KABI_ALL_DONE);
}

/* To b if lanes wait there; what follows is for the other case. */
static void go_if_any(struct emit *e, int b)
{
    LLVMValueRef m[PLAN_MAX_CHUNKS];
    masks_load(e, e->mask[b], m);
    LLVMBasicBlockRef other = new_block(e, "chain");
    LLVMBuildCondBr(e->b, mask_any(e, m), e->bb[b], other);
    LLVMPositionBuilderAtEnd(e->b, other);
}

/*
 * The tests of all blocks from b on, one after the other, for whoever comes: one list of them for the region, not one for each block with its own
 * choice of them. That asks about some more blocks than need be. last: as branch_chain() has it, but never one that has a mask to test.
 */
static LLVMBasicBlockRef ladder(struct emit *e, int b, int last)
{
    size_t n = (size_t)e->p->n_blocks, end = last >= 0 ? (size_t)last : n;
    const bits_word *here = e->p->regions.v[e->region].blocks;
    struct mask_ladder *l = NULL;
    for (size_t k = 0; k < e->ladders.n && !l; k++)
        l = e->ladders.v[k].last == last ? &e->ladders.v[k] : NULL;
    if (!l) {
        hw_vec_push(&e->ladders, ((struct mask_ladder){ last, hw_arena_array(&e->arena, LLVMBasicBlockRef, n) }));
        l = &e->ladders.v[e->ladders.n - 1];
    }
    LLVMBasicBlockRef *bb = l->bb, from = LLVMGetInsertBlock(e->b), first = bb[b];
    for (size_t at = (size_t)b; at < end && !bb[at];) {
        if (at == (size_t)b)
            LLVMPositionBuilderAtEnd(e->b, first = new_block(e, "ladder"));
        bb[at] = LLVMGetInsertBlock(e->b);
        go_if_any(e, (int)at);
        do
            at = bits_next(here, at + 1, end);
        while (at < end && !has_mask_slot(e, (int)at));
        if (at < end && bb[at])
            LLVMBuildBr(e->b, bb[at]);
        else if (at == end && last >= 0)
            LLVMBuildBr(e->b, e->bb[last]);
        else if (at == end)
            group_done(e);
    }
    LLVMPositionBuilderAtEnd(e->b, from);
    return first;
}

/* Goes to the first of the blocks in `candidates` (bits, after e->at, before `last`) in which lanes wait, else to `last`
   (-1: the warp is finished). */
void branch_chain(struct emit *e, const bits_word *candidates, int last)
{
    enum { OWN = 4 };            /* tests that each block has for itself where there are many */
    size_t end = last >= 0 ? (size_t)last : (size_t)e->p->n_blocks;
    unsigned n = 0;
    for (size_t b = bits_next(candidates, (size_t)e->at + 1, end); b < end; b = bits_next(candidates, b + 1, end)) {
        if (!has_mask_slot(e, (int)b) || !e->bb[b])       /* nobody comes to what is not in this region */
            continue;
        if (e->many_masks && n++ == OWN) {                /* lanes wait in `last` for certain, where those can be counted */
            LLVMBuildBr(e->b, ladder(e, (int)b, last >= 0 && has_mask_slot(e, last) ? -1 : last));
            return;
        }
        go_if_any(e, (int)b);
    }
    if (last >= 0)
        LLVMBuildBr(e->b, e->bb[last]);
    else
        group_done(e);
}

/* Blocks in which lanes may wait while this one runs; nobody waits anywhere while all lanes are here. */
const bits_word *branch_waiting(struct emit *e)
{
    const struct plan_block *from = &e->p->blocks[e->at];
    return from->masked ? from->pending : e->nowhere;
}

/* All lanes of this block go to `to`. */
void branch_go(struct emit *e, int to)
{
    if (e->p->blocks[to].exit_only) {
        branch_chain(e, branch_waiting(e), -1);
        return;
    }
    masks_deliver(e, to, e->m);
    if (to <= e->at)
        LLVMBuildBr(e->b, e->bb[to]);
    else
        branch_chain(e, branch_waiting(e), to);
}

static void uniform_branch(struct emit *e, const struct ir_inst *i)
{
    const struct plan_block *from = &e->p->blocks[e->at];
    LLVMBasicBlockRef yes = new_block(e, "yes"), no = new_block(e, "no");
    LLVMBuildCondBr(e->b, u_operand(e, &i->src[0], IR_PRED, 0), yes, no);
    LLVMPositionBuilderAtEnd(e->b, yes);
    branch_go(e, from->succ[0]);
    LLVMPositionBuilderAtEnd(e->b, no);
    branch_go(e, from->succ[1]);
}

/* Does a block gain if all lanes are known to go to this one? It, or one that follows on nothing but more tests. */
static bool leads_to_gain(struct emit *e, int b, int depth)
{
    enum { DEEP = 3 };
    const struct plan_block *blk = &e->p->blocks[b];
    if (blk->exit_only || !has_mask_slot(e, b) || depth == DEEP)
        return false;
    if (block_touches_memory(blk) || ir_block_term(blk->ir)->op != IR_CBR)
        return block_gains_without_masks(e, blk);
    return leads_to_gain(e, blk->succ[0], depth + 1) || leads_to_gain(e, blk->succ[1], depth + 1);
}

/*
 * All lanes are here, or may turn out to be (e->all_here): where a short test tells that they go the same way, to where masks would be needed
 * else, they go without.
 */
static void go_together(struct emit *e, const struct ir_inst *i)
{
    for (int k = 0; k < 2; k++) {
        int to = e->p->blocks[e->at].succ[k];
        LLVMValueRef all = leads_to_gain(e, to, 0) ? ends_all_have(e, &i->src[0], k == 0) : NULL;
        if (!all)
            continue;
        LLVMBasicBlockRef together = new_block(e, "together"), apart = new_block(e, "apart");
        LLVMBuildCondBr(e->b, e->m[0] ? LLVMBuildAnd(e->b, e->all_here, all, "") : all, together, apart);
        LLVMPositionBuilderAtEnd(e->b, together);
        masks_deliver(e, to, NULL);
        LLVMBuildBr(e->b, e->bb[to]);                     /* nobody waits anywhere */
        LLVMPositionBuilderAtEnd(e->b, apart);
        return;
    }
}

static void divergent_branch(struct emit *e, const struct ir_inst *i)
{
    const struct plan *p = e->p;
    const struct plan_block *from = &p->blocks[e->at];
    LLVMValueRef m[2][PLAN_MAX_CHUNKS];
    if (e->W > 1)
        go_together(e, i);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef v = v_operand(e, &i->src[0], IR_PRED, c), not_v = LLVMBuildNot(e->b, v, "");
        m[0][c] = e->m[0] ? LLVMBuildAnd(e->b, e->m[c], v, "") : v;
        m[1][c] = e->m[0] ? LLVMBuildAnd(e->b, e->m[c], not_v, "") : not_v;
    }
    masks_deliver(e, from->succ[0], m[0]);
    masks_deliver(e, from->succ[1], m[1]);
    int forward[2], n = 0;
    for (int k = 0; k < 2; k++) {
        int to = from->succ[k];
        if (to > e->at) {
            forward[n++] = to;
            continue;
        }
        LLVMBasicBlockRef rest = new_block(e, "leave");      /* round the loop while any lane stays in it */
        LLVMValueRef none = ends_all_have(e, &i->src[0], k != 0);
        if (none) {               /* long before the masks are there: the CPU learns early that it foretold another turn */
            LLVMBasicBlockRef stay = new_block(e, "stay");
            LLVMBuildCondBr(e->b, none, rest, stay);
            LLVMPositionBuilderAtEnd(e->b, stay);
        }
        LLVMBuildCondBr(e->b, mask_any(e, m[k]), e->bb[to], rest);
        LLVMPositionBuilderAtEnd(e->b, rest);
    }
    for (int k = 0; k < n; k++)
        if (forward[k] == e->at + 1 && brief_block(e, forward[k])) {
            LLVMBuildBr(e->b, e->bb[forward[k]]);
            return;
        }
    /* The last block that is sure to get lanes: a join of all, or the later of the two. */
    int last = -1;
    for (int k = 0; k < n; k++)
        if (!p->blocks[forward[k]].exit_only && !has_mask_slot(e, forward[k]))
            last = forward[k];
    bool exits = (n > 0 && p->blocks[forward[0]].exit_only) || (n > 1 && p->blocks[forward[1]].exit_only);
    if (last < 0 && !exits && n > 0)
        last = n > 1 && forward[1] > forward[0] ? forward[1] : forward[0];
    bits_word *candidates = bits_new(&e->arena, (size_t)p->n_blocks);
    bits_or(candidates, branch_waiting(e), (size_t)p->n_blocks);
    for (int k = 0; k < n; k++)
        if (!p->blocks[forward[k]].exit_only)
            bits_add(candidates, (size_t)forward[k]);
    branch_chain(e, candidates, last);
}

/* This group and all behind it have nothing to do: it ends the region for all of them. */
static void leave_early(struct emit *e)
{
    const struct plan *p = e->p;
    struct plan_leave l;
    if (e->region == 0 || e->fetches || e->details || e->m[0] || !plan_leave(e->p, (size_t)e->region, e->at, &l) ||
        !ends_made_here(e, &ir_block_term(p->blocks[e->at].ir)->src[0]))
        return;
    const struct ir_inst *end = ir_block_term(p->blocks[l.end].ir);
    int to = end->op == IR_BAR ? p->blocks[l.end].succ[0] : -1;
    if (to >= 0 && (!plan_plain_barrier(p, end) || !frame_stays(e, e->region, to, false)))
        return;
    LLVMValueRef v[2];
    v[l.number] = linear_thread(e, 0);
    v[!l.number] = u_operand(e, &l.cmp->src[!l.number], IR_I32, 0);
    LLVMBasicBlockRef leave = new_block(e, "leave"), stay = new_block(e, "stay");
    LLVMValueRef holds = op_value(e, l.cmp, v, 1, 0);
    LLVMBuildCondBr(e->b, holds, l.answer ? leave : stay, l.answer ? stay : leave);
    LLVMPositionBuilderAtEnd(e->b, leave);
    if (to >= 0)
        frame_save_common(e, to, true);
    LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)(to >= 0 ? p->blocks[to].resume : KABI_ALL_DONE)), e->common);
    LLVMBuildBr(e->b, e->done);
    LLVMPositionBuilderAtEnd(e->b, stay);
}

void emit_terminator(struct emit *e, const struct ir_inst *i)
{
    const struct plan_block *blk = &e->p->blocks[e->at];
    e->inst = i;
    lines_at(e, i);
    switch (i->op) {
    case IR_BR: branch_go(e, blk->succ[0]); break;
    case IR_CBR:
        leave_early(e);
        if (blk->divergent)
            divergent_branch(e, i);
        else
            uniform_branch(e, i);
        break;
    case IR_RET: branch_chain(e, branch_waiting(e), -1); break;
    case IR_TRAP:
        emit_trap(e, i);
        LLVMBuildUnreachable(e->b);
        break;
    case IR_YIELD: emit_yield(e, i); break;
    case IR_WARPOP: emit_warpop(e, i); break;
    default: emit_barrier(e, i); break;
    }
}
