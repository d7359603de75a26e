/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What generated code asks about memory outside the window, answered at once where it lies in the range that this thread asked about last (registered
 * memory, say) or in the kernel's parameters. Only general registers are used, so that none of the caller's vectors has to be saved, which is most of what a
 * question costs. All else goes on to the entries in save_regs.c.
 */
#include "exec/internal.h"

#include <stdatomic.h>

#if defined(__x86_64__)
#define GENERAL_REGISTERS __attribute__((target("general-regs-only")))
#else
#define GENERAL_REGISTERS
#endif
#define QUICK KEEPS_REGISTERS GENERAL_REGISTERS

/* [first, last + bytes) is one range's, and both ends are aligned; everything between them in steps is, if the steps are. */
GENERAL_REGISTERS static inline __attribute__((always_inline)) bool known(const struct kabi_block *block, uint64_t first, uint64_t last, uint64_t what)
{
    const struct exec_known *k = &exec_known;
    const struct kabi_launch *l = block->launch;
    uint64_t bytes = kabi_access_align(what), params = (uint64_t)(uintptr_t)l->params;
    if ((first | last) & (bytes - 1) || last < first)
        return false;
    if (first - k->base <= last - k->base && last - k->base < k->end - k->base && bytes <= k->end - last)
        return k->epoch == atomic_load_explicit(&exec_memory_epoch, memory_order_acquire);
    return !kabi_access_writes(what) && first - params <= last - params && last - params < l->param_bytes && bytes <= l->param_bytes - (last - params);
}

QUICK void exec_access_quick(struct kabi_block *block, uint64_t addr, uint64_t what)
{
    uint64_t at = addr + (uint64_t)kabi_access_offset(what);
    if (!known(block, at, at, what))
        exec_access_saving(block, addr, what);
}

QUICK void exec_access_lanes_quick(struct kabi_block *block, const uint64_t *addrs, uint64_t active, uint64_t what)
{
    for (uint64_t left = active; left; left &= left - 1) {
        uint64_t at = addrs[__builtin_ctzll(left)] + (uint64_t)kabi_access_offset(what);
        if (!known(block, at, at, what)) {
            exec_access_lanes_saving(block, addrs, left, what);
            return;
        }
    }
}

QUICK void exec_access_row_quick(struct kabi_block *block, uint64_t first, uint64_t rows, uint64_t what)
{
    int64_t step = (int64_t)rows >> 32;
    uint32_t active = (uint32_t)rows;
    if (!active)
        return;
    uint64_t at = first + (uint64_t)kabi_access_offset(what);
    uint64_t a = at + (uint64_t)(step * __builtin_ctz(active)), b = at + (uint64_t)(step * (31 - __builtin_clz(active)));
    bool even = ((uint64_t)step & (kabi_access_align(what) - 1)) == 0;
    if (!even || !known(block, step < 0 ? b : a, step < 0 ? a : b, what))
        exec_access_row_saving(block, first, rows, what);
}

QUICK void exec_access_indexed_quick(struct kabi_block *block, uint64_t base, const int32_t *index, uint64_t indexed, uint64_t what)
{
    int64_t scale = (int64_t)indexed >> 32;
    for (uint32_t left = (uint32_t)indexed; left; left &= left - 1) {
        uint64_t at = base + (uint64_t)kabi_access_offset(what) + (uint64_t)(scale * index[__builtin_ctz(left)]);
        if (!known(block, at, at, what)) {
            exec_access_indexed_saving(block, base, index, (indexed & ~(uint64_t)UINT32_MAX) | left, what);
            return;
        }
    }
}
