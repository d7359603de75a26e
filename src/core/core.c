/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the whole: starting, process exit, fork. */
#include "core/core.h"

#include "core/device.h"
#include "core/mem.h"
#include "core/sched.h"
#include "core/verify.h"
#include "exec/exec.h"

#include <pthread.h>
#include <stdatomic.h>

_Atomic int core_state;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static CUresult no_start;        /* why there is nothing to start; const after start() */

/*
 * Registered with atexit() by cuInit, so it runs before the destructors of objects that were made earlier: their calls answer
 * DEINITIALIZED, as with the real driver. Threads are not joined: one may be in a kernel that never ends, and none of them
 * touches anything that exit() takes away.
 */
static void at_exit(void)
{
    int expected = CORE_RUNNING;
    if (atomic_compare_exchange_strong(&core_state, &expected, CORE_EXITING))
        exec_stop_all();
    if (expected == CORE_RUNNING)
        verify_summary();
}

/* A child has our memory but not our threads: nothing would ever finish. */
static void in_child(void)
{
    if (core_state == CORE_RUNNING)
        core_state = CORE_FORKED;
}

static void start(void)
{
    if ((no_start = device_init()))
        return;
    mem_init();
    sched_init();
    verify_init();
    pthread_atfork(NULL, NULL, in_child);
    atexit(at_exit);
    core_state = CORE_RUNNING;
}

CUresult core_init(unsigned flags)
{
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_once(&once, start);
    return no_start ? no_start : core_check();
}
