/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels whose threads or warps take turns (pass/analysis/spin.c, pass/transform/warp_split.c). All that such a block has between two turns lies in its frame, so the
 * thread that runs it may leave it there and run another one: a block that waits for others costs a look now and then, not a thread. When all
 * blocks at hand wait, the thread begins one more of the grid, which may be what they wait for; of a grid that must run at once
 * each thread begins its share in any case. When there is nothing to begin it sleeps, longer and longer, between its looks.
 */
#include "exec/coop_sched.h"

#include "base/os.h"
#include "exec/groups.h"
#include "exec/warpop.h"

#include <sched.h>
#include <stdatomic.h>

enum { WARP = 32, WARP_ROUNDS = 64, IDLE_ROUNDS = 64, APART_ROUNDS = 256, FORCE_ROUNDS = 16, STILL_ROUNDS = 2 * APART_ROUNDS };
enum { FEW = 16, SELDOM = 16, MOST_GROUPS = 1024 };
enum { BEGIN_NS = 1000000, YIELD_NS = 100000, SLEEP_NS = 500000 };

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
    block->entered = 0;
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
    r->block.details = exec_details_begin(all->launch);
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

void rounds_fini(struct rounds *all)
{
    struct exec_buffers *buffers = exec_buffers();
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
    exec_alive();
    exec_service(false);
}

/* One look at each; at those that wait for long only seldom while others may get on. Returns whether anything but spinning happened. */
static bool go_round(struct rounds *all, struct exec_scope *scope, unsigned number, bool busy, bool *moved)
{
    const struct kabi_kernel *k = all->launch->kernel;
    struct exec_buffers *buffers = exec_buffers();
    bool active = false;
    for (struct hw_list *it = all->residents.next, *next; it != &all->residents; it = next, number++) {
        struct resident *r = hw_list_item(it, struct resident, link);
        next = it->next;
        if (busy && r->idle > IDLE_ROUNDS && number % SELDOM)
            continue;
        buffers->now = r->areas;
        scope->block = &r->block;
        active |= run_round(r, k, &all->launch->kl);
        *moved |= r->idle == 0;
        if (!r->turns.total && groups_all_done(k, (uint32_t *)(void *)r->block.frame)) {
            block_over(all, r);
            active = *moved = true;
        }
    }
    return active;
}

/* Everybody here spins. */
static void wait_a_little(struct rounds *all)
{
    static _Atomic uint32_t never;
    uint64_t now = hw_now_ns(), waited;
    if (!all->still_since)
        all->still_since = now;
    waited = now - all->still_since;
    if (waited < YIELD_NS)
        sched_yield();
    else
        hw_futex_wait(&never, 0, hw_min_u64(waited / 8, SLEEP_NS));
}

void rounds_run(struct rounds *all, struct exec_scope *scope)
{
    unsigned idle = 0, still = 0, number = 0;
    uint64_t threads = exec_engine_threads(all->launch->job.engine), share = (all->launch->job.n_pieces + threads - 1) / threads;
    while (all->launch->job.all_at_once && all->begun < share && begin_another(all)) {
    }
    while (all->n) {
        bool moved = false, active = go_round(all, scope, number++, idle <= IDLE_ROUNDS, &moved);
        idle = moved ? 0 : idle + 1;
        still = active ? 0 : still + 1;
        if (!still)
            all->still_since = 0;
        if (idle <= IDLE_ROUNDS)
            continue;
        if (hw_unlikely(atomic_load_explicit(&all->launch->fault, memory_order_relaxed)))
            exec_fault_raise(EXEC_FAULT_TRAP, 0, 0);          /* another block has ended the kernel: who spins would never know */
        bool few = !all->launch->job.all_at_once && all->n < FEW;
        if ((few || hw_now_ns() - all->last_begun > BEGIN_NS) && begin_another(all))
            idle = 0;
        else if (still > STILL_ROUNDS)
            wait_a_little(all);
        else
            sched_yield();
    }
}
