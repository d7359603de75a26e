/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over the lanes of a tile or a coalesced group. */
#ifndef HOSTWARP_COOPERATIVE_GROUPS_REDUCE_H
#define HOSTWARP_COOPERATIVE_GROUPS_REDUCE_H

#include "../hostwarp/words_push.h"

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T> struct plus {
    __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T> struct less { /* the lesser of two */
    __host__ __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T> struct greater { /* the greater of two */
    __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    __host__ __device__ T operator()(const T &a, const T &b) const { return a & b; }
};
template <class T> struct bit_or {
    __host__ __device__ T operator()(const T &a, const T &b) const { return a | b; }
};
template <class T> struct bit_xor {
    __host__ __device__ T operator()(const T &a, const T &b) const { return a ^ b; }
};

/* Every thread gets the result. */
template <unsigned Size, class Parent, class T, class Op>
static __device__ inline T reduce(const thread_block_tile<Size, Parent, false> &tile, T value, Op op)
{
    for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
        value = op(value, tile.shfl_xor(value, (int)lanes));
    return value;
}
template <unsigned Size, class Parent, class T, class Op>
static __device__ inline T reduce(const thread_block_tile<Size, Parent, true> &tile, T value, Op op)
{
    return tile.combine(reduce(thread_block_tile<32>(), value, op), op);
}

/* The group may have any number of threads: the first one gathers, then tells. */
template <class T, class Op> static __device__ inline T reduce(const coalesced_group &group, T value, Op op)
{
    unsigned size = group.size(), rank = group.thread_rank();
    for (unsigned width = 1; width < size; width *= 2) {
        T other = group.shfl_down(value, (int)width);
        if (rank + width < size)
            value = op(value, other);
    }
    return group.shfl(value, 0);
}

namespace details {

/* An operation on an atomic of any scope: by its own function where there is one, else by trying until nobody came between. Returns what was there. */
template <class Atomic, class T> static __device__ inline T update(Atomic &atomic, T value, const plus<T> &) { return atomic.fetch_add(value); }
template <class Atomic, class T, class Op> static __device__ inline T update(Atomic &atomic, T value, const Op &op)
{
    T old = atomic.load();
    while (!atomic.compare_exchange_weak(old, op(old, value)))
        ;
    return old;
}

}

/* The group's result goes into an atomic, or into memory, by one of its threads; nobody waits for it. */
template <class Group, class Atomic, class T, class Op>
static __device__ inline void reduce_update_async(const Group &group, Atomic &atomic, T value, Op op)
{
    T all = reduce(group, value, op);
    if (group.thread_rank() == 0)
        details::update(atomic, all, op);
}
template <class Group, class To, class T, class Op> static __device__ inline void reduce_store_async(const Group &group, To *to, T value, Op op)
{
    T all = reduce(group, value, op);
    if (group.thread_rank() == 0)
        *to = all;
}
template <class Group, class Atomic, class T, class Op>
static __device__ inline auto reduce_store_async(const Group &group, Atomic &atomic, T value, Op op) -> decltype(atomic.store(value))
{
    T all = reduce(group, value, op);
    if (group.thread_rank() == 0)
        atomic.store(all);
}

}

#include "../hostwarp/words_pop.h"

#endif
