/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical clocks of a block.
 *
 * A barrier of all threads orders everything before it with everything behind it: threads count these (the epoch), and two accesses of a block with different
 * epochs are in order. Within an epoch __syncwarp and the other operations with a mask order lanes of a warp: each lane has a clock, and a row of what it
 * knows of the others'. Everything else, barriers of some of the threads and what goes from block to block, is in race_order.c.
 *
 * It is the order that decides: blocks that ran one after the other by chance are not ordered by that.
 */
#include "check/race.h"

#include "check/check.h"
#include "check/race_internal.h"
#include "check/race_strips.h"
#include "check/report.h"
#include "check/touch.h"
#include "exec/exec.h"

#include <stdlib.h>

/* ---- blocks ---- */

/* The smallest access decides how much memory a cell is for. */
static uint8_t grain_of(const struct details_table *t, enum details_space space)
{
    uint8_t grain = SHADOW_GRAINS - 1;
    for (uint32_t k = 0; k < t->n; k++) {
        const struct details_site *s = &t->sites[k];
        if (s->kind < DETAILS_IN_LOAD || s->kind > DETAILS_IN_ATOMIC || (s->space != space && s->space != DETAILS_GENERIC) || !s->bytes)
            continue;
        uint8_t g = (uint8_t)__builtin_ctz(s->bytes);
        grain = g < grain ? g : grain;
    }
    return grain;
}

static void look_at_sites(struct race_block *b)
{
    const struct details_table *t = b->kernel->details;
    bool takes = false, gives = false;
    b->grain = grain_of(t, DETAILS_GLOBAL);
    b->shared_grain = grain_of(t, DETAILS_SHARED);
    for (uint32_t k = 0; k < t->n; k++) {
        const struct details_site *s = &t->sites[k];
        if (s->kind == DETAILS_IN_BARRIER)
            b->arrives |= s->releases;
        else
            b->orders |= s->kind == DETAILS_IN_FENCE || s->acquires || s->releases;
        takes |= s->locks == DETAILS_TAKES_LOCK;
        gives |= s->locks == DETAILS_GIVES_LOCK || (s->valued && s->strong);
    }
    b->locks = takes && gives;
}

struct race_block *race_block_new(const struct exec_launch *launch, uint64_t at)
{
    const struct kabi_launch *l = &launch->kl;
    struct race_block *b = hw_alloc(sizeof *b);
    b->kernel = launch->kernel;
    b->at = at;
    b->number = (uint32_t)l->grid_id;
    b->tag = strip_tag(b->number);
    b->threads = l->ntid[0] * l->ntid[1] * l->ntid[2];
    b->n_warps = (b->threads + LANES - 1) / LANES;
    b->shared_bytes = l->shared_bytes;
    b->touch = check_tools & CHECK_HAZARD ? touch_view_new(b->number, launch->kernel->details->n) : NULL;
    b->warps = hw_alloc(b->n_warps * sizeof *b->warps);
    b->clocks = (check_tools & (CHECK_RACE | CHECK_SYNC)) != 0;
    if (!(check_tools & CHECK_RACE))
        return b;
    b->grid = race_grid_of(l->grid_id, (uint64_t)l->nctaid[0] * l->nctaid[1] * l->nctaid[2], &b->range);
    look_at_sites(b);
    size_t cells = ((size_t)b->shared_bytes >> b->shared_grain) + 1;
    if (b->shared_bytes) {
        char *p = hw_alloc(cells * 24);
        b->strips = hw_alloc(((b->shared_bytes >> STRIP) + 1) * sizeof *b->strips);
        b->shared = (struct shadow_cells){ (uint64_t *)(void *)p, (uint64_t *)(void *)(p + cells * 8), (uint32_t *)(void *)(p + cells * 16), (uint32_t *)(void *)(p + cells * 20) };
    }
    return b;
}

/* As if nothing had happened. It is done for every block: what nothing was put into is left alone, and what a number or mask speaks for. */
static void begin_warp(struct warp *w)
{
    race_order_forget(w);
    if (w->uneven)
        memset(w->rows, 0, sizeof w->rows);
    if (w->knows)
        memset(w->known, 0, sizeof w->known);
    w->uneven = w->knows = false;
    w->clock = w->floor = w->n_groups = w->n_pending = 0;
    w->fenced = w->takes = w->waits = w->passed_by = w->passed_site = 0;
    memset(w->came, 0, sizeof w->came);
    memset(w->rounds, 0, sizeof w->rounds);
}

static void forget(struct race_block *b)
{
    for (unsigned w = 0; w < b->n_warps; w++)
        begin_warp(&b->warps[w]);
    for (unsigned k = 0; k < BARRIERS; k++)
        for (unsigned r = 0; r < ROUNDS; r++)
            known_unref(b->barriers[k].rounds[r].known);
    known_unref(b->gathered);
}

void race_block_begin(struct race_block *b, uint64_t id)
{
    b->id = (uint32_t)id;
    b->shared_tag = strip_tag(b->begun++);
    if (!b->clocks)
        return;
    forget(b);
    b->fenced = 0;
    b->shares = b->orders;
    b->gathered = NULL;
    b->fence_threads = 0;
    memset(b->barriers, 0, sizeof b->barriers);
    uint64_t first = b->range.from + (id << KEY_BLOCK);
    b->first = key_block(first);
    for (unsigned w = 0; w < b->n_warps; w++)
        for (unsigned l = 0; l < LANES; l++)
            b->warps[w].now[l] = first;
}

void race_block_rest(struct race_block *b)
{
    if (!b->clocks)
        return;
    forget(b);
    b->gathered = NULL;
    memset(b->barriers, 0, sizeof b->barriers);
}

bool race_listens(const struct race_block *b) { return b->grid != NULL; }
bool race_orders(const struct race_block *b) { return b->orders; }
struct touch_view *race_touches(const struct race_block *b) { return b->touch; }

void race_block_free(struct race_block *b)
{
    if (!b)
        return;
    forget(b);
    touch_view_free(b->touch);
    hw_free(b->warps);
    hw_free(b->shared.writes);
    hw_free(b->strips);
    hw_free(b);
}

/* ---- barriers ---- */

/* All threads of a block come to a barrier, but not to the same one. */
static void other_barrier(struct race_block *b, uint32_t before, uint32_t first, uint32_t site, uint32_t thread)
{
    const struct details_site *sites = b->kernel->details->sites;
    struct report rep;
    if (!(check_tools & CHECK_SYNC) || strcmp(sites[site].place, sites[before].place) == 0)
        return;
    report_begin(&rep, "sync.barrier", "kernel %s: threads of a block wait at different barriers for each other", b->kernel->name);
    report_device(&rep, "barrier", sites[site].place, "block %u, thread %u", b->id, thread);
    report_device(&rep, "barrier", sites[before].place, "block %u, thread %u", b->id, first);
    report_advice(&rep, "A __syncthreads() in a branch is allowed only where all threads of the block take that branch.");
    report_end(&rep);
}

/* Lanes that pass a barrier by are gone, or come to another one. */
static void note_absent(struct race_block *b, struct warp *w, uint32_t site, uint32_t thread, uint32_t mask)
{
    uint32_t all = lanes_of(b, thread);
    if ((w->passed_by & mask) && w->passed_site != site)
        other_barrier(b, w->passed_site, thread + (uint32_t)__builtin_ctz(all & ~w->passed_by ? all & ~w->passed_by : 1), site,
                      thread + (uint32_t)__builtin_ctz(w->passed_by & mask));
    w->passed_by = all & ~mask;
    w->passed_site = site;
}

static void begin_round(struct round *r)
{
    known_unref(r->known);
    *r = (struct round){ 0 };
}

/* The round of a barrier that all threads come to: counted by each warp. */
static uint32_t round_of_all(struct barrier *bar, struct warp *w, unsigned number, uint32_t mask)
{
    if (w->came[number] & mask) {
        w->came[number] = 0;
        w->rounds[number]++;
    }
    w->came[number] |= mask;
    uint32_t round = w->rounds[number];
    if (round >= bar->number) {                  /* the first to come */
        begin_round(&bar->rounds[round % ROUNDS]);
        bar->number = round + 1;
    }
    return round;
}

static uint32_t round_of_some(struct barrier *bar, uint32_t mask, uint32_t count)
{
    uint32_t round = bar->number;
    if (bar->arrived == 0)
        begin_round(&bar->rounds[round % ROUNDS]);
    bar->arrived += (uint32_t)__builtin_popcount(mask);
    if (bar->arrived >= count) {
        bar->arrived = 0;
        bar->number++;
    }
    return round;
}

/* The next epoch of these lanes. After very many the block takes another number, which is behind its old one. */
static void next_epoch(struct race_block *b, struct warp *w, uint32_t mask, uint32_t thread)
{
    uint64_t before = w->now[__builtin_ctz(mask)], block = before >> KEY_BLOCK << KEY_BLOCK;
    uint32_t epoch = key_epoch(before) + 1;
    if (epoch > KEY_EPOCHS) {
        epoch = 0;
        block = race_grid_again(b->grid, block);
    }
    uint64_t now = block | (uint64_t)epoch << KEY_EPOCH;
    for (unsigned l = 0; l < LANES; l++)
        w->now[l] = mask >> l & 1 ? now : w->now[l];
    if (mask == lanes_of(b, thread)) {
        if (w->uneven)
            memset(w->rows, 0, sizeof w->rows);
        w->uneven = false;
        w->clock = w->floor = 0;
    } else {                                     /* some lanes by themselves: clocks go on, and what was known of them is another epoch's */
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            memset(w->rows[l], 0, LANES);
            for (unsigned k = 0; k < LANES; k++)
                w->rows[k][l] = 0;
            w->now[l] |= (uint64_t)w->clock << KEY_CLOCK;
        }
    }
}

/* Threads that had a fence before this barrier, behind all they did. */
static void count_fenced(struct race_block *b, struct warp *w, uint32_t mask)
{
    uint64_t before = w->now[__builtin_ctz(mask)];
    uint32_t epoch = key_epoch(before);
    if (b->fence_threads == 0 || b->fence_epoch != epoch) {
        b->fence_epoch = epoch;
        b->fence_threads = 0;
    }
    if ((w->fenced & mask) == mask)
        b->fence_threads += (uint32_t)__builtin_popcount(mask);
    w->fenced &= ~mask;
    if (b->fence_threads == b->threads && epoch < KEY_EPOCHS)
        b->fenced = (before >> KEY_EPOCH << KEY_EPOCH) + (1u << KEY_EPOCH);
}

static void wait_for(struct warp *w, uint32_t mask, struct known **what)
{
    w->waits |= mask;
    for (; mask; mask &= mask - 1)
        w->brings[__builtin_ctz(mask)] = what;
}

static void come_to_all(struct race_block *b, struct warp *w, uint32_t thread, uint32_t mask)
{
    if (b->orders)
        count_fenced(b, w, mask);
    next_epoch(b, w, mask, thread);
    for (uint32_t m = w->knows ? mask : 0; m; m &= m - 1)
        known_join(&b->gathered, w->known[__builtin_ctz(m)]);
    if (b->shares)
        wait_for(w, mask, &b->gathered);
}

/* These lanes let know all they know, and what they did. */
static void come_to_some(struct race_block *b, struct warp *w, struct round *r, uint32_t thread, uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t clock = w->clock < KEY_CLOCKS ? ++w->clock : KEY_CLOCKS;
    struct release now = { .key = w->now[first], .warp = thread / LANES };
    for (unsigned k = 0; k < LANES; k++)
        now.clocks[k] = (uint8_t)w->floor;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; w->uneven && k < LANES; k++)
            now.clocks[k] = w->rows[l][k] > now.clocks[k] ? w->rows[l][k] : now.clocks[k];
        now.clocks[l] = (uint8_t)clock;
        w->now[l] = (w->now[l] & ~((uint64_t)KEY_CLOCKS << KEY_CLOCK)) | (uint64_t)clock << KEY_CLOCK;
        known_join(&now.known, w->known[l]);
    }
    b->shares = true;
    struct known *given = known_release(race_grid_knowledge(b->grid), b->id, thread + first, mask, &now);
    known_join(&r->known, given);
    known_unref(given);
}

void race_barrier(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands)
{
    struct warp *w = warp_of(b, thread);
    uint64_t what = operands[__builtin_ctz(mask)];
    unsigned number = (unsigned)(what & (BARRIERS - 1));
    uint32_t count = (uint32_t)(what >> 32) & 0xffff;
    struct barrier *bar = &b->barriers[number];
    bool all = count == 0 || (count >= b->threads && !b->arrives);
    if (!b->clocks)
        return;
    race_go_on(b, w, mask);
    uint32_t round = all ? round_of_all(bar, w, number, mask) : round_of_some(bar, mask, count);
    struct round *r = &bar->rounds[round % ROUNDS];
    if (number == 0 && count == 0) {
        if (!b->kernel->fair && !b->kernel->turns)               /* else lanes come one by one */
            note_absent(b, w, site, thread, mask);
        if (r->site && r->site != site + 1)
            other_barrier(b, r->site - 1, r->thread - 1, site, thread + (uint32_t)__builtin_ctz(mask));
    }
    if (!r->site) {
        r->site = site + 1;
        r->thread = thread + (uint32_t)__builtin_ctz(mask) + 1;
    }
    if (!b->grid)
        return;
    if (all && !(what & DETAILS_ARRIVES)) {
        come_to_all(b, w, thread, mask);
        return;
    }
    come_to_some(b, w, r, thread, mask);
    if (!(what & DETAILS_ARRIVES))
        wait_for(w, mask, &r->known);
}
