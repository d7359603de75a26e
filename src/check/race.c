/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical clocks of a block.
 *
 * Across warps barriers order: every thread counts the barriers it has come to (its epoch), and a warp knows, of every other one, up to which epoch it is
 * done (`known`). Within a warp __syncwarp and the other operations with a mask order: every lane has a clock and a row of what it knows of the others.
 * Across blocks, and where blocks have no barrier, fences order: what a thread knows at a fence goes with the next strong write to a word, and comes to
 * whoever reads that word by a strong access and has a fence behind it. A strong access is an atomic, a volatile or an ordered one.
 *
 * Each byte of shared memory, and each word of global memory, remembers its last write and two readers. Blocks that ran one after the other by chance are
 * not ordered by that.
 */
#include "check/race.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/vec.h"
#include "check/check.h"
#include "check/hazard.h"
#include "check/ledger.h"
#include "check/order.h"
#include "check/race_grid.h"
#include "check/report.h"

#include <stdlib.h>

enum { OTHERS = 16, LANES = 32, WARPS = 32, THREADS = LANES * WARPS, BARRIERS = 16, ROUNDS = 4, PENDING = 32 };

struct round {
    uint32_t known[WARPS];       /* what those know who have come */
    uint32_t site, thread;       /* of the first, plus 1 */
};

struct barrier {
    struct round rounds[ROUNDS];
    uint32_t arrived, number;    /* with a count: threads of this round; rounds so far */
};

struct waiting {
    bool at_barrier;
    uint8_t barrier;
    uint32_t round;
};

struct warp {
    uint32_t known[WARPS], rows[LANES][LANES], clocks[LANES];
    uint32_t together;           /* lanes that have come to the warp's operation */
    struct waiting waiting;
    uint32_t came[BARRIERS], rounds[BARRIERS];   /* lanes of the round at a barrier of all threads; such rounds */
    uint32_t passed_by, passed_site;             /* lanes that did not come where the others of the warp wait: at that site */
    struct race_snap *fence[LANES];              /* the newest of each lane */
    uint64_t pending[PENDING];   /* words that were read by strong accesses, with no fence since */
    unsigned n_pending;
    bool takes;                  /* an acquiring access: its word is looked at when the warp comes next */
    struct race_known foreign;
    uint64_t version;            /* of the block's foreign knowledge that it has */
};

struct race_block {
    const struct kabi_kernel *kernel;
    struct race_grid *grid;
    uint32_t number, id, threads, shared_bytes;
    uint32_t epochs[THREADS];
    struct warp *warps;
    struct barrier barriers[BARRIERS];
    struct race_known foreign;   /* of all that have come to a barrier */
    uint64_t version;
    struct race_cell *shared;
    struct { uint32_t grid; bool ordered; } others[OTHERS];      /* grids that were met: are they in order with this one? */
    struct hazard_view *view;
};

static uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static struct warp *warp_of(struct race_block *b, uint32_t thread) { return &b->warps[thread / LANES % WARPS]; }

struct race_block *race_block_new(const struct kabi_kernel *kernel, uint64_t grid, uint32_t threads, uint32_t shared_bytes)
{
    struct race_block *b = hw_alloc(sizeof *b);
    b->kernel = kernel;
    b->number = (uint32_t)grid;
    b->grid = race_grid_of(grid);
    b->threads = threads;
    b->shared_bytes = shared_bytes;
    b->warps = hw_alloc(WARPS * sizeof *b->warps);
    b->view = check_tools & CHECK_HAZARD ? hazard_view_new(b->number) : NULL;
    b->shared = shared_bytes ? hw_alloc(shared_bytes * sizeof *b->shared) : NULL;
    return b;
}

static void forget(struct race_block *b)
{
    for (unsigned w = 0; w < WARPS; w++)
        race_known_fini(&b->warps[w].foreign);
    race_known_fini(&b->foreign);
}

void race_block_begin(struct race_block *b, uint64_t id)
{
    forget(b);
    b->id = (uint32_t)id;
    b->version = 0;
    memset(b->epochs, 0, sizeof b->epochs);
    memset(b->warps, 0, WARPS * sizeof *b->warps);
    memset(b->barriers, 0, sizeof b->barriers);
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned l = 0; l < LANES; l++)
            b->warps[w].clocks[l] = 1;
}

void race_block_free(struct race_block *b)
{
    if (!b)
        return;
    forget(b);
    hazard_view_free(b->view);
    hw_free(b->warps);
    hw_free(b->shared);
    hw_free(b);
}

/* ---- what orders ---- */

/* The warp goes on: what it waited at is behind it. */
static void go_on(struct race_block *b, struct warp *w)
{
    if (w->takes) {
        race_grid_take(b->grid, w->pending, w->n_pending, &w->foreign);
        w->n_pending = 0;
        w->takes = false;
    }
    if (!w->waiting.at_barrier)
        return;
    const struct round *r = &b->barriers[w->waiting.barrier].rounds[w->waiting.round % ROUNDS];
    for (unsigned v = 0; v < WARPS; v++)
        w->known[v] = max_u32(w->known[v], r->known[v]);
    w->waiting.at_barrier = false;
    if (w->version != b->version) {
        race_known_join(&w->foreign, &b->foreign);
        w->version = b->version;
    }
}

static void come_to_round(struct race_block *b, struct round *r, struct warp *w, uint32_t thread, uint32_t mask)
{
    unsigned self = thread / LANES;
    for (unsigned v = 0; v < WARPS; v++)
        r->known[v] = max_u32(r->known[v], w->known[v]);
    for (; mask; mask &= mask - 1) {
        uint32_t t = thread + (uint32_t)__builtin_ctz(mask);
        r->known[self] = max_u32(r->known[self], ++b->epochs[t % THREADS]);
    }
}

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
    uint32_t left = b->threads - thread, all = left >= LANES ? UINT32_MAX : (1u << left) - 1;
    if ((w->passed_by & mask) && w->passed_site != site)
        other_barrier(b, w->passed_site, thread + (uint32_t)__builtin_ctz(all & ~w->passed_by ? all & ~w->passed_by : 1), site,
                      thread + (uint32_t)__builtin_ctz(w->passed_by & mask));
    w->passed_by = all & ~mask;
    w->passed_site = site;
}

void race_barrier(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands)
{
    struct warp *w = warp_of(b, thread);
    uint64_t what = operands[__builtin_ctz(mask)];
    unsigned number = (unsigned)(what & (BARRIERS - 1));
    uint32_t count = (uint32_t)(what >> 32) & 0xffff, round;
    struct barrier *bar = &b->barriers[number];
    go_on(b, w);
    if (count == 0 || count >= b->threads) {     /* all threads: rounds are counted by each warp */
        if (w->came[number] & mask) {
            w->came[number] = 0;
            w->rounds[number]++;
        }
        w->came[number] |= mask;
        round = w->rounds[number];
        if (round >= bar->number) {              /* the first to come */
            memset(&bar->rounds[round % ROUNDS], 0, sizeof bar->rounds[0]);
            bar->number = round + 1;
        }
    } else {
        round = bar->number;
        if (bar->arrived == 0)
            memset(&bar->rounds[round % ROUNDS], 0, sizeof bar->rounds[0]);
        bar->arrived += (uint32_t)__builtin_popcount(mask);
        if (bar->arrived >= count) {
            bar->arrived = 0;
            bar->number++;
        }
    }
    if (number == 0 && count == 0)
        note_absent(b, w, site, thread, mask);
    struct round *r = &bar->rounds[round % ROUNDS];
    if (r->site && r->site != site + 1 && number == 0 && count == 0)
        other_barrier(b, r->site - 1, r->thread - 1, site, thread + (uint32_t)__builtin_ctz(mask));
    if (!r->site) {
        r->site = site + 1;
        r->thread = thread + (uint32_t)__builtin_ctz(mask) + 1;
    }
    come_to_round(b, r, w, thread, mask);
    if (race_known_join(&b->foreign, &w->foreign))
        b->version++;
    if (!(what & DETAILS_ARRIVES))
        w->waiting = (struct waiting){ true, (uint8_t)number, round };
}

void race_warp(struct race_block *b, uint32_t thread, uint32_t mask, const uint64_t *members)
{
    struct warp *w = warp_of(b, thread);
    uint32_t all = (uint32_t)members[__builtin_ctz(mask)], joint[LANES] = { 0 };
    go_on(b, w);
    if (w->together & mask)
        w->together = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        w->rows[l][l] = ++w->clocks[l];
    }
    w->together |= mask;
    for (uint32_t m = w->together; m; m &= m - 1)
        for (unsigned k = 0, l = (unsigned)__builtin_ctz(m); k < LANES; k++)
            joint[k] = max_u32(joint[k], w->rows[l][k]);
    for (uint32_t m = w->together; m; m &= m - 1)
        memcpy(w->rows[__builtin_ctz(m)], joint, sizeof joint);
    if ((w->together & all) == all)
        w->together = 0;
}

void race_fence(struct race_block *b, uint32_t thread, uint32_t mask, bool grid_wide)
{
    struct warp *w = warp_of(b, thread);
    go_on(b, w);
    race_grid_take(b->grid, w->pending, w->n_pending, &w->foreign);
    w->n_pending = 0;
    struct race_snap *s = race_grid_snap(b->grid);
    s->block = b->id;
    s->warp = thread / LANES;
    s->mask = mask;
    s->grid_wide = grid_wide;
    memcpy(s->known, w->known, sizeof s->known);
    memcpy(s->rows, w->rows, sizeof s->rows);
    race_known_join(&s->foreign, &w->foreign);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        s->rows[l][l] = w->rows[l][l] = ++w->clocks[l];
        w->fence[l] = s;
    }
}

/* Is that access before what the lane does now? */
static bool ordered(struct race_block *b, const struct warp *w, uint32_t t, const struct race_access *a)
{
    unsigned v = a->thread / LANES;
    if (a->block == b->id) {
        if (a->thread == t || w->known[v] > a->epoch)
            return true;
        if (v == t / LANES && w->rows[t % LANES][a->thread % LANES] > a->clock)
            return true;
    }
    return race_known_covers(&w->foreign, a, b->id);
}

static bool both_strong(const struct race_access *a, const struct race_access *b)
{
    if (!a->strong || !b->strong)
        return false;
    return a->block == b->block || (a->grid_wide && b->grid_wide);
}

/* ---- cells ---- */

static void tell(struct race_block *b, const struct race_access *a, const struct race_access *now, uint64_t address, bool shared)
{
    const struct details_site *sites = b->kernel->details->sites, *mine = &sites[now->site], *other = &sites[a->site];
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (shared)
        hw_str_printf(&where, "byte %llu of shared memory", (unsigned long long)address);
    else if (ledger_find(address, &e) != LEDGER_NOTHING)
        ledger_describe(&where, &e, address);
    const char *how = a->block != b->id ? "of two blocks" : a->thread / LANES == now->thread / LANES ? "of a warp" : "of a block";
    report_begin(&r, shared ? "race.shared" : "race.global", "race in %s memory: two threads %s touch the same byte, in no order", shared ? "shared" : "global", how);
    report_device(&r, a->write ? now->write ? "write" : "read" : "write", mine->place, "kernel %s, block %u, thread %u: %s", b->kernel->name, b->id, now->thread, where.s ? where.s : "");
    report_device(&r, a->write ? "write" : "read", other->place, "block %u, thread %u", a->block, a->thread);
    if (a->strong && now->strong)
        report_advice(&r, "Both are atomic, but of a scope that is smaller than the grid.");
    else
        report_advice(&r, "%s", a->block != b->id ? "Blocks are ordered by nothing but fences with atomic accesses to a flag, or the end of the grid."
                                : a->thread / LANES == now->thread / LANES ? "Put a __syncwarp() between them." : "Put a __syncthreads() between them.");
    report_end(&r);
    hw_str_fini(&where);
}

/* Another kernel's access. */
static void look_at_other(struct race_block *b, const struct race_access *a, const struct race_access *now, uint64_t address)
{
    unsigned k = a->grid % OTHERS;
    if (b->others[k].grid != a->grid) {
        b->others[k].grid = a->grid;
        b->others[k].ordered = order_between(a->grid, b->number);
    }
    if (!b->others[k].ordered && !(a->strong && now->strong))
        hazard_found(b->number, now->place, now->write, a->grid, a->place, a->write, address);
}

static void look(struct race_block *b, struct warp *w, const struct race_access *a, const struct race_access *now, uint64_t address, bool shared)
{
    if (!(a->bytes & now->bytes) || (!a->write && !now->write) || (shared && (a->grid != b->number || a->block != b->id)))
        return;
    if (a->grid != b->number) {
        if (check_tools & CHECK_HAZARD)
            look_at_other(b, a, now, address);
        return;
    }
    if (!(check_tools & CHECK_RACE))
        return;
    if ((a->write && now->write && a->valued && now->valued && a->value == now->value) || both_strong(a, now) || ordered(b, w, now->thread, a))
        return;
    tell(b, a, now, address, shared);
}

static void visit_cell(struct race_block *b, struct warp *w, struct race_cell *c, const struct race_access *now, uint64_t address, bool shared)
{
    look(b, w, &c->write, now, address, shared);
    if (now->write) {
        for (int k = 0; k < 2; k++)
            look(b, w, &c->reads[k], now, address, shared);
        c->write = *now;
        return;
    }
    /* of readers two of different threads, and of different warps before others */
    struct race_access *first = &c->reads[0];
    if (first->grid == now->grid && first->block == now->block && first->thread == now->thread)
        *first = *now;
    else {
        c->reads[1] = *first;
        *first = *now;
    }
}

static void visit_lane(struct race_block *b, struct warp *w, const struct race_access *what, uint64_t address, unsigned bytes, bool shared)
{
    struct race_access now = *what;
    if (shared) {
        for (uint64_t k = address; k < address + bytes && k < b->shared_bytes; k++) {
            now.bytes = 1;
            visit_cell(b, w, &b->shared[k], &now, k, true);
        }
        return;
    }
    for (uint64_t word = address & ~(uint64_t)3; word < address + bytes; word += 4) {
        uint64_t from = address > word ? address - word : 0, to = hw_min_u64(4, address + bytes - word);
        now.bytes = (uint8_t)(((1u << to) - 1) & ~((1u << from) - 1));
        struct race_cell *c = race_grid_cell(word);
        visit_cell(b, w, c, &now, word, false);
        race_grid_leave(word);
    }
}

/* Strong accesses carry knowledge from thread to thread. */
static void hand_over(struct race_block *b, struct warp *w, const struct details_site *s, unsigned lane, uint32_t thread, uint64_t address)
{
    bool writes = s->kind != DETAILS_IN_LOAD, reads = s->kind != DETAILS_IN_STORE;
    if (writes && s->releases)
        race_fence(b, thread, 1u << lane, s->grid_wide);
    if (writes && w->fence[lane])
        race_grid_give(b->grid, address, w->fence[lane]);
    if (!reads)
        return;
    for (unsigned k = 0; k < w->n_pending; k++)
        if (w->pending[k] == address)
            address = 0;
    if (address) {
        if (w->n_pending == PENDING)
            memmove(w->pending, w->pending + 1, --w->n_pending * sizeof w->pending[0]);
        w->pending[w->n_pending++] = address;
    }
    w->takes |= s->acquires;
}

void race_access(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a, bool shared)
{
    const struct details_site *s = &b->kernel->details->sites[site];
    struct warp *w = warp_of(b, thread);
    go_on(b, w);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint32_t t = thread + l;
        struct race_access now = { .grid = b->number, .block = b->id, .epoch = b->epochs[t % THREADS], .clock = w->clocks[l], .thread = (uint16_t)t, .site = (uint16_t)site, .place = s->place,
                                   .value = s->valued ? a[LANES + l] : 0, .valued = s->valued, .write = s->kind != DETAILS_IN_LOAD, .strong = s->strong,
                                   .grid_wide = s->grid_wide };
        visit_lane(b, w, &now, a[l], s->bytes, shared);
        if (!shared && b->view)
            hazard_look(b->view, a[l], s->bytes, now.write, s->system_wide, s->place);
        if (s->strong)
            hand_over(b, w, s, l, thread, shared ? a[l] | (uint64_t)(b->id + 1) << 40 : a[l]);
    }
}
