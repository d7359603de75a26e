/* SPDX-License-Identifier: Apache-2.0 */
/* Masks: which lanes wait in which block. */
#include "jit/emit/control.h"

bool has_mask_slot(struct emit *e, int b)
{
    return e->p->blocks[b].masked && e->p->blocks[b].mask_from < 0;
}

/*
 * Many masks stay in memory, volatile: as values, each would have to be merged with what it is on every other way wherever ways meet, which made
 * LLVM's work grow with the cube of the number of blocks (an interpreter with 64 operations took 90 s).
 */
LLVMValueRef mask_access(struct emit *e, LLVMValueRef access)
{
    if (e->many_masks)
        LLVMSetVolatile(access, true);
    return access;
}

void masks_load(struct emit *e, LLVMValueRef *slots, LLVMValueRef *out)
{
    for (unsigned c = 0; c < e->C; c++)
        out[c] = mask_access(e, LLVMBuildLoad2(e->b, ty_int(e, 1, e->W), slots[c], ""));
}

void masks_store(struct emit *e, LLVMValueRef *slots, LLVMValueRef *m)
{
    for (unsigned c = 0; c < e->C; c++)
        mask_access(e, LLVMBuildStore(e->b, m ? m[c] : LLVMConstNull(ty_int(e, 1, e->W)), slots[c]));
}

/* Lanes m (NULL: all) go to block b: they wait there. */
void masks_deliver(struct emit *e, int b, LLVMValueRef *m)
{
    if (e->p->blocks[b].exit_only || !has_mask_slot(e, b))
        return;
    LLVMValueRef old[PLAN_MAX_CHUNKS];
    masks_load(e, e->mask[b], old);
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef more = m && m[0] ? m[c] : LLVMConstAllOnes(ty_int(e, 1, e->W));
        mask_access(e, LLVMBuildStore(e->b, LLVMBuildOr(e->b, old[c], more, ""), e->mask[b][c]));
    }
    mask_access(e, LLVMBuildStore(e->b, k_int(e, 1, 1, !(m && m[0])), e->whole[b]));
}

/* Counts masks, and the tests of them that blocks would have each for itself. */
static bool has_many_masks(struct emit *e)
{
    enum { MANY = 256, MANY_TESTS = 128 };
    const bits_word *here = e->p->regions.v[e->region].blocks;
    size_t n = (size_t)e->p->n_blocks, masks = 0, tests = 0;
    for (size_t b = bits_next(here, 0, n); b < n; b = bits_next(here, b + 1, n)) {
        masks += has_mask_slot(e, (int)b);
        for (size_t w = 0; w < bits_words(n); w++)
            tests += (size_t)__builtin_popcountll(e->p->blocks[b].pending[w]);
    }
    return masks > MANY || tests > MANY_TESTS;
}

void masks_make_slots(struct emit *e)
{
    const struct plan *p = e->p;
    e->ladders.n = 0;
    e->many_masks = has_many_masks(e);
    clear_plan(e);
    LLVMTypeRef t = ty_int(e, 1, e->W);
    for (int b = 0; b < p->n_blocks; b++)
        for (unsigned c = 0; c < e->C; c++) {
            e->mask[b][c] = has_mask_slot(e, b) ? entry_alloca(e, t, "mask") : NULL;
            e->cur[b][c] = e->is_source[b] ? entry_alloca(e, t, "cur") : NULL;
        }
    for (int b = 0; b < p->n_blocks; b++) {
        e->whole[b] = has_mask_slot(e, b) ? entry_alloca(e, ty_int(e, 1, 1), "whole") : NULL;
        e->cur_whole[b] = e->is_source[b] ? entry_alloca(e, ty_int(e, 1, 1), "cur.whole") : NULL;
    }
}

void masks_clear(struct emit *e)
{
    for (int b = 0; b < e->p->n_blocks; b++) {
        if (has_mask_slot(e, b)) {
            masks_store(e, e->mask[b], NULL);
            mask_access(e, LLVMBuildStore(e->b, k_int(e, 1, 1, 0), e->whole[b]));
        }
        if (e->is_source[b])
            mask_access(e, LLVMBuildStore(e->b, k_int(e, 1, 1, 0), e->cur_whole[b]));
    }
}

/* Lanes of the last group that are no threads are off from the start. */
void masks_enter(struct emit *e)
{
    for (unsigned c = 0; c < e->C; c++) {
        LLVMValueRef thread = LLVMBuildAdd(e->b, splat(e, linear_thread(e, c), e->W), k_lanes(e, 32, e->W, 0, 1), "");
        LLVMBuildStore(e->b, LLVMBuildICmp(e->b, LLVMIntULT, thread, k_int(e, 32, e->W, e->p->threads), ""), e->mask[0][c]);
    }
}
