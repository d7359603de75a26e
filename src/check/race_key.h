/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who touched a cell, and when, in one word:
 *
 *   63..32  block: a number that no other block of the process has (race_grid.h)
 *   31..21  how many barriers of all its threads it had behind it
 *   20..13  how many operations of its warp the thread had behind it, since that barrier
 *   12      a strong access: atomic, volatile or ordered
 *   11..10  reads: of one thread, of several of a warp, of several warps of a block, of several blocks
 *    9..0   thread: one of them
 *
 * 0 is nobody.
 */
#ifndef CHECK_RACE_KEY_H
#define CHECK_RACE_KEY_H

#include "base/base.h"

enum { KEY_STATE = 10, KEY_STRONG = 12, KEY_CLOCK = 13, KEY_EPOCH = 21, KEY_BLOCK = 32 };
enum { KEY_CLOCKS = 255, KEY_EPOCHS = 2047 };
enum key_state { KEY_ONE, KEY_WARP, KEY_WARPS, KEY_BLOCKS };

static inline uint32_t key_block(uint64_t k) { return (uint32_t)(k >> KEY_BLOCK); }
static inline uint32_t key_epoch(uint64_t k) { return (uint32_t)k >> KEY_EPOCH; }
static inline uint32_t key_clock(uint64_t k) { return (uint32_t)k >> KEY_CLOCK & KEY_CLOCKS; }
static inline bool key_strong(uint64_t k) { return k >> KEY_STRONG & 1; }
static inline enum key_state key_state(uint64_t k) { return (enum key_state)(k >> KEY_STATE & 3); }
static inline uint32_t key_thread(uint64_t k) { return (uint32_t)k & 1023; }
static inline uint32_t key_warp(uint64_t k) { return key_thread(k) / 32; }

/* The keys of a grid: its blocks have numbers that follow each other. */
struct key_range {
    uint64_t from, span;
};
static inline bool key_inside(struct key_range r, uint64_t k) { return k - r.from < r.span; }
/* One block, with a barrier between them, and nobody of another block. */
static inline bool key_apart(uint64_t k, uint64_t mine) { return ((k ^ mine) - (1u << KEY_EPOCH)) < (((uint64_t)1 << KEY_BLOCK) - (1u << KEY_EPOCH)) && key_state(k) != KEY_BLOCKS; }

#endif
