/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions begin late. One that runs at once is over before the program has queued what it forgot to order behind it, and nothing can be seen of that: who
 * queues something later may have been told by the function that it may. So the first ones wait until the program has queued what it has: until it waits, or makes
 * no calls for a while.
 */
#ifndef CHECK_PATIENCE_H
#define CHECK_PATIENCE_H

#include <stdbool.h>

struct hook_call;

/* A thread's calls: how deep, and whether the outermost waits for work. */
struct patience {
    unsigned depth;
    bool waits;
};

void patience_enters(const struct hook_call *call);
void patience_leaves(void);
void patience_wait(void);        /* a host function is about to begin on this thread */

#endif
