/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that count kernels share: the sectors that were touched, and what is known of launches that are alike. */
#ifndef CLOCK_COUNT_INTERNAL_H
#define CLOCK_COUNT_INTERNAL_H

#include "clock/clock.h"
#include "core/module/launch.h"
#include "exec/exec.h"
#include "gpu/kernel.h"

#include <stdatomic.h>

/* Sectors that were touched, and by how many of the counted blocks. */
struct touched {
    uint64_t sector;             /* + 1; 0: free */
    uint32_t read, written;      /* blocks; of a block that is being counted: accesses */
    uint32_t reads, writes;      /* accesses */
    uint32_t bytes;              /* that were written, one bit each */
    float turns;                 /* atomics, one after the other */
    uint32_t far;                /* blocks that touched nothing near it */
    /* of a block that is being counted: */
    uint32_t last, warp;         /* the load of that warp, by its number, that had it last; warp + 1 */
    uint64_t warps;              /* that have loaded it */
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
    double worst_cycles, all_cycles, stored;
    struct touched_set touched;
};

/* Counts on a thread that runs blocks. */
enum { MOST_WARPS = 64 };
struct last_store {
    uint64_t first, end;         /* sectors */
    size_t n;
    uint32_t bytes;              /* of the first one */
};
struct counter {
    struct count_entry *entry;
    const struct details_table *table;
    const struct exec_launch *launch;
    uint64_t block;              /* that is being counted */
    bool inside;
    struct gpu_counts sum;       /* of counted blocks */
    double stored;               /* bytes */
    double path[MOST_WARPS][DETAILS_PATH_COUNT];
    struct last_store last_store[MOST_WARPS];
    double misses[MOST_WARPS][2];                /* loads of a sector that the warp never had; and of a whole line of DRAM */
    struct touched_set touched;  /* by this block */
    double worst_cycles, all_cycles;
    uint64_t sampled, lanes;
    bool in_sample;              /* the block adds to the entry's counts; otherwise only its clocks are kept */
    /* for kernels that read clocks: cycles that each warp has spent in this block, and the latest of those that came to a barrier */
    double spent[MOST_WARPS], met;
    bool meets[MOST_WARPS];      /* it is at a barrier */
    double waits[MOST_WARPS];    /* how often the piece of code may have to wait for memory: loads that need no other overlap */
    unsigned warp;               /* that runs */
    uint32_t n_loads[MOST_WARPS];                /* sectors that each warp has loaded */
    uint64_t base_ns;            /* when the launch began */
};

/* sectors.c */
struct touched *sectors_touch(struct touched_set *s, uint64_t sector);           /* NULL: it is full */
struct touched *sectors_slot(const struct touched_set *s, uint64_t sector);      /* the sector's, or the free one where it would be */
void sectors_forget(struct touched_set *s);

/* access.c */
void access_count(struct counter *c, const struct kabi_block *block, const struct details_site *s, uint32_t warp, uint32_t mask, const uint64_t *a);

/* sample.c: from the counted blocks to the grid */
void sample_whole_grid(struct count_entry *e);

#endif
