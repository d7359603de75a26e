/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU, LLVM's view of it, and the optimisation pipeline. Private to jit/. */
#ifndef JIT_TARGET_H
#define JIT_TARGET_H

#include <llvm-c/TargetMachine.h>

#include "base/diag.h"

bool target_gathers(void);                               /* a gather of 16 words beats 16 loads here; known once there is a machine */
bool target_gathers_columns(void);                       /* also one of words at constant distances, for which loads need no addresses */
bool target_shares_units(void);                          /* do integers of 512 bits run in the units that multiply? Measured, too */
bool target_has_halves(unsigned width);                  /* arithmetic on f16 is one instruction */
bool target_has_wide(unsigned width);                    /* a build of that width may use all of AVX-512 */
unsigned target_best_width(void);                        /* lanes of 32 bits in the widest vector worth using */
const char *target_id(void);                             /* what the CPU can do, for the cache key */
/* For one thread at a time. quick: it makes code without looking for good one. */
LLVMTargetMachineRef target_machine_take(unsigned width, bool quick, struct diag *diag);
void target_machine_give(LLVMTargetMachineRef machine, unsigned width, bool quick);       /* NULL will do */
unsigned target_instructions(LLVMValueRef fn);             /* how many LLVM has of it, as it is now */
enum { TARGET_MASKS = 1, TARGET_VERSIONS = 2, TARGET_PLAIN = 4 };  /* what is in the module; PLAIN, alone: only what makes it smaller, and draws no conclusions */
bool target_optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, unsigned what, struct diag *diag);
bool target_optimise_quickly(LLVMModuleRef module, LLVMTargetMachineRef machine, struct diag *diag);

#endif
