/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a race. */
#include "check/check.h"
#include "check/ledger.h"
#include "check/race_internal.h"
#include "check/report.h"

static bool in_a_warp(const struct race_pair *p) { return key_warp(p->now) == key_warp(p->before) && key_state(p->before) != KEY_WARPS; }

static const char *between(const struct race_pair *p, bool other_block)
{
    return other_block ? "of two blocks" : in_a_warp(p) ? "of a warp" : "of a block";
}

static const char *advice(const struct race_pair *p, bool other_block)
{
    if (key_strong(p->now) && key_strong(p->before))
        return "Both are atomic, but of a scope that is smaller than the grid.";
    if (other_block)
        return "Blocks are ordered by nothing but fences with atomic accesses to a flag, or the end of the grid.";
    return in_a_warp(p) ? "Put a __syncwarp() between them." : "Put a __syncthreads() between them.";
}

static const char *name_of(const struct race_pair *p, const struct details_site *mine, const struct details_site *other)
{
    if (p->same_value)
        return "race.same-value";
    if ((race_is_volatile(mine) && other->strong) || (race_is_volatile(other) && mine->strong))
        return "race.volatile";
    return p->shared ? "race.shared" : "race.global";
}

void race_tell(struct race_block *b, const struct race_pair *p, uint64_t address)
{
    const struct details_site *sites = b->kernel->details->sites, *mine = &sites[p->now_info & INFO_SITES], *other = &sites[p->before_info & INFO_SITES];
    uint32_t block = block_of(b, p->before);
    bool other_block = block != b->id || key_state(p->before) == KEY_BLOCKS, found = false;
    uint16_t *told = &b->told[((p->now_info & INFO_SITES) * 31 + (p->before_info & INFO_SITES) * 2 + other_block) % OTHERS];
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (*told > 64)              /* of these two sites, or others with the same number: enough was said */
        return;
    ++*told;
    if (p->shared)
        hw_str_printf(&where, "byte %llu of shared memory", (unsigned long long)address);
    else if ((found = ledger_find(address, &e) != LEDGER_NOTHING))
        ledger_describe(&where, &e, address);
    report_begin(&r, name_of(p, mine, other), "race in %s memory: two threads %s touch the same byte, in no order", p->shared ? "shared" : "global",
                 between(p, other_block));
    report_device(&r, p->now_writes ? "write" : "read", mine->place, "kernel %s, block %u, thread %u: %s", b->kernel->name, b->id, key_thread(p->now), where.s ? where.s : "");
    report_device(&r, p->before_writes ? "write" : "read", other->place, "block %u, thread %u", block, key_thread(p->before));
    if (found)
        report_memory(&r, &e);
    report_advice(&r, "%s", advice(p, other_block));
    report_end(&r);
    hw_str_fini(&where);
}
