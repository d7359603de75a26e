/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences, strong accesses, and barriers of some of the threads. What a thread knows at a fence goes with its next strong write to a word, and comes to whoever
 * reads that word by a strong access and has a fence behind it; an access that releases or acquires is its own fence.
 */
#include "check/check.h"
#include "check/race_internal.h"

void race_join_lanes(struct warp *w, uint32_t mask, struct known *from)
{
    struct known *before = NULL, *after = NULL;
    if (!from)
        return;
    w->knows = true;
    for (; mask; mask &= mask - 1) {
        struct known **k = &w->known[__builtin_ctz(mask)];
        if (after && *k == before) {             /* as the lane before it */
            if (*k != after) {
                known_unref(*k);
                *k = known_ref(after);
            }
            continue;
        }
        before = *k;
        known_join(k, from);
        after = *k;
    }
}

static void take_pending(struct race_block *b, struct warp *w, uint32_t mask, bool wide)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < w->n_pending; k++) {
        struct pending *p = &w->pending[k];
        struct known *got = NULL;
        if (p->lanes & mask) {
            known_take(race_grid_knowledge(b->grid), p->word, b->id, wide && p->wide, &got);
            race_join_lanes(w, p->lanes & mask, got);
            known_unref(got);
            p->lanes &= ~mask;
        }
        if (p->lanes)
            w->pending[kept++] = *p;
    }
    w->n_pending = kept;
}

void race_go_on(struct race_block *b, struct warp *w, uint32_t mask)
{
    if (w->takes & mask) {
        take_pending(b, w, w->takes & mask, true);
        w->takes &= ~mask;
    }
    for (uint32_t m = w->waits & mask; m;) {     /* mostly all wait for the same */
        struct known **from = w->brings[__builtin_ctz(m)];
        uint32_t same = 0;
        for (uint32_t k = m; k; k &= k - 1)
            same |= (uint32_t)(w->brings[__builtin_ctz(k)] == from) << __builtin_ctz(k);
        race_join_lanes(w, same, *from);
        m &= ~same;
    }
    w->waits &= ~mask;
}

/* A lane's own next moment, and what it knows of its warp. */
static void tick(struct warp *w, unsigned lane, uint32_t clock, struct release *r)
{
    w->now[lane] = (w->now[lane] & ~((uint64_t)KEY_CLOCKS << KEY_CLOCK)) | (uint64_t)clock << KEY_CLOCK;
    for (unsigned k = 0; k < LANES; k++)
        r->clocks[k] = (uint8_t)(w->uneven && w->rows[lane][k] > w->floor ? w->rows[lane][k] : w->floor);
    r->clocks[lane] = (uint8_t)clock;
    r->key = w->now[lane];
}

static uint32_t next_clock(struct warp *w)
{
    return w->clock < KEY_CLOCKS ? ++w->clock : KEY_CLOCKS;
}

/* What these lanes have behind them goes with their next strong writes. */
static void release(struct warp *w, uint32_t thread, uint32_t mask, bool grid_wide)
{
    if (!w->fences)
        w->fences = hw_alloc(LANES * sizeof *w->fences);
    uint32_t clock = next_clock(w);
    if (grid_wide)
        w->fenced |= mask;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        struct fence *f = &w->fences[l];
        known_unref(f->at.known);
        known_unref(f->given);
        *f = (struct fence){ .set = true, .wide = grid_wide, .at = { .warp = thread / LANES, .known = known_ref(w->known[l]) } };
        tick(w, l, clock, &f->at);
    }
}

void race_fence(struct race_block *b, uint32_t thread, uint32_t mask, bool grid_wide)
{
    struct warp *w = warp_of(b, thread);
    race_go_on(b, w, mask);
    if (!b->orders)
        return;
    take_pending(b, w, mask, grid_wide);
    release(w, thread, mask, grid_wide);
    race_lock_fence(w, mask, grid_wide);
}

uint8_t race_tick(struct warp *w, unsigned lane)
{
    struct release none;
    tick(w, lane, next_clock(w), &none);
    return none.clocks[lane];
}

/* What the lane's newest fence lets others know. Where every thread had one before a barrier, the barrier's side of it counts too. */
static struct known *given_by(struct race_block *b, struct warp *w, unsigned lane, uint32_t thread)
{
    struct fence *f = &w->fences[lane];
    if (b->fenced > f->at.key && b->fenced <= w->now[lane]) {
        known_unref(f->given);
        f->given = NULL;
        f->at.key = b->fenced;
        memset(f->at.clocks, 0, sizeof f->at.clocks);
        f->wide = true;
    }
    if (!f->given) {
        struct release r = f->at;
        known_ref(r.known);
        f->given = known_release(race_grid_knowledge(b->grid), b->id, thread + lane, 1u << lane, &r);
        if (w->locks)
            race_lock_told(w, lane, &f->at);
    }
    return f->given;
}

static void note_pending(struct warp *w, uint64_t word, uint32_t lanes, bool wide)
{
    for (unsigned k = 0; k < w->n_pending; k++)
        if (w->pending[k].word == word && w->pending[k].wide == wide) {
            w->pending[k].lanes |= lanes;
            return;
        }
    if (w->n_pending == PENDING)
        memmove(w->pending, w->pending + 1, --w->n_pending * sizeof w->pending[0]);
    w->pending[w->n_pending++] = (struct pending){ word, lanes, wide };
}

/* The lock of which the lane gives others to know, before anybody else hears of that fence. */
static void give_lock(struct race_block *b, struct warp *w, unsigned lane, uint32_t thread, uint64_t word, bool all_blocks)
{
    struct release r = w->fences[lane].at;
    known_ref(r.known);
    race_lock_hole(w, lane, all_blocks, &r);
    struct known *k = known_release(race_grid_knowledge(b->grid), b->id, thread + lane, 1u << lane, &r);
    known_give(race_grid_knowledge(b->grid), word, b->id, all_blocks, k);
    known_unref(k);
}

/* What the lane's fence lets others know goes with a strong write. */
static void give(struct race_block *b, struct warp *w, const struct details_site *s, unsigned lane, uint32_t thread, uint64_t word, uint64_t value)
{
    bool wide = s->grid_wide && w->fences[lane].wide;
    bool lock = w->locks && (s->valued || s->locks == DETAILS_GIVES_LOCK) && !w->fences[lane].given && race_lock_gives(w, lane, word, value);
    if (lock) {
        if (wide)
            give_lock(b, w, lane, thread, word, true);
        give_lock(b, w, lane, thread, word, false);
        w->locks[lane].word = 0;
    } else {
        known_give(race_grid_knowledge(b->grid), word, b->id, wide, given_by(b, w, lane, thread));
    }
}

void race_hand_over(struct race_block *b, struct warp *w, const struct details_site *s, unsigned lane, uint32_t thread, uint64_t word, uint64_t value)
{
    bool writes = s->kind != DETAILS_IN_LOAD, reads = s->kind != DETAILS_IN_STORE;
    bool takes = s->locks == DETAILS_TAKES_LOCK;
    if (writes && s->releases) {
        race_go_on(b, w, 1u << lane);
        release(w, thread, 1u << lane, s->grid_wide);        /* what it has read by relaxed accesses it does not acquire by that */
    }
    if (writes && w->fences && w->fences[lane].set)
        give(b, w, s, lane, thread, word, value);
    if (takes && b->locks)
        race_lock_take(w, s, lane, word, value);
    if (reads)
        note_pending(w, word, 1u << lane, s->grid_wide);
    if (reads && (s->acquires || (!takes && (check_extras & CHECK_EXTRA_VOLATILE))))     /* who wants to hear of volatile accesses means a model without fences of readers, but of locks */
        w->takes |= 1u << lane;
}

void race_order_forget(struct warp *w)
{
    for (unsigned l = 0; w->knows && l < LANES; l++)
        known_unref(w->known[l]);
    for (unsigned l = 0; w->fences && l < LANES; l++) {
        known_unref(w->fences[l].at.known);
        known_unref(w->fences[l].given);
    }
    hw_free(w->fences);
    hw_free(w->locks);
    w->fences = NULL;
    w->locks = NULL;
}

/* ---- operations of a warp ---- */

static void join_rows(struct warp *w, uint32_t clock, uint32_t mask, uint32_t together)
{
    uint8_t joint[LANES] = { 0 };
    w->uneven = true;
    for (uint32_t m = mask; m; m &= m - 1)
        w->rows[__builtin_ctz(m)][__builtin_ctz(m)] = (uint8_t)clock;
    for (uint32_t m = together; m; m &= m - 1)
        for (unsigned k = 0, l = (unsigned)__builtin_ctz(m); k < LANES; k++)
            joint[k] = joint[k] > w->rows[l][k] ? joint[k] : w->rows[l][k];
    for (uint32_t m = together; m; m &= m - 1)
        memcpy(w->rows[__builtin_ctz(m)], joint, sizeof joint);
}

static void join_known(struct warp *w, uint32_t mask)
{
    struct known *all = NULL;
    for (uint32_t m = mask; m; m &= m - 1)
        known_join(&all, w->known[__builtin_ctz(m)]);
    race_join_lanes(w, mask, all);
    known_unref(all);
}

/* Those of the mask that have come, with these. A lane waits for one mask at a time: where it is met again, that one is behind it. */
static uint32_t come(struct warp *w, uint32_t mask, uint32_t members)
{
    unsigned kept = 0;
    uint32_t together = mask;
    for (unsigned k = 0; k < w->n_groups; k++) {
        const struct group g = w->groups[k];
        if (g.members == members && !(g.came & mask))
            together |= g.came;
        else if (!(g.came & mask))
            w->groups[kept++] = g;
    }
    if ((together & members) != members && kept < HW_LEN(w->groups))
        w->groups[kept++] = (struct group){ members, together };
    w->n_groups = kept;
    return together;
}

/* Lanes that name the same members. */
static void meet(struct race_block *b, struct warp *w, uint32_t thread, uint32_t mask, uint32_t members, uint32_t clock)
{
    uint32_t together = come(w, mask, members);
    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            w->now[l] = (w->now[l] & ~((uint64_t)KEY_CLOCKS << KEY_CLOCK)) | (uint64_t)clock << KEY_CLOCK;
    if (mask == lanes_of(b, thread))
        w->floor = clock;
    else
        join_rows(w, clock, mask, together);
    if (w->knows)
        join_known(w, together);
}

void race_warp(struct race_block *b, uint32_t thread, uint32_t mask, const uint64_t *members)
{
    struct warp *w = warp_of(b, thread);
    if (!b->grid)
        return;
    race_go_on(b, w, mask);
    uint32_t clock = next_clock(w);
    for (uint32_t left = mask; left;) {
        uint32_t all = (uint32_t)members[__builtin_ctz(left)], same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            same |= (uint32_t)((uint32_t)members[__builtin_ctz(m)] == all) << __builtin_ctz(m);
        meet(b, w, thread, same, all, clock);
        left &= ~same;
    }
}
