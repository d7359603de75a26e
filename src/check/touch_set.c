/* SPDX-License-Identifier: Apache-2.0 */
#include "check/touch_set.h"

#include "base/vec.h"
#include "check/hazard.h"
#include "check/order.h"
#include "check/shadow.h"

#include <sched.h>
#include <stdatomic.h>

/* Launches that the host has not waited for, and the bytes of their bits: the oldest go. */
enum { SETS = 1024, LINE = 1 << SHADOW_LINE };
#define MOST_BYTES ((size_t)1 << 30)

struct set {
    uint32_t number;
    struct touch_bits *all;
    size_t bytes;
};

/* No lock with a rank: reports are made while it is held. */
static _Atomic bool held;
static HW_VEC(struct set *) sets;                /* in the order in which they ended */
static size_t kept;

static void enter(void)
{
    while (atomic_exchange_explicit(&held, true, memory_order_acquire))
        sched_yield();
}

static void leave(void) { atomic_store_explicit(&held, false, memory_order_release); }

/* ---- bits ---- */

struct touch_bits *touch_bits_of(struct touch_bits **all, const struct touch_bits *what)
{
    for (struct touch_bits *b = *all; b; b = b->next)
        if (b->site == what->site && b->low == what->low && b->high == what->high)
            return b;
    struct touch_bits *b = hw_alloc(sizeof *b);
    *b = *what;
    uint64_t first = b->low >> (b->grain + 5);
    b->n = (size_t)(((b->high - 1) >> (b->grain + 5)) - first + 1);
    b->words = hw_alloc((b->n + 4) * sizeof *b->words);          /* generated code changes two words at a time */
    b->biased = (uint64_t)(uintptr_t)b->words - first * 4;
    b->next = *all;
    return *all = b;
}

static void bits_free(struct touch_bits *all)
{
    for (struct touch_bits *next; all; all = next) {
        next = all->next;
        hw_free(all->words);
        hw_free(all);
    }
}

static uint64_t first_bit(const struct touch_bits *b) { return b->low >> (b->grain + 5) << 5; }

void touch_bits_set(struct touch_bits *b, uint64_t address, uint64_t bytes)
{
    uint64_t at = (address >> b->grain) - first_bit(b), end = ((address + bytes - 1) >> b->grain) - first_bit(b) + 1;
    while (at < end) {
        uint64_t n = hw_min_u64(end - at, 32 - at % 32);
        b->words[at / 32] |= (n == 32 ? UINT32_MAX : (1u << n) - 1) << at % 32;
        at += n;
    }
}

bool touch_bits_around(const struct touch_bits *b, uint64_t address, uint64_t words, uint64_t *from, uint64_t *to)
{
    uint64_t first = ((address >> b->grain) - first_bit(b)) / 32, last = first, base = first_bit(b);
    if (b->words[first] != UINT32_MAX)
        return false;
    for (uint64_t k = 0; k < words && last + 1 < b->n && b->words[last + 1] == UINT32_MAX; k++)
        last++;
    for (uint64_t k = 0; k < words && first > 0 && b->words[first - 1] == UINT32_MAX; k++)
        first--;
    *from = hw_max_u64(b->low, (base + first * 32) << b->grain);
    *to = hw_min_u64(b->high, (base + last * 32 + 32) << b->grain);
    return true;
}

/* The next row of bits from `at` on, as bytes; false: none. */
static bool next_row(const struct touch_bits *b, uint64_t at, uint64_t *from, uint64_t *to)
{
    uint64_t base = first_bit(b), k = (hw_max_u64(at, b->low) >> b->grain) - base, n = (uint64_t)b->n * 32;
    if (at >= b->high)
        return false;
    if (!b->words) {
        *from = hw_max_u64(at, b->low);
        *to = b->high;
        return true;
    }
    while (k < n && !(b->words[k / 32] >> k % 32))
        k = (k / 32 + 1) * 32;
    if (k >= n)
        return false;
    k += (unsigned)__builtin_ctz(b->words[k / 32] >> k % 32);
    *from = (base + k) << b->grain;
    for (; k < n && (b->words[k / 32] >> k % 32 & 1); k += k % 32 || b->words[k / 32] != UINT32_MAX ? 1 : 32)
        ;
    *to = hw_min_u64((base + k) << b->grain, b->high);
    return true;
}

/* What is one row needs no bits. */
static void shrink(struct touch_bits *b)
{
    uint64_t from, to, more, end;
    if (!next_row(b, b->low, &from, &to)) {
        from = to = b->low;
    } else if (next_row(b, to, &more, &end)) {
        return;
    }
    hw_free(b->words);
    b->words = NULL;
    b->low = from;
    b->high = to;
    b->n = 0;
}

static bool is_write(enum touch_kind k) { return k == TOUCH_WRITE || k == TOUCH_ATOMIC; }
static bool is_strong(enum touch_kind k) { return k == TOUCH_ATOMIC || k == TOUCH_STRONG_READ; }

/* ---- launches ---- */

static bool meet(const struct touch_bits *a, const struct touch_bits *b, uint64_t *at)
{
    uint64_t from, to, other, end, low = hw_max_u64(a->low, b->low), high = hw_min_u64(a->high, b->high);
    for (uint64_t k = low; k < high && next_row(a, k, &from, &to) && from < high; k = to)
        if (next_row(b, from, &other, &end) && other < to) {
            *at = hw_max_u64(other, from);
            return true;
        }
    return false;
}

static void against(uint32_t number, const struct touch_bits *now, const struct set *other)
{
    uint64_t at;
    for (const struct touch_bits *b = other->all; b; b = b->next)
        if ((is_write(b->kind) || is_write(now->kind)) && !(is_strong(b->kind) && is_strong(now->kind)) && meet(now, b, &at))
            hazard_found(number, now->place, is_write(now->kind), other->number, b->place, is_write(b->kind), at);
}

static void set_free(struct set *s)
{
    kept -= s->bytes;
    bits_free(s->all);
    hw_free(s);
}

/* Those go that the host has waited for, and the oldest where there are too many. */
static void drop_locked(void)
{
    size_t left = 0, over = sets.n > SETS ? sets.n - SETS : 0;
    for (size_t k = 0; k < sets.n; k++)
        if (k < over || kept > MOST_BYTES || order_host_waited_for(sets.v[k]->number))
            set_free(sets.v[k]);
        else
            sets.v[left++] = sets.v[k];
    sets.n = left;
}

void touch_set_add(uint32_t number, struct touch_bits *all, void (*fn)(const struct touch_bits *b, uint64_t from, uint64_t to, void *arg), void *arg)
{
    struct set *s = hw_alloc(sizeof *s);
    uint64_t from, to;
    *s = (struct set){ number, all, 0 };
    for (struct touch_bits *b = all; b; b = b->next) {
        shrink(b);
        s->bytes += sizeof *b + b->n * sizeof *b->words;
        for (uint64_t at = b->low; next_row(b, at, &from, &to); at = to)
            fn(b, from, to, arg);
    }
    enter();
    drop_locked();
    HW_VEC(struct set *) others = { 0 };
    for (size_t k = 0; k < sets.n; k++)
        if (sets.v[k]->number != number && !order_between(sets.v[k]->number, number))
            hw_vec_push(&others, sets.v[k]);
    for (size_t k = 0; k < others.n; k++)
        for (const struct touch_bits *b = all; b; b = b->next)
            against(number, b, others.v[k]);
    hw_vec_fini(&others);
    hw_vec_push(&sets, s);
    kept += s->bytes;
    leave();
}

/* ---- lines ---- */

static void tell_row(const struct touch_bits *b, uint32_t number, uint64_t from, uint64_t to, void (*fn)(const struct touched *t, void *arg), void *arg)
{
    for (uint64_t at = from & ~(uint64_t)(LINE - 1); at < to; at += LINE) {
        struct touched t = { at, { 0, 0 }, number, is_write(b->kind), is_strong(b->kind), b->place };
        for (uint64_t k = from > at ? from - at : 0; k < LINE && at + k < to; k++)
            t.bytes[k / 64] |= (uint64_t)1 << k % 64;
        fn(&t, arg);
    }
}

void touch_set_each(uint64_t from, uint64_t to, uint32_t by, void (*fn)(const struct touched *t, void *arg), void *arg)
{
    uint64_t low, high;
    enter();
    for (size_t k = 0; k < sets.n; k++) {
        if (sets.v[k]->number == by || order_between(sets.v[k]->number, by))
            continue;
        for (const struct touch_bits *b = sets.v[k]->all; b; b = b->next)
            for (uint64_t at = hw_max_u64(from, b->low); at < to && next_row(b, at, &low, &high) && low < to; at = high)
                tell_row(b, sets.v[k]->number, low, hw_min_u64(high, to), fn, arg);
    }
    leave();
}
