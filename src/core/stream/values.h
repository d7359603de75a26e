/* SPDX-License-Identifier: Apache-2.0 */
/* Values in memory that a stream writes or waits for: cuStreamWriteValue, cuStreamWaitValue and batches of them. */
#ifndef CORE_VALUES_H
#define CORE_VALUES_H

#include "base/base.h"

#include <cuda.h>

struct cmd;
struct stream;

/*
 * A batch on its way through a stream: ops[0 .. next) are done.
 * Lifetime  The command's.
 * Threads   The thread that dispatched the command, then the one thread that looks at all unfinished ones.
 */
struct values {
    CUstreamBatchMemOpParams *ops;
    unsigned n, next;
    bool shared;                 /* memory of an event that processes share: not in the map, and its numbers only rise */
    struct cmd *next_waiting;    /* that thread's list */
};

/* Addresses must be known to CUDA and aligned (INVALID_VALUE); an unknown operation or flag is INVALID_VALUE too. */
CUresult values_check(const CUstreamBatchMemOpParams *ops, unsigned n);
CUresult values_push(struct stream *s, const CUstreamBatchMemOpParams *ops, unsigned n);     /* checked already */
struct cmd *values_cmd(const CUstreamBatchMemOpParams *ops, unsigned n);
void values_free(struct values *v);                              /* NULL is fine */

/* The command's turn came. True: it is over; else sched_values_done() is called when it is. */
bool values_start(struct cmd *c);
/* Before commands on values are made: there is a thread that looks at what they wait for. False: none is to be had now. */
bool values_ready(void);

#endif
