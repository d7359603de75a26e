/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting for instrumented kernels: what a GPU's memory system would make of a warp's accesses.
 *
 * A thread that runs blocks counts for itself and adds to the kernel's table when it has run some. Where threads take turns (fair kernels)
 * a warp's lanes come one by one: the n-th time that a lane is at a site belongs with the n-th time of the others.
 */
#include "exec/internal.h"

#include "base/options.h"
#include "base/vec.h"

enum { LANES = 32, MOST_WAITING = 1 << 16 };

struct visit {
    uint32_t mask;
    uint64_t addresses[LANES];
};

/* A warp at a site, its lanes coming one by one. */
struct joining {
    uint32_t visits[LANES];      /* of each lane so far */
    uint32_t counted;            /* visits before this one are counted */
    HW_VEC(struct visit) waiting;                /* from `counted` on */
};

const struct exec_checker *exec_checker;
bool exec_checker_orders;
const struct exec_counter *exec_counter;

struct exec_details {
    void *check;                 /* the checker's; NULL: the launch is counted */
    void *count;                 /* exec_counter's; NULL: we count */
    struct details_table *table;
    const struct exec_launch *launch;
    struct details_count *counts;
    struct joining *joining;     /* fair kernels: by warp and site */
    uint32_t warps;
};

void exec_details_begin(const struct exec_launch *launch, struct kabi_block *block)
{
    const struct kabi_kernel *k = launch->kernel;
    block->details = NULL;
    if (hw_likely(!k->details))
        return;
    block->windows = k->details->open;
    block->came = k->details->came;
    if (!launch->details)
        return;
    struct exec_details *d = block->details = hw_alloc(sizeof *d);
    d->table = k->details;
    d->launch = launch;
    if (exec_checker && !launch->counting) {
        d->check = exec_checker->begin(launch, block);
        return;
    }
    if (launch->counting)
        d->count = exec_counter->begin(launch);
    d->counts = hw_alloc((d->table->n + 1) * sizeof *d->counts);
    if (k->fair) {
        d->warps = (k->n_warps + LANES - 1) / LANES;
        d->joining = hw_alloc((size_t)d->warps * (d->table->n + 1) * sizeof *d->joining);
    }
}

void exec_details_block(struct kabi_block *block)
{
    if (!block->details->check)
        return;
    exec_service(true);
    exec_checker->block(block->details->check, block);
    exec_service(false);
}

void exec_details_end(struct exec_details *d)
{
    if (hw_likely(!d))
        return;
    struct details_table *t = d->table;
    if (d->check) {
        exec_checker->end(d->check);
        hw_free(d);
        return;
    }
    if (d->count)
        exec_counter->end(d->count);
    hw_lock(&t->mu);
    for (uint32_t s = 0; s < t->n; s++)
        details_add(&t->counts[s], &d->counts[s]);
    hw_unlock(&t->mu);
    for (size_t k = 0; d->joining && k < (size_t)d->warps * t->n; k++)
        hw_vec_fini(&d->joining[k].waiting);
    hw_free(d->joining);
    hw_free(d->counts);
    hw_free(d);
}

/* ---- one access of a warp ---- */

/* Do all active lanes lie at first + lane * step? Most of the time all lanes are active: that loop is made of vectors. */
static bool in_steps(const uint64_t *a, uint32_t mask, unsigned first, int64_t step)
{
    uint64_t zero = a[first] - (uint64_t)(step * (int64_t)first), differ = 0;
    if (mask == UINT32_MAX) {
        for (unsigned l = 0; l < LANES; l++)
            differ |= a[l] ^ (zero + (uint64_t)step * l);
        return !differ;
    }
    for (; mask && !differ; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        differ = a[l] ^ (zero + (uint64_t)step * l);
    }
    return !differ;
}

static enum details_pattern pattern_of(const uint64_t *a, uint32_t mask, unsigned bytes)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t rest = mask & (mask - 1);
    if (!rest)
        return DETAILS_UNIFORM;
    unsigned second = (unsigned)__builtin_ctz(rest);
    int64_t apart = (int64_t)(second - first), way = (int64_t)(a[second] - a[first]), step = way / apart;
    if (step * apart != way || !in_steps(a, mask, first, step))
        return DETAILS_GATHERED;
    return step == 0 ? DETAILS_UNIFORM : step == (int64_t)bytes ? DETAILS_VECTOR : DETAILS_STRIDED;
}

/* Distinct pieces of 32 bytes, and the bytes of them that somebody wants. An access is aligned and at most 32 bytes: it has one. */
static void count_sectors(struct details_count *c, enum details_pattern pattern, const uint64_t *a, uint32_t mask, unsigned bytes)
{
    uint64_t seen[LANES], first = a[__builtin_ctz(mask)];
    uint32_t used[LANES];
    unsigned n = 0;
    if (pattern == DETAILS_UNIFORM || (pattern == DETAILS_VECTOR && mask == UINT32_MAX)) {
        unsigned all = pattern == DETAILS_UNIFORM ? bytes : bytes * LANES;
        c->sectors += (first + all - 1) / DETAILS_SECTOR - first / DETAILS_SECTOR + 1;
        c->used += all;
        return;
    }
    for (; mask; mask &= mask - 1) {
        uint64_t at = a[__builtin_ctz(mask)], s = at / DETAILS_SECTOR;
        uint32_t bits = (uint32_t)((((uint64_t)1 << bytes) - 1) << at % DETAILS_SECTOR);
        unsigned k = n;
        while (k > 0 && seen[k - 1] != s)        /* mostly the newest */
            k--;
        if (k == 0) {
            seen[n] = s;
            used[n] = 0;
            k = ++n;
        }
        used[k - 1] |= bits;
    }
    c->sectors += n;
    for (unsigned k = 0; k < n; k++)
        c->used += (unsigned)__builtin_popcount(used[k]);
}

/* Passes for lanes that the banks serve together: the most different words that one bank is asked for. */
static unsigned passes_of(const uint64_t *a, uint32_t mask, unsigned bytes)
{
    uint64_t words[DETAILS_BANKS][LANES];
    uint8_t n[DETAILS_BANKS] = { 0 }, most = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t at = a[__builtin_ctz(mask)], last = (at + bytes - 1) / DETAILS_BANK_BYTES;
        for (uint64_t w = at / DETAILS_BANK_BYTES; w <= last; w++) {
            unsigned bank = w % DETAILS_BANKS, k = n[bank];
            while (k > 0 && words[bank][k - 1] != w)
                k--;
            if (k || n[bank] == LANES)
                continue;                        /* one word is read once, for all lanes that want it */
            words[bank][n[bank]++] = w;
            most = n[bank] > most ? n[bank] : most;
        }
    }
    return most;
}

/* Accesses of 8 bytes are served for half a warp at a time, those of 16 for a quarter. */
static void count_shared(struct details_count *c, const uint64_t *a, uint32_t mask, unsigned bytes)
{
    unsigned lanes = bytes > 8 ? 8 : bytes > 4 ? 16 : 32;
    bool smooth = pattern_of(a, mask, bytes) <= DETAILS_VECTOR;      /* one word, or words one after the other */
    for (unsigned from = 0; from < LANES; from += lanes) {
        uint32_t part = mask & (uint32_t)((((uint64_t)1 << lanes) - 1) << from);
        if (!part)
            continue;
        unsigned passes = smooth ? 1 : passes_of(a, part, bytes);
        c->passes += passes;
        c->fewest++;
        c->worst = hw_max_u64(c->worst, passes);
    }
}

/* Which lanes are in which space; shared addresses become offsets. */
static void split(const struct kabi_block *block, const struct exec_launch *l, const uint64_t *a, uint32_t mask, uint64_t *offsets, uint32_t *out)
{
    uint64_t threads = (uint64_t)l->kl.ntid[0] * l->kl.ntid[1] * l->kl.ntid[2];
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t in_shared = a[lane] - (uint64_t)(uintptr_t)block->shared, in_local = a[lane] - (uint64_t)(uintptr_t)block->local;
        if (in_shared < l->kl.shared_bytes) {
            offsets[lane] = in_shared;
            out[DETAILS_SHARED] |= 1u << lane;
        } else {
            out[in_local < threads * l->kernel->local_bytes ? DETAILS_LOCAL : DETAILS_GLOBAL] |= 1u << lane;
        }
    }
}

static void count_access(struct kabi_block *block, uint32_t site, uint32_t mask, const uint64_t *a)
{
    struct exec_details *d = block->details;
    const struct details_site *s = &d->table->sites[site];
    struct details_count *c = &d->counts[site];
    uint32_t masks[DETAILS_SPACE_COUNT] = { 0 };
    uint64_t offsets[LANES];
    const uint64_t *shared = a;
    if (s->space == DETAILS_GENERIC) {
        split(block, d->launch, a, mask, offsets, masks);
        shared = offsets;
    } else {
        masks[s->space] = mask;
    }
    for (int k = 0; k < DETAILS_SPACE_COUNT; k++)
        c->by_space[k] += (unsigned)__builtin_popcount(masks[k]);
    if (s->tile)
        return;
    if (masks[DETAILS_GLOBAL]) {
        enum details_pattern pattern = pattern_of(a, masks[DETAILS_GLOBAL], s->bytes);
        c->patterns[pattern]++;
        count_sectors(c, pattern, a, masks[DETAILS_GLOBAL], s->bytes);
    }
    if (masks[DETAILS_SHARED])
        count_shared(c, shared, masks[DETAILS_SHARED], s->bytes);
}

static void count_visit(struct kabi_block *block, uint32_t site, uint32_t warp, uint32_t mask, const uint64_t *a)
{
    struct details_count *c = &block->details->counts[site];
    if (!mask)
        return;
    if (block->details->count) {
        exec_counter->visit(block->details->count, block, site, warp, mask, block->details->table->sites[site].kind == DETAILS_IN_BLOCK ? NULL : a);
        if (!hw_options()->prof_details)
            return;
    }
    c->runs++;
    c->lanes += (unsigned)__builtin_popcount(mask);
    if (block->details->table->sites[site].kind != DETAILS_IN_BLOCK)
        count_access(block, site, mask, a);
}

/* ---- lanes that come one by one ---- */

static void count_waiting(struct kabi_block *block, struct joining *j, uint32_t warp, uint32_t site)
{
    for (size_t v = 0; v < j->waiting.n; v++)
        count_visit(block, site, warp, j->waiting.v[v].mask, j->waiting.v[v].addresses);
    j->counted += (uint32_t)j->waiting.n;
    j->waiting.n = 0;
}

static void join(struct kabi_block *block, uint32_t site, uint32_t thread, const uint64_t *a)
{
    struct exec_details *d = block->details;
    struct joining *j = &d->joining[(size_t)(thread / LANES) * d->table->n + site];
    unsigned lane = thread % LANES;
    uint32_t visit = j->visits[lane]++;
    struct visit now = { .mask = 1u << lane };
    if (visit < j->counted) {                    /* too far behind the others */
        if (a)
            now.addresses[lane] = *a;
        count_visit(block, site, thread / LANES, now.mask, now.addresses);
        return;
    }
    while (visit - j->counted >= j->waiting.n) {
        if (j->waiting.n >= MOST_WAITING)
            count_waiting(block, j, thread / LANES, site);
        else
            hw_vec_push(&j->waiting, (struct visit){ 0 });
    }
    struct visit *v = &j->waiting.v[visit - j->counted];
    v->mask |= now.mask;
    if (a)
        v->addresses[lane] = *a;
}

void exec_details_join(struct kabi_block *block)
{
    struct exec_details *d = block->details;
    for (size_t k = 0; d->joining && k < (size_t)d->warps * d->table->n; k++) {
        struct joining *j = &d->joining[k];
        count_waiting(block, j, (uint32_t)(k / d->table->n), (uint32_t)(k % d->table->n));
        j->counted = 0;
        memset(j->visits, 0, sizeof j->visits);
    }
}

void exec_count(struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *addresses)
{
    if (!block->details)
        return;
    if (block->details->check) {
        exec_service(true);
        exec_checker->visit(block->details->check, block, site, thread, mask, addresses);
        exec_service(false);
        return;
    }
    if (!block->details->joining) {
        if (block->details->count)
            exec_service(true);
        count_visit(block, site, thread / LANES, mask, addresses);
        if (block->details->count)
            exec_service(false);
        return;
    }
    exec_service(true);          /* it takes memory */
    join(block, site, thread, addresses);
    exec_service(false);
}

void exec_details_stuck(struct kabi_block *block)
{
    if (!block->details || !block->details->check)
        return;
    exec_service(true);
    exec_checker->stuck(block->details->check, block);
    exec_service(false);
    exec_fault_raise(EXEC_FAULT_TRAP, 0, 0);
}
