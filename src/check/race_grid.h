/* SPDX-License-Identifier: Apache-2.0 */
/* Grids that run: numbers for their blocks, and what those know of each other. */
#ifndef CHECK_RACE_GRID_H
#define CHECK_RACE_GRID_H

#include "check/race_key.h"
#include "check/race_known.h"

enum { RACE_GRID_AGAIN = 4 };    /* numbers of a block */

struct race_grid;

struct race_grid *race_grid_of(uint64_t grid, uint64_t blocks, struct key_range *range);   /* made when first asked for */
void race_grid_end(uint64_t grid);
struct knowledge *race_grid_knowledge(struct race_grid *g);
uint32_t race_grid_block(const struct race_grid *g, uint32_t number);    /* in the grid */
/* The next number of a block, in a key; it has a few, in turn. */
uint64_t race_grid_again(const struct race_grid *g, uint64_t key);

#endif
