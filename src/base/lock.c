/* SPDX-License-Identifier: Apache-2.0 */
/* Ranked mutexes. */
#define _GNU_SOURCE
#include "base/lock.h"

#include <stdio.h>

#ifndef NDEBUG
static _Thread_local uint32_t held;              /* bit r: a lock of rank r is held */

static void check_order(const struct hw_mutex *mu)
{
    if (held >> mu->rank) {
        fprintf(stderr, "hostwarp: a lock of rank %d is taken while ranks %#x are held\n", (int)mu->rank, held);
        abort();
    }
}
#endif

void hw_mutex_init(struct hw_mutex *mu, enum hw_rank rank)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);   /* our locks are held for less time than a sleep takes */
    pthread_mutex_init(&mu->m, &attr);
    pthread_mutexattr_destroy(&attr);
    mu->rank = rank;
}

void hw_mutex_fini(struct hw_mutex *mu)
{
    pthread_mutex_destroy(&mu->m);
}

void hw_lock(struct hw_mutex *mu)
{
#ifndef NDEBUG
    check_order(mu);
    held |= 1u << mu->rank;
#endif
    pthread_mutex_lock(&mu->m);
}

void hw_unlock(struct hw_mutex *mu)
{
    pthread_mutex_unlock(&mu->m);
#ifndef NDEBUG
    held &= ~(1u << mu->rank);
#endif
}

void hw_cond_wait(pthread_cond_t *cond, struct hw_mutex *mu)
{
    pthread_cond_wait(cond, &mu->m);
}

void hw_assert_no_locks(const char *where)
{
    (void)where;
#ifndef NDEBUG
    if (held) {
        fprintf(stderr, "hostwarp: %s while locks of ranks %#x are held\n", where, held);
        abort();
    }
#endif
}
