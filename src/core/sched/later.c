/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that does what follows from commands. */
#include "core/sched/later.h"

#include "base/lock.h"
#include "base/os.h"

#include <stdatomic.h>

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct cmd *fresh HW_GUARDED_BY(mu), **fresh_end HW_GUARDED_BY(mu) = &fresh;          /* by cmd.next */
static _Atomic uint32_t n_fresh;                 /* the thread sleeps on it */

static struct cmd *take(void)
{
    hw_lock(&mu);
    struct cmd *c = fresh;
    if (c && !(fresh = c->next))
        fresh_end = &fresh;
    hw_unlock(&mu);
    return c;
}

static void *do_all(void *unused)
{
    (void)unused;
    for (;;) {
        uint32_t seen = atomic_load(&n_fresh);
        struct cmd *c = take();
        if (c)
            c->later(c);
        else
            hw_futex_wait(&n_fresh, seen, 0);
    }
    return NULL;
}

bool later_ready(void)
{
    static struct hw_service service = HW_SERVICE_INIT;
    return hw_service_start(&service, do_all);
}

void later_do(struct cmd *c, void (*fn)(struct cmd *c))
{
    c->later = fn;
    c->next = NULL;
    hw_lock(&mu);
    *fresh_end = c;
    fresh_end = &c->next;
    hw_unlock(&mu);
    atomic_fetch_add(&n_fresh, 1);
    hw_futex_wake(&n_fresh, 1);
}
