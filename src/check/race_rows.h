/* SPDX-License-Identifier: Apache-2.0 */
/* Many cells at once: those that a warp touches in a row. Lane after lane has 2^shift of them; `mine` is the first lane's key. */
#ifndef CHECK_RACE_ROWS_H
#define CHECK_RACE_ROWS_H

#include "check/race_key.h"

struct row {
    unsigned n, shift;
    uint64_t mine;
    struct key_range grid;
};

/* Is each key nobody's of the grid, the lane's own, or of the block and before a barrier? */
bool rows_clear(const uint64_t *keys, const struct row *r);
/* Of each: is the lane's read to be put there, is it there already in what others read, or must somebody look closer? */
enum { ROWS_STORE = 1, ROWS_COVERED = 2, ROWS_MEET = 4 };
unsigned rows_reads(const uint64_t *keys, const struct row *r);
void rows_store(uint64_t *keys, uint32_t *info, const struct row *r, const uint32_t *infos);
/* The hash of a value, of 32 - `less` bits; and of 32 of them. */
static inline uint32_t rows_value(uint64_t v, unsigned less) { return ((uint32_t)v * 0x9e3779b9u + (uint32_t)(v >> 32) * 0x85ebca6bu) >> less; }
void rows_values(const uint64_t *v, unsigned less, uint16_t out[32]);
/* Do all 32 addresses lie `step` bytes apart? */
bool rows_in_steps(const uint64_t *a, uint64_t step);
bool rows_equal(const uint64_t *a);

#endif
