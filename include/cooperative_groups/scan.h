/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix sums and the like over the lanes of a tile or a coalesced group. */
#ifndef HOSTWARP_COOPERATIVE_GROUPS_SCAN_H
#define HOSTWARP_COOPERATIVE_GROUPS_SCAN_H

#include "../hostwarp/words_push.h"

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op> static __device__ inline T inclusive_scan(const Group &group, T value, Op op)
{
    for (unsigned width = 1; width < group.size(); width *= 2) {
        T other = group.shfl_up(value, (int)width);
        if (group.thread_rank() >= width)
            value = op(other, value);
    }
    return value;
}

template <class Group, class T> static __device__ inline T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

/* The first thread gets T(), which is what a sum of nothing is. */
template <class Group, class T, class Op> static __device__ inline T exclusive_scan(const Group &group, T value, Op op)
{
    T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T() : before;
}

template <class Group, class T> static __device__ inline T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

/* The scan goes on from what the atomic holds, and leaves the sum of all there. */
template <class Group, class Atomic, class T, class Op>
static __device__ inline T inclusive_scan_update(const Group &group, Atomic &atomic, T value, Op op)
{
    T upto = inclusive_scan(group, value, op), before = T();
    if (group.thread_rank() == group.size() - 1)
        before = details::update(atomic, upto, op);
    return op(group.shfl(before, group.size() - 1), upto);
}
template <class Group, class Atomic, class T> static __device__ inline T inclusive_scan_update(const Group &group, Atomic &atomic, T value)
{
    return inclusive_scan_update(group, atomic, value, plus<T>());
}
template <class Group, class Atomic, class T, class Op>
static __device__ inline T exclusive_scan_update(const Group &group, Atomic &atomic, T value, Op op)
{
    T upto = inclusive_scan(group, value, op), before = T();
    if (group.thread_rank() == group.size() - 1)
        before = details::update(atomic, upto, op);
    before = group.shfl(before, group.size() - 1);
    T left = group.shfl_up(upto, 1);
    return group.thread_rank() == 0 ? before : op(before, left);
}
template <class Group, class Atomic, class T> static __device__ inline T exclusive_scan_update(const Group &group, Atomic &atomic, T value)
{
    return exclusive_scan_update(group, atomic, value, plus<T>());
}

}

#include "../hostwarp/words_pop.h"

#endif
