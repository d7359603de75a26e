/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks, branches, barriers and regions share. Private to jit/emit. */
#ifndef JIT_EMIT_CONTROL_H
#define JIT_EMIT_CONTROL_H

#include "jit/emit.h"

/* masks.c: by block, the lanes that wait to run it */
bool has_mask_slot(struct emit *e, int b);
LLVMValueRef mask_access(struct emit *e, LLVMValueRef access);                   /* of a load or store of a mask; returns it */
void masks_load(struct emit *e, LLVMValueRef *slots, LLVMValueRef *out);
void masks_store(struct emit *e, LLVMValueRef *slots, LLVMValueRef *m);          /* m NULL: no lanes */
void masks_deliver(struct emit *e, int b, LLVMValueRef *m);                      /* lanes m (NULL: all) go to block b and wait there */
void masks_make_slots(struct emit *e);                                           /* for a function */
void masks_clear(struct emit *e);                                                /* nobody waits */
void masks_enter(struct emit *e);                                                /* the lanes that are threads wait in the first block */

/* branch.c */
void emit_terminator(struct emit *e, const struct ir_inst *i);
void branch_go(struct emit *e, int to);                                          /* all lanes of this block go there */
void branch_chain(struct emit *e, const bits_word *candidates, int last);
const bits_word *branch_waiting(struct emit *e);
void group_stops(struct emit *e, LLVMValueRef state, int32_t answer);

/* barrier.c */
void emit_barrier(struct emit *e, const struct ir_inst *i);
void emit_yield(struct emit *e, const struct ir_inst *i);
void emit_warpop(struct emit *e, const struct ir_inst *i);
void barrier_answer(struct emit *e, const struct ir_inst *i);                    /* where a thread goes on after a WARPOP */
void barrier_sum(struct emit *e, const struct ir_inst *i);                       /* of a BAR_RED, before the first group of the region it leads to */

/* block.c */
void emit_block(struct emit *e, int b);
bool block_touches_memory(const struct plan_block *blk);
bool block_gains_without_masks(struct emit *e, const struct plan_block *blk);    /* is a version of it without masks worth its code? */

/* region.c */
void emit_region(struct emit *e, int region);
void open_function(struct emit *e);                                              /* the first blocks of any function */

/* emit.c */
void begin_plan(struct emit *e);                                                 /* room for what is made anew for each function */
void end_plan(struct emit *e);

/* function.c, clear.c */
void emit_function(struct emit *e, size_t index);
void clear_undefined(struct emit *e);

#endif
