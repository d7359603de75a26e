/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda::barrier of a block: one word of 64 bits. In shared memory it is what PTX calls an mbarrier, so that bulk copies can count bytes at it and programs
 * can hand its address to instructions; elsewhere, and where the program is for less than sm_80, the word is changed by compare-and-swap:
 * bits 0..19 arrivals that are missing in this phase, 20..39 arrivals that a phase takes, 63 the phase. Part of cuda/barrier.
 */
#ifndef HOSTWARP_BLOCK_BARRIER_H
#define HOSTWARP_BLOCK_BARRIER_H

#include <chrono>

namespace cuda {

template <> class barrier<thread_scope_block, std::empty_completion> {
  public:
    typedef unsigned long long arrival_token;

    barrier() = default;
    __host__ __device__ barrier(::std::ptrdiff_t __expected, std::empty_completion = std::empty_completion()) { __set(__expected); }
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;

    friend __device__ inline void init(barrier *__b, ::std::ptrdiff_t __expected) { __b->__set(__expected); }
    friend __device__ inline void init(barrier *__b, ::std::ptrdiff_t __expected, std::empty_completion) { __b->__set(__expected); }

    static constexpr __host__ __device__ ::std::ptrdiff_t max() noexcept { return (1 << 20) - 1; }

    __device__ arrival_token arrive(::std::ptrdiff_t __n = 1)
    {
        cooperative_groups::details::wait_for_copies();
        if (!__native())
            return __change((unsigned long long)__n, 0);
        unsigned long long __token = 0;
#if __CUDA_ARCH__ >= 800
        /* Older forms have no count. All but the last arrival end no phase. */
        if (__n > 1)
            asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(__token) : "r"(__address()), "r"((unsigned int)(__n - 1)) : "memory");
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(__token) : "r"(__address()) : "memory");
#endif
        return __token;
    }
    __device__ void wait(arrival_token &&__token) const { __wait(__token); }
    __device__ void wait(const arrival_token &__token) const { __wait(__token); }
    __device__ void wait_parity(bool __parity) const
    {
        if (__native()) {
            while (!__asked_parity(__parity))
                __nanosleep(20);
        } else {
            while (!__turned(__parity))
                __nanosleep(20);
        }
    }
    __device__ void arrive_and_wait() { __wait(arrive()); }
    __device__ void arrive_and_drop()
    {
        cooperative_groups::details::wait_for_copies();
        if (!__native()) {
            __change(1, 1);
            return;
        }
#if __CUDA_ARCH__ >= 800
        unsigned long long __token;
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(__token) : "r"(__address()) : "memory");
#endif
    }
    __device__ bool try_wait(const arrival_token &__token) const { return __passed(__token); }
    template <class __Rep, class __Period> __device__ bool try_wait_for(arrival_token &&__token, const ::std::chrono::duration<__Rep, __Period> &__time) const
    {
        return __in_time([&] { return __passed(__token); }, __time);
    }
    template <class __Rep, class __Period> __device__ bool try_wait_parity_for(bool __parity, const ::std::chrono::duration<__Rep, __Period> &__time) const
    {
        return __in_time([&] { return __passed_parity(__parity); }, __time);
    }

    /* What instructions take for this barrier. */
    __device__ unsigned long long *__handle() { return &__word; }

  private:
    unsigned long long __word;

    __device__ unsigned int __address() const { return (unsigned int)__cvta_generic_to_shared(&__word); }
    __device__ bool __native() const
    {
#if __CUDA_ARCH__ >= 800
        return __isShared(&__word);
#else
        return false;
#endif
    }

    __host__ __device__ void __set(::std::ptrdiff_t __expected)
    {
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
        if (__native()) {
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(__address()), "r"((unsigned int)__expected) : "memory");
            return;
        }
#endif
        *(volatile unsigned long long *)&__word = (unsigned long long)__expected << 20 | (unsigned long long)__expected;
        __threadfence();
#else
        __word = (unsigned long long)__expected << 20 | (unsigned long long)__expected;
#endif
    }

    /* By compare-and-swap; returns the word as it was. */
    __device__ unsigned long long __change(unsigned long long __arrived, unsigned long long __dropped)
    {
        unsigned long long __old = *(volatile unsigned long long *)&__word, __seen;
        __threadfence();
        do {
            __seen = __old;
            unsigned long long __next = __seen - (__dropped << 20) - __arrived;
            if ((__next & 0xfffff) == 0)
                __next = (__next | (__next >> 20 & 0xfffff)) ^ 1ull << 63;
            __old = atomicCAS(&__word, __seen, __next);
        } while (__old != __seen);
        return __seen;
    }

    /* The instructions' answers; only of native barriers. */
    __device__ bool __asked(unsigned long long __token) const
    {
        unsigned int __done = 0;
#if __CUDA_ARCH__ >= 800
        asm volatile("{\n .reg .pred %%done;\n mbarrier.test_wait.shared.b64 %%done, [%1], %2;\n selp.b32 %0, 1, 0, %%done;\n}"
                     : "=r"(__done) : "r"(__address()), "l"(__token) : "memory");
#endif
        return __done != 0;
    }
    __device__ bool __asked_parity(bool __parity) const
    {
        unsigned int __done = 0;
#if __CUDA_ARCH__ >= 800
        asm volatile("{\n .reg .pred %%done;\n mbarrier.test_wait.parity.shared.b64 %%done, [%1], %2;\n selp.b32 %0, 1, 0, %%done;\n}"
                     : "=r"(__done) : "r"(__address()), "r"((unsigned int)__parity) : "memory");
#endif
        return __done != 0;
    }
    /* The word's phase is another one than this. */
    __device__ bool __turned(bool __parity) const
    {
        bool __is = (*(volatile const unsigned long long *)&__word >> 63 != 0) != __parity;
        __threadfence();
        return __is;
    }
    __device__ bool __passed(unsigned long long __token) const { return __native() ? __asked(__token) : __turned(__token >> 63); }
    __device__ bool __passed_parity(bool __parity) const { return __native() ? __asked_parity(__parity) : __turned(__parity); }
    /* Two loops: how the barrier is asked does not change while one waits. */
    __device__ void __wait(unsigned long long __token) const
    {
        if (__native()) {
            while (!__asked(__token))
                __nanosleep(20);
        } else {
            while (!__turned(__token >> 63))
                __nanosleep(20);
        }
    }
    template <class __Ask, class __Time> static __device__ bool __in_time(const __Ask &__ask, const __Time &__time)
    {
        unsigned long long __begin, __now;
        unsigned long long __limit = (unsigned long long)::std::chrono::duration_cast<::std::chrono::nanoseconds>(__time).count();
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(__begin));
        do {
            if (__ask())
                return true;
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(__now));
        } while (__now - __begin < __limit);
        return false;
    }
};

namespace device {

inline __device__ ::std::uint64_t *barrier_native_handle(barrier<thread_scope_block> &__b) { return (::std::uint64_t *)__b.__handle(); }

/* Bytes that copies bring are counted by the barrier, from sm_90 on. */
inline __device__ void barrier_expect_tx(barrier<thread_scope_block> &__b, ::std::ptrdiff_t __bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
                 : : "r"((unsigned int)__cvta_generic_to_shared(__b.__handle())), "r"((unsigned int)__bytes) : "memory");
}
inline __device__ barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block> &__b, ::std::ptrdiff_t __arrivals,
                                                                               ::std::ptrdiff_t __bytes)
{
    barrier_expect_tx(__b, __bytes);
    return __b.arrive(__arrivals);
}
template <class __T, size_t __alignment>
inline __device__ void memcpy_async_tx(__T *__to, const __T *__from, aligned_size_t<__alignment> __bytes, barrier<thread_scope_block> &__b)
{
    static_assert(__alignment >= 16, "bulk copies want an alignment of 16 bytes");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"((unsigned int)__cvta_generic_to_shared(__to)), "l"((unsigned long long)__cvta_generic_to_global(__from)),
                     "r"((unsigned int)__bytes.value), "r"((unsigned int)__cvta_generic_to_shared(__b.__handle())) : "memory");
}

}
}

#endif
