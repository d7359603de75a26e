/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of memory that a command touches, and where two such things meet. */
#ifndef CHECK_AREA_H
#define CHECK_AREA_H

#include "base/base.h"

struct area {
    uint64_t base, width, rows, slices, pitch, slice;
    bool writes;
};

static inline struct area area_of_range(uint64_t base, uint64_t bytes, bool writes)
{
    return (struct area){ .base = base, .width = bytes, .rows = 1, .slices = 1, .writes = writes };
}

static inline bool area_empty(const struct area *a) { return !a->width || !a->rows || !a->slices; }
static inline uint64_t area_end(const struct area *a) { return a->base + (a->slices - 1) * a->slice + (a->rows - 1) * a->pitch + a->width; }

/* Does any row have a byte of [from, to)? *at: the first such byte of that row. Signal handlers ask, too. */
static inline bool area_touches(const struct area *a, uint64_t from, uint64_t to, uint64_t *at)
{
    if (area_empty(a) || to <= a->base || from >= area_end(a))
        return false;
    for (uint64_t z = 0; z < a->slices; z++) {
        uint64_t first = a->base + z * a->slice, row = a->rows > 1 && a->pitch && from > first ? hw_min_u64((from - first) / a->pitch, a->rows - 1) : 0;
        for (uint64_t y = row; y < a->rows && first + y * a->pitch < to; y++) {
            uint64_t low = first + y * a->pitch, high = low + a->width;
            if (low < to && high > from) {
                *at = hw_max_u64(low, from);
                return true;
            }
        }
    }
    return false;
}

#endif
