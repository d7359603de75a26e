/* SPDX-License-Identifier: Apache-2.0 */
/* An access of a warp in parts: lanes that follow each other, at addresses that do so or are all the same. */
#ifndef CHECK_PART_H
#define CHECK_PART_H

#include "base/base.h"

enum { PART_LANES = 32, PARTS = PART_LANES };

struct part {
    uint64_t address;            /* in shared memory: the offset */
    unsigned lane, lanes;
    bool uniform;
};

static inline uint64_t part_bytes(const struct part *p, unsigned bytes) { return (uint64_t)bytes * (p->uniform ? 1 : p->lanes); }
/* bytes: of a lane. Returns how many. */
unsigned parts_of(const uint64_t *a, uint32_t mask, unsigned bytes, struct part parts[PARTS]);

#endif
