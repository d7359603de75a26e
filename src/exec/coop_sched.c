/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels whose threads or warps take turns (pass/analysis/spin.c, pass/transform/warp_split.c). All that such a block has between two turns lies in its frame, so the
 * thread that runs it may leave it there and run another one: a block that waits for others costs a look now and then, not a thread. When all
 * blocks at hand wait, the thread begins one more of the grid, which may be what they wait for; of a grid that must run at once
 * each thread begins its share in any case. When there is nothing to begin it sleeps, longer and longer, between its looks.
 *
 * Who waits and gives up after so many looks means time by them, in which blocks of a device get on. So where somebody at hand is such a one (impatient), all
 * others come before the next look: blocks that have not begun, as many as a device might hold, and those of other threads, while these do more than spin. Where
 * nobody is left, looks cost no sleep: there are only so many.
 */
#include "exec/coop_sched.h"

#include "base/os.h"
#include "exec/groups.h"
#include "exec/warpop.h"

#include <limits.h>
#include <sched.h>
#include <stdatomic.h>

enum { WARP = 32, WARP_ROUNDS = 64, IDLE_ROUNDS = 64, APART_ROUNDS = 256, FORCE_ROUNDS = 16, STILL_ROUNDS = 2 * APART_ROUNDS };
enum { FEW = 16, SELDOM = 16, MOST_GROUPS = 1024 };
enum { BEGIN_NS = 1000000, YIELD_NS = 100000, SLEEP_NS = 500000 };
/* With somebody impatient: looks before others come first; the blocks of a large device, if these bytes hold them; how long to wait for others that are busy. */
enum { FEW_LOOKS = 2, MOST_BLOCKS = 2048, MOST_BYTES = 64 << 20, SPIN_NS = 10000, SHORTEST_NS = 100000, LONGEST_NS = 10000000 };
/* When nobody is: after so many steps in vain twice the looks, up to 2 to this power; for so long there is no sleep between them. */
enum { STEPS_EACH = 512, MOST_LOOKS = 12, CHEAP_MS = 30000 };

/* Of a fair kernel each warp goes on as far as it can by itself, while what its threads keep is in the nearest cache; but not for long,
   for it may be waiting for another warp and ask its own threads every time. */
static bool run_warps(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block)
{
    bool backwards = exec_launch_of(block)->backwards;
    uint32_t *state = (uint32_t *)(void *)block->frame;
    struct kabi_warpop *ops = (struct kabi_warpop *)(void *)(block->frame + k->warpops_offset);
    bool moved = false;
    for (uint32_t i = 0; i < k->n_warps; i += WARP) {
        uint32_t w = backwards ? (k->n_warps - 1) / WARP * WARP - i : i, n = (uint32_t)hw_min_u64(WARP, k->n_warps - w);
        bool on = true;
        for (unsigned round = 0; on && round < WARP_ROUNDS; round++) {
            if (hw_unlikely(backwards))
                groups_run_backwards(k, kl, block, w, w + n);
            else
                groups_run(k, kl, block, w, w + n);
            moved |= on = warpop_complete(state + w, ops + w, n, false);
        }
    }
    return moved;
}

/* All threads come to their next stops before any goes on, as those of a warp do on a device, and here those of all warps. */
static bool run_steps(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block)
{
    uint32_t *state = (uint32_t *)(void *)block->frame;
    struct kabi_warpop *ops = (struct kabi_warpop *)(void *)(block->frame + k->warpops_offset);
    bool moved = false;
    for (uint32_t g = 0; g < k->n_warps; g++) {
        if (state[g] == KABI_DONE || (state[g] & (KABI_ARRIVED | KABI_IN_WARPOP)))
            continue;
        block->first_group = g;
        block->end_group = g + 1;
        k->regions[state[g]](kl, block, block->frame);
        moved = true;
    }
    for (uint32_t w = 0; w < k->n_warps; w += WARP)
        moved |= warpop_complete(state + w, ops + w, (unsigned)hw_min_u64(WARP, k->n_warps - w), false);
    return moved;
}

/* Parts of groups run like groups, each when it is in its group's place. */
static bool run_parts(const struct turns *t, const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block)
{
    bool moved = false;
    for (uint32_t w = 0; t->total && w < k->n_warps; w++)
        for (uint32_t j = 0; j < t->n[w]; j++) {
            uint32_t *state = (uint32_t *)(void *)block->frame + w, before = turns_part(k, block, w, j)->state;
            turns_swap(k, block, w, j);
            groups_run(k, kl, block, w, w + 1);
            moved |= *state != before;
            turns_swap(k, block, w, j);
        }
    return moved;
}

/* Every group that can run does so once. When nothing but spinning happened for long, a lane may wait for another one of its own warp, and a
   warp operation for members that do not come. Returns whether more than that happened. */
static bool run_round(struct resident *r, const struct kabi_kernel *k, const struct kabi_launch *kl)
{
    struct kabi_block *block = &r->block;
    uint32_t *state = (uint32_t *)(void *)block->frame, before[MOST_GROUPS];
    bool moved, changed;
    memcpy(before, state, k->n_warps * sizeof *state);
    block->entered = block->impatient = 0;
    if (k->turns) {
        groups_run(k, kl, block, 0, k->n_warps);
        moved = changed = memcmp(before, state, k->n_warps * sizeof *state) != 0;
        moved |= run_parts(&r->turns, k, kl, block);
        turns_put_together(&r->turns, k, block);
        moved |= !r->turns.total && groups_release(k, block, false);
    } else {
        moved = exec_launch_of(block)->in_step ? run_steps(k, kl, block) : run_warps(k, kl, block);
        changed = memcmp(before, state, k->n_warps * sizeof *state) != 0;
        moved |= groups_release(k, block, r->idle > FORCE_ROUNDS);
    }
    r->idle = moved ? 0 : r->idle + 1;
    if (k->turns && k->parts_offset && r->idle && r->idle % APART_ROUNDS == 0)
        turns_take_apart(&r->turns, k, block);
    return moved || changed || block->entered;
}

/* ---- the blocks at hand ---- */

static bool begin(struct rounds *all, uint64_t piece)
{
    struct resident *r = hw_alloc(sizeof *r);
    if (!(r->areas = exec_block_begin(&r->block, all->launch, piece, false))) {
        hw_free(r);
        return false;
    }
    exec_details_begin(all->launch, &r->block);
    if (hw_unlikely(r->block.details))
        exec_details_block(&r->block);
    hw_list_push_back(&all->residents, &r->link);
    all->n++;
    all->begun++;
    all->last_begun = hw_now_ns();
    return true;
}

static void end(struct rounds *all, struct resident *r)
{
    hw_list_del(&r->link);
    all->n--;
    exec_details_end(r->block.details);
    exec_areas_give(r->areas);
    hw_free(r);
}

bool rounds_init(struct rounds *all, struct exec_launch *launch, uint64_t first)
{
    *all = (struct rounds){ .launch = launch };
    hw_list_init(&all->residents);
    return begin(all, first);
}

/*
 * What threads with impatient blocks know of each other, in one word: IMPATIENT once there was one, a number that changes when anybody gets on, and how many blocks
 * were looked at since and do nothing but spin.
 */
#define IMPATIENT ((uint64_t)1 << 63)
#define ONE_ON ((uint64_t)1 << 32)

static uint64_t blocks_still(uint64_t word) { return (uint32_t)word; }
static uint64_t progress(uint64_t word) { return word / ONE_ON; }

/* Somebody got on: all others have to look again. */
static void say_on(struct exec_launch *l)
{
    uint64_t old = atomic_load(&l->still);
    while ((old & IMPATIENT) && !atomic_compare_exchange_weak(&l->still, &old, IMPATIENT | ((progress(old) + 1) * ONE_ON & (IMPATIENT - 1)))) {
    }
    if (hw_unlikely(atomic_load(&l->sleepers))) {
        atomic_fetch_add(&l->wakes, 1);
        hw_futex_wake(&l->wakes, INT_MAX);
    }
}

/* Until somebody gets on, who has not by now. */
static void sleep_until_on(struct exec_launch *l, uint64_t before, uint64_t ns)
{
    for (uint64_t end = hw_now_ns() + SPIN_NS; hw_now_ns() < end; hw_cpu_relax())
        if (progress(atomic_load(&l->still)) != progress(before))
            return;
    atomic_fetch_add(&l->sleepers, 1);
    uint32_t seen = atomic_load(&l->wakes);
    if (progress(atomic_load(&l->still)) == progress(before))
        hw_futex_wait(&l->wakes, seen, ns);
    atomic_fetch_sub(&l->sleepers, 1);
}

/* This thread looked at all that it has, after the word was so, and in vain. */
static void say_still(struct rounds *all, uint64_t before)
{
    uint64_t old = atomic_load(&all->launch->still);
    while (progress(old) == progress(before) && !(all->said && all->said_at == progress(old))) {
        if (!atomic_compare_exchange_weak(&all->launch->still, &old, old + all->n))
            continue;
        all->said = true;
        all->said_at = progress(old);
    }
}

void rounds_fini(struct rounds *all)
{
    struct exec_buffers *buffers = exec_buffers();
    say_on(all->launch);
    while (!hw_list_empty(&all->residents))
        end(all, hw_list_item(all->residents.next, struct resident, link));
    buffers->now = &buffers->own;
}

/* A timeout does not end the kernel while lists change. */
static bool begin_another(struct rounds *all)
{
    uint64_t piece;
    exec_service(true);
    bool ok = exec_another(&all->launch->job, &piece);
    bool begun = ok && begin(all, piece);
    exec_service(false);
    if (ok && !begun)
        exec_fault_raise(EXEC_FAULT_TRAP, 0, 0);
    return ok;
}

static void block_over(struct rounds *all, struct resident *r)
{
    exec_service(true);
    if (hw_unlikely(r->block.details))
        exec_details_join(&r->block);
    end(all, r);
    all->over++;
    atomic_fetch_add_explicit(&all->launch->over, 1, memory_order_relaxed);
    exec_alive();
    exec_service(false);
}

/* One look at each; at those that wait for long only seldom while others may get on. Returns whether anything but spinning happened. */
static bool go_round(struct rounds *all, struct exec_scope *scope, unsigned number, bool busy, bool *moved)
{
    const struct kabi_kernel *k = all->launch->kernel;
    struct exec_buffers *buffers = exec_buffers();
    bool active = false;
    all->impatient = false;
    for (struct hw_list *it = all->residents.next, *next; it != &all->residents; it = next, number++) {
        struct resident *r = hw_list_item(it, struct resident, link);
        next = it->next;
        if (busy && r->idle > IDLE_ROUNDS && number % SELDOM)
            continue;
        buffers->now = r->areas;
        scope->block = &r->block;
        active |= run_round(r, k, &all->launch->kl);
        *moved |= r->idle == 0;
        all->impatient |= r->block.impatient != 0;
        if (!r->turns.total && groups_all_done(k, (uint32_t *)(void *)r->block.frame)) {
            block_over(all, r);
            active = *moved = true;
        }
    }
    return active;
}

/* Has anybody a block of the grid that does more than spin, or is about to begin it? */
static bool others_busy(const struct rounds *all)
{
    const struct exec_launch *l = all->launch;
    uint64_t idle = atomic_load_explicit(&l->over, memory_order_relaxed) + blocks_still(atomic_load(&l->still));
    return hw_min_u64(atomic_load_explicit(&l->job.next, memory_order_relaxed), l->job.n_pieces) > idle + atomic_load_explicit(&l->job.n_returned, memory_order_relaxed);
}

static uint64_t still_for(struct rounds *all)
{
    uint64_t now = hw_now_ns();
    if (!all->still_since)
        all->still_since = now;
    return now - all->still_since;
}

static void sleep_for(uint64_t ns)
{
    static _Atomic uint32_t never;
    hw_futex_wait(&never, 0, ns);
}

/* Everybody here spins. */
static void wait_a_little(struct rounds *all)
{
    uint64_t waited = still_for(all);
    if (waited < YIELD_NS)
        sched_yield();
    else
        sleep_for(hw_min_u64(waited / 8, SLEEP_NS));
}

/*
 * And somebody would give up soon. All threads look in step: who has looked waits until the others have, too, and the last one begins the next step. When nobody got
 * on for many of them, a step has more looks.
 */
static void let_others(struct rounds *all, uint64_t before)
{
    uint64_t waited = still_for(all);
    if (!(before & IMPATIENT)) {
        atomic_fetch_or(&all->launch->still, IMPATIENT);
    } else if (all->looks) {
        all->looks--;
    } else {
        say_still(all, before);
        if (others_busy(all)) {
            sleep_until_on(all->launch, before, hw_max_u64(SHORTEST_NS, hw_min_u64(waited / 8, LONGEST_NS)));
            return;
        }
        all->looks = (1u << hw_min_u64(all->steps++ / STEPS_EACH, MOST_LOOKS)) - 1;
        say_on(all->launch);
        sched_yield();
    }
    if (waited > (uint64_t)CHEAP_MS * 1000000)
        wait_a_little(all);
}

static bool begins_more(const struct rounds *all)
{
    const struct exec_launch *l = all->launch;
    uint64_t bytes = l->kernel->frame_bytes + l->kl.shared_bytes + exec_local_bytes(l);
    if (all->impatient && !l->job.all_at_once && all->n < MOST_BLOCKS && all->n * bytes < MOST_BYTES)
        return true;
    return (!l->job.all_at_once && all->n < FEW) || hw_now_ns() - all->last_begun > BEGIN_NS;
}

void rounds_run(struct rounds *all, struct exec_scope *scope)
{
    unsigned idle = 0, still = 0, number = 0;
    uint64_t threads = exec_engine_threads(all->launch->job.engine), share = (all->launch->job.n_pieces + threads - 1) / threads;
    while (all->launch->job.all_at_once && all->begun < share && begin_another(all)) {
    }
    while (all->n) {
        unsigned patience = all->impatient ? FEW_LOOKS : IDLE_ROUNDS;
        uint64_t before = atomic_load(&all->launch->still);
        bool moved = false, active = go_round(all, scope, number++, idle <= patience, &moved);
        idle = moved ? 0 : idle + 1;
        still = active ? 0 : still + 1;
        if (!still)
            all->still_since = 0;
        if (active) {
            say_on(all->launch);
            all->looks = all->steps = 0;
        }
        if (idle <= patience)
            continue;
        if (hw_unlikely(atomic_load_explicit(&all->launch->fault, memory_order_relaxed)))
            exec_fault_raise(EXEC_FAULT_TRAP, 0, 0);          /* another block has ended the kernel: who spins would never know */
        if (begins_more(all) && begin_another(all)) {
            idle = 0;
            say_on(all->launch);
        } else if (all->impatient || (before & IMPATIENT)) {
            let_others(all, before);
        } else if (still > STILL_ROUNDS) {
            wait_a_little(all);
        } else {
            sched_yield();
        }
    }
}
