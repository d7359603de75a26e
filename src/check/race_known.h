/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads know of others beyond barriers of whole blocks: by fences and strong accesses, acquire and release, barriers of some warps.
 *
 * A release is a numbered entry in the list of the thread (or lanes) that made it, and holds what those had behind them. What somebody knows is a vector
 * with the newest entry of each list that has come to it: it has come by a word of memory, or a barrier, that carried such a vector.
 */
#ifndef CHECK_RACE_KNOWN_H
#define CHECK_RACE_KNOWN_H

#include "base/base.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/vec.h"
#include "check/race_key.h"

enum { KNOWN_LANES = 32, KNOWN_LISTS = 8192 };

/* Counted; not changed once others may see it. */
struct known {
    _Atomic uint32_t refs;
    uint32_t n, newest[];        /* by list: entries that are known, from 1 */
};

/* The moment up to which a release tells: of its block, and of the lanes of its warp. */
struct release {
    uint64_t key;                /* the block and its epoch: all before that */
    uint32_t warp;
    uint8_t clocks[KNOWN_LANES]; /* in that epoch: of these lanes, what is before */
    uint8_t hole_from, hole_to, hole_lane;       /* but of this lane not what was from the first to the second */
    struct known *known;         /* counted */
};

struct release_list {
    uint32_t block, thread, mask, next;          /* next list of the block, plus 1 */
    HW_VEC(struct release) v;
};

/* Of a grid. Any thread: the lock guards all of it. */
struct knowledge {
    struct hw_mutex mu;
    HW_VEC(struct release_list *) lists;
    struct hw_map by_thread;     /* block, thread, mask -> list, plus 1 */
    struct hw_map of_block;      /* block -> its newest list, plus 1 */
    struct hw_map words;         /* address, and block or all -> struct known */
    HW_VEC(struct known **) all_words;
    _Atomic bool full;           /* too many lists: whoever knows anything is taken to know all */
};

void knowledge_init(struct knowledge *k);
void knowledge_fini(struct knowledge *k);

struct known *known_ref(struct known *k);        /* NULL is nothing known */
void known_unref(struct known *k);
/* *to knows what `from` does, too; false: it did. */
bool known_join(struct known **to, struct known *from);

/* A new entry for these lanes. Gives what they know with it; *r's own reference goes to the entry. */
struct known *known_release(struct knowledge *k, uint32_t block, uint32_t thread, uint32_t mask, struct release *r);
/* A word carries it: to everybody, or to threads of the block only. */
void known_give(struct knowledge *k, uint64_t word, uint32_t block, bool all_blocks, struct known *what);
/* What a word carries to a thread of that block: from everybody, or what its own block released. */
void known_take(struct knowledge *k, uint64_t word, uint32_t block, bool all_blocks, struct known **to);
/* Is that access before one of the releases that are known? block: whose it was; first: the block's first number. */
bool known_covers(struct knowledge *k, const struct known *what, uint64_t key, uint32_t block);

#endif
