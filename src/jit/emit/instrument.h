/* SPDX-License-Identifier: Apache-2.0 */
/* Instrumented kernels. Private to jit/. All of these do nothing in a plain build. */
#ifndef JIT_DETAILS_H
#define JIT_DETAILS_H

#include <llvm-c/Core.h>

#include "kabi/details.h"

struct emit;
struct ir_block;
struct ir_inst;

void details_new(struct emit *e);                                    /* this one is instrumented */
void details_plan(struct emit *e);                                   /* another plan is begun */
void details_block(struct emit *e, const struct ir_block *b);        /* at its beginning, masks known */
void details_access(struct emit *e, const struct ir_inst *i);        /* before any instruction */
void details_look(struct emit *e, const struct ir_block *b, size_t j);       /* after instruction j: one that reads a clock begins a new piece of the block */
struct ir_func;
void details_machine(const struct ir_func *f, const struct ir_block *b, size_t from, size_t to, struct details_site *site);   /* machine.c: of these instructions */
struct details_table *details_finish(struct emit *e, bool keep);
LLVMValueRef details_addresses(struct emit *e, const struct ir_inst *i, bool tile, unsigned chunk);      /* <W x i64>, as they are told */
LLVMValueRef details_room(struct emit *e);       /* ptr: for the addresses of 32 lanes and as many values, on the stack */

/* window.c: goes on in the block returned where nobody need hear of the access; else in a block of its own, which cold_end() is to end */
LLVMBasicBlockRef window_begin(struct emit *e, const struct ir_inst *i, uint32_t site, const struct details_site *s);

#endif
