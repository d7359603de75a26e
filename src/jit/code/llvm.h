/* SPDX-License-Identifier: Apache-2.0 */
/* LLVM is a large library: it is loaded when something has to be compiled, not when a program starts. Private to jit/. */
#ifndef JIT_LLVM_H
#define JIT_LLVM_H

#include "base/diag.h"

/* Before any other function of LLVM is called. False: it is not there, and diag says so. */
bool llvm_load(struct diag *diag);
bool llvm_stays(void);           /* threads may be in it while the process ends: it has no destructors */

#endif
