/* SPDX-License-Identifier: Apache-2.0 */
/* The reserved range that all device and managed memory comes from: addresses, and pages behind them. */
#ifndef CORE_DEVHEAP_H
#define CORE_DEVHEAP_H

#include "base/base.h"

struct extent;

/* Reserves addresses for `bytes` of memory (several times as many, so that holes between allocations do not matter). */
bool devheap_init(uint64_t bytes);
void devheap_each(void (*fn)(void *arg, uint64_t base, uint64_t bytes), void *arg);      /* what is in use, in whole pages */
bool devheap_owns(uint64_t addr);

/* charge: counts the pages taken and given back, and refuses beyond its limit. Caller holds the memory lock. */
struct devheap_charge {
    uint64_t used, limit;
};
/* align: a power of 2, at most 2 MiB; large memory that needs more than 512 begins at a page. NULL: the charge's limit, or no addresses, or no pages. */
struct extent *devheap_alloc(struct devheap_charge *charge, size_t bytes, size_t align);
void devheap_free(struct devheap_charge *charge, struct extent *e);
uint64_t devheap_base(const struct extent *e);
/* Puts a file behind the units that e lies in, with the same contents, for other processes to map. Nobody may use the memory
   meanwhile. fresh: nobody ever has. *out_base: where the file begins. */
bool devheap_share(struct extent *e, bool fresh, int *out_fd, uint64_t *out_base, uint64_t *out_bytes);

#endif
