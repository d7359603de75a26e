/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the whole: starting, process exit, fork. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "base/base.h"
#include "exec/exec.h"

#include <cuda.h>
#include <stdatomic.h>

/* cuInit: flags must be 0. Starts no thread; may be called often. */
CUresult core_init(unsigned flags);

/* CUDA_SUCCESS; CUDA_ERROR_NOT_INITIALIZED before core_init() and in a child made by fork() after it;
   CUDA_ERROR_DEINITIALIZED once the process is exiting. Cheap: one atomic load. */
enum core_state { CORE_NOT_STARTED, CORE_RUNNING, CORE_FORKED, CORE_EXITING };
extern _Atomic int core_state;
static inline CUresult core_check(void)
{
    int state = atomic_load_explicit(&core_state, memory_order_acquire);
    return hw_likely(state == CORE_RUNNING) ? CUDA_SUCCESS : state == CORE_EXITING ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_INITIALIZED;
}

/* True on a thread that is running a stream callback or a host function at this moment: calls there are not permitted. */
static inline bool core_in_host_function(void) { return exec_in_hostfn(); }

#endif
