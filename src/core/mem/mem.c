/* SPDX-License-Identifier: Apache-2.0 */
/* The map of all memory that CUDA knows: what lies where. */
#include "core/mem/mem.h"

#include "base/log.h"
#include "base/os.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/hooks.h"
#include "core/mem/mem_internal.h"
#include "core/mem/pin.h"
#include "exec/exec.h"

#include <stdatomic.h>

struct hw_mutex mem_mu = HW_MUTEX_INIT(HW_RANK_MEM);
struct treap_node *mem_map HW_GUARDED_BY(mem_mu);
static unsigned long long last_id HW_GUARDED_BY(mem_mu);
struct devheap_charge mem_device_charge[MEM_MAX_DEVICES] HW_GUARDED_BY(mem_mu);
struct devheap_charge mem_managed_charge HW_GUARDED_BY(mem_mu);
struct mem_stats mem_counts HW_GUARDED_BY(mem_mu);
_Atomic uint64_t mem_generation = 1;
_Thread_local struct mem_spans mem_spans;

bool mem_init(void)
{
    uint64_t total = 0;
    for (int i = 0; i < device_count(); i++) {
        mem_device_charge[i].limit = device_peek(i)->memory_bytes;
        total += mem_device_charge[i].limit;
    }
    mem_managed_charge.limit = hw_align_up(hw_memory_bytes(), 2u << 20);
    if (!devheap_init(total + mem_managed_charge.limit)) {
        hw_error("cannot reserve addresses for %llu bytes of device memory", (unsigned long long)total);
        return false;
    }
    exec_describe_address = mem_describe;
    exec_find_memory = mem_reachable;
    return true;
}

/* --- the map; with mu held --- */

struct mem_range *mem_find(uint64_t addr)
{
    struct mem_range *r = mem_range_of(treap_floor(mem_map, addr, 0));
    return r && addr - r->info.base < r->info.bytes ? r : NULL;
}

bool mem_overlaps(uint64_t addr, size_t bytes)
{
    struct mem_range *above = mem_range_of(treap_ceil(mem_map, addr, 0));
    return mem_find(addr) || (above && above->info.base < addr + bytes);
}

struct mem_range *mem_add_as(struct ctx *ctx, enum mem_kind kind, uint64_t base, size_t bytes, unsigned flags, bool variable, bool external)
{
    struct mem_range *r = hw_alloc(sizeof *r);
    r->info = (struct mem_info){ .kind = kind, .base = base, .bytes = bytes, .flags = flags, .ctx = ctx,
                                 .ctx_handle = ctx ? ctx_handle(ctx) : NULL, .device = ctx ? ctx->dev->ordinal : 0, .buffer_id = ++last_id,
                                 .variable = variable, .external = external };
    treap_insert(&mem_map, &r->node, base, 0);
    atomic_fetch_add_explicit(&mem_generation, 1, memory_order_release);
    hook_mem_added(&r->info);
    return r;
}

static struct devheap_charge *charge_of(const struct mem_range *r)
{
    return r->info.kind == MEM_MANAGED ? &mem_managed_charge : &mem_device_charge[r->info.device];
}

/* Pages that other registered ranges also lie in stay locked. Those can only be the neighbours in the map. */
static void unlock_pages(const struct mem_range *r)
{
    uint64_t page = hw_page_bytes(), first = r->info.base & ~(page - 1), end = hw_align_up(r->info.base + r->info.bytes, page);
    struct mem_range *below = r->info.base ? mem_range_of(treap_floor(mem_map, r->info.base - 1, 0)) : NULL;
    struct mem_range *above = mem_range_of(treap_ceil(mem_map, r->info.base + 1, 0));
    if (below && below->info.kind == MEM_REGISTERED && below->info.base + below->info.bytes > first)
        first += page;
    if (above && above->info.kind == MEM_REGISTERED && above->info.base < end)
        end -= page;
    if (r->info.locked)
        pin_unlock(first, end);
}

void mem_drop(struct mem_range *r)
{
    hook_mem_dropped(&r->info);
    treap_remove(&mem_map, &r->node);
    atomic_fetch_add_explicit(&mem_generation, 1, memory_order_release);
    atomic_fetch_add_explicit(&exec_memory_epoch, 1, memory_order_release);   /* what workers remember of it no longer holds */
    switch (r->info.kind) {
    case MEM_DEVICE:
    case MEM_VARIABLE:
        mem_counts.n_device--;
        if (r->extent)                           /* none: a pool's, or mapped by somebody else */
            devheap_free(charge_of(r), r->extent);
        break;
    case MEM_MANAGED:
        mem_counts.n_managed--;
        mem_counts.managed_bytes -= r->info.bytes;
        if (r->extent)                           /* none: the memory is the program's own variable */
            devheap_free(charge_of(r), r->extent);
        break;
    case MEM_HOST:
        if (r->info.external || r->piece)        /* somebody else's mapping, a pool's memory */
            break;
        mem_counts.n_host--;
        mem_counts.pinned_bytes -= r->map_bytes;
        mem_counts.pinned_locked_bytes -= r->info.locked ? r->map_bytes : 0;
        pin_unmap((void *)(uintptr_t)r->info.base, r->map_bytes, r->info.locked ? PIN_LOCKED : PIN_RESIDENT);
        break;
    case MEM_REGISTERED:
        mem_counts.n_registered--;
        mem_counts.registered_bytes -= r->info.bytes;
        unlock_pages(r);
        break;
    case MEM_NONE:
        break;
    }
    hw_free(r);
}

bool mem_covers(uint64_t addr, size_t bytes, struct mem_info *out)
{
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(addr), *last = r;
    uint64_t end = r ? r->info.base + r->info.bytes : addr;
    while (last && last->info.external && bytes > end - addr) {
        last = mem_find(end);
        end = last ? last->info.base + last->info.bytes : end;
    }
    if (r)
        *out = r->info;
    else
        memset(out, 0, sizeof *out);
    hw_unlock(&mem_mu);
    return r && bytes <= end - addr;
}

/* Asks the map. The answer replaces the oldest one that stands in no slot of its own. */
static unsigned ask_map(uint64_t addr)
{
    hw_lock(&mem_mu);
    uint64_t now = atomic_load_explicit(&mem_generation, memory_order_relaxed);
    if (mem_spans.generation != now) {
        memset(&mem_spans, 0, sizeof mem_spans);
        mem_spans.generation = now;
    }
    unsigned at = MEM_SLOT_SRC + 1 + mem_spans.next++ % (MEM_SLOTS - MEM_SLOT_SRC - 1);
    struct mem_range *below = mem_range_of(treap_floor(mem_map, addr, 0)), *above = mem_range_of(treap_ceil(mem_map, addr, 0));
    if (below && addr - below->info.base < below->info.bytes) {
        mem_spans.v[at] = (struct mem_span){ below->info.base, below->info.bytes, below->info.kind };
    } else {
        uint64_t base = below ? below->info.base + below->info.bytes : 0;
        mem_spans.v[at] = (struct mem_span){ base, (above ? above->info.base : UINT64_MAX) - base, MEM_NONE };
    }
    hw_unlock(&mem_mu);
    return at;
}

const struct mem_span *mem_span_find(uint64_t addr, enum mem_slot slot)
{
    unsigned at = MEM_SLOTS;
    if (mem_spans.generation == atomic_load_explicit(&mem_generation, memory_order_acquire))
        for (at = 0; at < MEM_SLOTS && addr - mem_spans.v[at].base >= mem_spans.v[at].bytes; at++)
            ;
    if (at == MEM_SLOTS)
        at = ask_map(addr);
    struct mem_span found = mem_spans.v[at];
    if (at > MEM_SLOT_SRC)                       /* the slot's old answer stays among the others; the other slot's stays in place */
        mem_spans.v[at] = mem_spans.v[slot];
    mem_spans.v[slot] = found;
    return &mem_spans.v[slot];
}

CUresult mem_address_range(CUdeviceptr ptr, CUdeviceptr *out_base, size_t *out_bytes)
{
    struct mem_info info;
    if (!mem_lookup(ptr, &info))
        return hw_refuse(CUDA_ERROR_NOT_FOUND, "0x%llx is no memory that CUDA knows", (unsigned long long)ptr);
    if (out_base)
        *out_base = info.base;
    if (out_bytes)
        *out_bytes = info.bytes;
    return CUDA_SUCCESS;
}

/* --- the rest --- */

CUresult mem_set_sync_memops(uint64_t addr, bool on)
{
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(addr);
    if (r)
        r->info.sync_memops = on;
    hw_unlock(&mem_mu);
    return r ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is no memory that CUDA knows", (unsigned long long)addr);
}

bool mem_add_external(struct ctx *ctx, enum mem_kind kind, int device, uint64_t base, size_t bytes)
{
    hw_lock(&mem_mu);
    bool free_there = !mem_overlaps(base, bytes);
    if (free_there) {
        struct mem_range *r = mem_add_as(ctx, kind, base, bytes, 0, false, true);
        r->info.device = device;
        mem_counts.n_device += kind == MEM_DEVICE;
    }
    hw_unlock(&mem_mu);
    return free_there;
}

bool mem_remove_external(uint64_t base, size_t bytes)
{
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(base);
    bool there = r && r->info.base == base && r->info.external && r->info.bytes == bytes;
    if (there)
        mem_drop(r);
    hw_unlock(&mem_mu);
    return there;
}

static const char *kind_name(const struct mem_info *info)
{
    static const char *const names[] = { "unknown", "device memory", "a module's variable", "page-locked host memory",
                                         "registered host memory", "managed memory" };
    return names[info->kind];
}

/* Devices map whole pages. */
bool mem_reachable(uint64_t addr, uint64_t *out_base, uint64_t *out_end)
{
    uint64_t page = hw_page_bytes(), first = addr & ~(page - 1);
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(addr), *above = mem_range_of(treap_ceil(mem_map, first, 0)), *below = mem_range_of(treap_floor(mem_map, addr, 0));
    if (!r && above && above->info.base < first + page)
        r = above;
    if (!r && below && below->info.base + below->info.bytes > first)
        r = below;
    if (r) {
        *out_base = r->info.base & ~(page - 1);
        *out_end = hw_align_up(r->info.base + r->info.bytes, page);
    }
    hw_unlock(&mem_mu);
    return r != NULL;
}

void mem_describe(uint64_t addr, char *out, size_t bytes)
{
    enum { NEAR = 64 << 20 };
    const char *where = addr < 4096 ? "null pointer" : devheap_owns(addr) ? "device memory that is not allocated" : NULL;
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(addr), *below = mem_range_of(treap_floor(mem_map, addr, 0)), *above = mem_range_of(treap_ceil(mem_map, addr, 0));
    uint64_t past = below ? addr - below->info.base - below->info.bytes : UINT64_MAX, before = above ? above->info.base - addr : UINT64_MAX;
    if (r)
        snprintf(out, bytes, "in %s of %zu bytes at 0x%llx", kind_name(&r->info), r->info.bytes, (unsigned long long)r->info.base);
    else if (addr >= 4096 && past < NEAR && past <= before)
        snprintf(out, bytes, "%llu bytes past the end of %s of %zu bytes at 0x%llx", (unsigned long long)past, kind_name(&below->info), below->info.bytes,
                 (unsigned long long)below->info.base);
    else if (addr >= 4096 && before < NEAR)
        snprintf(out, bytes, "%llu bytes before %s of %zu bytes at 0x%llx", (unsigned long long)before, kind_name(&above->info), above->info.bytes,
                 (unsigned long long)above->info.base);
    else
        snprintf(out, bytes, "%s", where ? where : "not memory that CUDA knows (a pointer of the host? kernels take those of cudaMalloc, cudaMallocManaged, cudaMallocHost)");
    hw_unlock(&mem_mu);
}

void mem_hold(void) { hw_lock(&mem_mu); }
void mem_let_go(void) { hw_unlock(&mem_mu); }

void mem_each(void (*fn)(void *arg, uint64_t base, uint64_t bytes), void *arg)
{
    hw_lock(&mem_mu);
    devheap_each(fn, arg);
    for (struct mem_range *r = mem_range_of(treap_ceil(mem_map, 0, 0)); r; r = mem_range_of(treap_ceil(mem_map, r->info.base + 1, 0)))
        if (!devheap_owns(r->info.base))
            fn(arg, r->info.base, r->info.bytes);
    hw_unlock(&mem_mu);
}

void mem_stats(struct mem_stats *out)
{
    hw_lock(&mem_mu);
    *out = mem_counts;
    hw_unlock(&mem_mu);
}

void mem_dump(FILE *out)
{
    hw_lock(&mem_mu);
    for (struct mem_range *r = mem_range_of(treap_ceil(mem_map, 0, 0)); r; r = mem_range_of(treap_ceil(mem_map, r->info.base + 1, 0)))
        fprintf(out, "0x%llx: %zu bytes, %s, device %d%s\n", (unsigned long long)r->info.base, r->info.bytes, kind_name(&r->info),
                r->info.device, r->info.locked ? ", locked" : "");
    hw_unlock(&mem_mu);
}
