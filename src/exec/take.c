/* SPDX-License-Identifier: Apache-2.0 */
/* Handing out the pieces of a job: in order, by shares, what came back from stuck threads, and what others have not begun. */
#include "exec/pool_internal.h"

uint64_t exec_claim(struct exec_runner *r, uint64_t least, uint64_t most)
{
    uint64_t v = atomic_load_explicit(&r->held->range, memory_order_relaxed), n, left;
    do {
        if (!(left = range_left(v)))
            return 0;
        n = hw_min_u64(left, hw_min_u64(most, hw_max_u64(least, left / 2)));
    } while (!atomic_compare_exchange_weak_explicit(&r->held->range, &v, v + (n << PLACE_BITS), memory_order_relaxed, memory_order_relaxed));
    atomic_store_explicit(&r->held->started_tick, r->engine->tick, memory_order_relaxed);
    return n;
}

/* Pieces that came back are slow ones: one at a time. */
static uint64_t take_returned(struct exec_engine *e, struct exec_job *job, uint64_t *out_first)
{
    struct exec_range *done = NULL;
    hw_lock(&e->mu);
    struct exec_range *range = job->returned;
    bool any = range != NULL;
    if (any) {
        *out_first = range->first++;
        if (--range->count == 0) {
            job->returned = range->next;
            job->n_returned--;
            done = range;
        }
    }
    if (job->queued && !job_has_pieces(job))
        pool_unqueue_locked(e, job);
    hw_unlock(&e->mu);
    hw_free(done);
    return any;
}

static uint64_t next_count(const struct exec_job *job, uint64_t left, uint64_t parts)
{
    uint64_t part = parts ? left / parts : left;
    uint64_t chunk = atomic_load_explicit(&job->chunk, memory_order_relaxed), least = atomic_load_explicit(&job->least, memory_order_relaxed);
    return hw_min_u64(left, hw_min_u64(chunk, hw_max_u64(part, least)));
}

static uint64_t share_begin(const struct exec_job *job, unsigned share)
{
    return job->n_pieces / job->n_shares * share + hw_min_u64(share, job->n_pieces % job->n_shares);
}

/* From the thread's own share, or a part of the next that has some: that one's thread may still come. */
static uint64_t take_of_shares(struct exec_job *job, uint64_t *out_first)
{
    for (unsigned k = 0; k < job->n_shares; k++) {
        unsigned share = (pool_running->home + k) % job->n_shares;
        uint64_t begin = share_begin(job, share), n = share_begin(job, share + 1) - begin, count;
        uint64_t at = atomic_load_explicit(&job->taken[share], memory_order_relaxed);
        while (at < n) {
            count = next_count(job, n - at, k ? 2 : 1);
            if (atomic_compare_exchange_weak_explicit(&job->taken[share], &at, at + count, memory_order_relaxed, memory_order_relaxed)) {
                *out_first = begin + at;
                return count;
            }
        }
    }
    return 0;
}

/* The first of all that nobody took. */
static uint64_t take_in_order(struct exec_job *job, uint64_t *out_first)
{
    uint64_t first = atomic_load_explicit(&job->next, memory_order_relaxed), count;
    do {
        if (first >= job->n_pieces)
            return 0;
        count = next_count(job, job->n_pieces - first, job->parts);
    } while (!atomic_compare_exchange_weak_explicit(&job->next, &first, first + count, memory_order_relaxed, memory_order_relaxed));
    *out_first = first;
    return count;
}

/* The one with the longest way to go, and how long half of that takes. */
static struct exec_held *longest_way(struct exec_engine *e, struct exec_job *job, uint64_t *out_range, uint64_t *out_ns)
{
    struct exec_held *longest = NULL;
    *out_ns = 0;
    for (uint64_t used = atomic_load_explicit(&e->held_used, memory_order_relaxed); used; used &= used - 1) {
        struct exec_held *h = &e->held[__builtin_ctzll(used)];
        uint64_t v = atomic_load_explicit(&h->range, memory_order_acquire);
        uint64_t ns = (range_left(v) + 1) / 2 * atomic_load_explicit(&h->piece_ns, memory_order_relaxed);
        if (ns > *out_ns && h != pool_running->held && atomic_load_explicit(&h->job, memory_order_acquire) == job) {
            longest = h;
            *out_range = v;
            *out_ns = ns;
        }
    }
    return longest;
}

/* All pieces have been taken, but some thread has many before it: half of them, if that is worth the trouble. Without a lock: at the end of a job
   all its threads come here. */
static uint64_t take_from_others(struct exec_engine *e, struct exec_job *job, uint64_t *out_first)
{
    uint64_t range = 0, ns;
    while (!atomic_load_explicit(&job->spent, memory_order_relaxed)) {
        struct exec_held *h = longest_way(e, job, &range, &ns);
        uint64_t n = (range_left(range) + 1) / 2;
        if (ns < EXEC_REST_NS)
            atomic_store_explicit(&job->spent, true, memory_order_relaxed);
        else if (range_cut(h, range, n, out_first))
            return n;
    }
    return 0;
}

/* Takes the next chunk. Who takes the last one takes the job off the list, so that what is listed has work to give. */
uint64_t take_pieces(struct exec_engine *e, struct exec_job *job, uint64_t *out_first)
{
    if (atomic_load_explicit(&job->cancelled, memory_order_relaxed))
        return 0;
    if (hw_unlikely(atomic_load_explicit(&job->n_returned, memory_order_relaxed)) && take_returned(e, job, out_first))
        return 1;
    uint64_t count, all;
    if (job->n_shares) {
        count = take_of_shares(job, out_first);
        if (!count)
            return take_from_others(e, job, out_first);
        all = atomic_fetch_add_explicit(&job->next, count, memory_order_relaxed) + count;
    } else {
        count = take_in_order(job, out_first);
        all = *out_first + count;
    }
    if (count && all == job->n_pieces) {
        hw_lock(&e->mu);
        if (job->queued && !job_has_pieces(job))
            pool_unqueue_locked(e, job);
        hw_unlock(&e->mu);
    }
    return count;
}

void take_drop_returned(struct exec_job *job)
{
    for (struct exec_range *r = job->returned, *next; r; r = next) {
        next = r->next;
        hw_free(r);
    }
    job->returned = NULL;
}
