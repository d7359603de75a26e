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

/* One range of memory among what was touched. */
struct range {
    struct mem_info info;
    double read_sum, read, written_sum, written, reads, writes;
};
enum { MOST_RANGES = 64 };

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
        out[r].read_sum += t->read;
        out[r].written_sum += t->written;
        out[r].read += t->read > 0;
        out[r].written += t->written > 0;
        out[r].reads += t->reads;
        out[r].writes += t->writes;
    }
    return n;
}

/* Atomics on the busiest word of all. One that a single block uses is that block's own. */
static double hottest_of(const struct touched_set *s, double scale)
{
    double most = 0;
    for (size_t k = 0; k < s->cap; k++)
        if (s->v[k].sector && s->v[k].turns * (s->v[k].written > 1 ? scale : 1) > most)
            most = s->v[k].turns * (s->v[k].written > 1 ? scale : 1);
    return most;
}

void sample_whole_grid(struct count_entry *e)
{
    struct gpu_counts *c = &e->counts;
    struct range *ranges = hw_alloc(MOST_RANGES * sizeof *ranges);
    double k = (double)e->sampled, n = (double)e->n_blocks, scale = n / k, instructions = 0;
    for (int i = 0; i < DETAILS_WORK_COUNT; i++) {
        instructions += c->work[i];
        c->work[i] *= scale;
    }
    for (int i = 0; i < DETAILS_PATH_COUNT; i++)
        c->path[i] /= k;
    c->lanes /= instructions > 0 ? instructions * DETAILS_WORK_UNIT : 1;
    c->worst = e->all_cycles > 0 ? e->worst_cycles / (e->all_cycles / k) : 1;
    c->accesses *= scale;
    c->passes *= scale;
    c->atomics *= scale;
    c->stores *= scale;
    for (int i = 0; i < GPU_REUSE; i++)
        c->reuse[i] *= scale;
    c->hottest = hottest_of(&e->touched, scale);
    c->block_read *= scale;
    c->block_written *= scale;
    c->read *= scale;                            /* what the set did not hold */
    c->written *= scale;
    size_t n_ranges = ranges_of(&e->touched, ranges);
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
    }
    hw_free(ranges);
    hw_free(e->touched.v);
    e->touched = (struct touched_set){ 0 };
}
