/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of kernels that are instrumented for the checker: what a site may touch without anybody being told.
 *
 * The checker fills them (check/window.c), generated code compares (jit/emit/window.c): lanes whose addresses are all in the window go on; if one is not, the
 * warp's access is told as a whole, and the checker may give the site another window. Each thread that runs blocks has a table of its own.
 */
#ifndef KABI_WINDOW_H
#define KABI_WINDOW_H

#include "base/base.h"

/* Addresses: of global memory as they are, of shared and local memory offsets (into the thread's own). */
struct kabi_window {
    uint64_t low, size;          /* a lane may begin at [low, low + size) */
    uint64_t from, to;           /* global memory: bytes of which it is known that the launch touches them; in others it sets bits: */
    uint64_t bits;               /* that of an address is in the word at bits + address / (32 << grain) * 4 */
    uint64_t used;               /* and the byte at used + address / (2048 << grain) is 1 where some are set */
    uint64_t left;               /* so often bits are set before the access is told: more may be known to be touched by then */
};

enum { KABI_WARPS = 32 };        /* a site of local memory has a window for each warp of the block */

/* Where warps have been: rows of a word for each warp. In the first row it is not 0 when every place that the warp comes to must be told; the others have a bit
   for each site. */
static inline uint32_t kabi_came_row(uint32_t site) { return 1 + site / 64; }
static inline uint64_t *kabi_came(uint64_t *came, uint32_t row, uint32_t warp) { return &came[row * KABI_WARPS + warp]; }
static inline size_t kabi_came_words(uint32_t n_sites) { return (size_t)KABI_WARPS * (kabi_came_row(n_sites) + 1); }

#endif
