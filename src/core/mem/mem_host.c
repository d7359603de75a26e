/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked memory: allocating it, and registering memory of the program. */
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/mem/mem_internal.h"
#include "core/mem/pin.h"

#include <stdatomic.h>

static uint64_t pinned_limit(void)
{
    static _Atomic uint64_t half;                /* asking the system takes microseconds */
    if (hw_options()->pinned_limit)
        return hw_options()->pinned_limit;
    if (!half)
        half = hw_memory_bytes() / 2;
    return half;
}

/* Page-locked and registered memory together. */
static CUresult over_budget(size_t bytes)
{
    return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes more than are locked already exceed the %llu that may be page-locked (HOSTWARP_PINNED_LIMIT)", bytes,
                     (unsigned long long)pinned_limit());
}

CUresult mem_host_alloc(struct ctx *ctx, size_t bytes, unsigned flags, void **out)
{
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (flags & ~known)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known", flags & ~known);
    if (bytes == 0) {
        *out = NULL;
        return CUDA_SUCCESS;
    }
    size_t pages = hw_align_up(bytes, hw_page_bytes());
    hw_lock(&mem_mu);
    bool fits = pages >= bytes && mem_counts.pinned_bytes + mem_counts.registered_bytes <= pinned_limit()
        && pages <= pinned_limit() - mem_counts.pinned_bytes - mem_counts.registered_bytes;
    if (fits)
        mem_counts.pinned_bytes += pages;             /* reserved now: touching the pages takes long, and is done without the lock */
    hw_unlock(&mem_mu);
    if (!fits)
        return over_budget(bytes);
    enum pin_result result = PIN_FAILED;
    void *p = pin_map(pages, &result);
    hw_lock(&mem_mu);
    if (p) {
        struct mem_range *r = mem_add(ctx, MEM_HOST, (uint64_t)(uintptr_t)p, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP);
        r->map_bytes = pages;
        r->info.locked = result == PIN_LOCKED;
        mem_counts.pinned_locked_bytes += r->info.locked ? pages : 0;
        mem_counts.n_host++;
    } else {
        mem_counts.pinned_bytes -= pages;
    }
    hw_unlock(&mem_mu);
    if (!p)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system has no %zu bytes, or may not lock them and HOSTWARP_PIN=strict wants that", pages);
    *out = p;
    return CUDA_SUCCESS;
}

/* Locks the pages of a range that is in the map already: that takes up to seconds, and others must not wait for it. */
static CUresult lock_registered(uint64_t base, size_t bytes, unsigned long long id)
{
    uint64_t page = hw_page_bytes();
    enum pin_result result = pin_lock(base & ~(page - 1), hw_align_up(base + bytes, page));
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(base);
    if (r && r->info.buffer_id == id) {
        r->info.locked = result == PIN_LOCKED;
        if (result == PIN_FAILED)
            mem_drop(r);
    }
    hw_unlock(&mem_mu);
    return result == PIN_FAILED ? hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system does not lock it (ulimit -l), and HOSTWARP_PIN=strict wants that") : CUDA_SUCCESS;
}

/* Part of the range is something already. */
static CUresult register_over(const struct mem_info *other)
{
    unsigned long long base = other->base, end = other->base + other->bytes;
    if (other->kind == MEM_REGISTERED)
        return hw_refuse(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "0x%llx to 0x%llx is registered already; unregister it first", base, end);
    return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx to 0x%llx is memory that CUDA allocated, which needs no registration", base, end);
}

CUresult mem_host_register(struct ctx *ctx, void *ptr, size_t bytes, unsigned flags)
{
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    uint64_t base = (uint64_t)(uintptr_t)ptr, page = hw_page_bytes(), first = base & ~(page - 1), end;
    if (!ptr || bytes == 0 || base + bytes < base)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no memory of %zu bytes at %p", bytes, ptr);
    if (flags & ~known)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known, or not supported (IoMemory)", flags & ~known);
    end = hw_align_up(base + bytes, page);
    hw_lock(&mem_mu);
    CUresult rc = CUDA_SUCCESS;
    struct mem_range *other = mem_find(base);
    if (!other && mem_overlaps(base, bytes))
        other = mem_range_of(treap_ceil(mem_map, base, 0));
    if (other)
        rc = register_over(&other->info);
    else if (!pin_is_mapped(first, end))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "not all pages from 0x%llx to 0x%llx are mapped in this process", (unsigned long long)first, (unsigned long long)end);
    else if (bytes > pinned_limit() - hw_min_u64(pinned_limit(), mem_counts.pinned_bytes + mem_counts.registered_bytes))
        rc = over_budget(bytes);
    unsigned long long id = 0;
    if (!rc) {                                   /* in the map first: then nobody registers it a second time meanwhile */
        id = mem_add(ctx, MEM_REGISTERED, base, bytes, (flags & CU_MEMHOSTREGISTER_PORTABLE) | CU_MEMHOSTREGISTER_DEVICEMAP)
                 ->info.buffer_id;
        mem_counts.n_registered++;
        mem_counts.registered_bytes += bytes;
    }
    hw_unlock(&mem_mu);
    return rc ? rc : lock_registered(base, bytes, id);
}

CUresult mem_host_device_pointer(void *ptr, unsigned flags, CUdeviceptr *out)
{
    struct mem_info info;
    if (!ptr || flags || !mem_lookup((uint64_t)(uintptr_t)ptr, &info)
        || (info.kind != MEM_HOST && info.kind != MEM_REGISTERED))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%p is neither page-locked nor registered memory, or flags are not 0", ptr);
    *out = (CUdeviceptr)(uintptr_t)ptr;          /* one address space */
    return CUDA_SUCCESS;
}

CUresult mem_host_flags(void *ptr, unsigned *out)
{
    struct mem_info info;
    if (!ptr || !mem_lookup((uint64_t)(uintptr_t)ptr, &info) || (info.kind != MEM_HOST && info.kind != MEM_REGISTERED))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%p is neither page-locked nor registered memory", ptr);
    *out = info.flags;
    return CUDA_SUCCESS;
}
