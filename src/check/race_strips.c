/* SPDX-License-Identifier: Apache-2.0 */
#include "check/race_strips.h"

#include "base/os.h"
#include "check/race_internal.h"

#include <sched.h>

enum { SPINS = 64, INFO_KEPT = (1 << STRIP_SHIFT) - 1 };

/* Strips of global memory are several threads' of ours, and change as a whole. */
static void enter(struct shadow_strip *s)
{
    for (unsigned n = 0; __atomic_exchange_n(&s->held, 1, __ATOMIC_ACQUIRE); n++)
        if (n >= SPINS)
            sched_yield();
        else
            hw_cpu_relax();
}

static void leave(struct shadow_strip *s) { __atomic_store_n(&s->held, 0, __ATOMIC_RELEASE); }

static unsigned shift_of(uint32_t info) { return info >> STRIP_SHIFT & 3; }
static unsigned first_of(unsigned mask) { return (unsigned)__builtin_ctz(mask); }
/* The key that the lane at the strip's first word would have: the same for all parts of a row. */
static uint64_t base_of(uint64_t key, unsigned mask, uint32_t info) { return key - (first_of(mask) >> shift_of(info)); }

/* ---- to cells ---- */

static void spread(uint64_t *keys, uint32_t *infos, uint64_t key, uint32_t info, unsigned mask, const uint16_t *values, unsigned grain)
{
    unsigned first = first_of(mask), shift = shift_of(info);
    for (unsigned at = first << 2; at < 1u << STRIP; at += 1u << grain) {
        unsigned word = at >> 2;
        if (!(mask >> word & 1))
            continue;
        uint32_t value = info & INFO_VALUED ? (uint32_t)values[word] << INFO_VALUE : 0;
        __atomic_store_n(&infos[at >> grain], (info & INFO_KEPT) | value, __ATOMIC_RELAXED);
        __atomic_store_n(&keys[at >> grain], key + ((word - first) >> shift), __ATOMIC_RELEASE);
    }
}

static void spread_locked(struct shadow_strip *s, uint16_t tag, struct key_range range, const struct shadow_cells *cells, unsigned grain)
{
    if (s->cells == tag)
        return;
    if (s->write_mask && key_inside(range, s->write))
        spread(cells->writes, cells->write_info, s->write, s->write_info, s->write_mask, s->values, grain);
    if (s->read_mask && key_inside(range, s->read))
        spread(cells->reads, cells->read_info, s->read, s->read_info, s->read_mask, NULL, grain);
    s->write_mask = s->read_mask = 0;
    __atomic_store_n(&s->cells, tag, __ATOMIC_RELAXED);
}

void strip_spread(struct shadow_strip *s, uint16_t tag, struct key_range range, bool shared, const struct shadow_cells *cells, unsigned grain)
{
    if (__atomic_load_n(&s->cells, __ATOMIC_RELAXED) == tag)
        return;
    if (!shared)
        enter(s);
    spread_locked(s, tag, range, cells, grain);
    if (!shared)
        leave(s);
}

/* ---- rows ---- */

/* Are the words that both have each of one thread, in one epoch? */
static bool same_threads(uint64_t key, unsigned mask, uint32_t info, const struct strip_row *r)
{
    uint64_t d = base_of(key, mask, info) ^ base_of(r->mine, r->mask, r->info);
    return shift_of(info) == shift_of(r->info) && key_state(key) == KEY_ONE && key_state(r->mine) == KEY_ONE && !(d & ~((uint64_t)KEY_CLOCKS << KEY_CLOCK));
}

static bool in_order(uint64_t key, unsigned mask, uint32_t info, const struct strip_row *r)
{
    return !(mask & r->mask) || key_apart(key, r->mine) || same_threads(key, mask, info, r);
}

static bool same_row(uint64_t key, unsigned mask, uint32_t info, const struct strip_row *r) { return info == r->info && base_of(key, mask, info) == base_of(r->mine, r->mask, r->info); }

/* May what was there go? Where the row covers it; in shared memory also what is behind a barrier of the block. */
static bool may_go(uint64_t key, unsigned mask, const struct strip_row *r) { return !(mask & ~r->mask) || (r->shared && key_apart(key, r->mine)); }

static bool put_write(struct shadow_strip *s, const struct strip_row *r, bool has)
{
    if (has && same_row(s->write, s->write_mask, s->write_info, r)) {
        s->write = first_of(r->mask) < first_of(s->write_mask) ? r->mine : s->write;
        s->write_mask |= r->mask;
    } else if (!has || may_go(s->write, s->write_mask, r)) {
        s->write = r->mine;
        s->write_info = r->info;
        s->write_mask = r->mask;
    } else {
        return false;
    }
    if (r->values)
        memcpy(s->values + first_of(r->mask), r->values, (unsigned)__builtin_popcount(r->mask) * sizeof *s->values);
    return true;
}

/* Is it there already in what others read? */
static bool is_covered(const struct shadow_strip *s, const struct strip_row *r)
{
    uint64_t d = s->read ^ r->mine;
    enum key_state state = key_state(s->read);
    return !(r->mask & ~s->read_mask) && (state == KEY_BLOCKS || (state == KEY_WARPS && d >> KEY_EPOCH == 0) || (state == KEY_WARP && !(d & ~(uint64_t)((3u << KEY_STATE) | 31))));
}

/* A block that has had very many barriers has another number (race_grid.h). */
static bool is_first_number(const struct strip_row *r, uint64_t key) { return key - r->range.from < r->range.span / RACE_GRID_AGAIN; }

/* Others read just the same words, in no order with these: which warps, blocks. */
static bool add_readers(struct shadow_strip *s, const struct strip_row *r)
{
    uint64_t d = s->read ^ r->mine;
    enum key_state state = key_state(s->read);
    if (s->read_mask != r->mask || shift_of(s->read_info) != shift_of(r->info) || r->knows)
        return false;
    if (d >> KEY_BLOCK && is_first_number(r, s->read) && is_first_number(r, r->mine))
        state = KEY_BLOCKS;
    else if (d >> KEY_EPOCH == 0 && key_warp(s->read) != key_warp(r->mine))
        state = KEY_WARPS;
    else
        return false;
    s->read = (r->mine & ~((uint64_t)3 << KEY_STATE)) | (uint64_t)state << KEY_STATE;
    s->read_info = r->info;
    return true;
}

static bool put_read(struct shadow_strip *s, const struct strip_row *r, bool has)
{
    if (has && same_row(s->read, s->read_mask, s->read_info, r)) {
        s->read = first_of(r->mask) < first_of(s->read_mask) ? r->mine : s->read;
        s->read_mask |= r->mask;
        return true;
    }
    if (!has || (may_go(s->read, s->read_mask, r) && in_order(s->read, s->read_mask, s->read_info, r))) {
        s->read = r->mine;
        s->read_info = r->info;
        s->read_mask = r->mask;
        return true;
    }
    return is_covered(s, r) || add_readers(s, r);
}

static bool visit_locked(struct shadow_strip *s, const struct strip_row *r)
{
    bool write = s->write_mask && key_inside(r->range, s->write), read = s->read_mask && key_inside(r->range, s->read);
    if (s->cells == r->tag || (write && !in_order(s->write, s->write_mask, s->write_info, r)))
        return false;
    if (!r->writes)
        return put_read(s, r, read);
    return !(read && !in_order(s->read, s->read_mask, s->read_info, r)) && put_write(s, r, write);
}

bool strip_visit(struct shadow_strip *s, const struct strip_row *r)
{
    if (__atomic_load_n(&s->cells, __ATOMIC_RELAXED) == r->tag)
        return false;
    if (!r->shared)
        enter(s);
    bool done = visit_locked(s, r);
    if (!r->shared)
        leave(s);
    return done;
}
