/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the whole: starting, process exit, fork. */
#include "core/core.h"
#include "base/log.h"

#include "base/options.h"
#include "core/device/device.h"
#include "core/module/launch.h"
#include "core/mem/mem.h"
#include "core/sched/sched.h"
#include "core/verify/verify.h"
#include "core/hooks.h"
#include "exec/exec.h"

#include <pthread.h>
#include <stdatomic.h>

_Atomic int core_state;
static pthread_mutex_t start_mu = PTHREAD_MUTEX_INITIALIZER;

/*
 * Registered with atexit() by cuInit, so it runs before the destructors of objects that were made earlier: their calls answer
 * DEINITIALIZED, as with the real driver. Threads are not joined: one may be in a kernel that never ends, and none of them
 * touches anything that exit() takes away.
 */
static void at_exit(void)
{
    int expected = CORE_RUNNING;
    if (atomic_load(&core_state) == CORE_RUNNING)
        hook_exiting();
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

/* What is wrong with the devices stays wrong; memory may be there the next time. With start_mu held. */
static CUresult start(void)
{
    static bool looked;
    static CUresult no_start;
    hw_options_check();
    if (!looked)
        no_start = device_init();
    looked = true;
    if (no_start)
        return no_start;
    launch_init();
    if (!mem_init())
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no addresses for device memory (ulimit -v?)");
    sched_init();
    verify_init();
    pthread_atfork(NULL, NULL, in_child);
    atexit(at_exit);
    core_state = CORE_RUNNING;
    return CUDA_SUCCESS;
}

CUresult core_init(unsigned flags)
{
    if (flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags are 0x%x; they must be 0", flags);
    CUresult rc = CUDA_SUCCESS;
    pthread_mutex_lock(&start_mu);
    if (core_state == CORE_NOT_STARTED)
        rc = start();
    pthread_mutex_unlock(&start_mu);
    return rc ? rc : core_check();
}
