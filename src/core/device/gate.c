/* SPDX-License-Identifier: Apache-2.0 */
/* Entering contexts that are not current, and waiting for those inside. */
#define _GNU_SOURCE
#include "core/device/gate.h"

#include "base/os.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool gate_also(struct ctx *ctx)
{
    struct sched_direct *d = sched_direct;
    if (!d) {
        if (!sched_direct_make())
            return false;
        d = sched_direct;
    }
    for (unsigned i = 0; i < d->n_inside; i++)
        if (atomic_load_explicit(&d->inside[i], memory_order_relaxed) == ctx)
            return true;
    return gate_enter(d, ctx);
}

static bool is_inside(const struct sched_direct *d, const struct ctx *ctx)
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
    if (!sched_fence_needed)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    atomic_thread_fence(memory_order_seq_cst);
    for (struct sched_direct *d = atomic_load(&sched_all_direct); d; d = d->next)
        while (d != sched_direct && is_inside(d, ctx))
            nanosleep(&pause, NULL);
}

void gate_pause(struct ctx *ctx, struct gate_pause *p)
{
    struct sched_direct *d = sched_direct;
    for (unsigned i = 0; d && i < GATE_DEPTH; i++) {
        p->inside[i] = atomic_load_explicit(&d->inside[i], memory_order_relaxed);
        if (p->inside[i] && p->inside[i] != ctx)
            atomic_store_explicit(&d->inside[i], NULL, memory_order_release);
    }
}

void gate_resume(const struct gate_pause *p)
{
    struct sched_direct *d = sched_direct;
    for (unsigned i = 0; d && i < GATE_DEPTH; i++)
        atomic_store_explicit(&d->inside[i], p->inside[i], memory_order_relaxed);
}
