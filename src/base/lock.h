/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes with ranks. A thread takes locks in rising rank only; a debug build aborts on a lock out of order.
 * This enum is the order: nothing else says it.
 */
#ifndef HW_LOCK_H
#define HW_LOCK_H

#include "base/base.h"

#include <pthread.h>

enum hw_rank { HW_RANK_TABLE = 1, HW_RANK_MODULE, HW_RANK_CTX, HW_RANK_STREAM, HW_RANK_EVENT, HW_RANK_MEM, HW_RANK_POOL, HW_RANK_LOG, HW_RANK_LEAF };

struct
#if defined(__clang__)
__attribute__((capability("mutex")))
#endif
hw_mutex {
    pthread_mutex_t m;
    enum hw_rank rank;
};

#define HW_MUTEX_INIT(r) { PTHREAD_MUTEX_INITIALIZER, (r) }

void hw_mutex_init(struct hw_mutex *mu, enum hw_rank rank);
void hw_mutex_fini(struct hw_mutex *mu);
void hw_lock(struct hw_mutex *mu);
void hw_unlock(struct hw_mutex *mu);
void hw_cond_wait(pthread_cond_t *cond, struct hw_mutex *mu);
void hw_assert_no_locks(const char *where);          /* before a callback, a wait or a compile */

#endif
