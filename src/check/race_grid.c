/* SPDX-License-Identifier: Apache-2.0 */
#include "check/race_grid.h"

#include "base/lock.h"
#include "check/shadow.h"

struct race_grid {
    struct knowledge knowledge;
    uint64_t number;
    uint32_t first, blocks;
    struct race_grid *next;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct race_grid *grids HW_GUARDED_BY(mu);
static uint64_t next_number HW_GUARDED_BY(mu) = 1;

/* Numbers for its blocks. When all have been used they begin again, and cells that have old ones are nobody's. */
static uint32_t take_numbers(uint32_t blocks, bool *again)
{
    uint64_t n = (uint64_t)blocks * RACE_GRID_AGAIN;
    *again = next_number + n > UINT32_MAX;
    if (*again)
        next_number = 1;
    uint32_t first = (uint32_t)next_number;
    next_number += n;
    return first;
}

struct race_grid *race_grid_of(uint64_t number, uint64_t blocks, struct key_range *range)
{
    bool again = false;
    if (blocks * RACE_GRID_AGAIN >= UINT32_MAX)            /* nobody has run such a grid to its end */
        return NULL;
    hw_lock(&mu);
    struct race_grid *g = grids;
    while (g && g->number != number)
        g = g->next;
    if (!g) {
        g = hw_alloc(sizeof *g);
        knowledge_init(&g->knowledge);
        g->number = number;
        g->blocks = (uint32_t)blocks;
        g->first = take_numbers(g->blocks, &again);
        g->next = grids;
        grids = g;
    }
    hw_unlock(&mu);
    if (again)
        shadow_forget();
    *range = (struct key_range){ (uint64_t)g->first << KEY_BLOCK, (uint64_t)g->blocks * RACE_GRID_AGAIN << KEY_BLOCK };
    return g;
}

void race_grid_end(uint64_t number)
{
    hw_lock(&mu);
    struct race_grid **at = &grids, *g = NULL;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (*at) {
        g = *at;
        *at = g->next;
    }
    hw_unlock(&mu);
    if (g) {
        knowledge_fini(&g->knowledge);
        hw_free(g);
    }
}

struct knowledge *race_grid_knowledge(struct race_grid *g) { return &g->knowledge; }
uint32_t race_grid_block(const struct race_grid *g, uint32_t number) { return (number - g->first) % g->blocks; }

uint64_t race_grid_again(const struct race_grid *g, uint64_t key)
{
    uint32_t at = key_block(key) - g->first;
    return (uint64_t)(g->first + (uint32_t)(((uint64_t)at + g->blocks) % ((uint64_t)g->blocks * RACE_GRID_AGAIN))) << KEY_BLOCK;
}
