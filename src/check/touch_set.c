/* SPDX-License-Identifier: Apache-2.0 */
#include "check/touch_set.h"

#include "base/lock.h"
#include "base/vec.h"
#include "check/hazard.h"
#include "check/order.h"
#include "check/shadow.h"

/* Of launches that others may still be in no order with so many are kept, and so many bytes of their bits: the oldest go. Commands that are not over: as far back as that. */
enum { SETS = 1024, LINE = 1 << SHADOW_LINE, LIVE = 1 << 16, SPARES = 64 };
#define MOST_BYTES ((size_t)1 << 30)
#define MOST_SPARE ((size_t)32 << 20)

enum { BLOCK = 11, BLOCK_WORDS = 1 << (BLOCK - 5) };      /* bits that a byte of `used` is for, as a logarithm (kabi/window.h), and words */

/* What a thread touched of a launch. Nothing of it changes once it is in the list; it is freed with the last reference. */
struct set {
    uint32_t number;
    struct touch_bits *all;
    size_t bytes;
    uint64_t low, high;          /* all of it lies there */
    unsigned refs;               /* under mu, as these: */
    bool waited;                 /* the host has waited for the launch: what is queued behind `newest` is behind it */
    uint32_t newest;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static HW_VEC(struct set *) sets HW_GUARDED_BY(mu);              /* in the order in which they ended */
static size_t kept HW_GUARDED_BY(mu);
static bool live[LIVE] HW_GUARDED_BY(mu);        /* by number: is queued and not over */
static uint32_t oldest HW_GUARDED_BY(mu), newest HW_GUARDED_BY(mu);      /* no command before the one is live; the last that was queued */

/* ---- bits ---- */

/* Words that are all 0 again, for the next launch: it mostly touches the same memory. */
struct spare {
    uint32_t *words;
    uint8_t *used;
    size_t n;
};
static struct spare spares[SPARES] HW_GUARDED_BY(mu);
static size_t spare_bytes HW_GUARDED_BY(mu);
static unsigned next_spare HW_GUARDED_BY(mu);

static size_t words_bytes(size_t n) { return (n * BLOCK_WORDS + 4) * sizeof(uint32_t) + n; }     /* generated code changes two words at a time */

static void words_new(struct touch_bits *b)
{
    struct spare found = { 0 };
    hw_lock(&mu);
    for (unsigned k = 0; k < SPARES && !found.words; k++)
        if (spares[k].words && spares[k].n == b->n) {
            found = spares[k];
            spares[k] = (struct spare){ 0 };
            spare_bytes -= words_bytes(b->n);
        }
    hw_unlock(&mu);
    b->words = found.words ? found.words : hw_alloc(words_bytes(b->n));
    b->used = (uint8_t *)(b->words + b->n * BLOCK_WORDS + 4);
}

static void words_free_locked(struct touch_bits *b) HW_REQUIRES(mu)
{
    if (b->words && words_bytes(b->n) <= MOST_SPARE / 4) {
        struct spare *s = &spares[next_spare++ % SPARES];
        if (s->words)
            spare_bytes -= words_bytes(s->n);
        hw_free(s->words);
        *s = (struct spare){ 0 };
        for (size_t k = 0; k < b->n; k++)
            if (b->used[k])
                memset(b->words + k * BLOCK_WORDS, 0, BLOCK_WORDS * sizeof *b->words);
        memset(b->used, 0, b->n);
        memset(b->words + b->n * BLOCK_WORDS, 0, 4 * sizeof *b->words);
        if (spare_bytes + words_bytes(b->n) <= MOST_SPARE) {
            *s = (struct spare){ b->words, b->used, b->n };
            spare_bytes += words_bytes(b->n);
            b->words = NULL;
        }
    }
    hw_free(b->words);
    b->words = NULL;
    b->used = NULL;
}

struct touch_bits *touch_bits_of(struct touch_table *t, const struct touch_bits *what)
{
    const uint64_t key[] = { what->site, what->low, what->high };
    struct touch_bits *b = hw_map_get(&t->by_memory, key, sizeof key);
    if (!b) {
        b = hw_alloc(sizeof *b);
        *b = *what;
        uint64_t first = b->low >> (b->grain + BLOCK);
        b->n = (size_t)(((b->high - 1) >> (b->grain + BLOCK)) - first + 1);
        words_new(b);
        b->biased = (uint64_t)(uintptr_t)b->words - (first << (BLOCK - 3));
        b->biased_used = (uint64_t)(uintptr_t)b->used - first;
        b->next = t->all;
        t->all = b;
        hw_map_set(&t->by_memory, key, sizeof key, b);
    }
    return t->last[what->site] = b;
}

void touch_table_new(struct touch_table *t, uint32_t n_sites)
{
    *t = (struct touch_table){ .last = hw_alloc((n_sites + 1) * sizeof *t->last) };
}

void touch_table_free(struct touch_table *t)
{
    hw_free(t->last);
    hw_map_fini(&t->by_memory);
}

static void bits_free_locked(struct touch_bits *all) HW_REQUIRES(mu)
{
    for (struct touch_bits *next; all; all = next) {
        next = all->next;
        words_free_locked(all);
        hw_free(all);
    }
}

static uint64_t first_bit(const struct touch_bits *b) { return b->low >> (b->grain + BLOCK) << BLOCK; }

void touch_bits_set(struct touch_bits *b, uint64_t address, uint64_t bytes)
{
    uint64_t at = (address >> b->grain) - first_bit(b), end = ((address + bytes - 1) >> b->grain) - first_bit(b) + 1;
    while (at < end) {
        uint64_t n = hw_min_u64(end - at, 32 - at % 32);
        b->words[at / 32] |= (n == 32 ? UINT32_MAX : (1u << n) - 1) << at % 32;
        b->used[at >> BLOCK] = 1;
        at += n;
    }
}

bool touch_bits_around(const struct touch_bits *b, uint64_t address, uint64_t words, uint64_t *from, uint64_t *to)
{
    uint64_t first = ((address >> b->grain) - first_bit(b)) / 32, last = first, base = first_bit(b), n = (uint64_t)b->n * BLOCK_WORDS;
    if (b->words[first] != UINT32_MAX)
        return false;
    for (uint64_t k = 0; k < words && last + 1 < n && b->words[last + 1] == UINT32_MAX; k++)
        last++;
    for (uint64_t k = 0; k < words && first > 0 && b->words[first - 1] == UINT32_MAX; k++)
        first--;
    *from = hw_max_u64(b->low, (base + first * 32) << b->grain);
    *to = hw_min_u64(b->high, (base + last * 32 + 32) << b->grain);
    return true;
}

/* The first bit that is set from bit k on, or n. */
static uint64_t next_set(const struct touch_bits *b, uint64_t k, uint64_t n)
{
    while (k < n) {
        if (!b->used[k >> BLOCK])
            k = ((k >> BLOCK) + 1) << BLOCK;
        else if (!(b->words[k / 32] >> k % 32))
            k = (k / 32 + 1) * 32;
        else
            return k + (unsigned)__builtin_ctz(b->words[k / 32] >> k % 32);
    }
    return n;
}

/* The next row of bits from `at` on, as bytes; false: none. */
static bool next_row(const struct touch_bits *b, uint64_t at, uint64_t *from, uint64_t *to)
{
    uint64_t base = first_bit(b), n = (uint64_t)b->n << BLOCK;
    if (at >= b->high)
        return false;
    if (!b->words) {
        *from = hw_max_u64(at, b->low);
        *to = b->high;
        return true;
    }
    uint64_t k = next_set(b, (hw_max_u64(at, b->low) >> b->grain) - base, n);
    if (k >= n)
        return false;
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
    hw_lock(&mu);
    words_free_locked(b);
    hw_unlock(&mu);
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

static void unref_locked(struct set *s) HW_REQUIRES(mu)
{
    if (--s->refs)
        return;
    bits_free_locked(s->all);
    hw_free(s);
}

void touch_set_queued(uint32_t number)
{
    hw_lock(&mu);
    newest = number;
    live[number % LIVE] = true;
    if (newest - oldest >= LIVE)
        oldest = newest - LIVE + 1;
    hw_unlock(&mu);
}

void touch_set_over(uint32_t number)
{
    hw_lock(&mu);
    if (number - oldest < LIVE)
        live[number % LIVE] = false;
    while (oldest != newest + 1 && !live[oldest % LIVE])
        oldest++;
    hw_unlock(&mu);
}

/* Does every command that is not over come behind it? */
static bool is_past_locked(const struct set *s) HW_REQUIRES(mu) { return s->waited && (int32_t)(oldest - s->newest) > 0; }

/* Those go that nothing can meet any more, and the oldest where there are too many. */
static void drop_locked(void) HW_REQUIRES(mu)
{
    size_t left = 0, over = sets.n > SETS ? sets.n - SETS : 0;
    for (size_t k = 0; k < sets.n; k++)
        if (k < over || kept > MOST_BYTES || is_past_locked(sets.v[k])) {
            kept -= sets.v[k]->bytes;
            unref_locked(sets.v[k]);
        } else {
            sets.v[left++] = sets.v[k];
        }
    sets.n = left;
}

/* All that are there, and `mine` with them from now on, unless it is NULL. Reports are made, and the order is asked, with no lock held. */
struct list {
    HW_VEC(struct set *) v;
};

static struct list list_take(struct set *mine)
{
    struct list l = { 0 };
    hw_lock(&mu);
    for (size_t k = 0; k < sets.n; k++) {
        sets.v[k]->refs++;
        hw_vec_push(&l.v, sets.v[k]);
    }
    if (mine) {
        mine->refs++;
        hw_vec_push(&sets, mine);
        kept += mine->bytes;
    }
    hw_unlock(&mu);
    return l;
}

/* A command that is queued once the host has waited for a launch comes behind it: `newest` is asked for later. */
static void list_give_back(struct list *l)
{
    HW_VEC(struct set *) waited = { 0 };
    for (size_t k = 0; k < l->v.n; k++)
        if (order_host_waited_for(l->v.v[k]->number))
            hw_vec_push(&waited, l->v.v[k]);
    hw_lock(&mu);
    for (size_t k = 0; k < waited.n; k++)
        if (!waited.v[k]->waited) {
            waited.v[k]->waited = true;
            waited.v[k]->newest = newest;
        }
    for (size_t k = 0; k < l->v.n; k++)
        unref_locked(l->v.v[k]);
    drop_locked();
    hw_unlock(&mu);
    hw_vec_fini(&waited);
    hw_vec_fini(&l->v);
}

void touch_set_add(uint32_t number, struct touch_bits *all, void (*fn)(const struct touch_bits *b, uint64_t from, uint64_t to, void *arg), void *arg)
{
    struct set *s = hw_alloc(sizeof *s);
    uint64_t from, to;
    *s = (struct set){ .number = number, .all = all, .low = UINT64_MAX, .refs = 1 };
    for (struct touch_bits *b = all; b; b = b->next) {
        shrink(b);
        s->bytes += sizeof *b + (b->words ? words_bytes(b->n) : 0);
        s->low = hw_min_u64(s->low, b->low);
        s->high = hw_max_u64(s->high, b->high);
        for (uint64_t at = b->low; fn && next_row(b, at, &from, &to); at = to)
            fn(b, from, to, arg);
    }
    struct list others = list_take(s);
    for (size_t k = 0; k < others.v.n; k++) {
        const struct set *o = others.v.v[k];
        if (o->number == number || o->low >= s->high || s->low >= o->high || order_between(o->number, number))
            continue;
        for (const struct touch_bits *b = all; b; b = b->next)
            against(number, b, o);
    }
    hw_vec_push(&others.v, s);
    list_give_back(&others);
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
    struct list others = list_take(NULL);
    for (size_t k = 0; k < others.v.n; k++) {
        const struct set *o = others.v.v[k];
        if (o->number == by || o->low >= to || from >= o->high || order_between(o->number, by))
            continue;
        for (const struct touch_bits *b = o->all; b; b = b->next)
            for (uint64_t at = hw_max_u64(from, b->low); at < to && next_row(b, at, &low, &high) && low < to; at = high)
                tell_row(b, o->number, low, hw_min_u64(high, to), fn, arg);
    }
    list_give_back(&others);
}
