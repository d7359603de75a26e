/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a kernel's time. docs/predicting.md explains it. */
#include "gpu/kernel.h"

#include <math.h>

const char *const gpu_limit_names[GPU_LIMIT_COUNT] = { "launch", "issue", "float units", "integer units", "double units", "special units", "load/store units",
                                                       "shared memory", "matrix units", "L2", "DRAM", "bus", "latency" };

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

unsigned gpu_blocks_per_sm(const struct gpu_profile *p, const struct gpu_counts *c)
{
    double warp_regs = ceil(c->fit_regs * 32 / 256) * 256, shared = ceil((c->fit_shared + p->shared_reserved * 1024) / 128) * 128;
    double n = least(p->blocks_sm, floor(p->threads_sm / (c->warps * 32)));
    if (shared > 0)
        n = least(n, floor(p->shared_sm * 1024 / shared));
    if (warp_regs > 0)
        n = least(n, floor(floor(p->regs_sm / 4 / warp_regs) * 4 / c->warps));
    return n < 1 ? 1 : (unsigned)n;
}

/* Loads of something that the same warp had before, and that a cache has lost since: all warps which share that cache load as much in between. What warps of a block
   have in common is there once. */
static double lost(const struct gpu_counts *c, double cache_bytes, double warps)
{
    double again = 0, n = 0;
    for (int k = 0; k < GPU_REUSE; k++)
        again += c->reuse[k];
    double own = least(1, (c->block_read + c->block_written) / 32 / most(c->accesses - again, 1));
    for (int k = 0; k < GPU_REUSE; k++)
        n += 1.4 * ldexp(1, k) * warps * own > cache_bytes ? c->reuse[k] : 0;
    return 32 * n;
}

static double blocks_there(const struct gpu_profile *p, const struct gpu_counts *c) { return least(gpu_blocks_per_sm(p, c), ceil(c->blocks / p->sms)); }

static double lost_by_l1(const struct gpu_profile *p, const struct gpu_counts *c)
{
    double blocks = blocks_there(p, c);
    return lost(c, most(0, p->l1_kib * 1024 - blocks * c->fit_shared), blocks * c->warps);
}

static double lost_by_l2(const struct gpu_profile *p, const struct gpu_counts *c)
{
    return lost(c, p->l2_kib * 1024, least(c->blocks, p->sms * blocks_there(p, c)) * c->warps);
}

/* Cycles that a block's slowest warp waits for loads: of all its waits, as many are long as loads missed L1, and L2. What all blocks load is new to those that run first. */
static double load_cycles(const struct gpu_profile *p, const struct gpu_counts *c)
{
    double waits = c->path[DETAILS_PATH_STREAM] + c->path[DETAILS_PATH_GLOBAL], rounds = c->blocks / (p->sms * gpu_blocks_per_sm(p, c));
    double again = c->block_read > 0 ? lost_by_l1(p, c) / c->block_read : 0;
    double beyond_l1 = p->l1_kib > 0 ? least(waits, c->misses * (1 + again)) : waits;
    double first = most(least(1, c->read / most(c->block_read, 1)), least(1, 1 / most(rounds, 1)));
    return waits * p->cycles_l1 + beyond_l1 * (p->cycles_l2 - p->cycles_l1) + least(waits, c->far_misses) * first * (p->cycles_dram - p->cycles_l2);
}

/* Of a block, when nothing else is in its way. */
static double block_cycles(const struct gpu_profile *p, const struct gpu_counts *c)
{
    return load_cycles(p, c) + c->path[DETAILS_PATH_STALL] + c->path[DETAILS_PATH_ALU] * p->cycles_alu + c->path[DETAILS_PATH_SPECIAL] * p->cycles_special + c->path[DETAILS_PATH_SHARED] * p->cycles_shared
        + c->path[DETAILS_PATH_ATOMIC] * p->cycles_dram + c->path[DETAILS_PATH_WARP] * p->cycles_shared + c->path[DETAILS_PATH_BARRIER] * p->cycles_barrier * (0.5 + c->warps / 16);   /* measured: 15 cycles of one warp, 29 of 8, 77 of 32 */
}

/* Bytes of DRAM for what blocks ask for anywhere: as far as L2 does not hold it all, each time; and only half as fast, for each opens another page. */
static double scattered(double asked, double span, double kept)
{
    double different = least(asked, span), missed = asked * (1 - least(1, kept / most(span, 1)));
    return 2 * most(different, missed) - different;
}

/* Writes stay in L2 as far as they fit: measured, a third of it. A write costs half as much again as a read, for the memory's bus turns around. */
static double dram_ns(const struct gpu_profile *p, const struct gpu_counts *c)
{
    double l2 = p->l2_kib * 1024, out = most(0, c->dram_written - 0.35 * l2), in = c->dram_read + c->filled;
    if (c->far_span > 0.5 * l2) {
        in += scattered(c->far_read, c->far_span, 0.5 * l2) + (c->filled > 0 ? scattered(c->far_written, c->far_span, 0.35 * l2) : 0);
        out += scattered(c->far_written, c->far_span, 0.35 * l2);
    }
    return (in + lost_by_l2(p, c) + 1.5 * out) / (p->dram_gbs * p->dram_share);
}

/* A part of a sector, and an atomic, are read and written there. */
static double l2_ns(const struct gpu_profile *p, const struct gpu_counts *c)
{
    return most((c->block_read + lost_by_l1(p, c) + 32 * (c->stores + c->part_stores + c->atomics)) / p->l2_gbs, c->hottest * p->atomic_ns);
}

void gpu_kernel_time(const struct gpu_profile *p, const struct gpu_counts *c, struct gpu_result *out)
{
    double fit = gpu_blocks_per_sm(p, c), total = 0, cycle = 1e3 / p->sm_mhz;
    double busy = least(c->blocks, p->sms), rounds = c->blocks / (p->sms * fit);
    /* the multiprocessor with most blocks, as long as they are few */
    double per_sm = rounds < 4 ? ceil(c->blocks / p->sms) : c->blocks / p->sms, part = per_sm / c->blocks;
    *out = (struct gpu_result){ .busy_sms = busy, .occupancy = least(1, least(fit, ceil(c->blocks / p->sms)) * c->warps * 32 / p->threads_sm) };
    for (int k = 0; k < DETAILS_WORK_COUNT; k++)
        total += c->work[k];
    double *t = out->part;
    t[GPU_LIMIT_START] = p->kernel_ns;
    t[GPU_LIMIT_ISSUE] = total * part / p->issue * cycle;
    t[GPU_LIMIT_FLOAT] = c->work[DETAILS_WORK_FLOAT] * part * 32 / p->lanes_float * cycle;
    t[GPU_LIMIT_INTEGER] = c->work[DETAILS_WORK_INTEGER] * part * 32 / p->lanes_int * cycle;
    t[GPU_LIMIT_DOUBLE] = c->work[DETAILS_WORK_DOUBLE] * part * 32 / p->lanes_double * cycle;
    t[GPU_LIMIT_SPECIAL] = c->work[DETAILS_WORK_SPECIAL] * part * 32 / p->lanes_special * cycle;
    t[GPU_LIMIT_ACCESS] = most(c->work[DETAILS_WORK_MEMORY] * 32 / p->lanes_memory, most(c->accesses / 4, c->tags)) * part * cycle;
    t[GPU_LIMIT_SHARED] = (c->passes + c->work[DETAILS_WORK_WARP]) * part * cycle;
    t[GPU_LIMIT_MATRIX] = p->matrix > 0 ? c->work[DETAILS_WORK_MATRIX] * part * 2048 / p->matrix * cycle : c->work[DETAILS_WORK_MATRIX] * part * 64 * cycle;
    t[GPU_LIMIT_L2] = l2_ns(p, c);
    t[GPU_LIMIT_DRAM] = dram_ns(p, c);
    t[GPU_LIMIT_BUS] = most(c->mapped_read / p->zero_read_gbs, c->mapped_written / p->zero_write_gbs);
    t[GPU_LIMIT_LATENCY] = block_cycles(p, c) * most(rounds, 1) * (rounds < 1 ? c->worst : 1) * cycle;
    /* What the units of a kind need is one after the other or the same; kinds overlap, but not fully. */
    double compute = 0, chip = most(t[GPU_LIMIT_ACCESS], t[GPU_LIMIT_SHARED]), memory = most(t[GPU_LIMIT_L2], t[GPU_LIMIT_DRAM]);
    for (int k = GPU_LIMIT_ISSUE; k <= GPU_LIMIT_SPECIAL; k++)
        compute = most(compute, t[k]);
    compute = most(compute, t[GPU_LIMIT_MATRIX]);
    out->limit = GPU_LIMIT_ISSUE;
    for (int k = GPU_LIMIT_ISSUE; k < GPU_LIMIT_COUNT; k++)
        if (t[k] > t[out->limit])
            out->limit = (enum gpu_limit)k;
    double bus = t[GPU_LIMIT_BUS], latency = t[GPU_LIMIT_LATENCY];
    double work = sqrt(compute * compute + chip * chip + memory * memory + bus * bus + latency * latency);
    work = most(work, c->blocks * p->block_ns);  /* blocks are handed out one after the other */
    out->ns = p->kernel_ns + work;
    out->move_ns = c->managed / p->migrate_gbs;
    out->of_peak = t[out->limit] / out->ns;
    if (work < p->kernel_ns)
        out->limit = GPU_LIMIT_START;
    out->share = least(1, rounds);
}
