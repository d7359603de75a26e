/* SPDX-License-Identifier: Apache-2.0 */
/* How long a GPU takes for a kernel, from counts: what its units, caches and memory can do, latencies that occupancy does not hide, waves of blocks. */
#ifndef GPU_KERNEL_H
#define GPU_KERNEL_H

#include "gpu/profile.h"
#include "kabi/details.h"

enum { GPU_REUSE = 32 };

/* What a launch does. All but the first rows are sums over the whole grid. */
struct gpu_counts {
    double blocks, warps;                        /* warps: of one block */
    double fit_regs, fit_shared;                 /* registers of a thread, bytes of a block's shared memory */
    double threads;                              /* of one block */
    double work[DETAILS_WORK_COUNT];             /* warp instructions */
    double path[DETAILS_PATH_COUNT];             /* of a block's slowest warp; on average */
    double worst;                                /* the slowest block over the average one */
    double accesses;                             /* sectors that warps ask for, global memory */
    double passes;                               /* of shared memory's banks */
    double tags;                                 /* lines of 128 bytes that warps ask for */
    double atomics;                              /* sectors, and turns of lanes that want the same word */
    double block_read, block_written;            /* bytes in sectors that are new to the block */
    double read, written;                        /* bytes in different sectors */
    double mapped_read, mapped_written, managed; /* bytes of host memory, each time; bytes in different sectors of managed memory */
    double mapped_different;                     /* bytes of host memory in different sectors */
    double lanes;                                /* active, of an instruction */
    double stores, part_stores;                  /* sectors that warps store to: each goes to L2; those that are not whole */
    double hottest;                              /* atomics on the 512 bytes that most of them want: one after the other */
    double misses, far_misses;                   /* of a block's slowest warp, on average: loads of a sector that it never had, and of a line of DRAM */
    double dram_read, dram_written, filled;      /* bytes in different lines of DRAM; filled: written in part, so that they are read first */
    double far_read, far_written, far_span;      /* bytes that blocks ask for anywhere, in lines; bytes in different lines among which they lie */
    double reuse[GPU_REUSE];                     /* loaded sectors that the same warp had before: 2^k to 2^(k+1) bytes of other loads of this warp lie between */
};

enum gpu_limit { GPU_LIMIT_START, GPU_LIMIT_ISSUE, GPU_LIMIT_FLOAT, GPU_LIMIT_INTEGER, GPU_LIMIT_DOUBLE, GPU_LIMIT_SPECIAL, GPU_LIMIT_ACCESS, GPU_LIMIT_SHARED,
                 GPU_LIMIT_MATRIX, GPU_LIMIT_L2, GPU_LIMIT_DRAM, GPU_LIMIT_BUS, GPU_LIMIT_LATENCY, GPU_LIMIT_COUNT };
extern const char *const gpu_limit_names[GPU_LIMIT_COUNT];

struct gpu_result {
    double ns;
    double share;                                /* of the GPU that it holds */
    double move_ns;                              /* beside ns: for managed memory that is not on the device */
    double busy_sms;                             /* multiprocessors that have blocks */
    double occupancy;                            /* of a multiprocessor's warps */
    double part[GPU_LIMIT_COUNT];                /* ns that each would take alone */
    enum gpu_limit limit;
    double of_peak;                              /* of what limits it: the share that it reaches */
};

unsigned gpu_blocks_per_sm(const struct gpu_profile *p, const struct gpu_counts *c);
void gpu_kernel_time(const struct gpu_profile *p, const struct gpu_counts *c, struct gpu_result *out);

#endif
