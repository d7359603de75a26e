/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that count kernels share: the sectors that were touched, and what is known of launches that are alike. */
#ifndef CLOCK_COUNT_INTERNAL_H
#define CLOCK_COUNT_INTERNAL_H

#include "clock/clock.h"
#include "core/module/launch.h"
#include "gpu/kernel.h"

#include <stdatomic.h>

/* Sectors that were touched, and by how many of the counted blocks. */
struct touched {
    uint64_t sector;             /* + 1; 0: free */
    uint32_t read, written;      /* blocks; of a block that is being counted: accesses */
    uint32_t reads, writes;      /* accesses */
    uint32_t turns;              /* atomics on its busiest word, one after the other */
    uint32_t last, warp;         /* of a block that is being counted: the load of that warp, by its number, that had it last; warp + 1 */
};
struct touched_set {
    struct touched *v;
    size_t n, cap;
};

/*
 * What is known of launches that are alike.
 * Lifetime  For ever.
 * Locks     mu; ready is stored last, and what it is made of does not change then.
 */
struct count_entry {
    const char *name;
    struct launch_config shape;
    struct count_entry *next;                    /* in order of their making */
    struct gpu_counts counts;
    struct gpu_result result[GPU_MOST_CHOSEN];
    _Atomic bool ready;
    bool estimated;                              /* nothing was counted */
    bool looks;                                  /* the kernel reads clocks: every launch runs instrumented code */
    /* while it is counted */
    uint64_t n_blocks, sampled;
    double worst_cycles, all_cycles;
    struct touched_set touched;
};

/* sectors.c */
struct touched *sectors_touch(struct touched_set *s, uint64_t sector);           /* NULL: it is full */
struct touched *sectors_slot(const struct touched_set *s, uint64_t sector);      /* the sector's, or the free one where it would be */
void sectors_forget(struct touched_set *s);

/* sample.c: from the counted blocks to the grid */
void sample_whole_grid(struct count_entry *e);

#endif
