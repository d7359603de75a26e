/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Few long blocks for many threads: 32 for 16 CPUs of which some are slower, or 17. All that a block has when it stands at a barrier lies in its
 * frame, so it need not stay with the thread that began it. The last blocks of the grid begin together, some for each thread; a thread runs one for a
 * slice of time, up to a barrier, and then goes on with the one of the others that has come the least far. So all come to their ends at about the same time,
 * however fast each thread is.
 *
 * The job has a piece for each block, and one more for each thread: who wakes up when all blocks have begun may still help.
 */
#include "exec/timeslice.h"

#include "base/os.h"

#include <stdatomic.h>

enum { LONG_NS = 50000 };                /* blocks that are worth it */
enum { MANY = 16 };                      /* so many for each thread, and whole ones are as good */
enum { LARGE = 1 << 20 };                /* local memory, in bytes */
enum { SLICES = 8, SHORTEST_NS = 10000, LONGEST_NS = 200000 };           /* what is left of a block is cut into so many, of such lengths */

/*
 * A block that has begun.
 * Lifetime  From its beginning to its end, or to the first fault of its launch.
 * Threads   Of the thread that has it; while it waits, the launch's lock guards it.
 */
struct sliced {
    struct hw_list link;
    struct kabi_block block;
    struct exec_areas *areas;
    uint64_t piece;
    int32_t region;              /* that comes next; below 0: it is over */
    uint64_t turns, ns;          /* regions that ran, and how long */
};

void slices_plan(struct exec_launch *l, uint64_t n, uint64_t ns)
{
    const struct kabi_kernel *k = l->kernel;
    unsigned threads = exec_engine_threads(l->job.engine);
    if (n <= threads || n >= (uint64_t)MANY * threads || ns < LONG_NS || threads < 2 || k->n_regions < 2 || !k->alone || k->details)
        return;
    /* The watchdog ends a block that takes too long, not several in turn; and each that has begun has memory. */
    if (exec_no_help || (uint64_t)l->kl.ntid[0] * l->kl.ntid[1] * l->kl.ntid[2] * k->local_bytes > LARGE)
        return;
    hw_mutex_init(&l->slices.mu, HW_RANK_LEAF);
    hw_list_init(&l->slices.waiting);
    l->slices.n_blocks = n;
    l->slices.block_ns = ns;
    l->job.n_pieces = n + threads;
    l->job.chunk = l->job.least = 1;
    l->job.n_shares = 0;
}

static struct sliced *begin(struct exec_launch *l, uint64_t piece)
{
    struct sliced *b = hw_alloc(sizeof *b);
    b->piece = piece;
    if (!(b->areas = exec_block_begin(&b->block, l, piece, true))) {
        hw_free(b);
        return NULL;
    }
    b->block.pauses = 1;
    return b;
}

static void end(struct sliced *b)
{
    exec_areas_give(b->areas);
    hw_free(b);
}

/* The rest of it is left for later when its time is over. */
static void run_slice(const struct exec_launch *l, struct sliced *b)
{
    const struct kabi_kernel *k = l->kernel;
    uint64_t left = l->slices.block_ns > b->ns ? l->slices.block_ns - b->ns : 0, slice = hw_min_u64(hw_max_u64(left / SLICES, SHORTEST_NS), LONGEST_NS);
    uint64_t start = hw_now_ns(), ran = 0;
    do {
        b->region = kabi_region(k, b->region)(&l->kl, &b->block, b->block.frame);
        b->turns++;
    } while (b->region >= 0 && (ran = hw_now_ns() - start) < slice);
    if (b->region == KABI_MIXED) {
        exec_run_mixed(k, &l->kl, &b->block);
        b->region = KABI_ALL_DONE;
    }
    if (b->region < 0)
        ran = hw_now_ns() - start;
    b->ns += ran;
    if (k->streams)
        hw_store_fence();
}

static bool all_begun(const struct exec_launch *l)
{
    return atomic_load_explicit(&l->job.next, memory_order_relaxed) >= l->slices.n_blocks;
}

/* The last blocks of the grid begin early, so that they come to their ends with the others; those before them have a thread to themselves. None begins
   while a more urgent kernel waits. */
static bool begins_another(const struct slices *s)
{
    uint64_t next = atomic_load_explicit(&s->launch->job.next, memory_order_relaxed), n = s->launch->slices.n_blocks;
    return next < n && (!s->now || n - next <= 2 * exec_engine_threads(s->launch->job.engine)) && !exec_urgent_waits(exec_runner());
}

/* The list is in order, those that have come the least far first: who comes is seldom far from its end. */
static void wait_locked(struct exec_launch *l, struct sliced *b)
{
    struct hw_list *before = l->slices.waiting.prev;
    while (before != &l->slices.waiting && hw_list_item(before, struct sliced, link)->turns > b->turns)
        before = before->prev;
    hw_list_add_before(before->next, &b->link);
}

static void wait_for_turn(struct exec_launch *l, struct sliced *b)
{
    hw_lock(&l->slices.mu);
    wait_locked(l, b);
    hw_unlock(&l->slices.mu);
}

/* Of those that wait, the one that has come the least far, for `own`, which may be none. The thread does not keep its own even if that is behind them: it may be
   because the thread is slow. */
static struct sliced *exchange(struct exec_launch *l, struct sliced *own)
{
    struct sliced *last = NULL;
    hw_lock(&l->slices.mu);
    if (!hw_list_empty(&l->slices.waiting)) {
        last = hw_list_item(l->slices.waiting.next, struct sliced, link);
        hw_list_del(&last->link);
        if (own)
            wait_locked(l, own);
    }
    hw_unlock(&l->slices.mu);
    return last ? last : own;
}

/* False: no memory for a block. */
static bool next_block(struct slices *s)
{
    struct exec_launch *l = s->launch;
    uint64_t piece;
    if (s->now && s->now->region < 0) {
        if (s->now->piece == 0)
            exec_note_time(l, s->now->ns);
        end(s->now);
        s->now = NULL;
    }
    exec_alive();
    if (begins_another(s) && exec_another(&l->job, &piece) && piece < l->slices.n_blocks) {
        if (s->now)
            wait_for_turn(l, s->now);
        return (s->now = begin(l, piece)) != NULL;
    }
    s->now = exchange(l, s->now);
    if (!s->now && all_begun(l))
        exec_cancel(&l->job);            /* no thread is needed besides those that have a block */
    return true;
}

/* A timeout does not end the kernel while lists change. */
static void change(struct slices *s, bool first)
{
    exec_service(true);
    bool ok = first && s->first < s->launch->slices.n_blocks ? (s->now = begin(s->launch, s->first)) != NULL : next_block(s);
    exec_service(false);
    if (!ok)
        exec_fault_raise(EXEC_FAULT_TRAP, 0, 0);
}

void slices_run(struct slices *s, struct exec_scope *scope)
{
    struct exec_buffers *buffers = exec_buffers();
    change(s, true);
    while (s->now && !atomic_load_explicit(&s->launch->fault, memory_order_relaxed)) {
        buffers->now = s->now->areas;
        scope->block = &s->now->block;
        run_slice(s->launch, s->now);
        change(s, false);
    }
}

/* After a fault, what waits is nobody's: each thread leaves in this way, so the last one finds all that is left. */
void slices_fini(struct slices *s)
{
    struct exec_buffers *buffers = exec_buffers();
    struct exec_launch *l = s->launch;
    buffers->now = &buffers->own;
    if (s->now)
        end(s->now);
    while (atomic_load_explicit(&l->fault, memory_order_relaxed) && (s->now = exchange(l, NULL)))
        end(s->now);
}
