/* SPDX-License-Identifier: Apache-2.0 */
/* Work that the calling thread does by itself, without a command; and waiting until nobody does any. */
#include "core/sched/direct.h"

#include "core/hooks.h"
#include "core/sched/sched_internal.h"

#include <stdatomic.h>
#include <time.h>

static unsigned n_quiet;                         /* sched_mu: of sched_n_busy, the calls of direct_quiet() */

/*
 * Why one look at sched_n_busy is enough. What the copy has to wait for was queued before the call, by this thread or by one that this
 * thread has synchronised with since: either way the increase happened before our load, so the load sees it or a later value. If
 * it is 0 again, everything was finished, and acquire makes its results visible. Work that another thread queues while we copy
 * comes in no order with us, as if it had come later; and nothing has to wait for us but direct_quiet(), which moves memory
 * that others might be using. It raises sched_n_busy first and looks at our mark then, we the other way round: one of us sees
 * the other. That takes a full barrier on both sides. Ours would cost as much as the rest of the call, so direct_quiet() has
 * the kernel make all our threads take one: membarrier().
 */
bool direct_begin(struct stream *s)
{
    if (hw_unlikely(!caller_self) && !caller_make())
        return false;
    if (hw_likely(direct_try_as(caller_self)))
        return true;
    hw_lock(&sched_mu);
    bool idle = !sched_tails_locked(s, NULL);
    atomic_store_explicit(&caller_self->busy, idle, memory_order_relaxed);
    hw_unlock(&sched_mu);
    return idle;
}

void direct_end(void) { direct_end_as(caller_self); }

static bool any_busy(void)
{
    for (struct caller *d = atomic_load(&caller_all); d; d = d->next)
        if (atomic_load_explicit(&d->busy, memory_order_acquire))
            return true;
    return false;
}

void direct_tell_begin(struct stream *s, struct cmd *c)
{
    hw_lock(&sched_mu);
    c->stream = s;
    c->seq = ++sched_last_seq;
    hook_cmd_queued(c);
    hw_unlock(&sched_mu);
    hook_cmd_started(c);
}

void direct_tell_end(struct cmd *c)
{
    hw_lock(&sched_mu);
    hook_host_waited(NULL, NULL, NULL, c);
    hook_host_waited_for(c->seq);
    hook_cmd_finished(c);
    hw_unlock(&sched_mu);
}

void direct_quiet(void (*fn)(void *arg), void *arg)
{
    const struct timespec pause = { 0, 50000 };
    hw_lock(&sched_mu);
    sched_change_busy(1);                              /* from now on nobody begins without the lock */
    n_quiet++;
    caller_fence_all();
    while (atomic_load_explicit(&sched_n_busy, memory_order_relaxed) > n_quiet || any_busy()) {
        hw_unlock(&sched_mu);
        nanosleep(&pause, NULL);
        hw_lock(&sched_mu);
    }
    fn(arg);
    n_quiet--;
    sched_change_busy(-1);
    hw_unlock(&sched_mu);
}
