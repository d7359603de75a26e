/* SPDX-License-Identifier: Apache-2.0 */
/* Ranked mutexes: what is not done in a moment. */
#include "base/lock.h"

#include "base/os.h"

#include <limits.h>
#include <stdio.h>

/* Our locks are held for less time than a sleep takes. Sixteen threads that want one at once get it one after another: the last waits for all. */
enum { LOCK_SPINS = 100, LOCK_SPINS_MANY = 600, MANY_CPUS = 4 };

static int spins(void)
{
    static _Atomic int known;
    int n = atomic_load_explicit(&known, memory_order_relaxed);
    if (!n) {
        n = hw_cpu_count() > MANY_CPUS ? LOCK_SPINS_MANY : LOCK_SPINS;
        atomic_store_explicit(&known, n, memory_order_relaxed);
    }
    return n;
}

#ifndef NDEBUG
_Thread_local uint32_t hw_locks_held;

void hw_lock_order(const struct hw_mutex *mu)
{
    fprintf(stderr, "hostwarp: a lock of rank %d is taken while ranks %#x are held\n", (int)mu->rank, hw_locks_held);
    abort();
}
#endif

void hw_lock_slow(struct hw_mutex *mu)
{
    for (int i = 0, n = spins(); i < n; i++) {
        uint32_t expected = 0;
        hw_cpu_relax();
        if (atomic_load_explicit(&mu->state, memory_order_relaxed) == 0
            && atomic_compare_exchange_strong_explicit(&mu->state, &expected, 1, memory_order_acquire, memory_order_relaxed))
            return;
    }
    while (atomic_exchange_explicit(&mu->state, 2, memory_order_acquire) != 0)
        hw_futex_wait(&mu->state, 2, 0);
}

void hw_unlock_slow(struct hw_mutex *mu)
{
    hw_futex_wake(&mu->state, 1);                /* only the address is used: the mutex may be gone */
}

void hw_cond_wait(struct hw_cond *cond, struct hw_mutex *mu)
{
    uint32_t seen = atomic_load(&cond->count);
    hw_unlock(mu);
    hw_futex_wait(&cond->count, seen, 0);
    hw_lock(mu);
}

void hw_cond_broadcast(struct hw_cond *cond)
{
    atomic_fetch_add(&cond->count, 1);
    hw_futex_wake(&cond->count, INT_MAX);
}

void hw_assert_no_locks(const char *where)
{
    (void)where;
#ifndef NDEBUG
    if (hw_locks_held) {
        fprintf(stderr, "hostwarp: %s while locks of ranks %#x are held\n", where, hw_locks_held);
        abort();
    }
#endif
}
