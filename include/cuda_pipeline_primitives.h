/* SPDX-License-Identifier: Apache-2.0 */
/* Copies from global to shared memory that run on while the thread does other things, in batches. */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "hostwarp/words_push.h"

#include "cuda_awbarrier_primitives.h"
#include "cuda_runtime.h"

#define HW_PIPE static __inline__ __device__

/* size: 4, 8 or 16. The last zfill bytes are not read but zero. */
HW_PIPE void __pipeline_memcpy_async(void *__restrict__ dst_shared, const void *__restrict__ src_global, size_t size, size_t zfill = 0)
{
    unsigned int to = (unsigned int)__cvta_generic_to_shared(dst_shared), n = (unsigned int)(size - zfill);
    size_t from = __cvta_generic_to_global(src_global);
    if (size == 16)
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(from), "r"(n) : "memory");
    else if (size == 8)
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" : : "r"(to), "l"(from), "r"(n) : "memory");
    else if (size == 4)
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(to), "l"(from), "r"(n) : "memory");
    else
        __trap();
}

HW_PIPE void __pipeline_commit() { __asm__ volatile("cp.async.commit_group;" : : : "memory"); }

/* Waits for all batches but the newest `prior`. The instruction wants a constant: more than eight is treated as eight. */
HW_PIPE void __pipeline_wait_prior(size_t prior)
{
    switch (prior) {
    case 0: __asm__ volatile("cp.async.wait_group 0;" : : : "memory"); break;
    case 1: __asm__ volatile("cp.async.wait_group 1;" : : : "memory"); break;
    case 2: __asm__ volatile("cp.async.wait_group 2;" : : : "memory"); break;
    case 3: __asm__ volatile("cp.async.wait_group 3;" : : : "memory"); break;
    case 4: __asm__ volatile("cp.async.wait_group 4;" : : : "memory"); break;
    case 5: __asm__ volatile("cp.async.wait_group 5;" : : : "memory"); break;
    case 6: __asm__ volatile("cp.async.wait_group 6;" : : : "memory"); break;
    case 7: __asm__ volatile("cp.async.wait_group 7;" : : : "memory"); break;
    default: __asm__ volatile("cp.async.wait_group 8;" : : : "memory"); break;
    }
}

/* The barrier expects one arrival more, which comes when this thread's copies so far are done. */
HW_PIPE void __pipeline_arrive_on(__mbarrier_t *barrier)
{
    __asm__ volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"((unsigned int)__cvta_generic_to_shared(barrier)) : "memory");
}

#undef HW_PIPE

#include "hostwarp/words_pop.h"

#endif
