/* SPDX-License-Identifier: Apache-2.0 */
#include "check/race_known.h"

#include <stdatomic.h>

struct known *known_ref(struct known *k)
{
    if (k)
        atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
    return k;
}

void known_unref(struct known *k)
{
    if (k && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 1)
        hw_free(k);
}

static struct known *known_new(uint32_t n)
{
    struct known *k = hw_alloc(sizeof *k + n * sizeof k->newest[0]);
    atomic_init(&k->refs, 1);
    k->n = n;
    return k;
}

static bool has_all(const struct known *k, const struct known *of)
{
    uint32_t n = k->n < of->n ? k->n : of->n, missing = 0;
    for (uint32_t i = 0; i < n; i++)
        missing |= of->newest[i] > k->newest[i];
    for (uint32_t i = n; i < of->n; i++)
        missing |= of->newest[i];
    return !missing;
}

bool known_join(struct known **to, struct known *from)
{
    struct known *old = *to;
    if (!from || old == from || (old && has_all(old, from)))
        return false;
    if (!old || has_all(from, old)) {
        *to = known_ref(from);
        known_unref(old);
        return true;
    }
    struct known *both = known_new(old->n > from->n ? old->n : from->n);
    memcpy(both->newest, old->newest, old->n * sizeof old->newest[0]);
    for (uint32_t i = 0; i < from->n; i++)
        both->newest[i] = both->newest[i] > from->newest[i] ? both->newest[i] : from->newest[i];
    *to = both;
    known_unref(old);
    return true;
}

void knowledge_init(struct knowledge *k)
{
    hw_mutex_init(&k->mu, HW_RANK_LEAF);
}

void knowledge_fini(struct knowledge *k)
{
    for (size_t i = 0; i < k->lists.n; i++) {
        struct release_list *l = k->lists.v[i];
        for (size_t j = 0; j < l->v.n; j++)
            known_unref(l->v.v[j].known);
        hw_vec_fini(&l->v);
        hw_free(l);
    }
    for (size_t i = 0; i < k->all_words.n; i++) {
        known_unref(*k->all_words.v[i]);
        hw_free(k->all_words.v[i]);
    }
    hw_vec_fini(&k->lists);
    hw_vec_fini(&k->all_words);
    hw_map_fini(&k->by_thread);
    hw_map_fini(&k->of_block);
    hw_map_fini(&k->words);
}

/* The list of these lanes, or UINT32_MAX: there are too many. */
static uint32_t list_of(struct knowledge *k, uint32_t block, uint32_t thread, uint32_t mask)
{
    const uint32_t key[3] = { block, thread, mask };
    uintptr_t found = (uintptr_t)hw_map_get(&k->by_thread, key, sizeof key);
    if (found)
        return (uint32_t)found - 1;
    if (k->lists.n >= KNOWN_LISTS)
        return UINT32_MAX;
    struct release_list *l = hw_alloc(sizeof *l);
    l->block = block;
    l->thread = thread;
    l->mask = mask;
    l->next = (uint32_t)(uintptr_t)hw_map_get(&k->of_block, &block, sizeof block);
    hw_vec_push(&k->lists, l);
    hw_map_set(&k->by_thread, key, sizeof key, (void *)(uintptr_t)k->lists.n);
    hw_map_set(&k->of_block, &block, sizeof block, (void *)(uintptr_t)k->lists.n);
    return (uint32_t)k->lists.n - 1;
}

struct known *known_release(struct knowledge *k, uint32_t block, uint32_t thread, uint32_t mask, struct release *r)
{
    hw_lock(&k->mu);
    uint32_t list = list_of(k, block, thread, mask);
    if (list == UINT32_MAX) {
        hw_unlock(&k->mu);
        atomic_store(&k->full, true);
        return r->known ? r->known : known_new(0);
    }
    struct release_list *l = k->lists.v[list];
    hw_vec_push(&l->v, *r);
    uint32_t number = (uint32_t)l->v.n;
    hw_unlock(&k->mu);
    const struct known *before = r->known;
    struct known *now = known_new(before && before->n > list ? before->n : list + 1);
    if (before)
        memcpy(now->newest, before->newest, before->n * sizeof before->newest[0]);
    now->newest[list] = number;
    return now;
}

struct word {
    uint64_t address;
    uint32_t block, all_blocks;
};

void known_give(struct knowledge *k, uint64_t word, uint32_t block, bool all_blocks, struct known *what)
{
    const struct word key = { word, all_blocks ? 0 : block, all_blocks };
    hw_lock(&k->mu);
    struct known **at = hw_map_get(&k->words, &key, sizeof key);
    if (!at) {
        at = hw_alloc(sizeof *at);
        hw_map_set(&k->words, &key, sizeof key, at);
        hw_vec_push(&k->all_words, at);
    }
    known_join(at, what);
    hw_unlock(&k->mu);
}

static struct known *carried(const struct knowledge *k, uint64_t word, uint32_t block, bool all_blocks)
{
    const struct word key = { word, all_blocks ? 0 : block, all_blocks };
    struct known *const *at = hw_map_get(&k->words, &key, sizeof key);
    return at ? *at : NULL;
}

/* Of what came from everybody only what the block itself released. */
static void take_own(struct knowledge *k, const struct known *from, uint32_t block, struct known **to)
{
    struct known *own = known_new(from->n);
    for (uint32_t l = (uint32_t)(uintptr_t)hw_map_get(&k->of_block, &block, sizeof block); l; l = k->lists.v[l - 1]->next)
        if (l <= from->n && from->newest[l - 1]) {
            own->newest[l - 1] = from->newest[l - 1];
            known_join(to, k->lists.v[l - 1]->v.v[from->newest[l - 1] - 1].known);
        }
    known_join(to, own);
    known_unref(own);
}

void known_take(struct knowledge *k, uint64_t word, uint32_t block, bool all_blocks, struct known **to)
{
    hw_lock(&k->mu);
    known_join(to, carried(k, word, block, false));
    struct known *wide = carried(k, word, 0, true);
    if (wide && all_blocks)
        known_join(to, wide);
    else if (wide)
        take_own(k, wide, block, to);
    hw_unlock(&k->mu);
}

static bool release_covers(const struct release *r, uint64_t key)
{
    uint32_t then = key_block(r->key), block = key_block(key);
    if (then != block)           /* the block has had several numbers, one after the other */
        return then > block;
    if (key_epoch(r->key) != key_epoch(key))
        return key_epoch(r->key) > key_epoch(key);
    if (key_clock(key) >= r->hole_from && key_clock(key) < r->hole_to && key_thread(key) % KNOWN_LANES == r->hole_lane)
        return false;
    return r->warp == key_warp(key) && (r->clocks[key_thread(key) % KNOWN_LANES] > key_clock(key) || key_clock(key) == KEY_CLOCKS);
}

bool known_covers(struct knowledge *k, const struct known *what, uint64_t key, uint32_t block)
{
    bool covers = false;
    if (!what)
        return false;
    if (atomic_load_explicit(&k->full, memory_order_relaxed))
        return true;
    hw_lock(&k->mu);
    for (uint32_t l = (uint32_t)(uintptr_t)hw_map_get(&k->of_block, &block, sizeof block); l && !covers; l = k->lists.v[l - 1]->next)
        covers = l <= what->n && what->newest[l - 1] && release_covers(&k->lists.v[l - 1]->v.v[what->newest[l - 1] - 1], key);
    hw_unlock(&k->mu);
    return covers;
}
