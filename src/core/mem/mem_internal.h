/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the memory map share: mem.c asks it, mem_alloc.c and mem_host.c put ranges in, mem_free.c takes them out. */
#ifndef CORE_MEM_INTERNAL_H
#define CORE_MEM_INTERNAL_H

#include "base/lock.h"
#include "core/mem/devheap.h"
#include "core/mem/mem.h"
#include "core/mem/treap.h"

/*
 * A range.
 * Lifetime  From the call that makes it to the one that frees it, or its context's end.
 * Locks     mem_mu.
 */
struct mem_range {
    struct treap_node node;      /* by base */
    struct mem_info info;
    struct extent *extent;       /* device and managed memory */
    size_t map_bytes;            /* MEM_HOST: whole pages */
    struct pool_piece *piece;    /* memory of a pool; extent is NULL then */
    struct extent *chunk;        /* with piece: what it lies in */
};

enum { MEM_MAX_DEVICES = 64 };
extern struct hw_mutex mem_mu;                   /* rank MEM; guards the rest */
extern struct treap_node *mem_map;
extern struct devheap_charge mem_device_charge[MEM_MAX_DEVICES];
extern struct devheap_charge mem_managed_charge; /* managed memory may exceed a device's */
extern struct mem_stats mem_counts;

static inline struct mem_range *mem_range_of(struct treap_node *n)
{
    return n ? hw_container_of(n, struct mem_range, node) : NULL;
}

/* With the lock held. The range that addr lies in; is there any in these bytes? */
struct mem_range *mem_find(uint64_t addr);
bool mem_overlaps(uint64_t addr, size_t bytes);
struct mem_range *mem_add_as(struct ctx *ctx, enum mem_kind kind, uint64_t base, size_t bytes, unsigned flags, bool variable, bool external);
static inline struct mem_range *mem_add(struct ctx *ctx, enum mem_kind kind, uint64_t base, size_t bytes, unsigned flags)
{
    return mem_add_as(ctx, kind, base, bytes, flags, false, false);
}
void mem_drop(struct mem_range *r);              /* takes a range out and gives back what is behind it */

#endif
