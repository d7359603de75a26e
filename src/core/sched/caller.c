/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that call us: each has a record, which is found again when another thread begins. */
#define _GNU_SOURCE
#include "core/sched/caller.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct caller *_Atomic caller_all;
_Thread_local struct caller *caller_self;
static pthread_key_t key;
bool caller_fence_needed;

static void thread_ends(void *p)
{
    struct caller *d = p;
    caller_self = NULL;
    atomic_store_explicit(&d->busy, false, memory_order_release);
    caller_leave(d, 0);                            /* a function of the program may have ended the thread in the middle of a call */
    atomic_store_explicit(&d->taken, false, memory_order_release);
}

/* As early as can be: once there are threads, the kernel takes ten milliseconds for it. */
void caller_init(void)
{
    pthread_key_create(&key, thread_ends);
    caller_fence_needed = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

HW_NOINLINE bool caller_make(void)
{
    struct caller *d;
    for (d = atomic_load(&caller_all); d; d = d->next) {
        bool expected = false;
        if (atomic_compare_exchange_strong(&d->taken, &expected, true))
            break;
    }
    if (!d) {
        if (!(d = aligned_alloc(64, 64)))        /* a cache line of its own */
            return false;
        *d = (struct caller){ .taken = true };
        d->next = atomic_load(&caller_all);
        while (!atomic_compare_exchange_weak(&caller_all, &d->next, d))
            ;
    }
    pthread_setspecific(key, d);
    caller_self = d;
    return true;
}

void caller_fence_all(void)
{
    if (!caller_fence_needed)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    atomic_thread_fence(memory_order_seq_cst);
}
