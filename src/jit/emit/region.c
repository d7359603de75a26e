/* SPDX-License-Identifier: Apache-2.0 */
/* A region as a function, with the loop over the block's groups inside. */
#include "jit/emit/control.h"
#include "jit/emit/frame.h"
#include "jit/code/target.h"

#include <stdio.h>

static void begin_warp(struct emit *e)
{
    const struct plan *p = e->p;
    const struct plan_region *r = &p->regions.v[e->region];
    e->m[0] = NULL;
    e->at = r->entry;
    masks_clear(e);
    clear_registers(e, e->p->n_blocks);
    if (e->region == 0) {
        clear_undefined(e);
        if (p->partial && p->lanes > 1)
            masks_enter(e);
        else if (has_mask_slot(e, 0))                     /* block 0 heads a divergent loop */
            masks_deliver(e, 0, NULL);
    } else {
        frame_restore(e, r->entry);
        e->m[0] = NULL;
        for (int b = 0; b < p->n_blocks; b++) {
            struct ir_inst *t = ir_block_term(p->blocks[b].ir);
            if (!plan_stops(t) || p->blocks[b].succ[0] != r->entry)
                continue;
            if (t->op == IR_WARPOP)
                barrier_answer(e, t);
            if (t->op == IR_BAR_RED && t->dst[0])
                for (unsigned c = 0; c < slot_count(e, t->dst[0]); c++)
                    set_uniform(e, t, 0, c, e->red);
        }
        if (e->region < 64 && e->quiet >> e->region & 1)
            emit_fetches(e);
        emit_turn_fetches(e);
    }
    if (p->parts && e->region > 0 && p->blocks[r->entry].masked) {       /* a part may have left its lanes there to another one */
        LLVMValueRef m[PLAN_MAX_CHUNKS];
        LLVMBasicBlockRef others = new_block(e, "others");
        masks_load(e, has_mask_slot(e, r->entry) ? e->mask[r->entry] : e->cur[p->blocks[r->entry].mask_from], m);
        LLVMBuildCondBr(e->b, mask_any(e, m), e->bb[r->entry], others);
        LLVMPositionBuilderAtEnd(e->b, others);
        branch_chain(e, frame_waiting(e, r->entry), -1);
    } else {
        LLVMBuildBr(e->b, e->bb[r->entry]);
    }
}

static void add_attribute(struct emit *e, LLVMValueRef fn, LLVMAttributeIndex at, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(e->cx, kind, 0));
}

/* The first blocks of any function. */
void open_function(struct emit *e)
{
    e->mma = NULL;
    add_attribute(e, e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    add_attribute(e, e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noredzone");     /* guards call without LLVM's knowledge */
    probes_stack(e->fn);
    LLVMAddTargetDependentFunctionAttr(e->fn, "prefer-vector-width", "512");
    if (e->W > 1)                /* else vectors that do not fit into registers lie across lines of the cache, in most processes */
        LLVMAddTargetDependentFunctionAttr(e->fn, "stackrealign", "");
    memset(e->env, 0, sizeof e->env);
    memset(e->slot, 0, e->p->n_regs * sizeof *e->slot);
    memset(e->available, 0, e->p->n_regs);
    LLVMPositionBuilderAtEnd(e->ab, new_block(e, "slots"));
    LLVMPositionBuilderAtEnd(e->eb, e->entry = new_block(e, "entry"));
    lines_function(e);
    e->safe = entry_alloca(e, LLVMArrayType2(ty_int(e, 64, 1), 16), "safe");
    LLVMSetAlignment(e->safe, 16);
}

static void begin_function(struct emit *e)
{
    char name[32];
    LLVMTypeRef p = ty_ptr(e), i32 = ty_int(e, 32, 1), types[] = { p, p, p };
    snprintf(name, sizeof name, "hw_region_%d", e->region);
    e->fn = LLVMAddFunction(e->mod, name, LLVMFunctionType(i32, types, 3, false));
    e->launch = LLVMGetParam(e->fn, 0);
    e->block = LLVMGetParam(e->fn, 1);
    e->frame = LLVMGetParam(e->fn, 2);
    for (unsigned k = 0; k < 3; k++)
        promise_no_alias(e, e->fn, k);
    e->sp = NULL;
    open_function(e);
    e->common = entry_alloca(e, i32, "common");
}

/* A loop with one barrier in it: does the region lead to itself? Large ones have more constants than there are registers: nothing is gained. */
static bool comes_again(struct emit *e)
{
    enum { LARGE = 1500 };
    const struct plan *p = e->p;
    const struct plan_region *r = &p->regions.v[e->region];
    for (int b = 0; b < p->n_blocks; b++)
        if (bits_has(r->blocks, (size_t)b) && plan_stops(ir_block_term(p->blocks[b].ir)) && p->blocks[b].succ[0] == r->entry)
            return !e->details && target_instructions(e->fn) < LARGE;
    return false;
}

/* After the last warp: what the engine does next. A region that comes next again begins at once: its constants are at hand. */
static void finish_function(struct emit *e)
{
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    if (e->p->regions.n == 1) {
        LLVMBuildRet(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_ALL_DONE));
        return;
    }
    if (e->p->opt.fair || e->p->opt.turns) {              /* the engine looks at the states in any case */
        LLVMBuildRet(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_MIXED));
        return;
    }
    LLVMValueRef common = LLVMBuildLoad2(e->b, i32, e->common, "");
    if (e->p->lockstep && comes_again(e)) {
        LLVMBasicBlockRef leave = new_block(e, "leave");
        LLVMValueRef again = LLVMBuildICmp(e->b, LLVMIntEQ, common, k_int(e, 32, 1, (uint64_t)e->region), "");
        LLVMValueRef pauses = LLVMBuildICmp(e->b, LLVMIntNE, env(e, ENV_PAUSES), k_int(e, 32, 1, 0), "");
        LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, again, LLVMBuildNot(e->b, pauses, ""), ""), e->entry, leave);
        LLVMPositionBuilderAtEnd(e->b, leave);
    }
    if (e->p->lockstep) {
        LLVMBuildRet(e->b, common);
        return;
    }
    LLVMBasicBlockRef all = new_block(e, "all"), out = new_block(e, "out");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntSGE, common, LLVMConstNull(i32), ""), all, out);
    LLVMPositionBuilderAtEnd(e->b, all);                  /* every warp arrived: the barrier is complete, clear ARRIVED */
    uint32_t g = 0;
    for (; g + 8 <= e->p->groups; g += 8) {
        LLVMValueRef s = LLVMBuildStore(e->b, splat(e, common, 8), frame_state_ptr(e, k_int(e, 32, 1, g)));
        promise_align(e, s, 4);
    }
    for (; g < e->p->groups; g++)
        LLVMBuildStore(e->b, common, frame_state_ptr(e, k_int(e, 32, 1, g)));
    LLVMBuildBr(e->b, out);
    LLVMPositionBuilderAtEnd(e->b, out);
    LLVMBuildRet(e->b, common);
}

/* How many groups a region is for: those behind them do nothing in it. What is fetched for others each group fetches its part of. */
static uint32_t busy_groups(struct emit *e)
{
    const struct plan *p = e->p;
    struct plan_idle_warps idle;
    if (e->region == 0 || e->fetches || e->details || !plan_idle_warps(p, (size_t)e->region, &idle))
        return p->groups;
    const struct ir_inst *t = ir_block_term(p->blocks[idle.end].ir);
    if (t->op == IR_BAR && (!plan_plain_barrier(p, t) || !frame_stays(e, e->region, p->blocks[idle.end].succ[0], true)))
        return p->groups;
    return idle.from ? idle.from : 1;                     /* the first one tells what all do next */
}

void emit_region(struct emit *e, int region)
{
    const struct plan *p = e->p;
    LLVMTypeRef i32 = ty_int(e, 32, 1);
    LLVMValueRef first = k_int(e, 32, 1, 0), end = NULL;
    bool reduces = false;                                 /* all groups share a result that is made from their states */
    e->region = region;
    begin_function(e);
    masks_make_slots(e);
    for (int b = 0; b < p->n_blocks; b++) {
        char name[24];
        snprintf(name, sizeof name, "B%d", b);
        e->bb[b] = bits_has(p->regions.v[region].blocks, (size_t)b) ? new_block(e, name) : NULL;
        struct ir_inst *t = ir_block_term(p->blocks[b].ir);
        if (t->op == IR_BAR_RED && region > 0 && p->blocks[b].succ[0] == p->regions.v[region].entry) {
            barrier_sum(e, t);
            reduces = true;
        }
    }
    if (p->opt.fair && !reduces) {
        first = env(e, ENV_FIRST_GROUP);
        end = env(e, ENV_END_GROUP);
    }
    LLVMBasicBlockRef warp = new_block(e, "warp"), done = e->done = new_block(e, "done");
    e->head = new_block(e, "head");
    e->next = new_block(e, "next");
    LLVMPositionBuilderAtEnd(e->b, e->head);
    LLVMValueRef phi = e->warp = LLVMBuildPhi(e->b, i32, "w");
    if (p->regions.n > 1 && !p->lockstep) {
        LLVMBasicBlockRef skip = new_block(e, "skip");
        LLVMValueRef state = LLVMBuildLoad2(e->b, i32, frame_state_ptr(e, e->warp), "");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, state, k_int(e, 32, 1, (uint64_t)region), ""), warp, skip);
        LLVMPositionBuilderAtEnd(e->b, skip);
        LLVMBuildStore(e->b, k_int(e, 32, 1, (uint64_t)(int64_t)KABI_MIXED), e->common);
        LLVMBuildBr(e->b, e->next);
    } else {
        LLVMBuildBr(e->b, warp);
    }
    LLVMPositionBuilderAtEnd(e->b, warp);
    emit_common(e);
    e->fetches = false;
    lines_group(e);
    begin_warp(e);
    end = end ? end : k_int(e, 32, 1, busy_groups(e));
    for (int b = 0; b < p->n_blocks; b++)
        if (e->bb[b])
            emit_block(e, b);
    LLVMPositionBuilderAtEnd(e->b, e->next);
    LLVMValueRef w1 = LLVMBuildAdd(e->b, e->warp, k_int(e, 32, 1, 1), "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, w1, end, ""), e->head, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    finish_function(e);
    LLVMBuildStore(e->eb, k_int(e, 32, 1, (uint64_t)(int64_t)-3), e->common);
    LLVMValueRef from[] = { first, w1 };
    LLVMBasicBlockRef at[] = { LLVMGetInsertBlock(e->eb), e->next };
    LLVMAddIncoming(phi, from, at, 2);
    LLVMBuildBr(e->eb, e->head);
    LLVMBuildBr(e->ab, LLVMGetNextBasicBlock(LLVMGetInsertBlock(e->ab)));
}
