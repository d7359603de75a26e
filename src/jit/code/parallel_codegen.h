/* SPDX-License-Identifier: Apache-2.0 */
/* From LLVM's module to object files, by several threads. Private to jit/. */
#ifndef JIT_PARTS_H
#define JIT_PARTS_H

#include "jit/code/object.h"

#include <llvm-c/TargetMachine.h>

struct parts_request {
    const char *prefix;          /* the regions are functions PREFIX0, PREFIX1, ... */
    size_t n_regions;
    unsigned width;
    bool masks, versions;        /* there are any */
    bool plain;                  /* LLVM draws no conclusions */
    bool quick;                  /* code at once rather than good code; there may be none: see too_large */
    bool *too_large;             /* of quick: set when the code would take too much of a thread's stack */
    bool apart;                  /* the regions may be taken apart */
    void (*optimised)(void *user, LLVMModuleRef mod, LLVMTargetMachineRef machine);     /* may be NULL; looks at what code is made of */
    void *user;
};

/* Changes the module. out: its code. */
bool parts_make(const struct parts_request *rq, LLVMModuleRef mod, LLVMTargetMachineRef machine, struct object *out, struct diag *diag);

#endif
