/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strips: 64 bytes of memory that lanes of a warp wrote, or read, one after the other. One record stands for the cells of all of them, which get their own (race_cells.c)
 * only when somebody comes who is not of the same row: most memory is touched by rows, and never needs cells.
 */
#ifndef CHECK_RACE_STRIPS_H
#define CHECK_RACE_STRIPS_H

#include "check/race_key.h"
#include "check/shadow.h"

enum { STRIP = 6, STRIP_WORDS = 1 << (STRIP - 2), STRIP_SHIFT = 18 };    /* 64 bytes; where info has the logarithm of a lane's words */

/* A row's part of one strip. */
struct strip_row {
    uint64_t mine;               /* key of the lane at the first word */
    uint32_t info;               /* with the shift, and without a value */
    uint16_t mask;               /* its words */
    uint16_t tag;                /* of the grid, in shared memory of the block: strips with this tag have cells */
    bool writes, shared;
    bool knows;                  /* the lanes may know of others what no key says */
    struct key_range range;
    const uint16_t *values;      /* of a write that has some: by word from the first on */
};

static inline uint16_t strip_tag(uint32_t number) { return (uint16_t)(number % UINT16_MAX + 1); }

/* True: that was all. False: the cells have to be looked at, behind: */
bool strip_visit(struct shadow_strip *s, const struct strip_row *r);
/* What a strip has goes to the cells, of which these are its first. */
void strip_spread(struct shadow_strip *s, uint16_t tag, struct key_range range, bool shared, const struct shadow_cells *cells, unsigned grain);

#endif
