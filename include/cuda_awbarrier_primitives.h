/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers in shared memory, one function for each instruction. */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "hostwarp/words_push.h"

#include "cuda_runtime.h"
#include <stdint.h>

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

#define __HW_MBAR static __inline__ __device__
#define __HW_MBAR_AT "r"((unsigned int)__cvta_generic_to_shared(__b))
#define __HW_MBAR_ASK(text, ...)                                                                                     \
    unsigned int __done;                                                                                             \
    __asm__ volatile("{\n .reg .pred %%done;\n " text ";\n selp.b32 %0, 1, 0, %%done;\n}"                            \
                     : "=r"(__done) : __HW_MBAR_AT, __VA_ARGS__ : "memory");                                         \
    return __done != 0

static __inline__ __host__ __device__ uint32_t __mbarrier_maximum_count() { return (1 << 20) - 1; }
__HW_MBAR void __mbarrier_init(__mbarrier_t *__b, uint32_t __expected)
{
    __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" : : __HW_MBAR_AT, "r"(__expected) : "memory");
}
__HW_MBAR void __mbarrier_inval(__mbarrier_t *__b) { __asm__ volatile("mbarrier.inval.shared.b64 [%0];" : : __HW_MBAR_AT : "memory"); }
__HW_MBAR __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *__b)
{
    __mbarrier_token_t __token;
    __asm__ volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(__token) : __HW_MBAR_AT : "memory");
    return __token;
}
__HW_MBAR __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *__b)
{
    __mbarrier_token_t __token;
    __asm__ volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(__token) : __HW_MBAR_AT : "memory");
    return __token;
}
__HW_MBAR uint32_t __mbarrier_token_pending_count(__mbarrier_token_t __token)
{
    uint32_t __count;
    __asm__("mbarrier.pending_count.b64 %0, %1;" : "=r"(__count) : "l"(__token));
    return __count;
}
__HW_MBAR bool __mbarrier_test_wait(__mbarrier_t *__b, __mbarrier_token_t __token)
{
    __HW_MBAR_ASK("mbarrier.test_wait.shared.b64 %%done, [%1], %2", "l"(__token));
}
__HW_MBAR bool __mbarrier_test_wait_parity(__mbarrier_t *__b, bool __parity)
{
    __HW_MBAR_ASK("mbarrier.test_wait.parity.shared.b64 %%done, [%1], %2", "r"((unsigned int)__parity));
}

/* Waiting with a limit: an instruction from sm_90 on; before it, asking until the time is over. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__HW_MBAR bool __mbarrier_try_wait(__mbarrier_t *__b, __mbarrier_token_t __token, uint32_t __nanoseconds)
{
    __HW_MBAR_ASK("mbarrier.try_wait.shared.b64 %%done, [%1], %2, %3", "l"(__token), "r"(__nanoseconds));
}
__HW_MBAR bool __mbarrier_try_wait_parity(__mbarrier_t *__b, bool __parity, uint32_t __nanoseconds)
{
    __HW_MBAR_ASK("mbarrier.try_wait.parity.shared.b64 %%done, [%1], %2, %3", "r"((unsigned int)__parity), "r"(__nanoseconds));
}
#else
__HW_MBAR uint64_t __mbarrier_now()
{
    uint64_t __time;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(__time));
    return __time;
}
__HW_MBAR bool __mbarrier_try_wait(__mbarrier_t *__b, __mbarrier_token_t __token, uint32_t __nanoseconds)
{
    uint64_t __begin = __mbarrier_now();
    while (!__mbarrier_test_wait(__b, __token)) {
        if (__mbarrier_now() - __begin > __nanoseconds)
            return false;
    }
    return true;
}
__HW_MBAR bool __mbarrier_try_wait_parity(__mbarrier_t *__b, bool __parity, uint32_t __nanoseconds)
{
    uint64_t __begin = __mbarrier_now();
    while (!__mbarrier_test_wait_parity(__b, __parity)) {
        if (__mbarrier_now() - __begin > __nanoseconds)
            return false;
    }
    return true;
}
#endif

#undef __HW_MBAR_ASK
#undef __HW_MBAR_AT
#undef __HW_MBAR

#include "hostwarp/words_pop.h"

#endif
