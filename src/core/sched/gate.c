/* SPDX-License-Identifier: Apache-2.0 */
/* Entering contexts that are not current, and waiting for those inside. */
#include "core/sched/gate.h"

#include "base/lock.h"

#include <time.h>

bool gate_also(struct ctx *ctx)
{
    struct caller *d = caller_self;
    if (!d) {
        if (!caller_make())
            return false;
        d = caller_self;
    }
    for (unsigned i = 0; i < d->n_inside; i++)
        if (atomic_load_explicit(&d->inside[i], memory_order_relaxed) == ctx)
            return true;
    return gate_enter(d, ctx);
}

static bool is_inside(const struct caller *d, const struct ctx *ctx)
{
    if (atomic_load_explicit(&d->busy, memory_order_acquire))    /* a small copy, in whatever context */
        return true;
    for (unsigned i = 0; i < GATE_DEPTH; i++)
        if (atomic_load_explicit(&d->inside[i], memory_order_acquire) == ctx)
            return true;
    return false;
}

void gate_close(struct ctx *ctx)
{
    const struct timespec pause = { 0, 20000 };
    hw_assert_no_locks("a context waits for calls");
    caller_fence_all();
    for (struct caller *d = atomic_load(&caller_all); d; d = d->next)
        while (d != caller_self && is_inside(d, ctx))
            nanosleep(&pause, NULL);
}

void gate_pause(struct ctx *ctx, struct gate_pause *p)
{
    struct caller *d = caller_self;
    for (unsigned i = 0; d && i < GATE_DEPTH; i++) {
        p->inside[i] = atomic_load_explicit(&d->inside[i], memory_order_relaxed);
        if (p->inside[i] && p->inside[i] != ctx)
            atomic_store_explicit(&d->inside[i], NULL, memory_order_release);
    }
}

void gate_resume(const struct gate_pause *p)
{
    struct caller *d = caller_self;
    for (unsigned i = 0; d && i < GATE_DEPTH; i++)
        atomic_store_explicit(&d->inside[i], p->inside[i], memory_order_relaxed);
}
