/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that a group does together. The threads share the bytes; each finishes its own part before it goes on, which the
   promise "done after wait()" allows. */
#ifndef HOSTWARP_CG_MEMCPY_ASYNC_H
#define HOSTWARP_CG_MEMCPY_ASYNC_H

#include "cooperative_groups.h"

namespace cooperative_groups {

namespace details {

template <class Word> static __device__ inline void copy_words(void *dst, const void *src, size_t bytes, size_t rank, size_t n)
{
    for (size_t i = rank; i < bytes / sizeof(Word); i += n)
        ((Word *)dst)[i] = ((const Word *)src)[i];
}

static __device__ inline void copy_bytes(void *dst, const void *src, size_t bytes, size_t rank, size_t n)
{
    if ((((size_t)dst | (size_t)src | bytes) & 3) == 0)
        copy_words<unsigned int>(dst, src, bytes, rank, n);
    else
        copy_words<unsigned char>(dst, src, bytes, rank, n);
}

}

template <class Group> __device__ inline void memcpy_async(const Group &group, void *dst, const void *src, size_t bytes)
{
    details::copy_bytes(dst, src, bytes, group.thread_rank(), group.size());
}

/* Counts in elements: as many as both have room for. */
template <class Group, class To, class From>
__device__ inline void memcpy_async(const Group &group, To *dst, size_t n_dst, const From *src, size_t n_src)
{
    size_t to = n_dst * sizeof(To), from = n_src * sizeof(From);
    details::copy_bytes(dst, src, to < from ? to : from, group.thread_rank(), group.size());
}

template <class Group> __device__ inline void wait(const Group &group) { group.sync(); }
template <unsigned Stages, class Group> __device__ inline void wait_prior(const Group &group) { group.sync(); }

}

#endif
