/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the groups of a block up to their next stops, and lets them go on from complete barriers. */
#include "exec/groups.h"

#include "exec/warpop.h"

enum { WARP = 32 };

static bool at_barrier(uint32_t state, unsigned id)
{
    return state != KABI_DONE && (state & KABI_ARRIVED) && KABI_BARRIER(state) == id;
}

/* Lets the groups at a complete barrier go on. */
static bool release_barrier(const struct kabi_kernel *k, uint32_t *state, struct kabi_bars *bars, unsigned id)
{
    uint32_t here = 0, alive = 0;
    for (uint32_t w = 0; w < k->n_warps; w++) {
        alive += state[w] != KABI_DONE;
        here += at_barrier(state[w], id);
    }
    bool counted = bars && bars->expected[id], complete = counted ? bars->arrived[id] >= bars->expected[id] : here == alive;
    if (!here || !complete)
        return false;
    if (bars)
        bars->arrived[id] = bars->expected[id] = 0;
    for (uint32_t w = 0; w < k->n_warps; w++)
        if (at_barrier(state[w], id))
            state[w] = KABI_REGION(state[w]);
    return true;
}

bool groups_release(const struct kabi_kernel *k, struct kabi_block *block, bool force)
{
    uint32_t *state = (uint32_t *)(void *)block->frame;
    struct kabi_bars *bars = k->bars_offset ? (struct kabi_bars *)(void *)(block->frame + k->bars_offset) : NULL;
    bool moved = false;
    if (k->fair) {
        struct kabi_warpop *ops = (struct kabi_warpop *)(void *)(block->frame + k->warpops_offset);
        for (uint32_t w = 0; force && w < k->n_warps; w += WARP)
            moved |= warpop_complete(state + w, ops + w, (unsigned)hw_min_u64(WARP, k->n_warps - w), true);
    }
    uint32_t met = 0;                            /* barriers at which somebody is: mostly none, and there are many threads that take turns */
    for (uint32_t w = 0; w < k->n_warps; w++)
        met |= state[w] != KABI_DONE && (state[w] & KABI_ARRIVED) ? (uint32_t)1 << KABI_BARRIER(state[w]) : 0;
    for (; met; met &= met - 1)
        moved |= release_barrier(k, state, bars, (unsigned)__builtin_ctz(met));
    return moved;
}

bool groups_all_done(const struct kabi_kernel *k, const uint32_t *state)
{
    for (uint32_t w = 0; w < k->n_warps; w++)
        if (state[w] != KABI_DONE)
            return false;
    return true;
}

/* The lowest region above `above` that some group from first to before end waits to run, or -1. */
static int32_t next_region(const uint32_t *state, uint32_t first, uint32_t end, int32_t above)
{
    int32_t best = -1;
    for (uint32_t w = first; w < end; w++)
        if (!(state[w] & (KABI_ARRIVED | KABI_IN_WARPOP)) && (int32_t)state[w] > above && (best < 0 || (int32_t)state[w] < best))
            best = (int32_t)state[w];
    return best;
}

bool groups_run(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block, uint32_t first, uint32_t end)
{
    bool ran = false;
    block->first_group = first;
    block->end_group = end;
    for (int32_t r = -1; (r = next_region((uint32_t *)(void *)block->frame, first, end, r)) >= 0; ran = true)
        kabi_region(k, r)(kl, block, block->frame);
    return ran;
}

void groups_run_backwards(const struct kabi_kernel *k, const struct kabi_launch *kl, struct kabi_block *block, uint32_t first, uint32_t end)
{
    while (end-- > first)
        groups_run(k, kl, block, end, end + 1);
}
