/* SPDX-License-Identifier: Apache-2.0 */
/* Few long blocks for many threads: they go on in turn, each on whatever thread is free. Private to exec/. */
#ifndef EXEC_SLICES_H
#define EXEC_SLICES_H

#include "exec/internal.h"

/*
 * A thread at work on such a grid.
 * Lifetime  One call of run(), on its stack; a fault leaves blocks behind, for slices_fini().
 */
struct slices {
    struct exec_launch *launch;
    uint64_t first;              /* the piece it came with */
    struct sliced *now;          /* the block it has */
};

/* Before the job is submitted; n blocks of about ns each. Changes nothing where blocks as a whole are as good. */
void slices_plan(struct exec_launch *launch, uint64_t n, uint64_t ns);
void slices_run(struct slices *s, struct exec_scope *scope);
void slices_fini(struct slices *s);

#endif
