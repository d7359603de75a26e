/* SPDX-License-Identifier: Apache-2.0 */
#include "check/touch.h"

#include "base/hash.h"
#include "base/os.h"
#include "base/vec.h"
#include "check/hazard.h"
#include "check/order.h"
#include "check/shadow.h"
#include "check/touch_set.h"

#include <stdatomic.h>

enum { LINE = 1 << SHADOW_LINE, STRIPES = 256, OTHERS = 64, MANY = 16 };

struct extra {
    HW_VEC(struct touched) v;
};

/* Locks of lines, and what is beside them. No lock with a rank: reports are made while it is held. */
static struct {
    _Alignas(64) _Atomic bool held;
    struct hw_map extras;        /* line -> struct extra; they stay */
    _Atomic size_t n;
} stripes[STRIPES];

struct touch_view {
    uint32_t number;
    struct hazard_view *hazards;
    struct { uint32_t number; bool ordered; } others[OTHERS];    /* that were met */
    struct touch_table bits;
};

struct touch_view *touch_view_new(uint32_t number, uint32_t n_sites)
{
    struct touch_view *v = hw_alloc(sizeof *v);
    v->number = number;
    v->hazards = hazard_view_new(number);
    touch_table_new(&v->bits, n_sites);
    return v;
}

static void look_at_row(const struct touch_bits *b, uint64_t from, uint64_t to, void *arg)
{
    const struct touch_view *v = arg;
    hazard_look(v->hazards, from, to - from, b->kind == TOUCH_WRITE || b->kind == TOUCH_ATOMIC, false, b->place);
}

void touch_view_free(struct touch_view *v)
{
    if (!v)
        return;
    if (v->bits.all)
        touch_set_add(v->number, v->bits.all, hazard_any(v->hazards) ? look_at_row : NULL, v);
    touch_table_free(&v->bits);
    hazard_view_free(v->hazards);
    hw_free(v);
}

static unsigned stripe_of(uint64_t line) { return (unsigned)((line >> SHADOW_LINE) * 0x9e3779b97f4a7c15ull >> 56); }

static void enter(unsigned k)
{
    while (atomic_exchange_explicit(&stripes[k].held, true, memory_order_acquire))
        hw_cpu_relax();
}

static void leave(unsigned k) { atomic_store_explicit(&stripes[k].held, false, memory_order_release); }

/* Bits of words to bits of bytes: each four times. */
static uint64_t spread(uint32_t words)
{
    uint64_t x = words & 0xffff;
    x = (x | x << 24) & 0x000000ff000000ffull;
    x = (x | x << 12) & 0x000f000f000f000full;
    x = (x | x << 6) & 0x0303030303030303ull;
    x = (x | x << 3) & 0x1111111111111111ull;
    return x * 15;
}

static bool meet(const struct touched *a, const struct touched *b) { return ((a->bytes[0] & b->bytes[0]) | (a->bytes[1] & b->bytes[1])) != 0; }
static bool is_empty(const struct touched *t) { return !(t->bytes[0] | t->bytes[1]); }

static bool ordered(struct touch_view *v, uint32_t number)
{
    unsigned k = number % OTHERS;
    if (v->others[k].number != number) {
        v->others[k].number = number;
        v->others[k].ordered = order_between(number, v->number);
    }
    return v->others[k].ordered;
}

/* Another command's touch, before this one. What is before in the order, and is not a write that others must still see, goes. */
static void against(struct touch_view *v, struct touched *t, const struct touched *now)
{
    if (t->number == v->number || !meet(t, now))
        return;
    bool in_order = ordered(v, t->number);
    if (!in_order && (t->write || now->write) && !(t->strong && now->strong)) {
        unsigned word = t->bytes[0] & now->bytes[0] ? (unsigned)__builtin_ctzll(t->bytes[0] & now->bytes[0]) : 64 + (unsigned)__builtin_ctzll(t->bytes[1] & now->bytes[1]);
        hazard_found(v->number, now->place, now->write, t->number, t->place, t->write, t->line + word);
    }
    if (in_order && (now->write || !t->write))
        for (int k = 0; k < 2; k++)
            t->bytes[k] &= ~now->bytes[k];
}

/* A line's own record as one of the list, and back. */
static struct touched compact(uint64_t line, uint64_t what, const char *place, bool write, bool strong)
{
    return (struct touched){ line, { spread((uint32_t)what & 0xffff), spread((uint32_t)what >> 16) }, (uint32_t)(what >> 32), write, strong, place };
}

/* Four bits that are all set become one: spread() backwards. */
static uint32_t gathered(uint64_t x)
{
    x &= x >> 1;
    x = x & x >> 2 & 0x1111111111111111ull;
    x = (x | x >> 3) & 0x0303030303030303ull;
    x = (x | x >> 6) & 0x000f000f000f000full;
    x = (x | x >> 12) & 0x000000ff000000ffull;
    return (uint32_t)((x | x >> 24) & 0xffff);
}

static uint32_t words_of(const struct touched *t) { return gathered(t->bytes[0]) | gathered(t->bytes[1]) << 16; }

static struct extra *extra_of(unsigned k, uint64_t line, bool make)
{
    struct extra *x = stripes[k].n ? hw_map_get(&stripes[k].extras, &line, sizeof line) : NULL;
    if (x || !make)
        return x;
    x = hw_alloc(sizeof *x);
    hw_map_set(&stripes[k].extras, &line, sizeof line, x);
    stripes[k].n++;
    return x;
}

/* Of many commands that touched parts of a line those go that the host has waited for: nothing that is queued from then on is in no order with them. */
static void drop_settled(struct extra *x)
{
    size_t kept = 0;
    for (size_t j = 0; j < x->v.n; j++)
        if (!is_empty(&x->v.v[j]) && !order_host_waited_for(x->v.v[j].number))
            x->v.v[kept++] = x->v.v[j];
    x->v.n = kept;
}

static void put_aside(unsigned k, struct shadow_line *line, const struct touched *t)
{
    if (is_empty(t))
        return;
    atomic_store_explicit(&line->beside, true, memory_order_relaxed);
    struct extra *x = extra_of(k, t->line, true);
    for (size_t j = 0; j < x->v.n; j++) {
        struct touched *o = &x->v.v[j];
        if (is_empty(o) || (o->number == t->number && o->write == t->write && o->strong == t->strong)) {
            uint64_t low = o->bytes[0] | t->bytes[0], high = o->bytes[1] | t->bytes[1];     /* an empty one has none */
            *o = *t;
            o->bytes[0] = low;
            o->bytes[1] = high;
            return;
        }
    }
    if (x->v.n >= MANY)
        drop_settled(x);
    hw_vec_push(&x->v, *t);
}

struct record {
    _Atomic uint64_t *what;
    const char *_Atomic *place;
    bool write, strong;
};

/* The command's own is in the line, where the quick look finds it; another's that is still there goes aside. */
static void settle(unsigned k, struct shadow_line *line, const struct record *r, struct touched *old, const struct touched *now)
{
    uint32_t words = words_of(now);
    bool whole = spread(words & 0xffff) == now->bytes[0] && spread(words >> 16) == now->bytes[1];
    if (!whole) {
        put_aside(k, line, now);
    } else {
        if (old->number == now->number)
            words |= words_of(old);
        else
            put_aside(k, line, old);
        atomic_store_explicit(r->place, now->place, memory_order_relaxed);
        atomic_store_explicit(r->what, (uint64_t)now->number << 32 | words, memory_order_relaxed);
    }
}

static bool has_extra(const struct extra *x)
{
    for (size_t j = 0; x && j < x->v.n; j++)
        if (!is_empty(&x->v.v[j]))
            return true;
    return false;
}

static void touch_slowly(struct touch_view *v, struct shadow_line *line, const struct touched *now, enum touch_kind kind)
{
    const struct record records[] = { { &line->read, &line->read_place, false, false }, { &line->write, &line->write_place, true, false }, { &line->atomic, &line->atomic_place, true, true } };
    struct touched old[3];
    unsigned k = stripe_of(now->line);
    enter(k);
    for (unsigned j = 0; j < 3; j++) {
        uint64_t what = atomic_load_explicit(records[j].what, memory_order_relaxed);
        old[j] = compact(now->line, what, atomic_load_explicit(records[j].place, memory_order_relaxed), records[j].write, records[j].strong);
        against(v, &old[j], now);
        if (j != (unsigned)kind && old[j].number != now->number)
            atomic_store_explicit(records[j].what, (uint64_t)old[j].number << 32 | words_of(&old[j]), memory_order_relaxed);
    }
    struct extra *x = line->beside ? extra_of(k, now->line, false) : NULL;
    for (size_t j = 0; x && j < x->v.n; j++)
        against(v, &x->v.v[j], now);
    if (kind == TOUCH_STRONG_READ)
        put_aside(k, line, now);
    else
        settle(k, line, &records[kind], &old[kind], now);
    if (line->beside)
        atomic_store_explicit(&line->beside, has_extra(x ? x : extra_of(k, now->line, false)), memory_order_relaxed);
    leave(k);
}

/* The bits of [from, to) in 64 bytes. */
static uint64_t bits(uint64_t from, uint64_t to)
{
    uint64_t below = to >= 64 ? UINT64_MAX : ((uint64_t)1 << to) - 1;
    return from >= 64 ? 0 : below & ~(((uint64_t)1 << from) - 1);
}

/* Nothing of others is in the way: no word in common, or their command is in order with this one. */
static bool is_free(struct touch_view *v, uint64_t what, uint32_t words)
{
    return !((uint32_t)what & words) || (uint32_t)(what >> 32) == v->number || ordered(v, (uint32_t)(what >> 32));
}

/* The usual case, without a lock: whole words, and what is there of others may go. Records of other kinds stay; what comes behind this comes behind them. */
static bool touch_quickly(struct touch_view *v, struct shadow_line *l, uint32_t words, enum touch_kind kind, const char *place)
{
    _Atomic uint64_t *mine = kind == TOUCH_READ ? &l->read : kind == TOUCH_WRITE ? &l->write : &l->atomic;
    uint64_t old = atomic_load_explicit(mine, memory_order_relaxed);
    bool own = (uint32_t)(old >> 32) == v->number;
    if (atomic_load_explicit(&l->beside, memory_order_relaxed) || (!own && ((uint32_t)old & ~words)))
        return false;
    if (!is_free(v, old, words) || !is_free(v, atomic_load_explicit(&l->write, memory_order_relaxed), words) || !is_free(v, atomic_load_explicit(&l->atomic, memory_order_relaxed), words) ||
        (kind != TOUCH_READ && !is_free(v, atomic_load_explicit(&l->read, memory_order_relaxed), words)))
        return false;
    uint64_t now = (uint64_t)v->number << 32 | words | (own ? (uint32_t)old : 0);
    if (!atomic_compare_exchange_strong_explicit(mine, &old, now, memory_order_seq_cst, memory_order_relaxed))
        return false;
    atomic_store_explicit(kind == TOUCH_READ ? &l->read_place : kind == TOUCH_WRITE ? &l->write_place : &l->atomic_place, place, memory_order_relaxed);
    return true;
}

static bool has(uint64_t what, uint32_t number, uint32_t words) { return (uint32_t)(what >> 32) == number && ((uint32_t)what & words) == words; }

void touch(struct touch_view *v, uint64_t from, uint64_t bytes, enum touch_kind kind, bool system_wide, const char *place)
{
    bool write = kind == TOUCH_WRITE || kind == TOUCH_ATOMIC;
    hazard_look(v->hazards, from, bytes, write, system_wide, place);
    for (uint64_t to = from + bytes, at = from & ~(uint64_t)(LINE - 1); at < to; at += LINE) {
        uint64_t first = from > at ? from - at : 0, last = hw_min_u64(to - at, LINE);
        uint32_t words = (uint32_t)(bits(first / 4, (last + 3) / 4));
        struct shadow_line *l = shadow_line(at);
        if (!l)
            continue;
        if (has(atomic_load_explicit(&l->write, memory_order_relaxed), v->number, words) || (kind == TOUCH_READ && has(atomic_load_explicit(&l->read, memory_order_relaxed), v->number, words)) ||
            (kind == TOUCH_ATOMIC && has(atomic_load_explicit(&l->atomic, memory_order_relaxed), v->number, words)))
            continue;
        if (!((first | last) & 3) && kind != TOUCH_STRONG_READ && touch_quickly(v, l, words, kind, place))
            continue;
        struct touched now = { at, { bits(first, last), last > 64 ? bits(first > 64 ? first - 64 : 0, last - 64) : 0 }, v->number, write, kind >= TOUCH_ATOMIC, place };
        touch_slowly(v, l, &now, kind);
    }
}

bool touch_private(struct touch_view *v, uint64_t address, uint64_t bytes, enum touch_kind kind, bool system_wide, const char *place, uint64_t *low, uint64_t *high)
{
    if (hazard_private(v->hazards, address, low, high))
        return true;
    hazard_look(v->hazards, address, bytes, kind == TOUCH_WRITE || kind == TOUCH_ATOMIC, system_wide, place);
    return hazard_private(v->hazards, address, low, high);
}

struct touch_table *touch_view_bits(struct touch_view *v) { return &v->bits; }

static void tell_if(struct touched t, uint64_t from, uint64_t to, void (*fn)(const struct touched *t, void *arg), void *arg)
{
    uint64_t first = from > t.line ? from - t.line : 0, last = hw_min_u64(to - t.line, LINE);
    t.bytes[0] &= bits(first, last);
    t.bytes[1] &= last > 64 ? bits(first > 64 ? first - 64 : 0, last - 64) : 0;
    if (!is_empty(&t))
        fn(&t, arg);
}

void touch_each(uint64_t from, uint64_t to, uint32_t by, void (*fn)(const struct touched *t, void *arg), void *arg)
{
    if (by)
        touch_set_each(from, to, by, fn, arg);
    for (uint64_t at = from & ~(uint64_t)(LINE - 1); at < to; at += LINE) {
        struct shadow_line *l = shadow_line_if(at);
        if (!l) {
            at |= ((uint64_t)1 << SHADOW_PIECE) - LINE;
            continue;
        }
        uint64_t r = atomic_load_explicit(&l->read, memory_order_relaxed), w = atomic_load_explicit(&l->write, memory_order_relaxed), a = atomic_load_explicit(&l->atomic, memory_order_relaxed);
        unsigned k = stripe_of(at);
        if (!((uint32_t)r | (uint32_t)w | (uint32_t)a) && !atomic_load_explicit(&l->beside, memory_order_relaxed))
            continue;
        enter(k);
        tell_if(compact(at, r, atomic_load_explicit(&l->read_place, memory_order_relaxed), false, false), from, to, fn, arg);
        tell_if(compact(at, w, atomic_load_explicit(&l->write_place, memory_order_relaxed), true, false), from, to, fn, arg);
        tell_if(compact(at, a, atomic_load_explicit(&l->atomic_place, memory_order_relaxed), true, true), from, to, fn, arg);
        struct extra *x = extra_of(k, at, false);
        for (size_t j = 0; x && j < x->v.n; j++)
            tell_if(x->v.v[j], from, to, fn, arg);
        leave(k);
    }
}
