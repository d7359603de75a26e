/* SPDX-License-Identifier: Apache-2.0 */
/* Values and masks across barriers. Private to jit/. */
#ifndef JIT_FRAME_H
#define JIT_FRAME_H

#include "jit/emit.h"

void frame_layout(struct emit *e);
void frame_save(struct emit *e, int entry);          /* entry: the block where execution goes on */
void frame_rematerialise(struct emit *e, const struct ir_reg *r);      /* after frame_restore: a register that is computed again */
void frame_restore(struct emit *e, int entry);
bool frame_makes(struct emit *e, const struct ir_operand *o, int depth);       /* after frame_restore, for hints: can it be had? depth: 0 */
void frame_make(struct emit *e, const struct ir_operand *o);                   /* if so: it is there from here on */
void frame_save_common(struct emit *e, int entry, bool last_one);      /* what all groups have in common; frame_save does it too */
/* Has a group that does nothing in the region nothing to save for this entry, but for what it has in common with the others? */
bool frame_stays(struct emit *e, int region, int entry, bool common_too);
const bits_word *frame_waiting(struct emit *e, int entry);             /* blocks in which lanes may wait when a group goes on there */
LLVMValueRef frame_state_ptr(struct emit *e, LLVMValueRef group);
LLVMValueRef frame_warpop_ptr(struct emit *e, size_t field);
LLVMValueRef frame_bar_ptr(struct emit *e, LLVMValueRef id, size_t field);
LLVMValueRef frame_red_ptr(struct emit *e, LLVMValueRef group);

#endif
