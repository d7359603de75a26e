/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of warps and barriers that threads pass by.
 *
 * An operation with members waits for all of them that have not left the kernel. Here it does not wait: lanes that come are noted, and those that the mask
 * names and that are missing. If the missing ones come to the same operation it was right. If they are met again together with those that came, they have
 * passed it by. Lanes that have left are never met again, and that is allowed. In the same way a warp is seen to have passed a barrier by: it comes to
 * code that the others only come to behind it.
 */
#include "check/sync.h"

#include "check/check.h"

enum { WARPS = 32, WAITING = 4 };

/* Lanes that came to an operation, or a barrier, for which others were missing. */
struct waiting {
    uint32_t site, members, came, missing;       /* came 0: none */
    bool barrier;
};

struct warp {
    struct waiting waiting[WAITING];
    unsigned next;
    uint32_t spoilt, distance;   /* lanes that took a value from nobody by shuffles down, in a chain of which this was the last distance */
    uint32_t spoilt_site;
    uint32_t barriers, barrier_site;             /* that the warp has come to, with or without some lanes; the last */
    uint32_t last;               /* barrier or operation that it came to */
};

struct sync_block {
    const struct runner *r;
    uint32_t threads, n_sites;
    struct warp warps[WARPS];
    uint64_t *before;            /* by warp: sites before its last barrier; those since are in the runner's `came`, where generated code notes them, too */
    size_t words;
    bool apart;                  /* lanes of a warp may be at different places for good reasons */
    bool plain;                  /* only barriers of all threads so far */
};

struct sync_block *sync_block_new(const struct runner *r)
{
    struct sync_block *b = hw_alloc(sizeof *b);
    const struct kabi_kernel *k = r->launch->kernel;
    b->r = r;
    b->threads = runner_threads(r->launch);
    b->n_sites = k->details->n;
    b->words = (b->n_sites + 63) / 64;
    b->before = hw_alloc(WARPS * b->words * sizeof *b->before + 1);
    b->apart = k->fair || k->turns || k->width == 1;
    return b;
}

void sync_block_begin(struct sync_block *b)
{
    memset(b->warps, 0, hw_min_u64(WARPS, (b->threads + LANES - 1) / LANES) * sizeof *b->warps);
    memset(b->before, 0, WARPS * b->words * sizeof *b->before);
    memset(b->r->came, 0, kabi_came_words(b->n_sites) * sizeof *b->r->came);
    b->plain = true;
}

void sync_block_free(struct sync_block *b)
{
    if (!b)
        return;
    hw_free(b->before);
    hw_free(b);
}

static struct warp *warp_of(struct sync_block *b, uint32_t thread) { return &b->warps[thread / LANES % WARPS]; }
static const struct details_site *site_of(const struct sync_block *b, uint32_t site) { return &b->r->launch->kernel->details->sites[site]; }

/* The lanes that there are in the warp that begins with thread. */
static uint32_t lanes_of(const struct sync_block *b, uint32_t thread)
{
    uint32_t left = b->threads - thread;
    return left >= LANES ? UINT32_MAX : (1u << left) - 1;
}

/* ---- reports ---- */

static const char *name_of(uint8_t op)
{
    switch (op) {
    case KABI_WARP_SYNC: return "__syncwarp()";
    case KABI_WARP_SHFL_UP: case KABI_WARP_SHFL_DOWN: case KABI_WARP_SHFL_BFLY: case KABI_WARP_SHFL_IDX: return "a shuffle";
    case KABI_WARP_VOTE_ALL: case KABI_WARP_VOTE_ANY: case KABI_WARP_VOTE_UNI: case KABI_WARP_VOTE_BALLOT: return "a vote";
    case KABI_WARP_MATCH_ANY: case KABI_WARP_MATCH_ALL: return "a match";
    default: return "a reduction";
    }
}

static void tell_mask(const struct sync_block *b, uint32_t site, uint32_t thread, uint32_t members, const char *what, const char *advice)
{
    const struct details_site *s = site_of(b, site);
    struct report rep;
    report_begin(&rep, "sync.mask", "kernel %s: %s %s", b->r->launch->kernel->name, name_of(s->op), what);
    report_device(&rep, "call", s->place, "block %llu, thread %u, mask %#x", runner_block(b->r), thread, members);
    access_tell_launch(&rep, b->r);
    report_advice(&rep, "%s", advice);
    report_end(&rep);
}

static void tell_passed(const struct sync_block *b, const struct waiting *w, uint32_t site, uint32_t thread, uint32_t lane)
{
    const struct details_site *s = site_of(b, w->site), *now = site_of(b, site);
    struct report rep;
    if (w->barrier) {
        report_begin(&rep, "sync.barrier", "kernel %s: threads of a warp pass a barrier by that others of it wait at", b->r->launch->kernel->name);
        report_device(&rep, "barrier", s->place, "block %llu, thread %u", runner_block(b->r), thread + (uint32_t)__builtin_ctz(w->came));
    } else {
        report_begin(&rep, "sync.mask", "kernel %s: %s names threads that do not take part", b->r->launch->kernel->name, name_of(s->op));
        report_device(&rep, "call", s->place, "block %llu, thread %u, mask %#x, of which %#x came", runner_block(b->r), thread + (uint32_t)__builtin_ctz(w->came), w->members, w->came);
    }
    report_device(&rep, "instead", now->place, "thread %u", thread + lane);
    access_tell_launch(&rep, b->r);
    report_advice(&rep, "%s", w->barrier ? "All threads of the block that have not left must come to a barrier."
                                         : "All threads that the mask names must come there, unless they have left the kernel.");
    report_end(&rep);
}

static void tell_shuffle(const struct sync_block *b, uint32_t site, uint32_t thread, unsigned lane, unsigned from, uint32_t members, bool late)
{
    const struct details_site *s = site_of(b, site);
    struct report rep;
    report_begin(&rep, "sync.shuffle", "kernel %s: a shuffle takes a value from a lane that takes no part in it", b->r->launch->kernel->name);
    report_device(&rep, "call", s->place, "block %llu, thread %u reads lane %u of its warp%s, mask %#x", runner_block(b->r), thread + lane, from,
                  members >> from & 1 ? ", which the mask names and which is not there" : ", which the mask does not name", members);
    access_tell_launch(&rep, b->r);
    report_advice(&rep, "The value is not defined%s.", late ? ", and the next shuffles carry it to the first lane" : "");
    report_end(&rep);
}

/* ---- operations of warps ---- */

/* The lane that a shuffle reads; the lane itself where that is outside of its segment. */
static unsigned source_of(uint8_t op, unsigned lane, uint64_t operand)
{
    unsigned b = operand >> 32 & 31, clamp = operand >> 40 & 31, seg = operand >> 48 & 31, low = lane & seg, max = low | (clamp & ~seg);
    int j;
    bool ok;
    switch (op) {
    case KABI_WARP_SHFL_UP: j = (int)lane - (int)b; ok = j >= (int)max; break;
    case KABI_WARP_SHFL_DOWN: j = (int)(lane + b); ok = j <= (int)max; break;
    case KABI_WARP_SHFL_BFLY: j = (int)(lane ^ b); ok = j <= (int)max; break;
    default: j = (int)(low | (b & ~seg)); ok = j <= (int)max; break;
    }
    return ok ? (unsigned)j & 31 : lane;
}

/*
 * Sums by shuffles down let the last lanes read from nobody, and what they get does not matter as long as the first lane does not depend on it. So lanes
 * are noted whose value is spoilt, through a chain of shuffles of ever smaller distances.
 */
static void shuffle_down(struct sync_block *b, struct warp *w, uint32_t site, uint32_t thread, uint32_t mask, uint32_t absent, const unsigned *from, const uint64_t *operands)
{
    unsigned first = (unsigned)__builtin_ctz(mask), distance = operands[first] >> 32 & 31;
    uint32_t spoilt = distance < w->distance ? w->spoilt : 0, now = spoilt | absent;
    if (!spoilt && absent)
        w->spoilt_site = site;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        now |= from[l] != l && (spoilt >> from[l] & 1) ? 1u << l : 0;
    }
    w->spoilt = now;
    w->distance = distance;
    if (now >> first & 1) {
        unsigned lane = absent ? (unsigned)__builtin_ctz(absent) : first;
        tell_shuffle(b, w->spoilt_site, thread, lane, absent ? from[lane] : (first + distance) & 31, (uint32_t)operands[lane], true);
        w->spoilt = 0;
    }
}

static void look_at_shuffle(struct sync_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands)
{
    const struct details_site *s = site_of(b, site);
    unsigned from[LANES];
    uint32_t absent = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        from[l] = source_of(s->op, l, operands[l]);
        if (!(mask >> from[l] & 1) || !(operands[l] >> from[l] & 1))
            absent |= 1u << l;
    }
    if (s->op == KABI_WARP_SHFL_DOWN) {
        shuffle_down(b, warp_of(b, thread), site, thread, mask, absent, from, operands);
        return;
    }
    for (; absent; absent &= absent - 1) {
        unsigned l = (unsigned)__builtin_ctz(absent);
        bool named = operands[l] >> from[l] & 1, there = lanes_of(b, thread) >> from[l] & 1;
        if (named ? there || s->op != KABI_WARP_SHFL_UP : s->op != KABI_WARP_SHFL_UP) {
            tell_shuffle(b, site, thread, l, from[l], (uint32_t)operands[l], false);
            return;
        }
    }
}

/* While lanes of the warp are missing somewhere, each place that it comes to must be told. */
static void note_waiting(struct sync_block *b, const struct warp *w, uint32_t thread)
{
    uint32_t any = 0;
    for (unsigned k = 0; k < WAITING; k++)
        any |= w->waiting[k].came;
    *kabi_came(b->r->came, 0, thread / LANES % WARPS) = any;
}

/* Lanes that this came for, and others that did not: some are met again here. */
static void meet(struct sync_block *b, struct warp *w, uint32_t site, uint32_t thread, uint32_t mask)
{
    for (unsigned k = 0; k < WAITING; k++) {
        struct waiting *v = &w->waiting[k];
        if (!v->came || !(v->came & mask) || !(v->missing & mask))
            continue;
        tell_passed(b, v, site, thread, (uint32_t)__builtin_ctz(v->missing & mask));
        v->came = 0;
        note_waiting(b, w, thread);
    }
}

static void wait_for(struct sync_block *b, struct warp *w, uint32_t site, uint32_t thread, uint32_t came, uint32_t members, bool barrier)
{
    uint32_t missing = members & lanes_of(b, thread) & ~came;
    for (unsigned k = 0; k < WAITING; k++) {
        struct waiting *v = &w->waiting[k];
        bool same = v->came && v->barrier == barrier && (barrier || (v->members == members && site_of(b, v->site)->op == site_of(b, site)->op));
        if (!same || !(v->missing & came) || (v->came & came))
            continue;
        v->came |= came;
        v->missing &= ~came;
        if (!v->missing)
            v->came = 0;
        note_waiting(b, w, thread);
        return;
    }
    if (!missing)
        return;
    w->waiting[w->next++ % WAITING] = (struct waiting){ site, members, came, missing, barrier };
    note_waiting(b, w, thread);
}

void sync_warp(struct sync_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands)
{
    struct warp *w = warp_of(b, thread);
    w->last = site;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint32_t members = (uint32_t)operands[l];
        if (!(members >> l & 1)) {
            tell_mask(b, site, thread + l, members, "whose mask does not name the thread that calls it", "Each thread that calls must be in its own mask.");
            return;
        }
    }
    if (b->apart)
        return;
    for (uint32_t left = mask; left;) {
        uint32_t members = (uint32_t)operands[__builtin_ctz(left)], same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            same |= (uint32_t)operands[__builtin_ctz(m)] == members ? 1u << __builtin_ctz(m) : 0;
        left &= ~same;
        if (members & mask & ~same) {
            tell_mask(b, site, thread + (uint32_t)__builtin_ctz(same), members, "in which threads name different members", "All threads of a group must give the same mask.");
            return;
        }
        meet(b, w, site, thread, same);
        wait_for(b, w, site, thread, same, members, false);
    }
    if (site_of(b, site)->op >= KABI_WARP_SHFL_UP && site_of(b, site)->op <= KABI_WARP_SHFL_IDX)
        look_at_shuffle(b, site, thread, mask, operands);
    sync_came(b, site, thread, mask);
}

/* ---- barriers ---- */

static void tell_count(const struct sync_block *b, uint32_t site, uint32_t thread, uint32_t count)
{
    struct report rep;
    report_begin(&rep, "sync.barrier", "kernel %s: a barrier for %u threads%s", b->r->launch->kernel->name, count,
                 count % LANES ? ", which is no multiple of 32" : ", which the block does not have");
    report_device(&rep, "barrier", site_of(b, site)->place, "block %llu, thread %u, block of %u threads", runner_block(b->r), thread, b->threads);
    access_tell_launch(&rep, b->r);
    report_advice(&rep, "Warps come to a barrier as a whole: count 32 for each.");
    report_end(&rep);
}

static uint64_t *sites_before(struct sync_block *b, unsigned warp) { return b->before + warp * b->words; }
static uint64_t *sites_since(struct sync_block *b, unsigned warp, size_t k) { return kabi_came(b->r->came, (uint32_t)(1 + k), warp); }

void sync_barrier(struct sync_block *b, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands)
{
    struct warp *w = warp_of(b, thread);
    uint64_t what = operands[__builtin_ctz(mask)];
    uint32_t count = (uint32_t)(what >> 32) & 0xffff, number = (uint32_t)what & 0xff;
    unsigned self = thread / LANES % WARPS;
    if (count % LANES || count > hw_align_up(b->threads, LANES))
        tell_count(b, site, thread + (uint32_t)__builtin_ctz(mask), count);
    if (number || count)
        b->plain = false;
    for (size_t k = 0; k < b->words; k++) {
        sites_before(b, self)[k] |= *sites_since(b, self, k);
        *sites_since(b, self, k) = 0;
    }
    w->barriers++;
    w->barrier_site = w->last = site;
    w->spoilt = 0;
    if (b->apart)
        return;
    meet(b, w, site, thread, mask);
    if (!number && !count)
        wait_for(b, w, site, thread, mask, UINT32_MAX, true);
}

void sync_came(struct sync_block *b, uint32_t site, uint32_t thread, uint32_t mask)
{
    struct warp *w = warp_of(b, thread);
    unsigned self = thread / LANES % WARPS;
    *sites_since(b, self, site / 64) |= (uint64_t)1 << site % 64;
    if (!b->apart)
        meet(b, w, site, thread, mask);
}

/* A site that both warps came to behind their last barrier, and never before. SIZE_MAX: none. */
static size_t common_tail(struct sync_block *b, unsigned a, unsigned c)
{
    for (size_t k = 0; k < b->words; k++) {
        uint64_t both = *sites_since(b, a, k) & ~sites_before(b, a)[k] & *sites_since(b, c, k) & ~sites_before(b, c)[k];
        if (both)
            return k * 64 + (size_t)__builtin_ctzll(both);
    }
    return SIZE_MAX;
}

/* Warps that came to fewer barriers than others, and to the code behind those all the same. */
void sync_block_end(struct sync_block *b)
{
    unsigned n = (unsigned)((b->threads + LANES - 1) / LANES), most = 0;
    for (unsigned v = 1; v < n && v < WARPS; v++)
        most = b->warps[v].barriers > b->warps[most].barriers ? v : most;
    for (unsigned v = 0; b->plain && !b->apart && v < n && v < WARPS; v++) {
        size_t site = b->warps[v].barriers < b->warps[most].barriers ? common_tail(b, most, v) : SIZE_MAX;
        struct report rep;
        if (site == SIZE_MAX)
            continue;
        report_begin(&rep, "sync.barrier", "kernel %s: warps of a block come to different numbers of barriers", b->r->launch->kernel->name);
        report_device(&rep, "barrier", site_of(b, b->warps[most].barrier_site)->place, "block %llu, thread %u: its barrier number %u", runner_block(b->r), most * LANES, b->warps[most].barriers);
        report_device(&rep, "instead", site_of(b, (uint32_t)site)->place, "thread %u, behind %u barriers", v * LANES, b->warps[v].barriers);
        access_tell_launch(&rep, b->r);
        report_advice(&rep, "All threads of the block that have not left must come to a barrier.");
        report_end(&rep);
        return;
    }
}

/* Who waits where: warps that wait at the same place are one line. */
void sync_stuck(struct sync_block *b, const struct kabi_block *block)
{
    enum { MOST = 8 };
    const struct kabi_kernel *k = b->r->launch->kernel;
    const uint32_t *state = (const uint32_t *)(const void *)block->frame;
    uint32_t lanes = (uint32_t)k->width * k->chunks, told[MOST];
    unsigned n = 0;
    struct report rep;
    report_begin(&rep, "sync.deadlock", "kernel %s: threads of a block wait for others that never come", k->name);
    for (uint32_t g = 0; g < k->n_warps && n < MOST; g++) {
        uint32_t thread = g * lanes, site = warp_of(b, thread)->last;
        bool again = state[g] == KABI_DONE;
        for (unsigned j = 0; j < n; j++)
            again |= told[j] == site;
        if (again)
            continue;
        told[n++] = site;
        if (state[g] & KABI_ARRIVED)
            report_device(&rep, "waits", site_of(b, site)->place, "block %llu, thread %u, at barrier %u", runner_block(b->r), thread, KABI_BARRIER(state[g]));
        else
            report_device(&rep, "waits", site_of(b, site)->place, "block %llu, thread %u", runner_block(b->r), thread);
    }
    access_tell_launch(&rep, b->r);
    report_advice(&rep, "On a device the kernel would never end; here it ends now.");
    report_end(&rep);
}
