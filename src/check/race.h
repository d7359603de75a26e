/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races: two accesses to the same byte, at least one a write, not both atomic, that nothing orders. It is the order that decides, not the time at which they
 * happened to come (docs/checking.md).
 */
#ifndef CHECK_RACE_H
#define CHECK_RACE_H

#include "kabi/details.h"
#include "kabi/kabi.h"

struct race_block;
struct exec_launch;

/* A block while it runs. */
struct race_block *race_block_new(const struct exec_launch *launch, uint64_t at);      /* at: ledger_now() of the launch */
void race_block_begin(struct race_block *b, uint64_t id);        /* the next one */
void race_block_free(struct race_block *b);

void race_block_rest(struct race_block *b);                      /* nothing of the block at hand is kept */
bool race_listens(const struct race_block *b);                   /* it looks for races, and not only at what commands touch */
bool race_orders(const struct race_block *b);                    /* the kernel has fences, or accesses that acquire or release */
struct touch_view;
struct touch_view *race_touches(const struct race_block *b);     /* of this launch; NULL: nobody asks */

/* The lanes `mask` of the warp that begins with `thread`. */
void race_barrier(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands);
void race_warp(struct race_block *b, uint32_t thread, uint32_t mask, const uint64_t *members);
void race_fence(struct race_block *b, uint32_t thread, uint32_t mask, bool grid_wide);
/* shared: a[] are offsets into shared memory. Reports. */
void race_access(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a, bool shared);
/* Reads of variables in constant memory, which only other commands write. */
void race_constant(struct race_block *b, uint32_t site, uint32_t mask, const uint64_t *a);
/* The same, taken apart already. TOUCHED: what commands touch is noted; QUIET: it is known that nothing races with it. */
enum { RACE_TOUCHED = 1, RACE_QUIET = 2 };
struct part;
void race_parts(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a, const struct part *parts, unsigned n, bool shared, unsigned how);

#endif
