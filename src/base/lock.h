/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes with ranks. A thread takes locks in rising rank only; a debug build aborts on a lock out of order.
 * This enum is the order: nothing else says it.
 */
#ifndef HW_LOCK_H
#define HW_LOCK_H

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>

enum hw_rank { HW_RANK_TABLE = 1, HW_RANK_MODULE, HW_RANK_CTX, HW_RANK_STREAM, HW_RANK_EVENT, HW_RANK_MEM, HW_RANK_POOL, HW_RANK_LOG, HW_RANK_LEAF };

struct
#if defined(__clang__)
__attribute__((capability("mutex")))
#endif
hw_mutex {
    _Atomic uint32_t state;                          /* 0: free, 1: held, 2: held, and somebody may sleep */
    enum hw_rank rank;
};
struct hw_cond {
    _Atomic uint32_t count;                          /* of broadcasts */
};

#define HW_MUTEX_INIT(r) { 0, (r) }

void hw_lock_slow(struct hw_mutex *mu);
void hw_unlock_slow(struct hw_mutex *mu);
void hw_cond_wait(struct hw_cond *cond, struct hw_mutex *mu);        /* may return for no reason */
void hw_cond_broadcast(struct hw_cond *cond);        /* with the mutex held */
void hw_assert_no_locks(const char *where);          /* before a callback, a wait or a compile */

#ifndef NDEBUG
extern _Thread_local uint32_t hw_locks_held;         /* bit r: a lock of rank r is held */
void hw_lock_order(const struct hw_mutex *mu);       /* it is out of order: says so, aborts */
#endif

static inline void hw_mutex_init(struct hw_mutex *mu, enum hw_rank rank)
{
    atomic_init(&mu->state, 0);
    mu->rank = rank;
}

static inline void hw_lock(struct hw_mutex *mu)
{
#ifndef NDEBUG
    if (hw_unlikely(hw_locks_held >> mu->rank))
        hw_lock_order(mu);
    hw_locks_held |= 1u << mu->rank;
#endif
    uint32_t expected = 0;                           /* acquire: pairs with the release in hw_unlock() */
    if (hw_unlikely(!atomic_compare_exchange_strong_explicit(&mu->state, &expected, 1, memory_order_acquire, memory_order_relaxed)))
        hw_lock_slow(mu);
}

static inline void hw_unlock(struct hw_mutex *mu)
{
    if (hw_unlikely(atomic_exchange_explicit(&mu->state, 0, memory_order_release) == 2))
        hw_unlock_slow(mu);
#ifndef NDEBUG
    hw_locks_held &= ~(1u << mu->rank);
#endif
}

#endif
