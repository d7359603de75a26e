/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines of kernels for debuggers (HOSTWARP_DEBUG=gdb). Private to jit/. */
#ifndef JIT_LINES_H
#define JIT_LINES_H

#include "base/hash.h"

struct emit;
struct ir_func;
struct ir_inst;

bool lines_wanted(void);
void lines_hash(struct hw_hash *h, const struct ir_func *f);     /* code with lines depends on them */
/* LLVM is told: of the function that begins, of each instruction, at the end. All do nothing where lines are not wanted. */
void lines_function(struct emit *e);
void lines_at(struct emit *e, const struct ir_inst *i);
void lines_group(struct emit *e);                                /* the group whose code follows is noted in the block */
void lines_end(struct emit *e);

#endif
