/* SPDX-License-Identifier: Apache-2.0 */
/* Instrumented kernels. Private to jit/. All of these do nothing in a plain build. */
#ifndef JIT_DETAILS_H
#define JIT_DETAILS_H

#include "kabi/details.h"

struct emit;
struct ir_block;
struct ir_inst;

void details_new(struct emit *e);                                    /* this one is instrumented */
void details_plan(struct emit *e);                                   /* another plan is begun */
void details_block(struct emit *e, const struct ir_block *b);        /* at its beginning, masks known */
void details_access(struct emit *e, const struct ir_inst *i);        /* before any instruction */
struct ir_func;
void details_machine(const struct ir_func *f, const struct ir_block *b, struct details_site *site);   /* machine.c */
struct details_table *details_finish(struct emit *e, bool keep);

#endif
