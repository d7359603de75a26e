/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of graphs: a value that kernels set, and the nodes that run their bodies by it. */
#ifndef CORE_CONDITION_H
#define CORE_CONDITION_H

#include "base/base.h"

#include <cuda.h>

struct cmd;
struct ctx;
struct exec_graph;

/*
 * A value. Its handle is the address of a word of device memory, so that a kernel sets it with a store.
 * Lifetime  Counted: the graph it was made for holds one reference, every conditional node one, copies of nodes too.
 */
struct condition {
    _Atomic unsigned refs;
    struct ctx *ctx;                             /* referenced */
    CUgraphConditionalHandle handle;
    unsigned start;                              /* its value when a launch begins, where that is wanted */
    bool assigns;
    bool taken;                                  /* by an executable graph */
};

CUresult condition_new(struct ctx *ctx, unsigned start, bool assigns, struct condition **out);
struct condition *condition_ref(struct condition *c);
void condition_unref(struct condition *c);

/* One run of a conditional node: bodies are executable graphs that the caller keeps until the command is over. */
struct condition_run;
struct cmd *condition_cmd(struct condition *c, CUgraphConditionalNodeType type, struct exec_graph *const *bodies, unsigned n);
void condition_run_free(struct cmd *c);          /* cmd_drop() calls it */
bool condition_ready(void);                      /* before commands that come to it are made: there is a thread for them */
void condition_start(struct cmd *c);             /* the scheduler's: its turn has come. sched_values_done() when it is over.
                                                    A kernel: it has ended, and what it launched comes now */

#endif
