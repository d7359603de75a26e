/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks of a grid share: cells of global memory, what threads knew at fences, and the words that carried it to others. */
#ifndef CHECK_RACE_GRID_H
#define CHECK_RACE_GRID_H

#include "base/base.h"
#include "base/hash.h"
#include "base/vec.h"

enum { RACE_LANES = 32, RACE_WARPS = 32 };

struct race_access {
    uint64_t value;
    const char *place;           /* stays */
    uint32_t grid, block, epoch, clock;
    uint16_t thread, site;
    uint8_t bytes;               /* of the word: one bit each; 0: there was none */
    bool write, strong, valued, grid_wide;
};

struct race_cell {
    struct race_access write, reads[2];
};

/* Snapshots by block and warp: of each lane the newest that it took part in. */
struct race_lanes {
    uint64_t key;
    struct race_snap *newest[RACE_LANES];
};
struct race_known {
    struct hw_map by_warp;       /* key -> struct race_lanes */
    HW_VEC(struct race_lanes *) all;
};

/* What the lanes `mask` of a warp knew at a fence. */
struct race_snap {
    uint32_t block, warp, mask, number;
    bool grid_wide;
    uint32_t known[RACE_WARPS], rows[RACE_LANES][RACE_LANES];
    struct race_known foreign;
    struct race_snap *next;      /* of the grid */
};

struct race_grid;

struct race_grid *race_grid_of(uint64_t grid);                   /* made when first asked for */
void race_grid_end(uint64_t grid);

struct race_snap *race_grid_snap(struct race_grid *g);           /* zeroed, the grid's */
void race_grid_give(struct race_grid *g, uint64_t word, struct race_snap *s);
void race_grid_take(struct race_grid *g, const uint64_t *words, unsigned n, struct race_known *to);

bool race_known_join(struct race_known *to, const struct race_known *from);      /* did it learn anything? */
/* Does a fence stand between the access and what a thread of that block does now? A fence of a block orders nothing for others. */
bool race_known_covers(const struct race_known *k, const struct race_access *a, uint32_t block);
void race_known_fini(struct race_known *k);

/* The cell of a word of global memory, locked until race_grid_leave(). */
struct race_cell *race_grid_cell(uint64_t word);
void race_grid_leave(uint64_t word);
/* Each word of [from, to) that a kernel has touched; its cell is locked. */
void race_grid_each(uint64_t from, uint64_t to, void (*fn)(uint64_t word, const struct race_cell *c, void *arg), void *arg);

#endif
