/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers in shared memory, the cluster's barrier, fences. Part of cuda/ptx. */
#ifndef HOSTWARP_PTX_BARRIERS_H
#define HOSTWARP_PTX_BARRIERS_H

namespace cuda {
namespace ptx {

#define __HW_BAR "r"(__hw::__shared_address(__bar))

__HW_PTX void mbarrier_init(::std::uint64_t *__bar, const ::std::uint32_t &__count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : __HW_BAR, "r"(__count) : "memory");
}

/* An arrival's answer is the state that a wait takes; at a barrier of another block of the cluster there is none. */
#define __HW_ARRIVE_PLAIN(name, text)                                                                               \
    __HW_PTX ::std::uint64_t name(::std::uint64_t *__bar, const ::std::uint32_t &__count)                           \
    {                                                                                                               \
        ::std::uint64_t __state;                                                                                    \
        asm volatile(text " %0, [%1], %2;" : "=l"(__state) : __HW_BAR, "r"(__count) : "memory");                    \
        return __state;                                                                                             \
    }
__HW_ARRIVE_PLAIN(mbarrier_arrive, "mbarrier.arrive.shared::cta.b64")
__HW_ARRIVE_PLAIN(mbarrier_arrive_no_complete, "mbarrier.arrive.noComplete.shared.b64")
#undef __HW_ARRIVE_PLAIN

__HW_PTX ::std::uint64_t mbarrier_arrive(::std::uint64_t *__bar)
{
    ::std::uint64_t __state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(__state) : __HW_BAR : "memory");
    return __state;
}

#define __HW_ARRIVE(name, text, sem)                                                                                                 \
    template <dot_scope __scope>                                                                                                     \
    static inline __device__ ::std::uint64_t name(sem_##sem##_t, scope_t<__scope>, space_shared_t, ::std::uint64_t *__bar,           \
                                                  const ::std::uint32_t &__count)                                                    \
    {                                                                                                                                \
        static_assert(__scope == dot_scope::cta || __scope == dot_scope::cluster, "an arrival is seen in the block or the cluster"); \
        ::std::uint64_t __state;                                                                                                     \
        if (__scope == dot_scope::cta)                                                                                               \
            asm volatile(text "." #sem ".cta.shared::cta.b64 %0, [%1], %2;" : "=l"(__state) : __HW_BAR, "r"(__count) : "memory");    \
        else                                                                                                                         \
            asm volatile(text "." #sem ".cluster.shared::cta.b64 %0, [%1], %2;" : "=l"(__state) : __HW_BAR, "r"(__count) : "memory"); \
        return __state;                                                                                                              \
    }                                                                                                                                \
    __HW_PTX void name(sem_##sem##_t, scope_cluster_t, space_cluster_t, ::std::uint64_t *__bar, const ::std::uint32_t &__count)      \
    {                                                                                                                                \
        asm volatile(text "." #sem ".cluster.shared::cluster.b64 _, [%0], %1;" : : __HW_BAR, "r"(__count) : "memory");               \
    }
__HW_ARRIVE(mbarrier_arrive, "mbarrier.arrive", release)
__HW_ARRIVE(mbarrier_arrive, "mbarrier.arrive", relaxed)
__HW_ARRIVE(mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx", release)
__HW_ARRIVE(mbarrier_arrive_expect_tx, "mbarrier.arrive.expect_tx", relaxed)
#undef __HW_ARRIVE

#define __HW_ARRIVE_ONE(sem)                                                                                                       \
    template <dot_scope __scope>                                                                                                   \
    static inline __device__ ::std::uint64_t mbarrier_arrive(sem_##sem##_t __s, scope_t<__scope> __t, space_shared_t __u, ::std::uint64_t *__bar) \
    {                                                                                                                              \
        return mbarrier_arrive(__s, __t, __u, __bar, ::std::uint32_t(1));                                                          \
    }                                                                                                                              \
    __HW_PTX void mbarrier_arrive(sem_##sem##_t __s, scope_cluster_t __t, space_cluster_t __u, ::std::uint64_t *__bar)             \
    {                                                                                                                              \
        mbarrier_arrive(__s, __t, __u, __bar, ::std::uint32_t(1));                                                                 \
    }
__HW_ARRIVE_ONE(release)
__HW_ARRIVE_ONE(relaxed)
#undef __HW_ARRIVE_ONE

template <dot_scope __scope>
static inline __device__ void mbarrier_expect_tx(sem_relaxed_t, scope_t<__scope>, space_shared_t, ::std::uint64_t *__bar, ::std::uint32_t __bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : __HW_BAR, "r"(__bytes) : "memory");
}
template <dot_scope __scope>
static inline __device__ void mbarrier_expect_tx(sem_relaxed_t, scope_t<__scope>, space_cluster_t, ::std::uint64_t *__bar, ::std::uint32_t __bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" : : __HW_BAR, "r"(__bytes) : "memory");
}

/* Waiting: for the phase of a state, or for one of this parity; with words of order or without; try_wait with or without a limit of time. */
#define __HW_ASK(text, ...)                                                                                                          \
    {                                                                                                                                \
        ::std::uint32_t __done;                                                                                                      \
        asm volatile("{\n .reg .pred %%done;\n " text ";\n selp.b32 %0, 1, 0, %%done;\n}" : "=r"(__done) : __HW_BAR, __VA_ARGS__ : "memory"); \
        return __done != 0;                                                                                                          \
    }
#define __HW_WAIT(name, text, space, type, letter)                                                                                    \
    __HW_PTX bool name(::std::uint64_t *__bar, const type &__phase)                                                                   \
    __HW_ASK(text "." space ".b64 %%done, [%1], %2", letter(__phase))                                                                 \
    template <dot_scope __scope> static inline __device__ bool name(sem_acquire_t, scope_t<__scope>, ::std::uint64_t *__bar, const type &__phase) \
    {                                                                                                                                 \
        static_assert(__scope == dot_scope::cta || __scope == dot_scope::cluster, "a wait is for the block or the cluster");          \
        if (__scope == dot_scope::cta)                                                                                                \
            __HW_ASK(text ".acquire.cta.shared::cta.b64 %%done, [%1], %2", letter(__phase))                                           \
        else                                                                                                                          \
            __HW_ASK(text ".acquire.cluster.shared::cta.b64 %%done, [%1], %2", letter(__phase))                                       \
    }                                                                                                                                 \
    template <dot_scope __scope> static inline __device__ bool name(sem_relaxed_t, scope_t<__scope>, ::std::uint64_t *__bar, const type &__phase) \
    __HW_ASK(text ".relaxed.cta.shared::cta.b64 %%done, [%1], %2", letter(__phase))
#define __HW_WAIT_LIMIT(name, text, type, letter)                                                                                     \
    __HW_PTX bool name(::std::uint64_t *__bar, const type &__phase, const ::std::uint32_t &__hint)                                    \
    __HW_ASK(text ".shared::cta.b64 %%done, [%1], %2, %3", letter(__phase), "r"(__hint))                                              \
    template <dot_scope __scope>                                                                                                      \
    static inline __device__ bool name(sem_acquire_t, scope_t<__scope>, ::std::uint64_t *__bar, const type &__phase, const ::std::uint32_t &__hint) \
    __HW_ASK(text ".acquire.cta.shared::cta.b64 %%done, [%1], %2, %3", letter(__phase), "r"(__hint))                                  \
    template <dot_scope __scope>                                                                                                      \
    static inline __device__ bool name(sem_relaxed_t, scope_t<__scope>, ::std::uint64_t *__bar, const type &__phase, const ::std::uint32_t &__hint) \
    __HW_ASK(text ".relaxed.cta.shared::cta.b64 %%done, [%1], %2, %3", letter(__phase), "r"(__hint))
__HW_WAIT(mbarrier_test_wait, "mbarrier.test_wait", "shared", ::std::uint64_t, "l")
__HW_WAIT(mbarrier_test_wait_parity, "mbarrier.test_wait.parity", "shared", ::std::uint32_t, "r")
__HW_WAIT(mbarrier_try_wait, "mbarrier.try_wait", "shared::cta", ::std::uint64_t, "l")
__HW_WAIT(mbarrier_try_wait_parity, "mbarrier.try_wait.parity", "shared::cta", ::std::uint32_t, "r")
__HW_WAIT_LIMIT(mbarrier_try_wait, "mbarrier.try_wait", ::std::uint64_t, "l")
__HW_WAIT_LIMIT(mbarrier_try_wait_parity, "mbarrier.try_wait.parity", ::std::uint32_t, "r")
#undef __HW_WAIT_LIMIT
#undef __HW_WAIT
#undef __HW_ASK

__HW_PTX void cp_async_mbarrier_arrive(::std::uint64_t *__bar)
{
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : __HW_BAR : "memory");
}
__HW_PTX void cp_async_mbarrier_arrive_noinc(::std::uint64_t *__bar)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : __HW_BAR : "memory");
}
#undef __HW_BAR

/* ---- the cluster's barrier ---- */

__HW_PTX void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" : : : "memory"); }
__HW_PTX void barrier_cluster_arrive(sem_release_t) { asm volatile("barrier.cluster.arrive.release;" : : : "memory"); }
__HW_PTX void barrier_cluster_arrive(sem_relaxed_t) { asm volatile("barrier.cluster.arrive.relaxed;"); }
__HW_PTX void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" : : : "memory"); }
__HW_PTX void barrier_cluster_wait(sem_acquire_t) { asm volatile("barrier.cluster.wait.acquire;" : : : "memory"); }

/* ---- fences ---- */

#define __HW_FENCE(sem)                                                                        \
    template <dot_scope __scope> static inline __device__ void fence(sem_##sem##_t, scope_t<__scope>) \
    {                                                                                          \
        if (__scope == dot_scope::cta)                                                         \
            asm volatile("fence." #sem ".cta;" : : : "memory");                                \
        else if (__scope == dot_scope::cluster)                                                \
            asm volatile("fence." #sem ".cluster;" : : : "memory");                            \
        else if (__scope == dot_scope::gpu)                                                    \
            asm volatile("fence." #sem ".gpu;" : : : "memory");                                \
        else                                                                                   \
            asm volatile("fence." #sem ".sys;" : : : "memory");                                \
    }
__HW_FENCE(sc)
__HW_FENCE(acq_rel)
__HW_FENCE(acquire)
__HW_FENCE(release)
#undef __HW_FENCE

__HW_PTX void fence_mbarrier_init(sem_release_t, scope_cluster_t) { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }
__HW_PTX void fence_proxy_alias() { asm volatile("fence.proxy.alias;" : : : "memory"); }
__HW_PTX void fence_proxy_async() { asm volatile("fence.proxy.async;" : : : "memory"); }
template <dot_space __space> static inline __device__ void fence_proxy_async(space_t<__space>)
{
    if (__space == dot_space::global)
        asm volatile("fence.proxy.async.global;" : : : "memory");
    else if (__space == dot_space::cluster)
        asm volatile("fence.proxy.async.shared::cluster;" : : : "memory");
    else
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

}
}

#endif
