/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells. Each remembers its last write, and who read it: one thread, several of a warp, several warps of a block, several blocks. More than that is never asked:
 * whoever writes what several have read is in order with all of them, or with one of them not.
 *
 * Cells of global memory have no lock. A key is written as one word, and only a block's own thread writes its keys: what is lost when two blocks touch a cell
 * in the same moment is one of two accesses that are in no order with each other. In a small grid that moment may be all there is: the first accesses that a
 * thread of ours makes for a launch are looked at one by one, with a lock.
 */
#include "base/os.h"
#include "check/check.h"
#include "check/ledger.h"
#include "check/race_internal.h"
#include "check/race_rows.h"
#include "check/race_strips.h"
#include "check/touch.h"
#include "check/touch_set.h"
#include "check/window.h"

#include <sched.h>
#include <stdatomic.h>

#if defined(__SANITIZE_THREAD__)
#define SHARED_CELLS __attribute__((no_sanitize("thread")))
#else
#define SHARED_CELLS
#endif

struct accessed {
    struct race_block *b;
    struct warp *w;
    const struct details_site *s;
    uint32_t thread;             /* lane 0's */
    uint32_t site, info;
    bool shared, writes;
    unsigned how;                /* race.h */
    struct key_range range;      /* whose keys count: the grid's, in shared memory the block's */
    const uint64_t *a;           /* addresses, then values */
    bool early;                  /* one of the first: with a lock */
};

/* ---- one lane and one cell ---- */

/* What belongs to a key is there before the key, so that whoever sees the key sees it, or that of a later access. */
SHARED_CELLS static inline void put(uint64_t *key, uint32_t *key_info, uint64_t now, uint32_t info)
{
    __atomic_store_n(key_info, info, __ATOMIC_RELAXED);
    __atomic_store_n(key, now, __ATOMIC_RELEASE);
}

static bool before_in_warp(const struct warp *w, unsigned lane, uint64_t k)
{
    uint32_t clock = key_clock(k);
    return w->floor > clock || clock == KEY_CLOCKS || (w->uneven && w->rows[lane][key_thread(k) % LANES] > clock);
}

/* Several lanes of the lane's own warp: is it in order with all of them? With none it is a race for sure; where some are, nobody knows which ones read. */
static bool before_of_warp(const struct warp *w, unsigned lane, uint64_t k)
{
    uint32_t clock = key_clock(k);
    bool any = w->floor > clock || clock == KEY_CLOCKS;
    for (unsigned l = 0; w->uneven && l < LANES; l++)
        any |= l != lane && w->rows[lane][l] > clock;
    return any;
}

/* Is what that key says before what the lane does now? */
static bool is_before(struct race_block *b, const struct warp *w, unsigned lane, uint64_t now, uint64_t k)
{
    uint32_t block = block_of(b, k);
    enum key_state state = key_state(k);
    if (state != KEY_BLOCKS && block == b->id) {
        if (key_block(k) != key_block(now) || key_epoch(k) != key_epoch(now))
            return true;
        if (state == KEY_ONE && key_thread(k) == key_thread(now))
            return true;
        if (state == KEY_ONE && key_warp(k) == key_warp(now) && before_in_warp(w, lane, k))
            return true;
        if (state == KEY_WARP && key_warp(k) == key_warp(now) && before_of_warp(w, lane, k))
            return true;
    }
    return w->knows && known_covers(race_grid_knowledge(b->grid), w->known[lane], k, block);
}

static bool both_strong(const struct race_block *b, uint64_t now, uint32_t now_info, uint64_t k, uint32_t info)
{
    if (!key_strong(now) || !key_strong(k))
        return false;
    return (block_of(b, k) == b->id && key_state(k) != KEY_BLOCKS) || (now_info & info & INFO_WIDE);
}

/*
 * A thread that clears a counter with a plain store and then takes part in the counting: what others race with is the store, which the atomic must not hide. In the
 * same epoch the store stays in the cell. Behind a barrier of the block its site goes on beside the atomic, where nothing orders the block with others: atomics have
 * no value there.
 */
static bool hides_own(uint64_t now, uint64_t k) { return key_strong(now) && !key_strong(k) && key_state(k) == KEY_ONE && key_thread(k) == key_thread(now) && key_block(k) == key_block(now) && key_epoch(k) == key_epoch(now); }

static uint32_t carried(uint32_t info) { return info & INFO_VALUED ? 0 : info >> INFO_VALUE; }

static uint32_t carry(const struct accessed *x, uint64_t now, uint32_t info, uint64_t k, uint32_t k_info)
{
    if (x->shared || x->b->orders || !key_strong(now) || (info & INFO_VALUED) || block_of(x->b, k) != x->b->id)
        return 0;
    uint32_t site = key_strong(k) ? carried(k_info) : (k_info & INFO_SITES) + 1;
    return site < 1u << (32 - INFO_VALUE) ? site << INFO_VALUE : 0;
}

static bool same_value(uint32_t a, uint32_t b) { return (a & b & INFO_VALUED) && a >> INFO_VALUE == b >> INFO_VALUE; }

static void look(const struct accessed *x, unsigned lane, uint64_t now, uint32_t info, uint64_t k, uint32_t k_info, bool k_writes, uint64_t address)
{
    if (!key_inside(x->range, k) || is_before(x->b, x->w, lane, now, k))
        return;
    if (both_strong(x->b, now, info, k, k_info)) {
        if (k_writes && carried(k_info) && block_of(x->b, k) != x->b->id)
            race_tell(x->b, &(struct race_pair){ now, k, info, carried(k_info) - 1, x->writes, true, x->shared, false }, address);
        return;
    }
    if (k_writes && x->writes && same_value(info, k_info) && !(check_extras & CHECK_EXTRA_SAME_VALUE))
        return;
    race_tell(x->b, &(struct race_pair){ now, k, info, k_info, x->writes, k_writes, x->shared, k_writes && x->writes && same_value(info, k_info) }, address);
}

/* Two readers, or more, that are in no order: which lanes, warps, blocks. */
static void add_reader(const struct accessed *x, unsigned lane, uint64_t now, uint32_t info, uint64_t *key, uint32_t *key_info)
{
    uint64_t k = *key;
    enum key_state state = key_state(k);
    if (!key_inside(x->range, k) || (state == KEY_ONE && is_before(x->b, x->w, lane, now, k)) || (state == KEY_WARP && key_warp(k) == key_warp(now) && x->w->floor > key_clock(k) && key_block(k) == key_block(now)) ||
        key_apart(k, now)) {
        put(key, key_info, now, info);
        return;
    }
    bool strong = key_strong(k) && key_strong(now);
    if (block_of(x->b, k) != x->b->id)
        state = KEY_BLOCKS;
    else if (state == KEY_ONE && key_thread(k) != key_thread(now))
        state = key_warp(k) == key_warp(now) ? KEY_WARP : KEY_WARPS;
    else if (state == KEY_WARP && key_warp(k) != key_warp(now))
        state = KEY_WARPS;
    if (key_strong(k) || key_state(k) != state) {        /* the one who is no excuse for others is kept */
        bool keep = key_strong(now) && !key_strong(k);
        put(key, key_info, ((keep ? k : now) & ~((uint64_t)3 << KEY_STATE | (uint64_t)1 << KEY_STRONG)) | (uint64_t)state << KEY_STATE | (uint64_t)strong << KEY_STRONG,
            (keep ? *key_info : info) & (*key_info | ~(uint32_t)INFO_WIDE));
    }
}

/* A lane at one cell. */
SHARED_CELLS static void visit_cell(const struct accessed *x, unsigned lane, const struct shadow_cells *c, size_t i, uint64_t now, uint32_t info, uint64_t address)
{
    uint64_t w = __atomic_load_n(&c->writes[i], __ATOMIC_ACQUIRE), r = __atomic_load_n(&c->reads[i], __ATOMIC_ACQUIRE);
    if (x->writes && !key_inside(x->range, r) && key_strong(now) && key_strong(w) && !carried(c->write_info[i]) && ((info & c->write_info[i] & INFO_WIDE) || key_block(w) == key_block(now))) {
        put(&c->writes[i], &c->write_info[i], now, info);        /* atomics on a counter */
        return;
    }
    if (key_inside(x->range, w))
        look(x, lane, now, info, w, c->write_info[i], true, address);
    if (!x->writes) {
        add_reader(x, lane, now, info, &c->reads[i], &c->read_info[i]);
        return;
    }
    if (key_inside(x->range, r)) {
        look(x, lane, now, info, r, c->read_info[i], false, address);
        if (key_state(r) != KEY_ONE || key_thread(r) != key_thread(now))
            c->reads[i] = 0;     /* who comes behind this write comes behind them */
    }
    if (!key_inside(x->range, w))
        put(&c->writes[i], &c->write_info[i], now, info);
    else if (!hides_own(now, w))
        put(&c->writes[i], &c->write_info[i], now, info | carry(x, now, info, w, c->write_info[i]));
}

/* ---- rows ---- */

/* Volatile accesses are strong, unless somebody wants to hear of their races. */
static bool is_strong(const struct details_site *s) { return s->strong && !((check_extras & CHECK_EXTRA_VOLATILE) && race_is_volatile(s)); }

static uint64_t now_of(const struct accessed *x, unsigned lane) { return x->w->now[lane] | (uint64_t)is_strong(x->s) << KEY_STRONG | (x->thread + lane); }

static uint32_t info_of(const struct accessed *x, unsigned lane)
{
    if (!x->s->valued)
        return x->info;
    return x->info | INFO_VALUED | rows_value(x->a[LANES + lane], INFO_VALUE) << INFO_VALUE;
}

enum { LOCKS = 64, LOCK_BYTES = 4096, SPINS = 64 };
static _Atomic bool locks[LOCKS];

static _Atomic bool *lock_of(uint64_t address) { return &locks[address / LOCK_BYTES % LOCKS]; }

static void enter(_Atomic bool *lock)
{
    for (unsigned n = 0; atomic_exchange_explicit(lock, true, memory_order_acquire); n++)
        if (n >= SPINS)
            sched_yield();
        else
            hw_cpu_relax();
}

static void leave(_Atomic bool *lock) { atomic_store_explicit(lock, false, memory_order_release); }

static void lane_by_lane(const struct accessed *x, const struct part *p, const struct shadow_cells *c, unsigned shift, unsigned grain)
{
    for (unsigned k = 0; k < p->lanes; k++) {
        size_t first = p->uniform ? 0 : (size_t)k << shift;
        uint64_t now = now_of(x, p->lane + k);
        uint32_t info = info_of(x, p->lane + k);
        for (size_t i = 0; i < (size_t)1 << shift; i++)
            visit_cell(x, p->lane + k, c, first + i, now, info, p->address + ((first + i) << grain));
    }
}

static bool same_time(const struct warp *w, const struct part *p)
{
    uint64_t differ = 0;
    for (unsigned k = 1; k < p->lanes; k++)
        differ |= w->now[p->lane + k] ^ w->now[p->lane];
    return !differ;
}

/* One cell, as rows_clear() and rows_reads() do it for many. */
SHARED_CELLS static inline bool cell_at_once(const struct accessed *x, const struct shadow_cells *c, uint64_t now, uint32_t info)
{
    uint64_t k = *c->writes, r = *c->reads, d = r ^ now;
    if (key_inside(x->range, k) && k != now && !key_apart(k, now))
        return false;
    bool other = !key_inside(x->range, r) || key_apart(r, now);
    if (x->writes) {
        if (!other && d)
            return false;
        put(c->writes, c->write_info, now, info);
        return true;
    }
    if (d == 0)
        return true;
    if (other) {
        put(c->reads, c->read_info, now, info);
        return true;
    }
    if (key_strong(r))
        return false;
    enum key_state state = key_state(r);
    return state == KEY_BLOCKS || (state == KEY_WARPS && d >> KEY_EPOCH == 0) || (state == KEY_WARP && !(d & ~(uint64_t)((3u << KEY_STATE) | 31)));
}

/*
 * Two threads of ours that come to a cell at the same moment see nothing of each other. Where threads of a kernel wait for each other that is the moment that
 * counts, and often the only one: then both look again behind what they wrote down.
 */
static bool nobody_came(const struct accessed *x, const struct shadow_cells *c, const struct row *r)
{
    if (x->shared || !x->b->orders)
        return true;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return rows_clear(c->writes, r) && (!x->writes || rows_clear(c->reads, r));
}

/* The quick ways; false: somebody must look closer. */
static bool row_at_once(const struct accessed *x, const struct part *p, const struct shadow_cells *c, unsigned shift)
{
    bool several = p->uniform && p->lanes > 1;
    struct row r = { p->uniform ? 1u << shift : p->lanes << shift, p->uniform ? 31 : shift, now_of(x, p->lane) | (uint64_t)(several ? KEY_WARP : KEY_ONE) << KEY_STATE, x->range };
    uint32_t infos[LANES];
    if (x->s->strong || (x->writes && several) || !same_time(x->w, p))
        return false;
    if (r.n == 1)
        return cell_at_once(x, c, r.mine, info_of(x, p->lane)) && nobody_came(x, c, &r);
    if (!rows_clear(c->writes, &r))
        return false;
    unsigned reads = x->writes ? 0 : rows_reads(c->reads, &r);
    if (reads == ROWS_COVERED)
        return true;
    if (reads & ~(unsigned)ROWS_STORE || (x->writes && !rows_clear(c->reads, &r)))
        return false;
    for (unsigned k = 0; k < p->lanes; k++)
        infos[k] = info_of(x, p->lane + k);
    rows_store(x->writes ? c->writes : c->reads, x->writes ? c->write_info : c->read_info, &r, infos);
    return nobody_came(x, c, &r);
}

/* Cells from that of the part's first byte on. Of several lanes that read one cell the first two make the state. */
static void visit_cells(const struct accessed *x, const struct part *p, const struct shadow_cells *c, unsigned grain)
{
    unsigned shift = (unsigned)__builtin_ctz(x->s->bytes) - grain;
    if (!x->early && row_at_once(x, p, c, shift))
        return;
    _Atomic bool *lock = x->early ? lock_of(p->address) : NULL;
    struct part q = *p;
    if (!x->writes && !x->s->strong && p->uniform && same_time(x->w, p) && q.lanes > 2)
        q.lanes = 2;
    if (lock)
        enter(lock);
    lane_by_lane(x, &q, c, shift, grain);
    if (lock)
        leave(lock);
}

/* ---- strips ---- */

static struct shadow_strip *strip_of(const struct accessed *x, uint64_t address)
{
    struct race_block *b = x->b;
    if (x->shared)
        return &b->strips[address >> STRIP];
    if (hw_unlikely(!b->near_strips || address >> SHADOW_PIECE != b->near)) {
        b->near_strips = shadow_strip(address >> SHADOW_PIECE << SHADOW_PIECE);
        b->near = address >> SHADOW_PIECE;
    }
    return b->near_strips ? &b->near_strips[(address & (((uint64_t)1 << SHADOW_PIECE) - 1)) >> STRIP] : NULL;
}

static bool cells_of(const struct accessed *x, uint64_t address, unsigned grain, struct shadow_cells *out)
{
    const struct shadow_cells *c = &x->b->shared;
    size_t n = (size_t)(address >> grain);
    if (!x->shared)
        return shadow_cells(address, grain, out);
    *out = (struct shadow_cells){ c->writes + n, c->reads + n, c->write_info + n, c->read_info + n };
    return true;
}

/* What the strips of these bytes have goes to the cells; false: there is no memory for those. */
static bool spread_strips(const struct accessed *x, uint64_t from, uint64_t to, unsigned grain)
{
    struct shadow_cells c;
    for (uint64_t at = from >> STRIP << STRIP; at < to; at += 1 << STRIP) {
        struct shadow_strip *strip = strip_of(x, at);
        if (!strip || !cells_of(x, at, grain, &c))
            return false;
        strip_spread(strip, x->shared ? x->b->shared_tag : x->b->tag, x->range, x->shared, &c, grain);
    }
    return true;
}

/* values: by lane. */
static struct strip_row row_of(const struct accessed *x, const struct part *p, const uint16_t *values, uint16_t of_words[STRIP_WORDS])
{
    unsigned words = x->s->bytes / 4, n = p->uniform ? words : p->lanes * words;
    bool several = p->uniform && p->lanes > 1;
    struct strip_row r = { now_of(x, p->lane) | (uint64_t)(several ? KEY_WARP : KEY_ONE) << KEY_STATE, x->info | (uint32_t)__builtin_ctz(words) << STRIP_SHIFT,
                           (uint16_t)(((1u << n) - 1) << (p->address % (1 << STRIP)) / 4), x->shared ? x->b->shared_tag : x->b->tag, x->writes, x->shared, x->w->knows, x->range, NULL };
    if (!values)
        return r;
    for (unsigned k = 0; words > 1 && k < n; k++)
        of_words[k] = values[p->lane + k / words];
    r.info |= INFO_VALUED;
    r.values = words > 1 ? of_words : values + p->lane;
    return r;
}

/* Lanes that come as one, to whole words. */
static bool is_row(const struct accessed *x, const struct part *p)
{
    return !x->s->strong && x->s->bytes >= 4 && !(p->address & (x->s->bytes - 1)) && !(x->writes && p->uniform && p->lanes > 1) && same_time(x->w, p);
}

static void visit_strips(const struct accessed *x, const struct part *p, unsigned grain)
{
    uint16_t values[LANES], of_words[STRIP_WORDS];
    struct shadow_cells c;
    bool valued = x->writes && x->s->valued;
    if (valued)
        rows_values(x->a + LANES, INFO_VALUE, values);
    for (uint64_t at = p->address, end = at + part_bytes(p, x->s->bytes), next; at < end; at = next) {
        next = hw_min_u64(end, (at | ((1 << STRIP) - 1)) + 1);
        struct part q = { at, p->lane + (unsigned)((at - p->address) / x->s->bytes), p->uniform ? p->lanes : (unsigned)((next - at) / x->s->bytes), p->uniform };
        struct shadow_strip *strip = strip_of(x, at);
        struct strip_row r = row_of(x, &q, valued ? values : NULL, of_words);
        if (strip && strip_visit(strip, &r))
            continue;
        if (spread_strips(x, at, next, grain) && cells_of(x, at, grain, &c))
            visit_cells(x, &q, &c, grain);
    }
}

static void part_of_cells(const struct accessed *x, const struct part *p)
{
    unsigned grain = x->shared ? x->b->shared_grain : x->b->grain;
    uint64_t bytes = part_bytes(p, x->s->bytes);
    if (p->address & (((uint64_t)1 << grain) - 1))
        return;
    if (x->shared ? p->address + bytes > x->b->shared_bytes : (p->address ^ (p->address + bytes - 1)) >> SHADOW_PIECE != 0)
        return;
    struct shadow_cells c;
    if (is_row(x, p))
        visit_strips(x, p, grain);
    else if (spread_strips(x, p->address, p->address + bytes, grain) && cells_of(x, p->address, grain, &c))
        visit_cells(x, p, &c, grain);
}

/* ---- a warp's access ---- */

/* Bytes of memory that host code cannot use are bits, whoever touches them: only those are compared with each other. Lanes in a row may go from one memory into the next. */
static void touch_part(struct race_block *b, uint32_t site, const struct part *p)
{
    const struct details_site *s = &b->kernel->details->sites[site];
    uint64_t bytes = part_bytes(p, s->bytes);
    struct touch_bits *bits = window_bits(b->touch, site, s, p->address, bytes, b->at);
    if (bits) {
        touch_bits_set(bits, p->address, bytes);
    } else if (bytes == s->bytes) {
        touch(b->touch, p->address, bytes, window_kind(s), s->system_wide, s->place);
    } else if (!ledger_holds(p->address, bytes, b->at)) {
        for (unsigned k = 0; k < p->lanes; k++)
            touch_part(b, site, &(struct part){ p->address + (uint64_t)k * s->bytes, p->lane + k, 1, true });
    } else {
        touch(b->touch, p->address, bytes, window_kind(s), s->system_wide, s->place);
    }
}

static void visit_part(const struct accessed *x, const struct part *p)
{
    if (!x->shared && x->b->touch && !(x->how & RACE_TOUCHED))
        touch_part(x->b, x->site, p);
    if (x->b->grid && !(x->how & RACE_QUIET))
        part_of_cells(x, p);
}

void race_parts(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a, const struct part *parts, unsigned n, bool shared, unsigned how)
{
    const struct details_site *s = &b->kernel->details->sites[site];
    struct accessed x = { b, warp_of(b, thread), s, thread, site, (site & INFO_SITES) | (s->grid_wide ? INFO_WIDE : 0), shared, s->kind != DETAILS_IN_LOAD, how, b->range, a, !shared && b->early < EARLY };
    b->early += x.early;
    if (shared)
        x.range = (struct key_range){ x.w->now[__builtin_ctz(mask)] >> KEY_BLOCK << KEY_BLOCK, (uint64_t)1 << KEY_BLOCK };
    if (hw_unlikely((x.w->waits | x.w->takes) & mask))
        race_go_on(b, x.w, mask);
    for (unsigned k = 0; k < n; k++)
        visit_part(&x, &parts[k]);
    for (uint32_t m = s->strong && b->orders ? mask : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        race_hand_over(b, x.w, s, l, thread, shared ? a[l] | (uint64_t)(b->id + 1) << 40 : a[l], s->valued || s->locks ? a[LANES + l] : 0);
    }
}

void race_access(struct race_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a, bool shared)
{
    struct part parts[PARTS];
    unsigned n = parts_of(a, mask, b->kernel->details->sites[site].bytes, parts);
    race_parts(b, site, thread, mask, a, parts, n, shared, 0);
}

void race_constant(struct race_block *b, uint32_t site, uint32_t mask, const uint64_t *a)
{
    const struct details_site *s = &b->kernel->details->sites[site];
    struct part parts[PARTS];
    unsigned n = b->touch ? parts_of(a, mask, s->bytes, parts) : 0;
    for (unsigned k = 0; k < n; k++)
        touch_part(b, site, &parts[k]);
}
