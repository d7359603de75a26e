/* SPDX-License-Identifier: Apache-2.0 */
/* A block while it runs: its clocks (race.c), what its threads know of others (race_order.c), the cells they touch (race_cells.c). */
#ifndef CHECK_RACE_INTERNAL_H
#define CHECK_RACE_INTERNAL_H

#include "check/part.h"
#include "check/race.h"
#include "check/race_grid.h"
#include "check/race_key.h"
#include "check/race_known.h"
#include "check/shadow.h"

enum { LANES = 32, WARPS = 32, THREADS = LANES * WARPS, BARRIERS = 16, ROUNDS = 4, PENDING = 32 };

struct round {
    struct known *known;         /* what those know who have come, where not all threads do */
    uint32_t site, thread;       /* of the first, plus 1 */
};

struct barrier {
    struct round rounds[ROUNDS];
    uint32_t arrived, number;    /* with a count: threads of this round; rounds so far */
};

/* What a lane knew at its newest fence. */
struct fence {
    bool set, wide;
    struct release at;
    struct known *given;         /* what goes with strong writes behind it; NULL: none was yet */
};

/* A word that lanes read by strong accesses, with no fence since. */
struct pending {
    uint64_t word;
    uint32_t lanes;
    bool wide;
};

/* A lock that a lane may hold (race_lock.c). */
struct lock {
    uint64_t word, free;         /* 0: none; the value that it is taken from */
    uint64_t epoch;
    uint8_t from, to_block, to_all;              /* the lane's clock when it was taken, and at the first fence behind that: any, and one of all blocks; 0: none yet */
};

/* Lanes of a mask that wait for the others of it. */
struct group {
    uint32_t members, came;
};

struct warp {
    uint64_t now[LANES];         /* keys: block, epoch and clock */
    uint32_t clock, floor;       /* the newest of a lane; all lanes know of all what is before that */
    struct group groups[LANES / 2];              /* those that have come to an operation with a mask */
    unsigned n_groups;
    bool uneven, knows;          /* rows, or known, have anything */
    uint8_t rows[LANES][LANES];  /* of each lane: what it knows of the others' clocks */
    struct known *known[LANES];
    struct fence *fences;        /* by lane; NULL: there was none */
    struct lock *locks;          /* by lane; NULL: nobody took one */
    uint32_t fenced;             /* lanes that had a fence since the barrier */
    uint32_t takes;              /* lanes with an acquiring access: its word is looked at when the warp comes next */
    uint32_t waits;              /* lanes at a barrier: what it brings is theirs when they come next */
    struct known **brings[LANES];                /* by lane: what the barrier's round knows, or the block */
    struct pending pending[PENDING];
    unsigned n_pending;
    uint32_t came[BARRIERS], rounds[BARRIERS];   /* lanes of the round at a barrier of all threads; such rounds */
    uint32_t passed_by, passed_site;             /* lanes that did not come where the others of the warp wait: at that site */
};

enum { OTHERS = 1024, EARLY = 512 };

struct race_block {
    const struct kabi_kernel *kernel;
    struct race_grid *grid;
    struct key_range range;      /* of the grid */
    uint32_t number, id, first, threads, n_warps, shared_bytes;
    bool clocks;                 /* somebody asks what is before what, and not only what commands touch */
    bool orders;                 /* the kernel has fences, or accesses that acquire or release */
    bool locks;                  /* the kernel has atomics that take locks, and such that give them back */
    bool shares;                 /* threads of this block may know something of others, beyond the block's barriers */
    bool arrives;                /* it has barriers that threads do not wait at */
    uint8_t grain, shared_grain; /* logarithms of bytes: a cell */
    struct warp *warps;
    struct barrier barriers[BARRIERS];
    struct known *gathered;      /* of all that have come to a barrier */
    uint64_t fenced;             /* key of the epoch before which every thread had a fence, behind what it did */
    uint32_t fence_epoch, fence_threads;
    struct shadow_cells shared;
    struct shadow_strip *strips; /* of shared memory */
    struct shadow_strip *near_strips;            /* of the piece of global memory that was asked for last (shadow.h) */
    uint64_t near;
    uint16_t tag, shared_tag;    /* race_strips.h */
    uint32_t begun;              /* blocks */
    struct touch_view *touch;
    uint64_t at;                 /* ledger_now() of the launch */
    uint32_t early;              /* warps' accesses to global memory that were looked at with a lock */
    uint16_t told[OTHERS];       /* races of two sites: how often */
};

static inline struct warp *warp_of(struct race_block *b, uint32_t thread) { return &b->warps[thread / LANES % WARPS]; }
/* Lanes that the warp has. */
static inline uint32_t lanes_of(const struct race_block *b, uint32_t thread)
{
    uint32_t left = b->threads - thread;
    return left >= LANES ? UINT32_MAX : (1u << left) - 1;
}
static inline uint32_t block_of(const struct race_block *b, uint64_t key)
{
    return key_block(key) == b->first ? b->id : race_grid_block(b->grid, key_block(key));
}

/* race_order.c: these lanes go on, what they waited for is behind them */
void race_go_on(struct race_block *b, struct warp *w, uint32_t mask);
void race_join_lanes(struct warp *w, uint32_t mask, struct known *from);
void race_hand_over(struct race_block *b, struct warp *w, const struct details_site *s, unsigned lane, uint32_t thread, uint64_t word, uint64_t value);
uint8_t race_tick(struct warp *w, unsigned lane);                /* the lane's next moment */
void race_order_forget(struct warp *w);

/* race_lock.c */
void race_lock_take(struct warp *w, const struct details_site *s, unsigned lane, uint64_t word, uint64_t value);
void race_lock_fence(struct warp *w, uint32_t mask, bool wide);
/* Does this write give back a lock that was taken? Then r gets what the lane did before its fence as a hole. */
bool race_lock_gives(const struct warp *w, unsigned lane, uint64_t word, uint64_t value);
/* Others hear of that moment in another way: who knows it must not know less by the lock. */
void race_lock_told(struct warp *w, unsigned lane, const struct release *at);
void race_lock_hole(const struct warp *w, unsigned lane, bool all_blocks, struct release *r);

/* A volatile load or store, or one that is the same to PTX: relaxed, for the whole system. */
static inline bool race_is_volatile(const struct details_site *s) { return s->strong && s->system_wide && s->kind != DETAILS_IN_ATOMIC && !s->acquires && !s->releases; }

/* race_tell.c: now and before: keys and what is known of them */
struct race_pair {
    uint64_t now, before;
    uint32_t now_info, before_info;
    bool now_writes, before_writes, shared, same_value;
};
void race_tell(struct race_block *b, const struct race_pair *p, uint64_t address);

/* What stands beside a key. */
enum { INFO_SITES = 0xffff, INFO_WIDE = 1 << 16, INFO_VALUED = 1 << 17, INFO_VALUE = 18 };

#endif
