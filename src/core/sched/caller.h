/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that call us, and what each is doing. */
#ifndef CORE_CALLER_H
#define CORE_CALLER_H

#include "base/base.h"

#include <stdatomic.h>

struct ctx;

/*
 * A thread that calls us. direct_quiet() waits until none is busy, which is: copies by itself; gate_close() until none is inside
 * a context that ends.
 * Lifetime  For ever; the one of a thread that ended is given to another.
 * Threads   Written by its thread, read by all; taken is changed by compare-exchange; next is const once it is in the list.
 */
enum { GATE_DEPTH = 4 };
struct caller {
    _Atomic bool busy, taken;
    unsigned calls;              /* of who likes to do something every so often */
    unsigned n_inside;
    struct ctx *_Atomic inside[GATE_DEPTH];      /* gate.h */
    struct caller *next;
};
extern _Thread_local struct caller *caller_self; /* NULL: none yet; caller_make() */
extern struct caller *_Atomic caller_all;
void caller_init(void);                          /* sched_init() calls it once */
bool caller_make(void);                          /* false: out of memory */
extern bool caller_fence_needed;                 /* const after caller_init(): who writes into its record must make that seen by itself, caller_fence_all() cannot */
void caller_fence_all(void);                     /* all threads take a full barrier */

/* Leaves the contexts (gate.h) that were entered since there were n. */
static inline void caller_leave(struct caller *d, unsigned n)
{
    while (d->n_inside > n)
        atomic_store_explicit(&d->inside[--d->n_inside], NULL, memory_order_release);    /* pairs with gate_close() */
}

#endif
