/* SPDX-License-Identifier: Apache-2.0 */
/* From a sample of blocks to the grid: how much of what they touched is the same, and what that makes of the whole. */
#include "clock/count_internal.h"

#include "base/os.h"
#include "core/mem/mem.h"

#include <math.h>
#include <stdlib.h>

/*
 * Different sectors that all blocks touch, from those that k blocks did: `sum` counted for each block by itself, `different` together.
 * As if each block took its share at random out of U: then k of them have U (1 - (1 - m/U)^k).
 */
static double extrapolate(double sum, double different, double k, double n, double most)
{
    if (k < 1 || sum <= 0)
        return 0;
    double m = sum / k, low = different, high = most > different ? most : different;
    if (k >= n)
        return different;
    if (different >= 0.999 * sum)
        return different * n / k < high ? different * n / k : high;
    if (k < 2)
        return different;
    for (int i = 0; i < 60; i++) {
        double u = (low + high) / 2, power = 1, base = 1 - (m < u ? m / u : 1);
        for (int j = 0; j < (int)k; j++)
            power *= base;
        if (u * (1 - power) < different)
            low = u;
        else
            high = u;
    }
    double rest = 1 - (m < low ? m / low : 1), power = 1;
    for (double left = n; left > 0 && power > 1e-12; left--)
        power *= rest;
    return low * (1 - power);
}

/* One range of memory among what was touched: sectors, lines of DRAM (two sectors), each once and for each block. */
struct range {
    struct mem_info info;
    double read_sum, read, written_sum, written, reads, writes;
    double line_reads, lines_read, line_writes, lines_written;
    double part;                 /* sectors that were written, and not whole, and not read */
    double far_reads, far_writes;
};
enum { MOST_RANGES = 64, CHUNK = 16 };           /* CHUNK: sectors that one part of L2 holds, as its atomics on few words show */

static void add_to_range(struct range *r, const struct touched_set *s, const struct touched *t)
{
    const struct touched *other = sectors_slot(s, (t->sector - 1) ^ 1);
    bool second = !((t->sector - 1) & 1) ? false : other->sector != 0;
    r->read_sum += t->read;
    r->written_sum += t->written;
    r->read += t->read > 0;
    r->written += t->written > 0;
    r->reads += t->reads;
    r->writes += t->writes;
    r->part += t->written && !t->read && t->bytes != UINT32_MAX;
    r->far_reads += t->read ? t->far : 0;
    r->far_writes += t->written ? t->far : 0;
    if (second)
        return;
    uint32_t read = t->read > other->read ? t->read : other->read, written = t->written > other->written ? t->written : other->written;
    r->line_reads += read;
    r->lines_read += read > 0;
    r->line_writes += written;
    r->lines_written += written > 0;
}

static size_t ranges_of(const struct touched_set *s, struct range *out)
{
    size_t n = 0, last = 0;
    for (size_t k = 0; k < s->cap; k++) {
        const struct touched *t = &s->v[k];
        if (!t->sector)
            continue;
        uint64_t at = (t->sector - 1) * 32;
        size_t r = last;
        if (!(r < n && at + 31 >= out[r].info.base && at - out[r].info.base < out[r].info.bytes))
            for (r = 0; r < n && !(at + 31 >= out[r].info.base && (at < out[r].info.base || at - out[r].info.base < out[r].info.bytes)); r++)
                ;
        if (r == n) {
            if (n == MOST_RANGES)
                continue;
            out[n] = (struct range){ 0 };
            if (!mem_lookup(at, &out[n].info) && !mem_lookup(at + 31, &out[n].info))
                out[n].info.base = at, out[n].info.bytes = 1 << 20;
            n++;
        }
        last = r;
        add_to_range(&out[r], s, t);
    }
    return n;
}

/* Atomics on the busiest 512 bytes of all. Those that a single block uses are that block's own. */
static double hottest_of(const struct touched_set *s, double scale)
{
    struct touched_set chunks = { 0 };
    double most = 0;
    for (size_t k = 0; k < s->cap; k++) {
        struct touched *t = s->v[k].turns > 0 ? sectors_touch(&chunks, (s->v[k].sector - 1) / CHUNK) : NULL;
        if (!t)
            continue;
        t->turns += s->v[k].turns * (float)(s->v[k].written > 1 ? scale : 1);
        most = t->turns > most ? t->turns : most;
    }
    hw_free(chunks.v);
    return most;
}

/* What DRAM has to do for a range: it moves lines, and must read those first of which only a part is written. */
static void count_dram(struct gpu_counts *c, const struct range *r, double k, double n, double written, double share_stored)
{
    double most = (double)r->info.bytes / 64 + 1, scale = n / k;
    double lines_read = extrapolate(r->line_reads, r->lines_read, k, n, most), lines_written = extrapolate(r->line_writes, r->lines_written, k, n, most);
    c->dram_read += 64 * lines_read;
    c->dram_written += 64 * lines_written;
    if (written > 0 && share_stored < 0.75)
        c->filled += 64 * lines_written * r->part / r->written;
    c->far_read += 64 * r->far_reads * scale;
    c->far_written += 64 * r->far_writes * scale;
    if (r->far_reads + r->far_writes > 0.5 * (r->read_sum + r->written_sum))
        c->far_span += 64 * (lines_read > lines_written ? lines_read : lines_written);
}

static void scale_counts(struct gpu_counts *c, double k, double scale)
{
    double *sums[] = { &c->accesses, &c->tags, &c->passes, &c->atomics, &c->stores, &c->part_stores, &c->block_read, &c->block_written, &c->read, &c->written };
    for (size_t i = 0; i < HW_LEN(sums); i++)
        *sums[i] *= scale;
    for (int i = 0; i < DETAILS_WORK_COUNT; i++)
        c->work[i] *= scale;
    for (int i = 0; i < GPU_REUSE; i++)
        c->reuse[i] *= scale;
    for (int i = 0; i < DETAILS_PATH_COUNT; i++)
        c->path[i] /= k;
    c->misses /= k;
    c->far_misses /= k;
}

void sample_whole_grid(struct count_entry *e)
{
    struct gpu_counts *c = &e->counts;
    struct range *ranges = hw_alloc(MOST_RANGES * sizeof *ranges);
    double k = (double)e->sampled, n = (double)e->n_blocks, scale = n / k, instructions = 0, all_written = 0;
    for (int i = 0; i < DETAILS_WORK_COUNT; i++)
        instructions += c->work[i];
    c->lanes /= instructions > 0 ? instructions * DETAILS_WORK_UNIT : 1;
    c->worst = e->all_cycles > 0 ? e->worst_cycles / (e->all_cycles / k) : 1;
    scale_counts(c, k, scale);
    c->dram_read = c->read;                      /* what the set did not hold */
    c->dram_written = c->written;
    c->hottest = hottest_of(&e->touched, scale);
    size_t n_ranges = ranges_of(&e->touched, ranges);
    for (size_t i = 0; i < n_ranges; i++)
        all_written += 32 * extrapolate(ranges[i].written_sum, ranges[i].written, k, n, (double)ranges[i].info.bytes / 32 + 1);
    for (size_t i = 0; i < n_ranges; i++) {
        struct range *r = &ranges[i];
        double most = (double)r->info.bytes / 32 + 1;
        double read = 32 * extrapolate(r->read_sum, r->read, k, n, most), written = 32 * extrapolate(r->written_sum, r->written, k, n, most);
        if (r->info.kind == MEM_HOST || r->info.kind == MEM_REGISTERED) {
            c->mapped_different += read > written ? read : written;
            c->mapped_read += 32 * r->reads * scale;             /* no cache keeps it: each time anew */
            c->mapped_written += 32 * r->writes * scale;
            c->block_read -= 32 * r->read_sum * scale;
            c->block_written -= 32 * r->written_sum * scale;
            continue;
        }
        if (r->info.kind == MEM_MANAGED)
            c->managed += read > written ? read : written;
        c->read += read;
        c->written += written;
        count_dram(c, r, k, n, written, e->stored * scale / (all_written > 0 ? all_written : 1));
    }
    hw_free(ranges);
    hw_free(e->touched.v);
    e->touched = (struct touched_set){ 0 };
}
