/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Managed memory moves to the device when a kernel touches it there first, and stays until the host writes to it. What the host does between
 * kernels nobody tells: some words of each allocation are kept from the end of the last kernel, and other ones mean that it was written to.
 */
#include "clock/clock.h"

#include "base/hash.h"
#include "base/lock.h"
#include "core/mem/mem.h"

enum { WORDS = 64 };

struct managed {
    uint64_t base, bytes;
    bool on_device;
    unsigned pending;                            /* kernels that use it and have not ended */
    uint64_t sum;                                /* of some of its words when the last one ended */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct hw_map known;                      /* by base */

/* Words that lie all over it. */
static uint64_t sum_of(const struct managed *m)
{
    uint64_t sum = m->bytes, step = m->bytes / WORDS > 8 ? m->bytes / WORDS & ~(uint64_t)7 : 8, word;
    for (uint64_t at = 0; at + 8 <= m->bytes; at += step) {
        memcpy(&word, (const void *)(uintptr_t)(m->base + at), sizeof word);
        sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
        sum ^= sum >> 31;
    }
    return sum;
}

static struct managed *find_locked(const struct mem_info *info)
{
    struct managed *m = hw_map_get(&known, &info->base, sizeof info->base);
    if (!m) {
        m = hw_alloc(sizeof *m);
        m->base = info->base;
        m->bytes = info->bytes;
        hw_map_set(&known, &m->base, sizeof m->base, m);
    }
    return m;
}

/* Is it where a kernel wants it? While kernels use it the host keeps away. */
static bool has_moved_locked(struct managed *m)
{
    bool moves = !m->on_device || (m->pending == 0 && sum_of(m) != m->sum);
    m->on_device = true;
    return moves;
}

static bool is_listed(const struct sim_cmd *v, uint64_t base)
{
    for (unsigned k = 0; k < v->n_managed; k++)
        if (v->managed[k] == base)
            return true;
    return false;
}

void managed_launch(struct sim_cmd *v, const uint64_t *words, size_t n)
{
    double all = 0, moves = 0;
    struct mem_info info;
    for (size_t k = 0; k < n; k++) {
        if (words[k] < 65536 || !mem_lookup(words[k], &info) || info.kind != MEM_MANAGED || is_listed(v, info.base))
            continue;
        hw_lock(&mu);
        struct managed *m = find_locked(&info);
        all += (double)info.bytes;
        moves += has_moved_locked(m) ? (double)info.bytes : 0;
        if (v->n_managed < HW_LEN(v->managed)) {
            v->managed[v->n_managed++] = info.base;
            m->pending++;
        }
        hw_unlock(&mu);
    }
    v->moves = all > 0 ? moves / all : 1;        /* pointers that are not parameters: as if it moved each time */
}

void managed_finished(const struct sim_cmd *v)
{
    hw_lock(&mu);
    for (unsigned k = 0; k < v->n_managed; k++) {
        struct managed *m = hw_map_get(&known, &v->managed[k], sizeof v->managed[k]);
        if (m && m->pending > 0 && --m->pending == 0)
            m->sum = sum_of(m);
    }
    hw_unlock(&mu);
}

bool managed_prefetch(const struct mem_info *info, bool to_device)
{
    hw_lock(&mu);
    struct managed *m = find_locked(info);
    bool moves = to_device ? has_moved_locked(m) : m->on_device;
    m->on_device = to_device;
    if (to_device && m->pending == 0)
        m->sum = sum_of(m);
    hw_unlock(&mu);
    return moves;
}

void managed_dropped(uint64_t base)
{
    hw_lock(&mu);
    hw_free(hw_map_del(&known, &base, sizeof base));
    hw_unlock(&mu);
}
