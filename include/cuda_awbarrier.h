/* SPDX-License-Identifier: Apache-2.0 */
/* nvcuda::experimental::awbarrier: a barrier in shared memory whose arrivals and waits are apart. */
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_

#include "hostwarp/words_push.h"

#include "cuda_awbarrier_primitives.h"

namespace nvcuda {
namespace experimental {

class awbarrier {
  public:
    class arrival_token {
      public:
        arrival_token() = default;
        __device__ uint32_t pending_count() const { return __mbarrier_token_pending_count(__token); }

      private:
        __device__ explicit arrival_token(uint64_t __t) : __token(__t) {}
        uint64_t __token;
        friend awbarrier;
    };

    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;

    __device__ arrival_token arrive() { return arrival_token(__mbarrier_arrive(&__word)); }
    __device__ arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&__word)); }
    __device__ bool timed_wait(arrival_token __t, uint32_t __cycles)
    {
        for (long long __begin = clock64(); clock64() - __begin <= __cycles;) {
            if (__mbarrier_test_wait(&__word, __t.__token))
                return true;
        }
        return __mbarrier_test_wait(&__word, __t.__token);
    }
    __device__ bool timed_wait_parity(bool __phase, uint32_t __cycles)
    {
        for (long long __begin = clock64(); clock64() - __begin <= __cycles;) {
            if (__mbarrier_test_wait_parity(&__word, __phase))
                return true;
        }
        return __mbarrier_test_wait_parity(&__word, __phase);
    }
    __device__ void wait(arrival_token __t)
    {
        while (!__mbarrier_test_wait(&__word, __t.__token))
            __nanosleep(20);
    }
    __device__ void arrive_and_wait() { wait(arrive()); }
    __device__ bool try_wait(arrival_token __t, uint32_t __nanoseconds) { return __mbarrier_try_wait(&__word, __t.__token, __nanoseconds); }
    __device__ bool try_wait_parity(bool __phase, uint32_t __nanoseconds) { return __mbarrier_try_wait_parity(&__word, __phase, __nanoseconds); }
    static __host__ __device__ constexpr uint32_t max() { return (1 << 20) - 1; }

    friend __device__ inline void init(awbarrier *__b, uint32_t __expected) { __mbarrier_init(&__b->__word, __expected); }
    friend __device__ inline void inval(awbarrier *__b) { __mbarrier_inval(&__b->__word); }

  private:
    uint64_t __word;
};

}
}

#include "hostwarp/words_pop.h"

#endif
