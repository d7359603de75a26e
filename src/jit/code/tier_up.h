/* SPDX-License-Identifier: Apache-2.0 */
/* The best code of large kernels, made while they run already. Private to jit/. */
#ifndef JIT_LATER_H
#define JIT_LATER_H

#include "jit/code/object.h"
#include "jit/code/parallel_codegen.h"

/*
 * A kernel that runs with code that was made quickly.
 * Lifetime  Needs neither the module nor the IR: what LLVM gets is in bitcode, and the kernel is referenced.
 */
struct later {
    struct hw_hash key;          /* of the best code */
    struct hw_hash quick_key;
    char *name;
    LLVMMemoryBufferRef bitcode; /* its regions are named after key */
    struct parts_request rq;
    struct object best;          /* all but its code, until that is made */
    struct object quick;
    struct kabi_kernel *kernel;  /* whose regions are exchanged; referenced */
    bool finish;                 /* a process before this one did not come to it: this one stays until it is done */
    uint64_t begin_ns;
    struct later *next;
};

/* The best code; job->best is complete. Any thread. */
bool later_make(struct later *job, struct diag *diag);
/* Takes the job. Its kernel is the one of quick_key. */
void later_push(struct later *job);
void later_free(struct later *job);

#endif
