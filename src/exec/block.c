/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the blocks of a grid: regions, rounds at barriers, and what happens when one faults. */
#include "exec/internal.h"

#include "base/options.h"
#include "base/log.h"
#include "base/os.h"
#include "exec/groups.h"
#include "exec/coop_sched.h"
#include "exec/timeslice.h"

#include <stdatomic.h>
#include <stdio.h>

enum { BLOCKS_AT_ONCE = 32 };
#define MOST_LOCAL ((uint64_t)1 << 30)           /* of a block: code counts in 32 bits with a sign; 1,024 threads with 512 KiB each, which is CUDA's limit, have half of it */

/* Nothing in this block can run: it waits for what will never come, as it would on a device. HOSTWARP_TIMEOUT ends it. */
static void stuck(void)
{
    static _Atomic uint32_t never;
    hw_futex_wait(&never, 0, 1000000);
}

/* Groups are at different places: those that can run take turns, and what they wait for is looked at after every round. */
void exec_run_mixed(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block)
{
    uint32_t *state = (uint32_t *)(void *)block->frame;
    while (!groups_all_done(k, state)) {
        bool ran = groups_run(k, kl, block, 0, k->n_warps), moved = groups_release(k, block, false);
        if (!ran && !moved && !groups_all_done(k, state)) {
            exec_details_stuck(block);
            stuck();
        }
    }
    if (hw_unlikely(block->details))
        exec_details_join(block);
}

/* What a kernel reads before it writes there is undefined: two runs from different contents tell. */
static void fill_areas(const struct exec_areas *a)
{
    memset(a->shared.base, 0xa5, a->shared.bytes);
    if (a->local.base)
        memset(a->local.base, 0xa5, a->local.bytes);
}

/* From the last thread to the first; there is no barrier. */
static void run_backwards(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block)
{
    for (uint32_t g = k->n_warps; g-- > 0;) {
        block->first_group = g;
        block->end_group = g + 1;
        k->regions[0](kl, block, block->frame);
    }
}

/* True: the block has another iteration to make. */
static bool visit(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block)
{
    block->more = 0;
    kabi_region(k, 0)(kl, block, block->frame);
    return block->more != 0;
}

static void run_block(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block)
{
    int32_t r = 0;
    if (k->visits) {
        for (block->visit = 0; visit(k, kl, block);)
            block->visit++;
        return;
    }
    if (k->header_bytes)
        memset(block->frame, 0, k->header_bytes);
    if (hw_unlikely(exec_launch_of(block)->filled))
        fill_areas(exec_buffers()->now);
    if (hw_unlikely(exec_launch_of(block)->backwards) && k->n_regions == 1) {
        run_backwards(k, kl, block);
        return;
    }
    while (r >= 0)
        r = kabi_region(k, r)(kl, block, block->frame);
    if (r == KABI_MIXED)
        exec_run_mixed(k, kl, block);
}

static void set_ctaid(struct kabi_block *block, const struct kabi_launch *kl, uint64_t index)
{
    const struct exec_launch *l = hw_container_of(kl, struct exec_launch, kl);
    if (hw_unlikely(l->backwards))
        index = l->job.n_pieces - 1 - index;
    block->ctaid[0] = (uint32_t)(index % kl->nctaid[0]);
    index /= kl->nctaid[0];
    block->ctaid[1] = (uint32_t)(index % kl->nctaid[1]);
    block->ctaid[2] = (uint32_t)(index / kl->nctaid[1]);
}

static void ctaid_before(struct kabi_block *block, const struct kabi_launch *kl)
{
    if (block->ctaid[0]-- > 0)
        return;
    block->ctaid[0] = kl->nctaid[0] - 1;
    if (block->ctaid[1]-- > 0)
        return;
    block->ctaid[1] = kl->nctaid[1] - 1;
    block->ctaid[2]--;
}

static void next_ctaid(struct kabi_block *block, const struct kabi_launch *kl)
{
    if (hw_unlikely(hw_container_of(kl, struct exec_launch, kl)->backwards)) {
        ctaid_before(block, kl);
        return;
    }
    if (++block->ctaid[0] < kl->nctaid[0])
        return;
    block->ctaid[0] = 0;
    if (++block->ctaid[1] < kl->nctaid[1])
        return;
    block->ctaid[1] = 0;
    block->ctaid[2]++;
}

/* Said once per launch, by the thread whose fault came first. An assertion has already said its own line. */
static void report(struct exec_launch *launch, const struct exec_scope *s)
{
    static const char *const what[] = {
        [EXEC_FAULT_ADDRESS] = "illegal memory access", [EXEC_FAULT_SHARED] = "access outside of shared memory",
        [EXEC_FAULT_MISALIGNED] = "misaligned address", [EXEC_FAULT_INSTRUCTION] = "illegal instruction",
        [EXEC_FAULT_TRAP] = "trap", [EXEC_FAULT_MEMORY] = "no host memory",
        [EXEC_FAULT_TIMEOUT] = "made no progress for HOSTWARP_TIMEOUT seconds", [EXEC_FAULT_ARITHMETIC] = "arithmetic exception",
    };
    int expected = EXEC_OK, fault = s->fault;
    if (!atomic_compare_exchange_strong(&launch->fault, &expected, fault) || fault == EXEC_FAULT_ASSERT)
        return;
    if (exec_alone)
        return;
    char near[200] = "", where[400] = "", at[32] = "";
    bool has_addr = fault == EXEC_FAULT_ADDRESS || fault == EXEC_FAULT_SHARED || fault == EXEC_FAULT_MISALIGNED;
    if (has_addr)
        snprintf(at, sizeof at, " at 0x%llx", (unsigned long long)s->addr);
    if (has_addr && fault != EXEC_FAULT_SHARED && exec_describe_address)
        exec_describe_address(s->addr, near, sizeof near);
    if (s->line && exec_describe_line)
        exec_describe_line(launch, s->line, where, sizeof where);
    if (s->line && !*where)
        snprintf(where, sizeof where, ", PTX line %u", (unsigned)s->line);
    const uint32_t *b = s->block->ctaid;
    char *name = hw_demangle(launch->kernel->name);
    hw_error("kernel %s, block [%u,%u,%u]%s: %s%s%s%s%s", name, b[0], b[1], b[2], where, what[fault], at, *near ? ": " : "", near,
             has_addr && !*where && !hw_options()->check[0] ? "; `hostwarp check` names the line" : "");
    hw_free(name);
}

/* Claiming takes as long as a small block, and waits until what the last one stored is there. Blocks that wait for no other: several at once,
   but not many that may be long: what is claimed nobody else can take. */
static uint64_t blocks_at_once(const struct exec_launch *l, uint64_t ns)
{
    enum { WORTH_NS = 20000 };
    if (l->kernel->streams || l->kernel->visits)
        return BLOCKS_AT_ONCE;
    return l->kernel->alone && ns ? hw_max_u64(1, hw_min_u64(WORTH_NS / ns, BLOCKS_AT_ONCE)) : 1;
}

/* Blocks one after another: how many there are, then how many it were, for others may have taken some meanwhile. */
struct in_order {
    struct exec_launch *launch;
    struct kabi_block block;
    uint64_t count;
    uint64_t since, claimed;             /* when it claimed how many */
};

/* Blocks of one grid may differ: who takes some from this thread should know how long its own take. */
static uint64_t claim_blocks(struct in_order *o, struct exec_runner *runner)
{
    struct exec_launch *l = o->launch;
    uint64_t ns = atomic_load_explicit(&l->pace_ns, memory_order_relaxed);
    if (l->job.n_shares) {
        uint64_t now = hw_now_ns(), own = (now - o->since) / o->claimed;
        o->since = now;
        ns = hw_max_u64(ns, own);
        exec_piece_takes(runner, hw_max_u64(l->job.piece_ns, own));
    }
    uint64_t most = blocks_at_once(l, ns);
    return o->claimed = exec_claim(runner, hw_min_u64(most, atomic_load_explicit(&l->job.least, memory_order_relaxed)), most);
}

/* Neighbouring blocks in lockstep: one iteration of each, then the next; together they go through memory front to back. Ends at the last block. */
static void run_in_lockstep(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block, uint64_t n)
{
    uint32_t first[3];
    memcpy(first, block->ctaid, sizeof first);
    bool more = true;
    for (block->visit = 0; more; block->visit++) {
        more = false;
        memcpy(block->ctaid, first, sizeof first);
        for (uint64_t b = 0; b < n; b++) {
            if (b)
                next_ctaid(block, kl);
            more |= visit(k, kl, block);
        }
    }
}

/* As run_in_order(): what is claimed is run together. */
static void run_visits(void *what, struct exec_scope *scope)
{
    struct in_order *o = what;
    struct exec_launch *launch = o->launch;
    struct exec_runner *runner = exec_runner();
    scope->block = &o->block;
    uint64_t n = 0;
    for (uint64_t ours = 1; ours;) {
        ours = hw_min_u64(ours, o->count - n);
        run_in_lockstep(launch->kernel, &launch->kl, &o->block, ours);
        n += ours;
        if (n == o->count || hw_unlikely(atomic_load_explicit(&launch->fault, memory_order_relaxed)))
            break;
        ours = claim_blocks(o, runner);
        if (ours)
            next_ctaid(&o->block, &launch->kl);
    }
    o->count = n;
}

static void run_in_order(void *what, struct exec_scope *scope)
{
    struct in_order *o = what;
    struct exec_launch *launch = o->launch;
    struct exec_runner *runner = exec_runner();
    scope->block = &o->block;
    uint64_t n = 0;
    for (uint64_t ours = 1;;) {
        if (hw_unlikely(o->block.details))
            exec_details_block(&o->block);
        run_block(launch->kernel, &launch->kl, &o->block);
        if (++n == o->count || hw_unlikely(atomic_load_explicit(&launch->fault, memory_order_relaxed))
            || (--ours == 0 && !(ours = claim_blocks(o, runner))))
            break;
        next_ctaid(&o->block, &launch->kl);
    }
    o->count = n;
}

static void run_rounds(void *what, struct exec_scope *scope)
{
    rounds_run(what, scope);
}

static void run_slices(void *what, struct exec_scope *scope)
{
    slices_run(what, scope);
}

/* Not inlined, so that nothing the jump could spoil lives in registers of this frame's callers. */
static __attribute__((noinline)) void run_guarded(struct exec_launch *launch, void (*run)(void *what, struct exec_scope *scope), void *what)
{
    static struct kabi_block none;       /* there is no memory for the first one */
    struct exec_scope scope;
    scope.block = &none;
    scope.fault = EXEC_OK;
    if (sigsetjmp(scope.env, 0)) {
        if (scope.fault == EXEC_FAULT_TIMEOUT)
            exec_fault_unblock();
        report(launch, &scope);
        exec_cancel(&launch->job);
        return;
    }
    exec_scope_set(&scope);
    run(what, &scope);
    exec_scope_set(NULL);
}

/* A quarter of the way to the newest figure. */
void exec_note_time(struct exec_launch *l, uint64_t ns)
{
    enum { SHORT_NS = 20000 };
    if (!l->block_ns)
        return;
    uint64_t old = atomic_load_explicit(l->block_ns, memory_order_relaxed), now = old ? (old * 3 + ns) / 4 : ns;
    now = now < 1 ? 1 : now > 1000000000 ? 1000000000 : now;
    /* Every launch reads it: of short kernels, small changes are not worth taking the memory from the CPU that launches. */
    if (now > SHORT_NS || now > old + old / 8 || now < old - old / 8)
        atomic_store_explicit(l->block_ns, (uint32_t)now, memory_order_relaxed);
}

uint64_t exec_local_bytes(const struct exec_launch *l)
{
    const struct kabi_kernel *k = l->kernel;
    uint64_t lanes = (uint64_t)k->width * k->chunks;
    return hw_max_u64((uint64_t)l->kl.ntid[0] * l->kl.ntid[1] * l->kl.ntid[2], k->n_warps * lanes) * k->local_bytes;
}

static bool block_init(struct kabi_block *block, struct exec_launch *launch, struct exec_areas *areas, uint64_t index)
{
    const struct kabi_kernel *k = launch->kernel;
    uint64_t local = exec_local_bytes(launch);
    *block = (struct kabi_block){ .launch = &launch->kl, .smid = exec_thread_index(), .end_group = k->n_warps };
    block->shared = exec_area_get(&areas->shared, hw_max_u64(launch->kl.shared_bytes, k->shared_room), EXEC_AREA_OFFSETS);
    block->frame = exec_area_get(&areas->frame, k->frame_bytes, EXEC_AREA_OURS);
    block->local = !local ? exec_area_none() : local <= MOST_LOCAL ? exec_area_get(&areas->local, local, EXEC_AREA_OFFSETS) : NULL;
    if (!block->shared || !block->frame || !block->local) {
        hw_error("kernel %s: no host memory for a block", k->name);
        return false;
    }
    set_ctaid(block, &launch->kl, index);
    return true;
}

struct exec_areas *exec_block_begin(struct kabi_block *block, struct exec_launch *launch, uint64_t index, bool moves)
{
    struct exec_areas *areas = exec_areas_take(moves);
    if (!block_init(block, launch, areas, index)) {
        exec_areas_give(areas);
        return NULL;
    }
    memset(block->frame, 0, launch->kernel->header_bytes);
    if (hw_unlikely(launch->filled))
        fill_areas(areas);
    return areas;
}

static bool takes_turns(const struct kabi_kernel *k)
{
    return k->fair || k->turns;
}

/*
 * How many blocks a thread takes at a time. Unknown kernels: so that every thread comes several times, at most 16. Known ones: as
 * many threads as have some microseconds of work each, for waking one and passing the job around costs that much. The watchdog
 * takes back what a stuck thread holds, so blocks that wait for later ones do not hang however many are held. With shares a thread takes its own whole one
 * (but no more than some hundred microseconds: a more urgent kernel may come), since others can take what it has not begun.
 */
enum { SHARE_NS = 4000 };                        /* work that is worth handing to another thread */

static uint64_t chunk_for(uint64_t n, uint64_t ns, unsigned workers, bool shares)
{
    enum { LONGEST_NS = 400000 };        /* measured with two threads: at an eighth of it, a copying kernel takes 1.6 times as long */
    uint64_t threads = workers, most = hw_max_u64(16, n >> 16);  /* 2^31 blocks are legal: handing out must not cost more */
    if (ns) {
        uint64_t total = n > UINT64_MAX / ns ? UINT64_MAX : n * ns;
        threads = hw_min_u64(workers, total / SHARE_NS);
        most = hw_max_u64(1, LONGEST_NS / ns);
    }
    if (threads <= 1)
        return ns ? hw_min_u64(n, most) : n < 16 ? 1 : 16;
    return hw_max_u64(1, hw_min_u64(shares && ns ? (n + threads - 1) / threads : n / (threads * 8), most));
}

/* Before the first chunk by what earlier launches took, after each one by what it took: arguments differ, and the first blocks of a
   program find cold caches. */
static void set_pace(struct exec_launch *l, uint64_t ns)
{
    unsigned workers = exec_engine_threads(l->job.engine);
    bool shares = l->job.n_shares > 0;
    uint64_t chunk = hw_min_u64(chunk_for(l->job.n_pieces, ns, workers, shares), EXEC_CHUNK_MAX);
    atomic_store_explicit(&l->pace_ns, ns, memory_order_relaxed);
    atomic_store_explicit(&l->job.chunk, (uint32_t)chunk, memory_order_relaxed);
    atomic_store_explicit(&l->job.least, ns ? (uint32_t)hw_max_u64(1, (shares ? EXEC_REST_NS : SHARE_NS) / ns) : 1, memory_order_relaxed);
}

static void no_memory(struct exec_launch *launch)
{
    launch->fault = EXEC_FAULT_MEMORY;
    exec_cancel(&launch->job);
}

/* Each returns how many blocks this thread ran to their ends; 0: not known. */
static uint64_t blocks_in_rounds(struct exec_launch *launch, uint64_t first, uint64_t count)
{
    (void)count;
    struct rounds all;
    if (!rounds_init(&all, launch, first)) {
        no_memory(launch);
        return 0;
    }
    run_guarded(launch, run_rounds, &all);
    rounds_fini(&all);
    return all.over + (all.over == 0);
}

static uint64_t blocks_in_slices(struct exec_launch *launch, uint64_t first, uint64_t count)
{
    (void)count;
    struct slices s = { .launch = launch, .first = first };
    run_guarded(launch, run_slices, &s);
    slices_fini(&s);
    return 0;
}

static void run_merge(void *launch, struct exec_scope *scope)
{
    (void)scope;
    uint64_t fp = hw_fp_begin();
    exec_private_merge(launch);
    hw_fp_end(fp);
}

/* Memory that went while the kernel ran is a fault of the kernel, here as in its own code. */
void exec_private_leave(struct exec_job *job)
{
    struct exec_launch *launch = hw_container_of(job, struct exec_launch, job);
    run_guarded(launch, run_merge, launch);
    exec_private_drop(launch);
}

static uint64_t blocks_in_order(struct exec_launch *launch, uint64_t first, uint64_t count)
{
    struct in_order o = { .launch = launch, .count = count, .since = launch->job.n_shares ? hw_now_ns() : 0, .claimed = 1 };
    if (!block_init(&o.block, launch, &exec_buffers()->own, first)) {
        no_memory(launch);
        return 0;
    }
    exec_details_begin(launch, &o.block);
    exec_private_begin(launch, &o.block);
    run_guarded(launch, launch->kernel->visits ? run_visits : run_in_order, &o);
    if (launch->kernel->streams)
        hw_store_fence();
    exec_details_end(o.block.details);
    return o.count;
}

static void run_blocks(struct exec_job *job, uint64_t first, uint64_t count)
{
    struct exec_launch *launch = hw_container_of(job, struct exec_launch, job);
    bool rounds = takes_turns(launch->kernel), slices = launch->slices.n_blocks > 0;
    /* A program's own thread may have another rounding mode, or none of the subnormals: the kernel's arithmetic is ours. */
    uint64_t fp = hw_fp_begin(), start = first == 0 ? exec_fault_keep() : hw_now_ns();
    uint64_t n = (rounds ? blocks_in_rounds : slices ? blocks_in_slices : blocks_in_order)(launch, first, count);
    hw_fp_end(fp);
    if (launch->n_tables && (count == job->n_pieces || exec_private_late(launch)))
        exec_private_leave(job);
    if (!n)
        return;
    uint64_t ns = (hw_now_ns() - start) / n;
    if (first == 0)
        exec_note_time(launch, ns);
    if (n < job->n_pieces && !rounds && !job->all_at_once)
        set_pace(launch, ns);
}

void exec_launch_init(struct exec_launch *l, bool all_at_once)
{
    uint64_t n = (uint64_t)l->kl.nctaid[0] * l->kl.nctaid[1] * l->kl.nctaid[2];
    uint64_t ns = l->block_ns ? atomic_load_explicit(l->block_ns, memory_order_relaxed) : 0;
    struct exec_engine *e = exec_engine(EXEC_COMPUTE);
    bool rounds = takes_turns(l->kernel);
    exec_job_init(&l->job, n, 1);
    l->job.engine = e;
    l->job.piece_ns = ns;
    atomic_init(&l->pace_ns, ns);
    l->job.parts = exec_engine_threads(e) > 1 ? 2 * exec_engine_threads(e) : 0;
    /* Blocks that may wait for others begin in their order: those before them have begun. */
    if (l->kernel->alone && !all_at_once && n > 1 && exec_engine_threads(e) > 1)
        exec_job_share(&l->job, exec_engine_threads(e));
    if (n > 1 && !all_at_once && !rounds)
        set_pace(l, ns);
    l->slices.n_blocks = 0;
    if (!all_at_once && !rounds)
        slices_plan(l, n, ns);
    l->job.run = run_blocks;
    l->job.all_at_once = all_at_once;
    l->job.rounds = rounds;
    l->job.no_help = exec_no_help;
    l->kl.services = &exec_services;
    atomic_init(&l->fault, EXEC_OK);             /* nobody else sees it yet */
    atomic_init(&l->over, 0);
    atomic_init(&l->still, 0);
    atomic_init(&l->sleepers, 0);
    atomic_init(&l->wakes, 0);
    l->counting = NULL;
    l->counted_from = 0;
    l->only_clocks = false;
    l->n_tables = 0;
    l->details = l->backwards = l->in_step = l->filled = false;
}
