/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions in global memory that each thread collects in copies of its own (kabi/private_red.h), which begin with what changes nothing and are merged, by atomic
 * operations, when the thread leaves the job, at the latest a millisecond and a piece of the grid later: who looks on, without any order, sees them move.
 */
#include "exec/internal.h"

#include "base/os.h"

#include <stdatomic.h>

enum { MOST_BYTES = 256 << 10 };         /* of one copy: with more, the second-level cache does not hold it */
enum { LATE_NS = 1000000 };              /* sums of floats wait for the end: where they are rounded must not depend on the clock */

/* The copies are gone through at the end, and each element that is not what it was costs a locked instruction: they must be few beside what is collected. */
static uint64_t worth(const struct exec_launch *l, const struct kabi_red *r)
{
    enum { REUSE = 4, FEW = 1024 };
    uint64_t threads = (uint64_t)l->kl.ntid[0] * l->kl.ntid[1] * l->kl.ntid[2];
    uint64_t blocks = (uint64_t)l->kl.nctaid[0] * l->kl.nctaid[1] * l->kl.nctaid[2];
    double each = (double)threads * (double)blocks * r->times / exec_engine_threads(l->job.engine);
    if (each < FEW)
        return 0;
    return (uint64_t)(each / REUSE < MOST_BYTES / r->bytes ? each / REUSE : MOST_BYTES / r->bytes);
}

uint64_t exec_launch_collect(struct exec_launch *l, uint32_t red, uint64_t base, uint64_t count)
{
    const struct kabi_red *r = &l->kernel->reds.v[red];
    const uint64_t line = KABI_PRIVATE_ALIGN / r->bytes;
    uint64_t skip = (hw_align_up(base, KABI_PRIVATE_ALIGN) - base) / r->bytes, most = hw_align_up(worth(l, r), line);
    if (!most || !l->kernel->alone || l->slices.n_blocks || base % r->bytes || skip >= count)
        return 0;
    count = hw_min_u64(count - skip, most);
    l->tables[l->n_tables++] = (struct exec_table){ base + skip * r->bytes, count, red };
    l->job.leave = exec_private_leave;
    return count;
}

/* What changes nothing. */
static uint64_t neutral(const struct kabi_red *r)
{
    const uint64_t top = (uint64_t)1 << (r->bytes * 8 - 1), all = top | (top - 1);
    switch (r->op) {
    case KABI_RED_AND: case KABI_RED_MIN_U: return all;
    case KABI_RED_MIN_S: return top - 1;
    case KABI_RED_MAX_S: case KABI_RED_ADD_F: return top;       /* -0.0 */
    default: return 0;
    }
}

/* Eight bytes of a copy in which nothing was collected. */
static uint64_t both_halves(const struct kabi_red *r)
{
    uint64_t none = neutral(r);
    return r->bytes == 4 ? none << 32 | none : none;
}

static void fill(char *copy, uint64_t bytes, const struct kabi_red *r)
{
    uint64_t with = both_halves(r);
    for (uint64_t k = 0; with && k < bytes; k += sizeof with)
        memcpy(copy + k, &with, sizeof with);
}

static uint64_t copy_bytes(const struct exec_launch *l, unsigned table)
{
    return hw_align_up(l->tables[table].count * l->kernel->reds.v[l->tables[table].red].bytes, KABI_PRIVATE_ALIGN);
}

/* Memory that is gone by now is the kernel's mistake: it shall find out by itself. */
static bool reachable(const struct exec_table *t, uint64_t bytes)
{
    uint64_t base, end;
    return exec_find_memory && exec_find_memory(t->base, &base, &end) && end - t->base >= bytes;
}

void exec_private_begin(const struct exec_launch *l, struct kabi_block *block)
{
    struct exec_privates *p = &exec_buffers()->privates;
    uint64_t bytes = 0;
    if (!l->n_tables)
        return;
    if (p->of != l) {
        for (unsigned k = 0; k < l->n_tables; k++)
            bytes += copy_bytes(l, k);
        char *at = exec_area_get(&p->area, bytes, EXEC_AREA_OURS);
        if (!at)                         /* no memory: then without */
            return;
        memset(p->v, 0, sizeof p->v);
        for (unsigned k = 0; k < l->n_tables; at += copy_bytes(l, k++)) {
            const struct exec_table *t = &l->tables[k];
            if (!reachable(t, t->count * l->kernel->reds.v[t->red].bytes))
                continue;
            p->v[t->red] = (struct kabi_private){ t->base, t->count, at };
            fill(at, copy_bytes(l, k), &l->kernel->reds.v[t->red]);
        }
        p->of = l;
        p->since = hw_now_ns();
    }
    memcpy(block->privates, p->v, sizeof p->v);
}

/* --- merging --- */

#define EXTREME(type, op)                                                                                               \
    do {                                                                                                                \
        type x = (type)v, old = atomic_load_explicit((_Atomic type *)at, memory_order_relaxed);                         \
        while (x op old && !atomic_compare_exchange_weak_explicit((_Atomic type *)at, &old, x, memory_order_relaxed, memory_order_relaxed)) \
            ;                                                                                                           \
    } while (0)

#define MERGE_SUM(bits, real)                                                                                           \
    static void merge_sum##bits(_Atomic uint##bits##_t *p, uint##bits##_t v)                                            \
    {                                                                                                                   \
        uint##bits##_t old = atomic_load_explicit(p, memory_order_relaxed), fresh;                                      \
        do {                                                                                                            \
            real x, y;                                                                                                  \
            memcpy(&x, &old, sizeof x);                                                                                 \
            memcpy(&y, &v, sizeof y);                                                                                   \
            x += y;                                                                                                     \
            memcpy(&fresh, &x, sizeof x);                                                                               \
        } while (!atomic_compare_exchange_weak_explicit(p, &old, fresh, memory_order_relaxed, memory_order_relaxed));   \
    }
MERGE_SUM(32, float)
MERGE_SUM(64, double)

#define MERGE(bits)                                                                                                     \
    static void merge##bits(enum kabi_red_op op, uint64_t addr, uint64_t v)                                             \
    {                                                                                                                   \
        void *at = (void *)(uintptr_t)addr;                                                                             \
        _Atomic uint##bits##_t *p = at;                                                                                 \
        switch (op) {                                                                                                   \
        case KABI_RED_ADD: atomic_fetch_add_explicit(p, (uint##bits##_t)v, memory_order_relaxed); break;                \
        case KABI_RED_AND: atomic_fetch_and_explicit(p, (uint##bits##_t)v, memory_order_relaxed); break;                \
        case KABI_RED_OR: atomic_fetch_or_explicit(p, (uint##bits##_t)v, memory_order_relaxed); break;                  \
        case KABI_RED_XOR: atomic_fetch_xor_explicit(p, (uint##bits##_t)v, memory_order_relaxed); break;                \
        case KABI_RED_MIN_S: EXTREME(int##bits##_t, <); break;                                                          \
        case KABI_RED_MIN_U: EXTREME(uint##bits##_t, <); break;                                                         \
        case KABI_RED_MAX_S: EXTREME(int##bits##_t, >); break;                                                          \
        case KABI_RED_MAX_U: EXTREME(uint##bits##_t, >); break;                                                         \
        case KABI_RED_ADD_F: merge_sum##bits(p, (uint##bits##_t)v); break;                                              \
        }                                                                                                               \
    }
MERGE(32)
MERGE(64)

/* Most lines of a large table nobody has touched. */
static bool line_is(const char *line, uint64_t word)
{
    uint64_t w[KABI_PRIVATE_ALIGN / 8], other = 0;
    memcpy(w, line, sizeof w);
    for (unsigned k = 0; k < HW_LEN(w); k++)
        other |= w[k] ^ word;
    return !other;
}

static void merge_line(const struct kabi_private *t, const struct kabi_red *r, uint64_t first, uint64_t none)
{
    for (uint64_t k = first; k < first + KABI_PRIVATE_ALIGN / r->bytes && k < t->count; k++) {
        uint64_t v = 0;
        memcpy(&v, t->copy + k * r->bytes, r->bytes);
        if (v != none)
            (r->bytes == 4 ? merge32 : merge64)((enum kabi_red_op)r->op, t->base + k * r->bytes, v);
    }
}

static void merge_table(const struct kabi_private *t, const struct kabi_red *r)
{
    uint64_t none = neutral(r), word = both_halves(r);
    for (uint64_t k = 0; k < t->count; k += KABI_PRIVATE_ALIGN / r->bytes) {
        char *line = t->copy + k * r->bytes;
        bool same = line_is(line, word);
        if (!same)
            merge_line(t, r, k, none);
        if (!same || none)
            memset(line, 0, KABI_PRIVATE_ALIGN);
    }
}

void exec_private_merge(const struct exec_launch *l)
{
    struct exec_privates *p = &exec_buffers()->privates;
    if (p->of != l)
        return;
    for (unsigned k = 0; k < KABI_REDS; k++)
        if (p->v[k].count)
            merge_table(&p->v[k], &l->kernel->reds.v[k]);
    p->of = NULL;
}

void exec_private_drop(const struct exec_launch *l)
{
    struct exec_privates *p = &exec_buffers()->privates;
    for (unsigned k = 0; p->of == l && k < KABI_REDS; k++)
        if (p->v[k].count)
            memset(p->v[k].copy, 0, hw_align_up(p->v[k].count * l->kernel->reds.v[k].bytes, KABI_PRIVATE_ALIGN));
    if (p->of == l)
        p->of = NULL;
}

bool exec_private_late(const struct exec_launch *l)
{
    const struct exec_privates *p = &exec_buffers()->privates;
    for (unsigned k = 0; k < l->n_tables; k++)
        if (l->kernel->reds.v[l->tables[k].red].op == KABI_RED_ADD_F)
            return false;
    return p->of == l && hw_now_ns() - p->since > LATE_NS;
}
