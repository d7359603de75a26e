/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks. Who takes a lock first in a run has nothing to wait for, and lacks no fence; but it is luck that it was the first. A word that a compare and swap takes
 * from a value, and that its thread later sets to that value again, is a lock: others may have held it before. What the thread does before a fence is not behind
 * what those did. So it is not told to those who take the lock after it: what they have in common is a race, found whoever came first.
 */
#include "check/race_internal.h"

static uint64_t epoch_of(const struct warp *w, unsigned lane) { return w->now[lane] >> KEY_EPOCH; }

void race_lock_take(struct warp *w, const struct details_site *s, unsigned lane, uint64_t word, uint64_t value)
{
    if (!w->locks)
        w->locks = hw_alloc(LANES * sizeof *w->locks);
    struct lock *k = &w->locks[lane];
    if (k->word != word || k->free != value || k->epoch != epoch_of(w, lane))    /* else it tries again */
        *k = (struct lock){ .word = word, .free = value, .epoch = epoch_of(w, lane), .from = race_tick(w, lane) };
    k->to_block = s->acquires ? k->from : 0;
    k->to_all = s->acquires && s->grid_wide ? k->from : 0;
}

void race_lock_fence(struct warp *w, uint32_t mask, bool wide)
{
    for (uint32_t m = w->locks ? mask : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        struct lock *k = &w->locks[l];
        uint8_t now = (uint8_t)key_clock(w->now[l]);
        k->to_block = k->to_block ? k->to_block : now;
        k->to_all = k->to_all || !wide ? k->to_all : now;
    }
}

bool race_lock_gives(const struct warp *w, unsigned lane, uint64_t word, uint64_t value)
{
    const struct lock *k = &w->locks[lane];
    return k->word == word && k->free == value && k->epoch == epoch_of(w, lane) && k->from < KEY_CLOCKS;
}

void race_lock_hole(const struct warp *w, unsigned lane, bool all_blocks, struct release *r)
{
    const struct lock *k = &w->locks[lane];
    uint8_t to = all_blocks ? k->to_all : k->to_block;
    r->hole_from = k->from;
    r->hole_to = to ? to : KEY_CLOCKS;
    r->hole_lane = (uint8_t)lane;
}

void race_lock_told(struct warp *w, unsigned lane, const struct release *at)
{
    struct lock *k = &w->locks[lane];
    if (k->epoch == at->key >> KEY_EPOCH && k->from < at->clocks[lane])
        k->from = at->clocks[lane];
}
