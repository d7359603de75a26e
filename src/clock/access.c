/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp's access costs, and what it touches: sectors and lines of global memory, banks of shared memory, words of constant memory. */
#include "clock/count_internal.h"

enum { SECTOR = 32, LINE = 4, LANES = 32 };      /* LINE: sectors with one tag in L1 */

/* How far back the warp has had what it loads. True: it has never had it. */
static bool note_load(struct counter *c, struct touched *t, unsigned w)
{
    uint32_t now = c->n_loads[w]++, apart = now - t->last;
    uint64_t me = 1ull << w;
    bool first = !(t->warps & me);
    if (t->warp == w + 1 && apart > 0)
        c->sum.reuse[5 + 31 - __builtin_clz(apart) < GPU_REUSE ? 5 + 31 - __builtin_clz(apart) : GPU_REUSE - 1]++;
    t->read++;
    t->last = now;
    t->warp = w + 1;
    t->warps |= me;
    return first;
}

/* DRAM gives two sectors at once: the warp has had the other one. */
static bool had_other_half(struct counter *c, const struct touched *t, unsigned w)
{
    return sectors_slot(&c->touched, (t->sector - 1) ^ 1)->warps >> w & 1;
}

/* One warp's access, sector by sector. */
struct sector_access {
    uint64_t sector;
    uint32_t bytes;              /* of the sector that it touches, one bit each */
    uint32_t turns;              /* an atomic: the most lanes on one of its words */
};

static size_t add_sector(struct sector_access *v, size_t n, uint64_t sector, uint32_t bytes)
{
    for (size_t k = n; k-- > 0;)
        if (v[k].sector == sector) {
            v[k].bytes |= bytes;
            return n;
        }
    v[n] = (struct sector_access){ sector, bytes, 1 };
    return n + 1;
}

static size_t sectors_of(const uint64_t *a, uint32_t mask, unsigned size, struct sector_access *v)
{
    size_t n = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t at = a[__builtin_ctz(mask)], end = at + size;
        for (uint64_t k = at / SECTOR; k <= (end - 1) / SECTOR; k++) {
            uint64_t from = at > k * SECTOR ? at - k * SECTOR : 0, to = end - k * SECTOR < SECTOR ? end - k * SECTOR : SECTOR;
            n = add_sector(v, n, k, (uint32_t)((1ull << to) - (1ull << from)));
        }
    }
    return n;
}

static unsigned tags_of(const struct sector_access *v, size_t n)
{
    unsigned tags = 0;
    for (size_t k = 0; k < n; k++) {
        size_t j = 0;
        while (j < k && v[j].sector / LINE != v[k].sector / LINE)
            j++;
        tags += j == k;
    }
    return tags;
}

/* Lanes that want the same word of a sector; integers that all lanes add to one word are added in the warp first. */
static void find_turns(const struct details_site *s, uint32_t mask, const uint64_t *a, struct sector_access *v, size_t n)
{
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    for (uint32_t left = mask; left;) {
        uint64_t at = a[__builtin_ctz(left)];
        unsigned same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (a[__builtin_ctz(m)] == at) {
                left &= ~(1u << __builtin_ctz(m));
                same++;
            }
        if (same == lanes && !s->retries)
            same = 1;
        for (size_t k = 0; k < n; k++)
            if (v[k].sector == at / SECTOR && v[k].turns < same)
                v[k].turns = same;
    }
}

/* What the set did not hold is new, as far as we know. */
static void count_unknown(struct gpu_counts *c, bool loads)
{
    c->read += loads ? SECTOR : 0;
    c->block_read += loads ? SECTOR : 0;
    c->written += loads ? 0 : SECTOR;
    c->block_written += loads ? 0 : SECTOR;
}

/* Two stores of 8 bytes or more that are neighbours are one of a vector there. */
static void count_stores(struct counter *c, const struct details_site *s, unsigned w, const struct sector_access *v, size_t n)
{
    struct last_store *last = &c->last_store[w];
    bool again = s->bytes >= 8 && last->first == v[0].sector && last->end == v[n - 1].sector && last->n == n && !(last->bytes & v[0].bytes);
    for (size_t k = 0; k < n; k++) {
        bool whole = v[k].bytes == UINT32_MAX || (again && (v[k].bytes | last->bytes) == UINT32_MAX);
        c->sum.stores += again ? 0 : 1;
        c->sum.part_stores += again ? -(double)whole : !whole;
        c->stored += (unsigned)__builtin_popcount(v[k].bytes);
    }
    *last = (struct last_store){ v[0].sector, v[n - 1].sector, n, v[0].bytes | (again ? last->bytes : 0) };
}

static void count_sectors(struct counter *c, const struct details_site *s, unsigned w, const struct sector_access *v, size_t n)
{
    bool loads = s->kind == DETAILS_IN_LOAD, missed = false, far = false;
    double passes = 0;
    for (size_t k = 0; k < n; k++) {
        struct touched *t = sectors_touch(&c->touched, v[k].sector);
        /* the next lane's turn on a word is longer than another sector's: cycles of an H200, tests/clock/probe */
        double turns = 1 + (s->retries ? 2.8 : 1.4) * (v[k].turns - 1);
        passes += turns;
        if (!t) {
            count_unknown(&c->sum, loads);
            missed = far = true;
            continue;
        }
        if (loads) {
            if (note_load(c, t, w)) {
                missed = true;
                far |= !had_other_half(c, t, w);
            }
            continue;
        }
        t->written++;
        t->bytes |= v[k].bytes;
        if (s->kind == DETAILS_IN_ATOMIC) {
            t->read++;
            t->turns += (float)turns;
        }
    }
    c->misses[w][0] += missed;
    c->misses[w][1] += far;
    c->sum.accesses += (double)n;
    c->sum.tags += tags_of(v, n);
    if (s->kind == DETAILS_IN_ATOMIC)
        c->sum.atomics += passes;
    if (s->kind == DETAILS_IN_STORE && n)
        count_stores(c, s, w, v, n);
}

static void count_global(struct counter *c, const struct details_site *s, unsigned w, uint32_t mask, const uint64_t *a)
{
    struct sector_access v[LANES * 8];           /* at most 128 bytes of a lane: five sectors */
    if (s->bytes > 4 * SECTOR || !s->bytes)
        return;
    size_t n = sectors_of(a, mask, s->bytes, v);
    if (s->kind == DETAILS_IN_ATOMIC)
        find_turns(s, mask, a, v, n);
    count_sectors(c, s, w, v, n);
}

/* A warp's access to a matrix: its lines, one after the other. */
static void count_tile(struct counter *c, const struct kabi_block *block, const struct details_site *s, unsigned w, uint32_t mask, const uint64_t *a)
{
    unsigned lane = (unsigned)__builtin_ctz(mask);
    uint64_t at = a[lane], step = a[LANES + lane], in_shared = at - (uint64_t)(uintptr_t)block->shared;
    struct sector_access v[LANES * 8];
    size_t n = 0;
    if (s->space == DETAILS_SHARED || (s->space == DETAILS_GENERIC && in_shared < c->launch->kl.shared_bytes)) {
        c->sum.passes += (s->lines * s->line_bytes + 127u) / 128u;
        return;
    }
    for (unsigned k = 0; k < s->lines && n + 2 + s->line_bytes / SECTOR < HW_LEN(v); k++)
        for (uint64_t from = at + k * step, end = from + s->line_bytes; from < end; from = (from / SECTOR + 1) * SECTOR) {
            uint64_t to = (from / SECTOR + 1) * SECTOR < end ? SECTOR : end - from / SECTOR * SECTOR;
            n = add_sector(v, n, from / SECTOR, (uint32_t)((1ull << to) - (1ull << from % SECTOR)));
        }
    count_sectors(c, s, w, v, n);
}

/* Passes that the banks make of it. */
static unsigned bank_passes(const uint64_t *a, uint32_t mask, unsigned bytes)
{
    uint64_t words[32][4];
    uint8_t n[32] = { 0 };
    unsigned most = 1, all = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t at = a[__builtin_ctz(mask)] / 4;
        for (uint64_t w = at; w < at + (bytes + 3) / 4; w++) {
            unsigned bank = w % 32, k;
            for (k = 0; k < n[bank] && k < 4 && words[bank][k] != w; k++)
                ;
            if (k < n[bank] && k < 4)
                continue;
            if (n[bank] < 4)
                words[bank][n[bank]] = w;
            n[bank]++;
            all++;
            most = n[bank] > most ? n[bank] : most;
        }
    }
    return most > (all + 31) / 32 ? most : (all + 31) / 32;
}

/* The most lanes that want the same word: an atomic does it for one after the other. */
static unsigned most_on_one(const uint64_t *a, uint32_t mask)
{
    unsigned most = 0;
    for (uint32_t left = mask; left;) {
        unsigned first = (unsigned)__builtin_ctz(left), n = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (a[__builtin_ctz(m)] == a[first]) {
                left &= ~(1u << __builtin_ctz(m));
                n++;
            }
        most = n > most ? n : most;
    }
    return most;
}

static unsigned different_words(const uint64_t *a, uint32_t mask)
{
    unsigned n = 0;
    for (uint32_t left = mask; left; n++) {
        uint64_t word = a[__builtin_ctz(left)] / 4;
        for (uint32_t m = left; m; m &= m - 1)
            if (a[__builtin_ctz(m)] / 4 == word)
                left &= ~(1u << __builtin_ctz(m));
    }
    return n;
}

/* Lanes that are served one after the other make the warp wait. The cycles are of an H200, from bench/align, histogram and kmeans. */
static void count_shared(struct counter *c, const struct details_site *s, uint32_t warp, uint32_t mask, const uint64_t *a)
{
    enum { CONFLICT_CYCLES = 2, ATOMIC_CYCLES = 6, RETRY_CYCLES = 130, RETRY_PASSES = 22, RETRY_INSTRUCTIONS = 6 };
    unsigned passes = bank_passes(a, mask, s->bytes);
    double *stall = &c->path[warp % MOST_WARPS][DETAILS_PATH_STALL];
    if (s->kind != DETAILS_IN_ATOMIC) {
        c->sum.passes += passes;
        *stall += CONFLICT_CYCLES * (passes - 1);
        return;
    }
    unsigned turns = s->retries ? most_on_one(a, mask) : 1;      /* integers on one word are added first */
    turns = turns > passes ? turns : passes;
    c->sum.passes += s->retries ? RETRY_PASSES * (turns - 1) + 8 : turns + 1;
    *stall += (s->retries ? RETRY_CYCLES : ATOMIC_CYCLES) * turns;
    if (s->retries) {
        c->sum.work[DETAILS_WORK_INTEGER] += RETRY_INSTRUCTIONS / 2 * turns;
        c->sum.work[DETAILS_WORK_MEMORY] += 2 * turns;
        c->sum.work[DETAILS_WORK_CONTROL] += turns;
    }
}

void access_count(struct counter *c, const struct kabi_block *block, const struct details_site *s, uint32_t warp, uint32_t mask, const uint64_t *a)
{
    enum { CONSTANT_CYCLES = 20 };
    uint64_t offsets[LANES];
    if (s->tile) {
        count_tile(c, block, s, warp % MOST_WARPS, mask, a);
        return;
    }
    uint32_t shared = s->space == DETAILS_SHARED ? mask : 0, global = s->space == DETAILS_GLOBAL ? mask : 0;
    const uint64_t *in_shared = a;
    if (s->space == DETAILS_GENERIC) {
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            uint64_t at = a[l] - (uint64_t)(uintptr_t)block->shared, local = a[l] - (uint64_t)(uintptr_t)block->local;
            uint64_t threads = (uint64_t)c->launch->kl.ntid[0] * c->launch->kl.ntid[1] * c->launch->kl.ntid[2];
            offsets[l] = at;
            if (at < c->launch->kl.shared_bytes)
                shared |= 1u << l;
            else if (local >= threads * c->launch->kernel->local_bytes)
                global |= 1u << l;
        }
        in_shared = offsets;
    }
    if (s->space == DETAILS_CONSTANT) {          /* one word is for all lanes, others follow one after the other */
        c->path[warp % MOST_WARPS][DETAILS_PATH_STALL] += CONSTANT_CYCLES * (different_words(a, mask) - 1);
        c->sum.passes += 2 * (different_words(a, mask) - 1);
    }
    if (shared)
        count_shared(c, s, warp, shared, in_shared);
    if (global)
        count_global(c, s, warp % MOST_WARPS, global, a);
}
