/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels. */
#ifndef CORE_LAUNCH_H
#define CORE_LAUNCH_H

#include "base/base.h"

#include <cuda.h>

struct cmd;
struct function;
struct stream;

struct launch_config {
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;       /* dynamic */
    bool cooperative;            /* all blocks must be able to run at the same time */
};

/* params: one pointer per parameter; extra: CU_LAUNCH_PARAM_* list; exactly one of them unless there are no parameters. Every
   wrong shape is INVALID_VALUE; a parameter buffer of the wrong size is LAUNCH_OUT_OF_RESOURCES. The second takes the
   caller's reference of f, whatever comes of it. */
CUresult launch_kernel(struct function *f, struct stream *s, const struct launch_config *config, void **params, void **extra);
CUresult launch_kernel_own(struct function *f, struct stream *s, const struct launch_config *config, void **params, void **extra);

/* The parts of it, for graphs: checks a launch without queueing it; gathers the parameters, f->param_bytes of them, into hw_alloc()
   memory (NULL when there are none); makes the command. */
CUresult launch_check(struct function *f, const struct launch_config *config);
CUresult launch_pack(const struct function *f, void **params, void **extra, void **out);
CUresult launch_cmd(struct function *f, const struct launch_config *config, const void *packed, struct cmd **out);

/* private_red.c: which of the reductions of this launch, which is complete, threads may collect */
struct exec_launch;
void launch_collect(struct exec_launch *l);

/* How many blocks of this size an SM holds, by threads, blocks, registers and shared memory. 0: does not fit at all. */
uint32_t launch_occupancy(const struct function *f, uint32_t threads, size_t dynamic_shared);

/* Who verifies launches (verify/), or NULL. Set once, before the first launch. */
struct launch_verifier {
    void (*prepare)(struct cmd *c, struct function *f, const uint32_t block[3]);     /* the launch is complete but not queued: the reference is compiled */
    void (*start)(struct cmd *c);                /* its turn has come: verified by a thread, which hands it to sched_submit() */
};
extern const struct launch_verifier *launch_verifier;

void launch_init(void);          /* before anything is launched */

#endif
