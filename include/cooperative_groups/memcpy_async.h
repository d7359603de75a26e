/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that a group does together. The threads share the bytes. From global to shared memory, words are copied by cp.async, and are there when
   the thread has waited for its batch (wait(), the commit of a pipeline, the arrival at a barrier); anything else is copied at once. */
#ifndef HOSTWARP_CG_MEMCPY_ASYNC_H
#define HOSTWARP_CG_MEMCPY_ASYNC_H

#include "../hostwarp/words_push.h"

#include "cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

namespace cooperative_groups {

namespace details {

/* What a copy of Bytes, a number or a promise (cuda::aligned_size_t), of elements T may rely on. */
template <class T> struct element_alignment {
    static constexpr size_t value = alignof(T);
};
template <> struct element_alignment<void> {
    static constexpr size_t value = 1;
};
template <class Bytes> struct promised_alignment {
    static constexpr size_t value = 1;
};

/* Aligned bytes that one access moves. */
template <size_t bytes> struct copy_word {
    typedef unsigned int type __attribute__((ext_vector_type(4)));
};
template <> struct copy_word<8> {
    typedef unsigned int type __attribute__((ext_vector_type(2)));
};
template <> struct copy_word<4> {
    typedef unsigned int type;
};

template <class Word> static __device__ inline void copy_words(void *dst, const void *src, size_t bytes, size_t rank, size_t n)
{
    bool starts = sizeof(Word) >= 4 && __isShared(dst) && __isGlobal(src);
    for (size_t i = rank; i < bytes / sizeof(Word); i += n)
        if (starts)
            __pipeline_memcpy_async((Word *)dst + i, (const Word *)src + i, sizeof(Word));
        else
            ((Word *)dst)[i] = ((const Word *)src)[i];
}

static __device__ inline void wait_for_copies() { __asm__ volatile("cp.async.wait_all;" : : : "memory"); }

/* The threads' ranks are below n. alignment: of both places and of the number of bytes, as far as the compiler knows. A kernel often
   unrolls such copies, so there is one way to copy in the code where that is enough. */
template <size_t alignment> static __device__ inline void copy_aligned(void *dst, const void *src, size_t bytes, size_t rank, size_t n)
{
    if (alignment >= 4)
        copy_words<typename copy_word<(alignment < 4 ? 4 : alignment)>::type>(dst, src, bytes, rank, n);
    else if ((((size_t)dst | (size_t)src | bytes) & 3) == 0)
        copy_words<unsigned int>(dst, src, bytes, rank, n);
    else
        copy_words<unsigned char>(dst, src, bytes, rank, n);
}

/* T and U: elements, or void. */
template <class T, class U, class Bytes> static __device__ inline void copy_elements(T *dst, const U *src, Bytes n_bytes, size_t rank, size_t n)
{
    constexpr size_t to = element_alignment<T>::value, from = element_alignment<U>::value, known = to < from ? to : from;
    constexpr size_t promised = promised_alignment<Bytes>::value;
    size_t bytes = (size_t)n_bytes;
    if (promised >= 4 && promised >= known)
        copy_aligned<promised>((void *)dst, (const void *)src, bytes, rank, n);
    else if (known >= 4 && bytes % known == 0)
        copy_aligned<known>((void *)dst, (const void *)src, bytes, rank, n);
    else
        copy_aligned<1>((void *)dst, (const void *)src, bytes, rank, n);
}

}

template <class Group, class T, class U, class Bytes> __device__ inline void memcpy_async(const Group &group, T *dst, const U *src, const Bytes &bytes)
{
    details::copy_elements(dst, src, bytes, group.thread_rank(), group.size());
    __pipeline_commit();
}

/* Counts in elements: as many as both have room for. */
template <class Group, class To, class From, class ToCount, class FromCount>
__device__ inline void memcpy_async(const Group &group, To *dst, const ToCount &n_dst, const From *src, const FromCount &n_src)
{
    size_t to = (size_t)n_dst * sizeof(To), from = (size_t)n_src * sizeof(From);
    details::copy_elements(dst, src, to < from ? to : from, group.thread_rank(), group.size());
    __pipeline_commit();
}

template <class Group> __device__ inline void wait(const Group &group)
{
    details::wait_for_copies();
    group.sync();
}
/* All but the newest Stages copies. */
template <unsigned Stages, class Group> __device__ inline void wait_prior(const Group &group)
{
    __pipeline_wait_prior(Stages);
    group.sync();
}

}

#include "../hostwarp/words_pop.h"

#endif
