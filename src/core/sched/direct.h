/* SPDX-License-Identifier: Apache-2.0 */
/* Work that the calling thread does by itself, without a command, because the stream has none to wait for. */
#ifndef CORE_DIRECT_H
#define CORE_DIRECT_H

#include "core/sched/caller.h"
#include "core/sched/sched.h"

/* False: the stream has work to wait for. Takes no lock while no stream of the process has work. */
bool direct_begin(struct stream *s);
void direct_end(void);
/* The part without a lock, in place, where d is the thread's own and there. False: some stream has work. */
static inline bool direct_try_as(struct caller *d)
{
    atomic_store_explicit(&d->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (hw_unlikely(caller_fence_needed))
        atomic_thread_fence(memory_order_seq_cst);
    if (hw_likely(atomic_load_explicit(&sched_n_busy, memory_order_acquire) == 0))
        return true;
    atomic_store_explicit(&d->busy, false, memory_order_release);
    return false;
}
static inline void direct_end_as(struct caller *d)
{
    atomic_store_explicit(&d->busy, false, memory_order_release);        /* pairs with any_busy() */
}
/* Those who watch see a command all the same: between these two it is done. */
void direct_tell_begin(struct stream *s, struct cmd *c);
void direct_tell_end(struct cmd *c);
/* Waits until no stream of any context has work, and calls fn before any can begin. */
void direct_quiet(void (*fn)(void *arg), void *arg);

#endif
