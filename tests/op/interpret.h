/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's IR, run step by step on the host: slow, simple, and independent of jit/. */
#ifndef OP_INTERPRET_H
#define OP_INTERPRET_H

#include "ir/ir.h"

/* Runs f from its entry to RET. regs[id] holds each register's bits; false when an operation is not known here. */
bool interpret(const struct ir_func *f, uint64_t *regs);

#endif
