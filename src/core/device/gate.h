/* SPDX-License-Identifier: Apache-2.0 */
/* Who is inside which context: a context is torn down when every call that began before its end has left. */
#ifndef CORE_GATE_H
#define CORE_GATE_H

#include "core/device/ctx.h"
#include "core/stream/sched.h"

#include <stdatomic.h>

/*
 * Why no call finds its context in pieces. A call puts the context into its thread's record, then looks whether the context is
 * dead; gate_close() finds it marked dead, then looks at the records. One of the two sees the other: either the call answers
 * CONTEXT_IS_DESTROYED, or the end of the context waits for the call's. Between its store and its load a call would need a full
 * barrier, which costs as much as the rest of entering; gate_close() has the kernel make all our threads take one instead:
 * membarrier(), as in sched_quiet().
 */

/* d: the calling thread's. True: the context is alive and stays so until gate_leave(). False: it is dead. */
static inline bool gate_enter(struct sched_direct *d, struct ctx *ctx)
{
    if (hw_likely(d->n_inside < GATE_DEPTH))     /* deeper than any call goes: the references that it holds must do */
        atomic_store_explicit(&d->inside[d->n_inside++], ctx, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (hw_unlikely(sched_fence_needed))
        atomic_thread_fence(memory_order_seq_cst);
    return hw_likely(!atomic_load_explicit(&ctx->dead, memory_order_acquire));
}

/* Leaves what was entered since there were n. */
static inline void gate_leave(struct sched_direct *d, unsigned n)
{
    while (d->n_inside > n)
        atomic_store_explicit(&d->inside[--d->n_inside], NULL, memory_order_release);    /* pairs with gate_close() */
}

/* Inside a call: also this context, which is not the current one. The call's end leaves it. False: dead, or no memory. */
bool gate_also(struct ctx *ctx);

/* The context was marked dead: returns when no other thread is inside. */
void gate_close(struct ctx *ctx);

/* Around waiting for work of ctx: other contexts need not wait for the call meanwhile. Nothing of theirs may be used afterwards
   but what is referenced. */
struct gate_pause {
    struct ctx *inside[GATE_DEPTH];
};
void gate_pause(struct ctx *ctx, struct gate_pause *p);
void gate_resume(const struct gate_pause *p);

#endif
