/* SPDX-License-Identifier: Apache-2.0 */
/* Where a group stops for others: barriers, their reductions, operations of a warp whose threads run one by one. */
#include "jit/emit/control.h"
#include "jit/emit/frame.h"

/* Each warp leaves its part of the reduction in the frame; the next region adds them up before its first warp runs. */
static void contribute(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef part = NULL;
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef v;
        if (e->W == 1) {
            v = LLVMBuildZExt(e->b, u_operand(e, &i->src[0], IR_PRED, 0), i32, "");
        } else {
            LLVMValueRef p = v_operand(e, &i->src[0], IR_PRED, c), m = mask_or_all(e, c);
            if (i->imm == IR_BAR_AND)                     /* count the lanes that say no */
                p = LLVMBuildNot(e->b, p, "");
            v = intrinsic1(e, "llvm.ctpop", i32, mask_bits(e, LLVMBuildAnd(e->b, p, m, "")));
        }
        if (e->W == 1 && i->imm == IR_BAR_AND)
            v = LLVMBuildXor(e->b, v, k_int(e, 32, 1, 1), "");
        part = part ? LLVMBuildAdd(e->b, part, v, "") : v;
    }
    LLVMBuildStore(e->b, part, frame_red_ptr(e, e->warp));
}

/* Counts this group's threads at a barrier and says how many it waits for; returns the barrier's number. */
static LLVMValueRef count_arrival(struct emit *e, const struct ir_inst *i, int first)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef id = i->n_src > first ? u_operand(e, &i->src[first], IR_I32, 0) : k_int(e, 32, 1, 0), count = k_int(e, 32, 1, 0);
    if (i->n_src > first + 1) {
        count = u_operand(e, &i->src[first + 1], IR_I32, 0);
        if (e->p->lanes == 1)                             /* threads are counted one by one: a last, partial warp has fewer */
            count = intrinsic2(e, "llvm.umin", i32, count, k_int(e, 32, 1, e->p->threads));
    }
    LLVMValueRef at = frame_bar_ptr(e, id, offsetof(struct kabi_bars, arrived));
    LLVMBuildStore(e->b, LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, i32, at, ""), k_int(e, 32, 1, e->p->lanes), ""), at);
    LLVMBuildStore(e->b, count, frame_bar_ptr(e, id, offsetof(struct kabi_bars, expected)));
    return id;
}

void emit_barrier(struct emit *e, const struct ir_inst *i)
{
    int to = e->p->blocks[e->at].succ[0], resume = e->p->blocks[to].resume, first = i->op == IR_BAR_RED ? 1 : 0;
    if (i->op == IR_BAR && i->imm == IR_BAR_ARRIVE) {
        count_arrival(e, i, first);
        branch_go(e, to);
        return;
    }
    if (i->op == IR_BAR_RED)
        contribute(e, i);
    masks_deliver(e, to, e->m);
    frame_save(e, to);
    if (plan_plain_barrier(e->p, i)) {
        group_stops(e, k_int(e, 32, 1, (uint32_t)resume | KABI_ARRIVED), resume);
        return;
    }
    LLVMValueRef id = LLVMBuildAnd(e->b, count_arrival(e, i, first), k_int(e, 32, 1, KABI_BARRIERS - 1), "");
    LLVMValueRef state = LLVMBuildOr(e->b, LLVMBuildShl(e->b, id, k_int(e, 32, 1, 16), ""), k_int(e, 32, 1, (uint32_t)resume | KABI_ARRIVED), "");
    group_stops(e, state, KABI_MIXED);
}

/* Builds with turns: others run before this group goes on. */
void emit_yield(struct emit *e, const struct ir_inst *i)
{
    int to = e->p->blocks[e->at].succ[0];
    if (i->imm)
        emit_note(e, offsetof(struct kabi_block, impatient));
    masks_deliver(e, to, e->m);
    frame_save(e, to);
    group_stops(e, k_int(e, 32, 1, (uint32_t)e->p->blocks[to].resume), KABI_MIXED);
}

/* Fair builds: the thread leaves its operands and waits for the other members of its warp. */
void emit_warpop(struct emit *e, const struct ir_inst *i)
{
    int to = e->p->blocks[e->at].succ[0];
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    int mask_at = -1, value_at = -1;
    if (i->imm == KABI_WARP_SYNC) {
        mask_at = 0;
    } else if (i->imm >= KABI_WARP_MMA) {
        for (int k = 0; k < i->n_src; k++) {
            LLVMValueRef v = u_operand(e, &i->src[k], i->type, 0);
            LLVMBuildStore(e->b, LLVMBuildZExt(e->b, v, i64, ""), frame_warpop_ptr(e, offsetof(struct kabi_warpop, matrix) + 8 * (size_t)k));
        }
    } else if (i->imm != KABI_WARP_ACTIVEMASK) {
        value_at = 0;
        mask_at = i->n_src - 1;
    }
    LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)i->imm), frame_warpop_ptr(e, offsetof(struct kabi_warpop, kind)));
    LLVMValueRef mask = mask_at >= 0 ? u_operand(e, &i->src[mask_at], IR_I32, 0) : k_int(e, 32, 1, UINT32_MAX);
    LLVMBuildStore(e->b, mask, frame_warpop_ptr(e, offsetof(struct kabi_warpop, mask)));
    if (value_at >= 0) {
        bool vote = i->imm >= KABI_WARP_VOTE_ALL && i->imm <= KABI_WARP_VOTE_BALLOT;
        enum ir_type t = vote ? IR_PRED : ir_type_of_bits(ir_type_bits(i->type));
        LLVMValueRef v = u_operand(e, &i->src[0], t, 0);
        if (LLVMTypeOf(v) != i64)
            v = LLVMBuildZExt(e->b, v, i64, "");
        LLVMBuildStore(e->b, v, frame_warpop_ptr(e, offsetof(struct kabi_warpop, value)));
    }
    if (i->imm >= KABI_WARP_SHFL_UP && i->imm <= KABI_WARP_SHFL_IDX) {
        LLVMBuildStore(e->b, u_operand(e, &i->src[1], IR_I32, 0), frame_warpop_ptr(e, offsetof(struct kabi_warpop, b)));
        LLVMBuildStore(e->b, u_operand(e, &i->src[2], IR_I32, 0), frame_warpop_ptr(e, offsetof(struct kabi_warpop, c)));
    }
    (void)i32;
    frame_save(e, to);
    group_stops(e, k_int(e, 32, 1, (uint32_t)e->p->blocks[to].resume | KABI_IN_WARPOP), KABI_MIXED);
}

/* Where the thread goes on: the engine's answer becomes the operation's results. */
void barrier_answer(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1), i64 = ty_int(e, 64, 1);
    LLVMValueRef result = LLVMBuildLoad2(e->b, i64, frame_warpop_ptr(e, offsetof(struct kabi_warpop, result)), "");
    LLVMValueRef pred = LLVMBuildLoad2(e->b, i32, frame_warpop_ptr(e, offsetof(struct kabi_warpop, pred)), "");
    for (int k = 0; k < i->n_dst; k++) {
        if (!i->dst[k])
            continue;
        if (i->imm >= KABI_WARP_MMA)
            result = LLVMBuildLoad2(e->b, i64, frame_warpop_ptr(e, offsetof(struct kabi_warpop, matrix) + 8 * (size_t)k), "");
        if (i->dst[k]->type == IR_PRED)
            set_uniform(e, i, k, 0, LLVMBuildICmp(e->b, LLVMIntNE, pred, LLVMConstNull(i32), ""));
        else
            set_uniform(e, i, k, 0, LLVMBuildTrunc(e->b, result, ty_int(e, ir_type_bits(i->dst[k]->type), 1), ""));
    }
}

/* The reduction of a BAR_RED that leads here, from all groups that were at it. */
void barrier_sum(struct emit *e, const struct ir_inst *i)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMBuilderRef saved = e->b;
    e->b = e->eb;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->b), loop = new_block(e, "red"), done = new_block(e, "red.done");
    LLVMBuildBr(e->b, loop);
    LLVMPositionBuilderAtEnd(e->b, loop);
    LLVMValueRef g = LLVMBuildPhi(e->b, i32, ""), sum = LLVMBuildPhi(e->b, i32, "");
    LLVMValueRef state = LLVMBuildLoad2(e->b, i32, frame_state_ptr(e, g), "");
    LLVMValueRef here = LLVMBuildICmp(e->b, LLVMIntEQ, state, k_int(e, 32, 1, (uint64_t)e->region), "");
    if (e->p->lockstep)
        here = k_int(e, 1, 1, 1);
    LLVMValueRef part = LLVMBuildLoad2(e->b, i32, frame_red_ptr(e, g), "");
    LLVMValueRef more = LLVMBuildAdd(e->b, sum, LLVMBuildSelect(e->b, here, part, k_int(e, 32, 1, 0), ""), "");
    LLVMValueRef next = LLVMBuildAdd(e->b, g, k_int(e, 32, 1, 1), "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, k_int(e, 32, 1, e->p->groups), ""), loop, done);
    LLVMBasicBlockRef at[] = { from, loop };
    LLVMValueRef gs[] = { k_int(e, 32, 1, 0), next }, sums[] = { k_int(e, 32, 1, 0), more };
    LLVMAddIncoming(g, gs, at, 2);
    LLVMAddIncoming(sum, sums, at, 2);
    LLVMPositionBuilderAtEnd(e->b, done);
    LLVMValueRef any = LLVMBuildICmp(e->b, LLVMIntNE, more, k_int(e, 32, 1, 0), "");
    e->red = i->imm == IR_BAR_POPC ? more : i->imm == IR_BAR_OR ? any : LLVMBuildNot(e->b, any, "");
    e->b = saved;
}
