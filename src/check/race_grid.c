/* SPDX-License-Identifier: Apache-2.0 */
#include "check/race_grid.h"

#include "base/lock.h"
#include "base/os.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- cells of global memory ---- */

enum { PAGE_WORDS = 1024, STRIPES = 1024 };

struct page {
    uint64_t number;
    struct page *next;
    struct race_cell cells[PAGE_WORDS];
};

static struct {
    _Alignas(64) _Atomic bool held;
    struct page *first;
} stripes[STRIPES];

static uint64_t page_of(uint64_t word) { return word / 4 / PAGE_WORDS; }
static unsigned stripe_of(uint64_t page) { return (unsigned)(page * 0x9e3779b97f4a7c15ull >> 54); }

/* The page, or NULL; its stripe is held until leave(). */
static struct page *enter(uint64_t number)
{
    unsigned k = stripe_of(number);
    while (atomic_exchange_explicit(&stripes[k].held, true, memory_order_acquire))
        hw_cpu_relax();
    struct page *p = stripes[k].first;
    while (p && p->number != number)
        p = p->next;
    return p;
}

static void leave(uint64_t number)
{
    atomic_store_explicit(&stripes[stripe_of(number)].held, false, memory_order_release);
}

struct race_cell *race_grid_cell(uint64_t word)
{
    uint64_t number = page_of(word);
    struct page *p = enter(number);
    if (!p) {
        struct page **first = &stripes[stripe_of(number)].first;
        p = hw_alloc(sizeof *p);
        p->number = number;
        p->next = *first;
        *first = p;
    }
    return &p->cells[word / 4 % PAGE_WORDS];
}

void race_grid_leave(uint64_t word) { leave(page_of(word)); }

static void each_of_page(uint64_t number, uint64_t from, uint64_t to, void (*fn)(uint64_t word, const struct race_cell *c, void *arg), void *arg)
{
    const struct page *p = enter(number);
    for (uint64_t word = hw_max_u64(from, number * PAGE_WORDS * 4) & ~(uint64_t)3; p && word < hw_min_u64(to, (number + 1) * PAGE_WORDS * 4); word += 4)
        fn(word, &p->cells[word / 4 % PAGE_WORDS], arg);
    leave(number);
}

void race_grid_each(uint64_t from, uint64_t to, void (*fn)(uint64_t word, const struct race_cell *c, void *arg), void *arg)
{
    for (uint64_t page = page_of(from); page <= page_of(to - 1); page++)
        each_of_page(page, from, to, fn, arg);
}

/* ---- grids ---- */

struct race_grid {
    struct hw_mutex mu;
    struct hw_map words;         /* address -> struct race_known, what strong writes brought there */
    HW_VEC(struct race_known *) all;
    struct race_snap *snaps;
    uint32_t n_snaps;
    uint64_t number;
    struct race_grid *next;
};

static struct hw_mutex grids_mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct race_grid *grids HW_GUARDED_BY(grids_mu);

struct race_grid *race_grid_of(uint64_t number)
{
    hw_lock(&grids_mu);
    struct race_grid *g = grids;
    while (g && g->number != number)
        g = g->next;
    if (!g) {
        g = hw_alloc(sizeof *g);
        hw_mutex_init(&g->mu, HW_RANK_LEAF);
        g->number = number;
        g->next = grids;
        grids = g;
    }
    hw_unlock(&grids_mu);
    return g;
}

static void free_words(struct race_grid *g)
{
    for (struct race_snap *s = g->snaps, *next; s; s = next) {
        next = s->next;
        race_known_fini(&s->foreign);
        hw_free(s);
    }
    for (size_t k = 0; k < g->all.n; k++) {
        race_known_fini(g->all.v[k]);
        hw_free(g->all.v[k]);
    }
    hw_vec_fini(&g->all);
    hw_map_fini(&g->words);
}

void race_grid_end(uint64_t number)
{
    hw_lock(&grids_mu);
    struct race_grid **at = &grids, *g = NULL;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (*at) {
        g = *at;
        *at = g->next;
    }
    hw_unlock(&grids_mu);
    if (g) {
        free_words(g);
        hw_free(g);
    }
}

struct race_snap *race_grid_snap(struct race_grid *g)
{
    struct race_snap *s = hw_alloc(sizeof *s);
    hw_lock(&g->mu);
    s->next = g->snaps;
    g->snaps = s;
    s->number = ++g->n_snaps;
    hw_unlock(&g->mu);
    return s;
}

static struct race_lanes *lanes_of(struct race_known *k, uint64_t key)
{
    struct race_lanes *l = hw_map_get(&k->by_warp, &key, sizeof key);
    if (l)
        return l;
    l = hw_alloc(sizeof *l);
    l->key = key;
    hw_map_set(&k->by_warp, &key, sizeof key, l);
    hw_vec_push(&k->all, l);
    return l;
}

static bool newer(struct race_lanes *to, unsigned lane, struct race_snap *s)
{
    if (!s || (to->newest[lane] && to->newest[lane]->number >= s->number))
        return false;
    to->newest[lane] = s;
    return true;
}

static void add(struct race_known *k, struct race_snap *s)
{
    struct race_lanes *l = lanes_of(k, (uint64_t)s->block << 32 | s->warp);
    for (uint32_t m = s->mask; m; m &= m - 1)
        newer(l, (unsigned)__builtin_ctz(m), s);
}

bool race_known_join(struct race_known *to, const struct race_known *from)
{
    bool learned = false;
    for (size_t k = 0; k < from->all.n; k++) {
        struct race_lanes *l = lanes_of(to, from->all.v[k]->key);
        for (unsigned lane = 0; lane < RACE_LANES; lane++)
            learned |= newer(l, lane, from->all.v[k]->newest[lane]);
    }
    return learned;
}

void race_known_fini(struct race_known *k)
{
    for (size_t j = 0; j < k->all.n; j++)
        hw_free(k->all.v[j]);
    hw_vec_fini(&k->all);
    hw_map_fini(&k->by_warp);
    *k = (struct race_known){ 0 };
}

/* Was the access before the fence of that lane? */
static bool snap_covers(const struct race_snap *s, unsigned of, const struct race_access *a)
{
    unsigned v = a->thread / RACE_LANES, lane = a->thread % RACE_LANES;
    return s->known[v] > a->epoch || (s->warp == v && s->rows[of][lane] > a->clock);
}

bool race_known_covers(const struct race_known *k, const struct race_access *a, uint32_t block)
{
    for (uint32_t w = 0; k->all.n && w < RACE_WARPS; w++) {
        uint64_t key = (uint64_t)a->block << 32 | w;
        const struct race_lanes *l = hw_map_get(&k->by_warp, &key, sizeof key);
        for (unsigned lane = 0; l && lane < RACE_LANES; lane++)
            if (l->newest[lane] && (l->newest[lane]->grid_wide || a->block == block) && snap_covers(l->newest[lane], lane, a))
                return true;
    }
    return false;
}

void race_grid_give(struct race_grid *g, uint64_t word, struct race_snap *s)
{
    hw_lock(&g->mu);
    struct race_known *k = hw_map_get(&g->words, &word, sizeof word);
    if (!k) {
        k = hw_alloc(sizeof *k);
        hw_map_set(&g->words, &word, sizeof word, k);
        hw_vec_push(&g->all, k);
    }
    add(k, s);
    race_known_join(k, &s->foreign);
    hw_unlock(&g->mu);
}

void race_grid_take(struct race_grid *g, const uint64_t *words, unsigned n, struct race_known *to)
{
    hw_lock(&g->mu);
    for (unsigned j = 0; j < n; j++) {
        const struct race_known *k = hw_map_get(&g->words, &words[j], sizeof words[j]);
        if (k)
            race_known_join(to, k);
    }
    hw_unlock(&g->mu);
}
