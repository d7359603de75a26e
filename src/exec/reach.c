/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory a kernel may touch. exec_may_touch() is the only answer to that: generated code asks where it could not tell by itself, and every
 * service asks about each pointer that a kernel gives it. docs/security.md says what follows from it.
 */
#include "exec/internal.h"

#include "base/os.h"

#include <stdatomic.h>

bool (*exec_find_memory)(uint64_t addr, uint64_t *out_base, uint64_t *out_end);
_Atomic uint64_t exec_memory_epoch;

_Thread_local struct exec_known exec_known;

/* All of [addr, addr + bytes) in [base, base + size)? */
static bool within(uint64_t addr, uint64_t bytes, uint64_t base, uint64_t size)
{
    return addr - base < size && bytes <= size - (addr - base);
}

/* Everything there is a kernel's, or not mapped. */
static bool in_window(uint64_t addr, uint64_t bytes)
{
    return within(addr, bytes, (uint64_t)HW_WINDOW_TAG << HW_WINDOW_SHIFT, (uint64_t)1 << HW_WINDOW_SHIFT);
}

/* The block's own memory, where it could not have a place in the window; and its parameters, which it may only read. */
static bool of_block(const struct kabi_block *block, uint64_t addr, uint64_t bytes, bool writes)
{
    const struct kabi_launch *kl = block->launch;
    const struct exec_launch *l = exec_launch_of(block);
    if (within(addr, bytes, (uint64_t)(uintptr_t)kl->params, kl->param_bytes))
        return !writes;
    if (within(addr, bytes, (uint64_t)(uintptr_t)block->shared, hw_align_up(kl->shared_bytes, 1024)) || within(addr, bytes, (uint64_t)(uintptr_t)block->local, exec_local_bytes(l)))
        return true;
    return l->heap && exec_heap_owns(l->heap, addr, bytes);
}

/* Registered memory and the like, range by range. */
static bool registered(uint64_t addr, uint64_t bytes)
{
    uint64_t epoch = atomic_load_explicit(&exec_memory_epoch, memory_order_acquire), base, end;
    if (exec_known.epoch == epoch && within(addr, bytes, exec_known.base, exec_known.end - exec_known.base))
        return true;
    for (;;) {
        exec_service(true);
        bool found = exec_find_memory && exec_find_memory(addr, &base, &end);
        exec_service(false);
        if (!found)
            return false;
        exec_known = (struct exec_known){ base, end, epoch };
        if (bytes <= end - addr)
            return true;
        bytes -= end - addr;
        addr = end;
    }
}

bool exec_may_touch(const struct kabi_block *block, uint64_t addr, uint64_t bytes, bool writes)
{
    if (addr + bytes < addr)
        return false;
    return in_window(addr, bytes) || (block && of_block(block, addr, bytes, writes)) || registered(addr, bytes);
}

void exec_must_read(const struct kabi_block *block, uint64_t addr, uint64_t bytes)
{
    if (!exec_may_touch(block, addr, bytes, false))
        exec_fault_raise(EXEC_FAULT_ADDRESS, addr, 0);
}

/* Page by page, for the text may end before memory does, or byte by byte where that ends within a page. Only the copy is looked at: another thread may change the text. */
void exec_read_text(const struct kabi_block *block, uint64_t at, size_t most, struct hw_str *out)
{
    uint64_t page = hw_page_bytes();
    for (size_t n; most; most -= n, at += n) {
        n = hw_min_u64(most, page - (at & (page - 1)));
        if (!exec_may_touch(block, at, n, false))
            exec_must_read(block, at, n = 1);
        size_t before = out->n, length = strnlen((const char *)(uintptr_t)at, n);
        hw_str_add(out, (const char *)(uintptr_t)at, length);
        const char *end = memchr(out->s + before, 0, length);    /* somebody may have changed it since */
        if (end)
            out->n = (size_t)(end - out->s);
        if (end || length < n)
            return;
    }
}

/* --- what generated code asks --- */

void exec_access(struct kabi_block *block, uint64_t addr, uint64_t what)
{
    addr += (uint64_t)kabi_access_offset(what);
    if (addr & (kabi_access_align(what) - 1))
        exec_fault_raise(EXEC_FAULT_MISALIGNED, addr, kabi_access_line(what));
    if (!exec_may_touch(block, addr, kabi_access_align(what), kabi_access_writes(what)))         /* an access is as large as it is aligned */
        exec_fault_raise(EXEC_FAULT_ADDRESS, addr, kabi_access_line(what));
}

void exec_access_lanes(struct kabi_block *block, const uint64_t *addrs, uint64_t active, uint64_t what)
{
    for (; active; active &= active - 1)
        exec_access(block, addrs[__builtin_ctzll(active)], what);
}

void exec_access_row(struct kabi_block *block, uint64_t first, uint64_t rows, uint64_t what)
{
    int64_t step = (int64_t)rows >> 32;
    for (uint32_t active = (uint32_t)rows; active; active &= active - 1)
        exec_access(block, first + (uint64_t)(step * __builtin_ctz(active)), what);
}

void exec_access_indexed(struct kabi_block *block, uint64_t base, const int32_t *index, uint64_t indexed, uint64_t what)
{
    int64_t scale = (int64_t)indexed >> 32;
    for (uint32_t active = (uint32_t)indexed; active; active &= active - 1)
        exec_access(block, base + (uint64_t)(scale * index[__builtin_ctz(active)]), what);
}
