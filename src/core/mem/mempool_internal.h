/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of memory pools share: mempool.c makes them and answers questions, pool_chunk.c keeps their chunks, pool_alloc.c gives pieces out and takes them back. */
#ifndef CORE_MEMPOOL_INTERNAL_H
#define CORE_MEMPOOL_INTERNAL_H

#include "base/list.h"
#include "base/lock.h"
#include "core/mem/mem.h"
#include "core/mem/mempool.h"
#include "core/mem/treap.h"
#include "core/sched/order.h"

#include <stdatomic.h>

#define CHUNK ((uint64_t)32 << 20)
#define GRAIN ((uint64_t)512)
/* Under `hostwarp check` there is a gap behind each piece, and pieces that were freed are not given out again before the pool is as large as this. */
enum { RED_ZONE = 16 };
#define HELD_BYTES ((uint64_t)256 << 20)
enum { MAX_DEVICES = 64, MAX_NODES = 64 };
/* Places that have a default and a current pool: devices, the host, its NUMA nodes, none; for pinned memory, then again for managed. */
enum { PLACE_HOST = MAX_DEVICES, PLACE_NODES, PLACE_NONE = PLACE_NODES + MAX_NODES, PLACES, N_PLACES = 2 * PLACES };

/* A part of a chunk. Neighbours in memory are neighbours in the chunk's list. */
struct pool_piece {
    struct hw_list order;
    struct treap_node by_size;   /* free ones: (bytes, base) in pool->free */
    struct pool_chunk *chunk;
    uint64_t base, bytes;
    uint64_t asked;              /* of its bytes, while it is used */
    bool used;
    struct stream *freed_in;     /* referenced; NULL: nothing uses it any more */
    uint64_t freed_at;           /* freed_in->n_done reaches it when the free has been executed */
    bool recycled;               /* under `hostwarp check`: it was in use before */
};

struct pool_chunk {
    struct hw_list in_pool, pieces;
    struct mempool *pool;
    struct extent *extent;
    uint64_t bytes, used;
};

/*
 * A pool.
 * Lifetime  The handle owns one reference, every chunk with used memory in it one more. Default pools live for ever.
 * Locks     mu (below) guards everything that is not const.
 */
struct mempool {
    struct obj obj;
    int device;                  /* const; 0 for memory of the host's */
    enum mem_kind kind;          /* const: MEM_DEVICE, MEM_HOST or MEM_MANAGED */
    int place;                   /* const: whose current pool it may be; -1: of none */
    uint64_t max_bytes;          /* const; 0: as much as there is */
    bool is_default;             /* const */
    bool exportable;             /* const; other processes may map its chunks */
    _Atomic bool exported;       /* a handle of it was given out: only then are its pieces */
    bool imported;               /* const; another process's: it has no chunks here */
    bool closed;
    bool unsettled;              /* a free piece may have freed_in */
    struct hw_list in_all;       /* pools */
    struct hw_list chunks;
    struct treap_node *free;
    int reuse_events, reuse_opportunistic, reuse_internal;
    uint64_t threshold, reserved, reserved_high, used, used_high;
    uint64_t accessible;         /* bit n: from device n, besides the own one */
};

enum { POOL_DROPS = 64 };
struct pool_drops {
    struct stream *stream[POOL_DROPS];
    int n_streams;
    struct obj *pool[POOL_DROPS];
    int n_pools;
};

/* Below MEM: chunks come from mem.c while it is held. */
extern struct hw_mutex pool_mu;
extern struct hw_list pool_all;                     /* mu: struct mempool.in_all */
extern _Atomic uint64_t pool_idle_bytes[MAX_DEVICES]; /* reserved and unused, of all pools of a device */

static inline struct pool_piece *pool_piece_of(struct treap_node *n)
{
    return hw_container_of(n, struct pool_piece, by_size);
}

static inline bool pool_passed(const struct pool_piece *piece)
{
    /* acquire: pairs with the count in sched_finish_locked(), so what the stream did with the memory is over */
    return !piece->freed_in || atomic_load_explicit(&piece->freed_in->n_done, memory_order_acquire) >= piece->freed_at;
}

/* mempool.c; with the lock held */
struct mempool *pool_current_locked(int place);        /* a device's is its number */

/* pool_chunk.c; all but the last two with the lock held */
struct pool_piece *pool_piece_new(struct pool_chunk *c, uint64_t base, uint64_t bytes);
struct pool_chunk *pool_chunk_add(struct mempool *p, uint64_t bytes);
bool pool_chunk_drop(struct pool_chunk *c, struct pool_drops *d);
void pool_settle(struct pool_piece *piece, struct stream **out);
void pool_join_next_locked(struct mempool *p, struct pool_piece *a, struct stream **drop);
void pool_drops_finish(struct pool_drops *d);
void pool_trim_device(int device, bool all);

#endif
