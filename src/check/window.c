/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows (kabi/window.h): where the accesses of a site need not be told, because no tool that is asked for would have anything to do.
 *
 * A window is given after an access that was all right. It is no larger than the memory that the access belongs to, than the bytes around it that are known to be
 * written (init.c), and there is none where every access counts: for races, unless nobody can race there, and for memory that host code may use. What a launch
 * touches is noted as bits (touch_set.h), by generated code. Now and then an access is told that would only set bits: where all that lies around was touched by then, the
 * window says so, and no bits are set there any more.
 */
#include "check/window.h"

#include "check/check.h"
#include "check/part.h"
#include "check/race.h"
#include "check/runner.h"
#include "check/touch.h"
#include "check/touch_set.h"

/* After how many accesses elsewhere it is seen whether what lies around is touched, and how many words of bits for each of them; what is too short to be worth it. */
enum { FIRST_LOOK = 32, SELDOM = 4096, WORDS_FOR_EACH = 16, SHORT = 1024 };

struct window_state {
    struct touch_bits *bits;
    uint32_t look;               /* after so many accesses it is worth a look */
    struct kabi_window racing;   /* of a site that is told for races: where there is nothing else to look at */
    bool marks;                  /* there: what is stored becomes written */
};

static const struct details_table *table_of(const struct runner *r) { return r->launch->kernel->details; }
static uint32_t n_slots(const struct details_site *s) { return s->space == DETAILS_LOCAL ? KABI_WARPS : 1; }
static bool has_bits(const struct details_site *s) { return s->watched && details_of_device(s); }

enum touch_kind window_kind(const struct details_site *s)
{
    return s->kind == DETAILS_IN_LOAD ? s->strong ? TOUCH_STRONG_READ : TOUCH_READ : s->strong ? TOUCH_ATOMIC : TOUCH_WRITE;
}

/* ---- tables ---- */

void windows_new(struct runner *r)
{
    const struct details_table *t = table_of(r);
    bool hazards = (check_tools & CHECK_HAZARD) != 0;
    r->windows = hw_alloc((t->n_windows + 1) * sizeof *r->windows);
    r->window_states = hw_alloc((t->n_windows + 1) * sizeof *r->window_states);
    r->came = hw_alloc(kabi_came_words(t->n) * sizeof *r->came);
    for (uint32_t k = 0; k < t->n; k++) {
        const struct details_site *s = &t->sites[k];
        r->notes |= s->kind == DETAILS_IN_NOTE;
        if (!has_bits(s))
            continue;
        r->window_states[s->window].look = FIRST_LOOK;
        r->windows[s->window].to = r->window_states[s->window].racing.to = hazards ? 0 : UINT64_MAX;
    }
    r->since = ledger_now();
}

void windows_free(struct runner *r)
{
    hw_free(r->windows);
    hw_free(r->window_states);
    hw_free(r->came);
}

/* Those for which `which` says so let nothing through. */
static void shut(struct runner *r, bool (*which)(const struct details_site *s))
{
    const struct details_table *t = table_of(r);
    for (uint32_t k = 0; k < t->n; k++)
        for (uint32_t j = 0; t->sites[k].watched && which(&t->sites[k]) && j < n_slots(&t->sites[k]); j++)
            r->windows[t->sites[k].window + j].size = r->window_states[t->sites[k].window + j].racing.size = 0;
}

static bool of_block(const struct details_site *s) { return s->space != DETAILS_GLOBAL && s->space != DETAILS_CONSTANT; }
static bool generic(const struct details_site *s) { return s->space == DETAILS_GENERIC; }

void windows_begin(struct runner *r) { shut(r, generic); }

void windows_block(struct runner *r)
{
    uint64_t now = ledger_now();
    if (check_tools & CHECK_INIT)
        shut(r, of_block);
    if (now == r->since)
        return;
    shut(r, details_of_device);
    r->since = now;
}

/* ---- what is touched ---- */

struct touch_bits *window_bits(struct touch_view *v, uint32_t site, const struct details_site *s, uint64_t address, uint64_t bytes, uint64_t at)
{
    struct touch_bits *last = touch_bits_last(touch_view_bits(v), site, address, bytes);
    if (last)
        return last;
    const struct ledger_range *g = ledger_holds(address, bytes, at);
    uint64_t low = g ? g->base : 0, high = g ? g->base + g->bytes : 0;
    if (!g || g->heap || !touch_private(v, address, bytes, window_kind(s), s->system_wide, s->place, &low, &high) || bytes > high - address)
        return NULL;
    return touch_bits_of(touch_view_bits(v), &(struct touch_bits){ .low = low, .high = high, .site = site, .grain = touch_grain(s->bytes), .kind = window_kind(s), .place = s->place });
}

/* Was what lies around touched by now? It takes longer each time, and is asked less often. */
static void look_around(struct kabi_window *w, struct window_state *t, uint64_t address)
{
    uint64_t from, to;
    if (touch_bits_around(t->bits, address, (uint64_t)t->look * WORDS_FOR_EACH, &from, &to) && to - from >= SHORT) {
        bool joins = from <= w->to && w->from <= to;
        w->from = joins ? hw_min_u64(w->from, from) : from;
        w->to = joins ? hw_max_u64(w->to, to) : to;
    }
    t->look = t->look < SELDOM ? t->look * 2 : t->look;
    w->left = t->look;
}

bool window_touches(struct runner *r, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *a)
{
    const struct details_site *s = &table_of(r)->sites[site];
    struct kabi_window *w = &r->windows[s->window];
    struct window_state *t = &r->window_states[s->window];
    if (!(check_tools & CHECK_HAZARD) || !has_bits(s) || !t->bits || !w->size || *kabi_came(r->came, 0, thread / LANES % KABI_WARPS))
        return false;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = a[__builtin_ctz(m)];
        if (at - w->low >= w->size || at & (s->bytes - 1))
            return false;
    }
    for (uint32_t m = mask; m; m &= m - 1)
        touch_bits_set(t->bits, a[__builtin_ctz(m)], s->bytes);
    look_around(w, t, a[__builtin_ctz(mask)]);
    return true;
}

bool window_knows(struct runner *r, uint32_t site, const struct part *parts, unsigned n)
{
    const struct details_site *s = &table_of(r)->sites[site];
    struct window_state *t = &r->window_states[s->window];
    struct kabi_window *w = &t->racing;
    bool fresh = false;
    if (!s->watched || !w->size)
        return false;
    for (unsigned k = 0; k < n; k++) {
        uint64_t at = parts[k].address, last = at + part_bytes(&parts[k], s->bytes) - s->bytes;
        if (at - w->low >= w->size || last - w->low >= w->size || at & (s->bytes - 1))
            return false;
    }
    for (unsigned k = 0; has_bits(s) && k < n; k++) {
        uint64_t at = parts[k].address, bytes = part_bytes(&parts[k], s->bytes);
        if (at >= w->from && at + bytes <= w->to)
            continue;
        touch_bits_set(t->bits, at, bytes);
        fresh = true;
    }
    if (fresh && w->left-- == 0)
        look_around(w, t, parts[0].address);
    for (unsigned k = 0; t->marks && k < n; k++)
        if (s->space == DETAILS_SHARED)
            init_bits_write(&r->shared, parts[k].address, part_bytes(&parts[k], s->bytes));
        else
            init_write(parts[k].address, part_bytes(&parts[k], s->bytes));
    return true;
}

/* ---- windows ---- */

static void open_to(struct kabi_window *w, const struct details_site *s, uint64_t low, uint64_t high)
{
    w->low = low;
    w->size = high > low && high - low >= s->bytes ? high - low - s->bytes + 1 : 0;
}

/* To look for a window takes long: it was told for another reason. */
static bool is_open(const struct kabi_window *w, uint64_t address) { return address - w->low < w->size; }

/* Does it matter what is written? */
static bool asks_init(const struct details_site *s) { return (check_tools & CHECK_INIT) && (s->used | s->copied || s->kind != DETAILS_IN_LOAD); }

bool window_is_quiet(struct runner *r, uint32_t site)
{
    const struct details_site *s = &table_of(r)->sites[site];
    if (!r->race || !race_listens(r->race) || s->space == DETAILS_CONSTANT)
        return true;
    if (s->ordered && (s->kind == DETAILS_IN_LOAD || !race_orders(r->race)))     /* with fences, an atomic may hand on what its thread knows */
        return true;
    return bounds_only_read(r, site);
}

/* The one to open: generated code's own, or the one beside it for a site that is told all the same. NULL: it is looked at as a whole each time. */
static struct kabi_window *window_to_open(struct runner *r, uint32_t site)
{
    const struct details_site *s = &table_of(r)->sites[site];
    if (window_is_quiet(r, site))
        return &r->windows[s->window];
    return s->space == DETAILS_SHARED || s->space == DETAILS_GLOBAL ? &r->window_states[s->window].racing : NULL;
}

static void of_shared(struct runner *r, uint32_t site, uint64_t address, uint64_t base)
{
    const struct details_site *s = &table_of(r)->sites[site];
    uint64_t low = s->shared_bytes ? s->shared_at : 0, high = low + (s->shared_bytes ? s->shared_bytes : r->launch->kl.shared_bytes);
    struct kabi_window *w = window_to_open(r, site);
    if (r->notes || !w || is_open(w, base + address))
        return;
    if (w == &r->window_states[s->window].racing && s->kind == DETAILS_IN_STORE)
        r->window_states[s->window].marks = (check_tools & CHECK_INIT) != 0;
    else if (asks_init(s) && !init_bits_around(&r->shared, address, &low, &high))
        return;
    if (s->space == DETAILS_GENERIC) {           /* what is touched of shared memory is nobody's business */
        *w = (struct kabi_window){ .to = UINT64_MAX };
        r->window_states[s->window].bits = NULL;
    }
    open_to(w, s, base + low, base + high);
}

static void of_global(struct runner *r, uint32_t site, const struct part *p)
{
    const struct details_site *s = &table_of(r)->sites[site];
    const struct ledger_range *g = ledger_holds(p->address, s->bytes, runner_at(r));
    struct kabi_window *w = window_to_open(r, site);
    if (!g || g->heap || !w)
        return;
    uint64_t low = g->base, high = g->base + g->bytes;
    struct window_state *t = &r->window_states[s->window];
    if ((check_tools & CHECK_HAZARD) && has_bits(s)) {
        struct touch_bits *b = window_bits(race_touches(r->race), site, s, p->address, s->bytes, runner_at(r));
        if (!b)
            return;
        if (b != t->bits) {                      /* what is known of the other memory does not hold here */
            t->bits = b;
            w->size = w->from = w->to = 0;
            w->bits = b->biased;
            w->used = b->biased_used;
            w->left = 0;
        }
        low = hw_max_u64(low, b->low);
        high = hw_min_u64(high, b->high);
    }
    bool concerns = asks_init(s) && (g->fresh || g->by_page) && !g->replaced;
    if (w == &t->racing && s->kind == DETAILS_IN_STORE)
        t->marks = concerns;
    else if (concerns && !is_open(w, p->address) && !init_around(p->address, &low, &high))
        return;
    if (is_open(w, p->address))
        return;
    uint64_t before = w->low + w->size + s->bytes - 1;           /* where it ended: what is known of it is still true */
    if (w->size && low < before && w->low < high) {
        low = hw_min_u64(low, w->low);
        high = hw_max_u64(high, before);
    }
    open_to(w, s, low, high);
}

void window_parts(struct runner *r, uint32_t site, const struct part *p, bool shared)
{
    const struct details_site *s = &table_of(r)->sites[site];
    if (!s->watched)
        return;
    if (shared)
        of_shared(r, site, p->address, 0);
    else
        of_global(r, site, p);
}

/* The bytes that all threads of the warp have written of theirs. */
static bool written_by_all(struct runner *r, const struct access *x, uint64_t at, uint64_t *low, uint64_t *high)
{
    uint32_t threads = runner_threads(r->launch), all = r->launch->kernel->local_bytes;
    for (uint32_t t = x->thread; t < threads && t < x->thread + LANES; t++) {
        uint64_t base = (uint64_t)t * all, from = base + *low, to = base + *high;
        if (!init_bits_around(&r->local, base + at, &from, &to))
            return false;
        *low = from - base;
        *high = to - base;
    }
    return true;
}

static void of_local(struct runner *r, const struct access *x)
{
    const struct details_site *s = x->s;
    uint64_t low = s->local_bytes ? s->local_at : 0, high = s->local_bytes ? low + s->local_bytes : r->launch->kernel->local_bytes;
    uint64_t at = (uint32_t)x->a[__builtin_ctz(x->local)];
    if (is_open(&r->windows[s->window + x->thread / LANES % KABI_WARPS], at))
        return;
    if (asks_init(s) && (at < low || at >= high || !written_by_all(r, x, at, &low, &high)))
        return;
    open_to(&r->windows[s->window + x->thread / LANES % KABI_WARPS], s, low, high);
}

void window_access(struct runner *r, const struct kabi_block *block, const struct access *x, uint32_t mask)
{
    const struct details_site *s = x->s;
    if (!s->watched || !mask)
        return;
    unsigned l = (unsigned)__builtin_ctz(mask);
    struct part one = { x->a[l], l, 1, false };
    if (x->local == mask && s->space == DETAILS_LOCAL)
        of_local(r, x);
    else if (x->global == mask)
        of_global(r, x->site, &one);
    else if (x->shared == mask && s->space == DETAILS_GENERIC && s->shared_bytes)
        of_shared(r, x->site, x->offsets[l], (uint64_t)(uintptr_t)block->shared);
    else if (s->space == DETAILS_CONSTANT && !s->variable)
        r->windows[s->window] = (struct kabi_window){ .size = UINT64_MAX, .to = UINT64_MAX };
}
