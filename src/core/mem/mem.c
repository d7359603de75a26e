/* SPDX-License-Identifier: Apache-2.0 */
/* The map of all memory that CUDA knows, and the calls that put ranges into it. */
#include "core/mem/mem.h"

#include "base/log.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/os.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/mem/devheap.h"
#include "core/device/device.h"
#include "core/graph/graph_mem.h"
#include "core/hooks.h"
#include "core/mem/ipc.h"
#include "core/mem/mempool.h"
#include "core/mem/pin.h"
#include "core/stream/sched.h"
#include "core/mem/treap.h"

#include <stdatomic.h>

/*
 * A range.
 * Lifetime  From the call that makes it to the one that frees it, or its context's end.
 * Locks     mu.
 */
struct mem_range {
    struct treap_node node;      /* by base */
    struct mem_info info;
    struct extent *extent;       /* device and managed memory */
    size_t map_bytes;            /* MEM_HOST: whole pages */
    struct pool_piece *piece;    /* memory of a pool; extent is NULL then */
};

enum { MAX_DEVICES = 64, ALLOC_ALIGN = 512, MANAGED_PAGES = 1 << 20 };    /* textures of plain memory begin at multiples of 512 */
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_MEM);
static struct treap_node *map HW_GUARDED_BY(mu);
static unsigned long long last_id HW_GUARDED_BY(mu);
static struct devheap_charge device_charge[MAX_DEVICES] HW_GUARDED_BY(mu);
static struct devheap_charge managed_charge HW_GUARDED_BY(mu);   /* managed memory may exceed a device's */
static struct mem_stats stats HW_GUARDED_BY(mu);
_Atomic uint64_t mem_generation = 1;
_Thread_local struct mem_spans mem_spans;

bool mem_init(void)
{
    uint64_t total = 0;
    for (int i = 0; i < device_count(); i++) {
        device_charge[i].limit = device_peek(i)->memory_bytes;
        total += device_charge[i].limit;
    }
    managed_charge.limit = hw_align_up(hw_memory_bytes(), 2u << 20);
    if (!devheap_init(total + managed_charge.limit)) {
        hw_error("cannot reserve addresses for %llu bytes of device memory", (unsigned long long)total);
        return false;
    }
    exec_describe_address = mem_describe;
    exec_find_memory = mem_reachable;
    return true;
}

/* --- the map; with mu held --- */

static struct mem_range *range_of(struct treap_node *n)
{
    return n ? hw_container_of(n, struct mem_range, node) : NULL;
}

/* The range that addr lies in. */
static struct mem_range *find(uint64_t addr)
{
    struct mem_range *r = range_of(treap_floor(map, addr, 0));
    return r && addr - r->info.base < r->info.bytes ? r : NULL;
}

static bool overlaps(uint64_t addr, size_t bytes)
{
    struct mem_range *above = range_of(treap_ceil(map, addr, 0));
    return find(addr) || (above && above->info.base < addr + bytes);
}

static struct mem_range *add_as(struct ctx *ctx, enum mem_kind kind, uint64_t base, size_t bytes, unsigned flags, bool variable, bool external)
{
    struct mem_range *r = hw_alloc(sizeof *r);
    r->info = (struct mem_info){ .kind = kind, .base = base, .bytes = bytes, .flags = flags, .ctx = ctx,
                                 .ctx_handle = ctx ? ctx_handle(ctx) : NULL, .device = ctx ? ctx->dev->ordinal : 0, .buffer_id = ++last_id,
                                 .variable = variable, .external = external };
    treap_insert(&map, &r->node, base, 0);
    atomic_fetch_add_explicit(&mem_generation, 1, memory_order_release);
    hook_mem_added(&r->info);
    return r;
}

static struct mem_range *add(struct ctx *ctx, enum mem_kind kind, uint64_t base, size_t bytes, unsigned flags) { return add_as(ctx, kind, base, bytes, flags, false, false); }

static struct devheap_charge *charge_of(const struct mem_range *r)
{
    return r->info.kind == MEM_MANAGED ? &managed_charge : &device_charge[r->info.device];
}

/* Pages that other registered ranges also lie in stay locked. Those can only be the neighbours in the map. */
static void unlock_pages(const struct mem_range *r)
{
    uint64_t page = hw_page_bytes(), first = r->info.base & ~(page - 1), end = hw_align_up(r->info.base + r->info.bytes, page);
    struct mem_range *below = r->info.base ? range_of(treap_floor(map, r->info.base - 1, 0)) : NULL;
    struct mem_range *above = range_of(treap_ceil(map, r->info.base + 1, 0));
    if (below && below->info.kind == MEM_REGISTERED && below->info.base + below->info.bytes > first)
        first += page;
    if (above && above->info.kind == MEM_REGISTERED && above->info.base < end)
        end -= page;
    if (r->info.locked)
        pin_unlock(first, end);
}

/* Takes a range out and gives back what is behind it. */
static void drop(struct mem_range *r)
{
    hook_mem_dropped(&r->info);
    treap_remove(&map, &r->node);
    atomic_fetch_add_explicit(&mem_generation, 1, memory_order_release);
    atomic_fetch_add_explicit(&exec_memory_epoch, 1, memory_order_release);   /* what workers remember of it no longer holds */
    switch (r->info.kind) {
    case MEM_DEVICE:
    case MEM_VARIABLE:
        stats.n_device--;
        if (r->extent)                           /* none: a pool's, or mapped by somebody else */
            devheap_free(charge_of(r), r->extent);
        break;
    case MEM_MANAGED:
        stats.n_managed--;
        stats.managed_bytes -= r->info.bytes;
        if (r->extent)                           /* none: the memory is the program's own variable */
            devheap_free(charge_of(r), r->extent);
        break;
    case MEM_HOST:
        if (r->info.external || r->piece)        /* somebody else's mapping, a pool's memory */
            break;
        stats.n_host--;
        stats.pinned_bytes -= r->map_bytes;
        stats.pinned_locked_bytes -= r->info.locked ? r->map_bytes : 0;
        pin_unmap((void *)(uintptr_t)r->info.base, r->map_bytes, r->info.locked ? PIN_LOCKED : PIN_RESIDENT);
        break;
    case MEM_REGISTERED:
        stats.n_registered--;
        stats.registered_bytes -= r->info.bytes;
        unlock_pages(r);
        break;
    case MEM_NONE:
        break;
    }
    hw_free(r);
}

bool mem_lookup(uint64_t addr, struct mem_info *out)
{
    hw_lock(&mu);
    struct mem_range *r = find(addr);
    if (r)
        *out = r->info;
    else
        memset(out, 0, sizeof *out);
    hw_unlock(&mu);
    return r != NULL;
}

/* Asks the map. The answer replaces the oldest one that stands in no slot of its own. */
static unsigned ask_map(uint64_t addr)
{
    hw_lock(&mu);
    uint64_t now = atomic_load_explicit(&mem_generation, memory_order_relaxed);
    if (mem_spans.generation != now) {
        memset(&mem_spans, 0, sizeof mem_spans);
        mem_spans.generation = now;
    }
    unsigned at = MEM_SLOT_SRC + 1 + mem_spans.next++ % (MEM_SLOTS - MEM_SLOT_SRC - 1);
    struct mem_range *below = range_of(treap_floor(map, addr, 0)), *above = range_of(treap_ceil(map, addr, 0));
    if (below && addr - below->info.base < below->info.bytes) {
        mem_spans.v[at] = (struct mem_span){ below->info.base, below->info.bytes, below->info.kind };
    } else {
        uint64_t base = below ? below->info.base + below->info.bytes : 0;
        mem_spans.v[at] = (struct mem_span){ base, (above ? above->info.base : UINT64_MAX) - base, MEM_NONE };
    }
    hw_unlock(&mu);
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

bool mem_covers(uint64_t addr, size_t bytes, struct mem_info *out)
{
    struct mem_info next;
    if (!mem_lookup(addr, out))
        return false;
    uint64_t end = out->base + out->bytes;
    if (bytes <= end - addr)
        return true;
    /* Mappings side by side are one piece of memory to programs. */
    for (next = *out; next.external && bytes > end - addr; end = next.base + next.bytes)
        if (!mem_lookup(end, &next) || next.base != end)
            return false;
    return bytes <= end - addr;
}

/* --- device and managed memory --- */

static CUresult alloc_kind(struct ctx *ctx, enum mem_kind kind, size_t bytes, size_t align, unsigned flags, bool variable,
                           CUdeviceptr *out)
{
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    hw_lock(&mu);
    struct devheap_charge *charge = kind == MEM_MANAGED ? &managed_charge : &device_charge[ctx->dev->ordinal];
    struct extent *e = devheap_alloc(charge, bytes, align);
    if (e) {
        struct mem_range *r = add_as(ctx, kind, devheap_base(e), bytes, flags, variable, false);
        r->extent = e;
        stats.n_device += kind != MEM_MANAGED;
        stats.n_managed += kind == MEM_MANAGED;
        stats.managed_bytes += kind == MEM_MANAGED ? bytes : 0;
        *out = r->info.base;
    }
    hw_unlock(&mu);
    return e ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the device has no %zu bytes left (HOSTWARP_MEMORY)", bytes);
}

CUresult mem_alloc(struct ctx *ctx, size_t bytes, CUdeviceptr *out)
{
    return alloc_kind(ctx, MEM_DEVICE, bytes, ALLOC_ALIGN, 0, false, out);
}

CUresult mem_alloc_pitch(struct ctx *ctx, size_t width, size_t height, unsigned element, CUdeviceptr *out, size_t *out_pitch)
{
    size_t pitch = hw_align_up(width, DEVICE_PITCH_ALIGN), bytes;
    if (width == 0 || height == 0 || (element != 4 && element != 8 && element != 16))
        return CUDA_ERROR_INVALID_VALUE;
    if (pitch < width || __builtin_mul_overflow(pitch, height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult rc = mem_alloc(ctx, bytes, out);
    if (!rc)
        *out_pitch = pitch;
    return rc;
}

CUresult mem_alloc_managed(struct ctx *ctx, size_t bytes, unsigned flags, CUdeviceptr *out)
{
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    /* host code may do to large memory what needs whole pages */
    return alloc_kind(ctx, MEM_MANAGED, bytes, bytes > MANAGED_PAGES ? hw_page_bytes() : ALLOC_ALIGN, flags, false, out);
}

CUresult mem_alloc_variable(struct ctx *ctx, size_t bytes, size_t align, bool managed, CUdeviceptr *out)
{
    return alloc_kind(ctx, managed ? MEM_MANAGED : MEM_VARIABLE, bytes, align, managed ? CU_MEM_ATTACH_GLOBAL : 0, true, out);
}

CUresult mem_adopt_variable(struct ctx *ctx, void *ptr, size_t bytes, bool *fresh)
{
    uint64_t base = (uint64_t)(uintptr_t)ptr;
    CUresult rc = CUDA_SUCCESS;
    hw_lock(&mu);
    struct mem_range *r = find(base);
    *fresh = false;
    if (r && r->info.base == base && r->info.bytes == bytes && r->info.kind == MEM_MANAGED && r->info.variable) {
        /* another context's module has it: one variable for all devices */
    } else if (!ptr || bytes == 0 || base + bytes < base || overlaps(base, bytes)) {
        rc = CUDA_ERROR_INVALID_VALUE;
    } else {
        r = add_as(ctx, MEM_MANAGED, base, bytes, CU_MEM_ATTACH_GLOBAL, true, false);
        stats.n_managed++;
        stats.managed_bytes += bytes;
        *fresh = true;
    }
    hw_unlock(&mu);
    return rc;
}

void mem_free_variable(CUdeviceptr ptr)
{
    hw_lock(&mu);
    struct mem_range *r = find(ptr);
    if (r && r->info.base == ptr && r->info.variable)
        drop(r);
    hw_unlock(&mu);
}

/* Frees the range that begins at addr once its context's work is done. Another thread may have freed it meanwhile: the id
   tells. */
static CUresult free_after_work(const struct mem_info *info)
{
    struct ctx *ctx = ctx_get(info->ctx_handle);
    hook_mem_freeing(info, NULL);
    if (ctx)
        sched_wait_ctx(ctx);
    ctx_unref(ctx);
    hw_lock(&mu);
    struct mem_range *r = find(info->base);
    bool same = r && r->info.buffer_id == info->buffer_id;
    struct pool_piece *piece = same ? r->piece : NULL;
    if (same)
        drop(r);
    hw_unlock(&mu);
    if (piece)
        mempool_put_back(piece);
    return same ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* What is given back must be the start of what `which` says; where it lies instead is worth a word. */
static CUresult not_the_start(uint64_t ptr, const char *which)
{
    hook_free_refused(ptr);
    struct mem_info info;
    if (!hw_reasons_on())
        return CUDA_ERROR_INVALID_VALUE;
    if (mem_lookup(ptr, &info) && info.base != ptr)
        hw_reason("0x%llx lies %llu bytes inside of other memory; only an address that %s will do", (unsigned long long)ptr, (unsigned long long)(ptr - info.base), which);
    else
        hw_reason("0x%llx is no address that %s, or it was given back already", (unsigned long long)ptr, which);
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult mem_free(CUdeviceptr ptr)
{
    struct mem_info info;
    if (ptr == 0)
        return CUDA_SUCCESS;
    if (!mem_lookup(ptr, &info) || info.base != ptr || info.external
        || (info.kind != MEM_DEVICE && info.kind != MEM_MANAGED && info.kind != MEM_VARIABLE))
        return not_the_start(ptr, "cuMemAlloc or cuMemAllocManaged gave");
    if (info.variable)                           /* a graph's, perhaps */
        return graph_memory_free(ptr, NULL);
    return free_after_work(&info);
}

CUresult mem_address_range(CUdeviceptr ptr, CUdeviceptr *out_base, size_t *out_bytes)
{
    struct mem_info info;
    if (!mem_lookup(ptr, &info))
        return CUDA_ERROR_NOT_FOUND;
    if (out_base)
        *out_base = info.base;
    if (out_bytes)
        *out_bytes = info.bytes;
    return CUDA_SUCCESS;
}

void mem_info_bytes(struct device *dev, size_t *out_free, size_t *out_total)
{
    hw_lock(&mu);
    const struct devheap_charge *c = &device_charge[dev->ordinal];
    if (out_free)
        *out_free = c->limit - hw_min_u64(c->used, c->limit);
    if (out_total)
        *out_total = c->limit;
    hw_unlock(&mu);
}

/* --- page-locked memory --- */

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
    hw_lock(&mu);
    bool fits = pages >= bytes && stats.pinned_bytes + stats.registered_bytes <= pinned_limit()
        && pages <= pinned_limit() - stats.pinned_bytes - stats.registered_bytes;
    if (fits)
        stats.pinned_bytes += pages;             /* reserved now: touching the pages takes long, and is done without the lock */
    hw_unlock(&mu);
    if (!fits)
        return over_budget(bytes);
    enum pin_result result = PIN_FAILED;
    void *p = pin_map(pages, &result);
    hw_lock(&mu);
    if (p) {
        struct mem_range *r = add(ctx, MEM_HOST, (uint64_t)(uintptr_t)p, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP);
        r->map_bytes = pages;
        r->info.locked = result == PIN_LOCKED;
        stats.pinned_locked_bytes += r->info.locked ? pages : 0;
        stats.n_host++;
    } else {
        stats.pinned_bytes -= pages;
    }
    hw_unlock(&mu);
    if (!p)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system has no %zu bytes, or may not lock them and HOSTWARP_PIN=strict wants that", pages);
    *out = p;
    return CUDA_SUCCESS;
}

CUresult mem_host_free(void *ptr)
{
    struct mem_info info;
    if (!ptr)
        return CUDA_SUCCESS;
    if (!mem_lookup((uint64_t)(uintptr_t)ptr, &info) || info.base != (uint64_t)(uintptr_t)ptr || info.kind != MEM_HOST || info.external || info.pool)
        return not_the_start((uint64_t)(uintptr_t)ptr, "cuMemHostAlloc or cuMemAllocHost gave");
    return free_after_work(&info);
}

/* Locks the pages of a range that is in the map already: that takes up to seconds, and others must not wait for it. */
static CUresult lock_registered(uint64_t base, size_t bytes, unsigned long long id)
{
    uint64_t page = hw_page_bytes();
    enum pin_result result = pin_lock(base & ~(page - 1), hw_align_up(base + bytes, page));
    hw_lock(&mu);
    struct mem_range *r = find(base);
    if (r && r->info.buffer_id == id) {
        r->info.locked = result == PIN_LOCKED;
        if (result == PIN_FAILED)
            drop(r);
    }
    hw_unlock(&mu);
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
    hw_lock(&mu);
    CUresult rc = CUDA_SUCCESS;
    struct mem_range *other = find(base);
    if (!other && overlaps(base, bytes))
        other = range_of(treap_ceil(map, base, 0));
    if (other)
        rc = register_over(&other->info);
    else if (!pin_is_mapped(first, end))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "not all pages from 0x%llx to 0x%llx are mapped in this process", (unsigned long long)first, (unsigned long long)end);
    else if (bytes > pinned_limit() - hw_min_u64(pinned_limit(), stats.pinned_bytes + stats.registered_bytes))
        rc = over_budget(bytes);
    unsigned long long id = 0;
    if (!rc) {                                   /* in the map first: then nobody registers it a second time meanwhile */
        id = add(ctx, MEM_REGISTERED, base, bytes, (flags & CU_MEMHOSTREGISTER_PORTABLE) | CU_MEMHOSTREGISTER_DEVICEMAP)
                 ->info.buffer_id;
        stats.n_registered++;
        stats.registered_bytes += bytes;
    }
    hw_unlock(&mu);
    return rc ? rc : lock_registered(base, bytes, id);
}

CUresult mem_host_unregister(void *ptr)
{
    struct mem_info info;
    if (!ptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (!mem_lookup((uint64_t)(uintptr_t)ptr, &info))
        return hw_refuse(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "%p was not registered, or was unregistered already", ptr);
    if (info.kind != MEM_REGISTERED || info.base != (uint64_t)(uintptr_t)ptr)
        return not_the_start((uint64_t)(uintptr_t)ptr, "cuMemHostRegister was given");
    return free_after_work(&info);
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
        return CUDA_ERROR_INVALID_VALUE;
    *out = info.flags;
    return CUDA_SUCCESS;
}

/* --- the rest --- */

CUresult mem_set_sync_memops(uint64_t addr, bool on)
{
    hw_lock(&mu);
    struct mem_range *r = find(addr);
    if (r)
        r->info.sync_memops = on;
    hw_unlock(&mu);
    return r ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void mem_free_ctx(struct ctx *ctx)
{
    HW_VEC(struct pool_piece *) pieces = { 0 };
    hw_lock(&mu);
    for (struct mem_range *r = range_of(treap_ceil(map, 0, 0)), *next; r; r = next) {
        next = range_of(treap_ceil(map, r->info.base + 1, 0));
        if (r->info.ctx != ctx)
            continue;
        if (r->piece)
            hw_vec_push(&pieces, r->piece);
        drop(r);
    }
    hw_unlock(&mu);
    for (size_t i = 0; i < pieces.n; i++)
        mempool_put_back(pieces.v[i]);
    hw_vec_fini(&pieces);
}

/* --- memory that other files of core/ make --- */

static struct devheap_charge *charge_for(int device)
{
    return device == MEM_OF_HOST ? &managed_charge : &device_charge[device];
}

struct extent *mem_chunk_alloc(int device, size_t bytes)
{
    hw_lock(&mu);
    struct extent *e = devheap_alloc(charge_for(device), bytes, hw_page_bytes());
    hw_unlock(&mu);
    return e;
}

bool mem_chunk_share(struct extent *e)
{
    uint64_t base, bytes;
    int fd;
    hw_lock(&mu);
    bool ok = devheap_share(e, true, &fd, &base, &bytes);
    hw_unlock(&mu);
    return ok;
}

CUresult mem_pooled_ref(uint64_t addr, struct ipc_ref *out)
{
    CUresult rc = CUDA_ERROR_INVALID_VALUE;
    uint64_t base, bytes;
    int fd;
    hw_lock(&mu);
    struct mem_range *r = find(addr);
    struct extent *e = r && r->info.base == addr && r->piece ? mempool_shared_extent(r->piece) : NULL;
    if (e && devheap_share(e, false, &fd, &base, &bytes))        /* it is shared already: nothing is moved */
        rc = ipc_ref_make(fd, r->info.device, bytes, r->info.base - base, r->info.bytes, out);
    hw_unlock(&mu);
    return rc;
}

void mem_chunk_free(int device, struct extent *e)
{
    hw_lock(&mu);
    devheap_free(charge_for(device), e);
    hw_unlock(&mu);
}

void mem_add_pooled(struct ctx *ctx, enum mem_kind kind, int device, struct pool_piece *piece, uint64_t base, size_t bytes)
{
    CUmemoryPool pool = mempool_of_piece(piece);
    hw_lock(&mu);
    unsigned flags = kind == MEM_MANAGED ? CU_MEM_ATTACH_GLOBAL : kind == MEM_HOST ? CU_MEMHOSTALLOC_DEVICEMAP : 0;
    struct mem_range *r = add(ctx, kind, base, bytes, flags);
    r->piece = piece;
    r->info.device = device;
    r->info.pool = pool;
    stats.n_device += kind == MEM_DEVICE;
    stats.n_managed += kind == MEM_MANAGED;
    stats.managed_bytes += kind == MEM_MANAGED ? bytes : 0;
    hw_unlock(&mu);
}

bool mem_take_pooled(uint64_t base, struct pool_piece **out)
{
    hw_lock(&mu);
    struct mem_range *r = find(base);
    bool there = r && r->info.base == base && r->piece;
    if (there) {
        *out = r->piece;
        drop(r);
    }
    hw_unlock(&mu);
    return there;
}

bool mem_charge(int device, size_t bytes)
{
    hw_lock(&mu);
    struct devheap_charge *c = &device_charge[device];
    bool fits = c->used <= c->limit && bytes <= c->limit - c->used;
    if (fits)
        c->used += bytes;
    hw_unlock(&mu);
    return fits;
}

void mem_uncharge(int device, size_t bytes)
{
    hw_lock(&mu);
    device_charge[device].used -= bytes;
    hw_unlock(&mu);
}

bool mem_add_external(struct ctx *ctx, enum mem_kind kind, int device, uint64_t base, size_t bytes)
{
    hw_lock(&mu);
    bool free_there = !overlaps(base, bytes);
    if (free_there) {
        struct mem_range *r = add_as(ctx, kind, base, bytes, 0, false, true);
        r->info.device = device;
        stats.n_device += kind == MEM_DEVICE;
    }
    hw_unlock(&mu);
    return free_there;
}

bool mem_remove_external(uint64_t base, size_t bytes)
{
    hw_lock(&mu);
    struct mem_range *r = find(base);
    bool there = r && r->info.base == base && r->info.external && r->info.bytes == bytes;
    if (there)
        drop(r);
    hw_unlock(&mu);
    return there;
}

struct share_call {
    uint64_t addr;
    struct ipc_ref *out;
    CUresult rc;
};

/* With all streams quiet. */
static void share_range(void *arg)
{
    struct share_call *call = arg;
    uint64_t base, bytes;
    int fd;
    hw_lock(&mu);
    struct mem_range *r = find(call->addr);
    bool ours = r && r->info.kind == MEM_DEVICE && r->extent && !r->info.external && !r->info.variable;
    call->rc = ours ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (ours && !devheap_share(r->extent, false, &fd, &base, &bytes))
        call->rc = CUDA_ERROR_OUT_OF_MEMORY;
    else if (ours)
        call->rc = ipc_ref_make(fd, r->info.device, bytes, r->info.base - base, r->info.bytes, call->out);
    hw_unlock(&mu);
}

CUresult mem_share(uint64_t addr, struct ipc_ref *out)
{
    struct share_call call = { addr, out, CUDA_SUCCESS };
    sched_quiet(share_range, &call);
    return call.rc;
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
    hw_lock(&mu);
    struct mem_range *r = find(addr), *above = range_of(treap_ceil(map, first, 0)), *below = range_of(treap_floor(map, addr, 0));
    if (!r && above && above->info.base < first + page)
        r = above;
    if (!r && below && below->info.base + below->info.bytes > first)
        r = below;
    if (r) {
        *out_base = r->info.base & ~(page - 1);
        *out_end = hw_align_up(r->info.base + r->info.bytes, page);
    }
    hw_unlock(&mu);
    return r != NULL;
}

void mem_describe(uint64_t addr, char *out, size_t bytes)
{
    const char *where = addr < 4096 ? "null pointer" : devheap_owns(addr) ? "device memory that is not allocated" : NULL;
    hw_lock(&mu);
    struct mem_range *r = find(addr), *below = range_of(treap_floor(map, addr, 0));
    if (r)
        snprintf(out, bytes, "in %s of %zu bytes at 0x%llx", kind_name(&r->info), r->info.bytes, (unsigned long long)r->info.base);
    else if (addr >= 4096 && below && addr - below->info.base - below->info.bytes < (64u << 20))
        snprintf(out, bytes, "%llu bytes past the end of %s of %zu bytes at 0x%llx",
                 (unsigned long long)(addr - below->info.base - below->info.bytes), kind_name(&below->info), below->info.bytes,
                 (unsigned long long)below->info.base);
    else
        snprintf(out, bytes, "%s", where ? where : "not memory that CUDA knows");
    hw_unlock(&mu);
}

void mem_hold(void) { hw_lock(&mu); }
void mem_let_go(void) { hw_unlock(&mu); }

void mem_each(void (*fn)(void *arg, uint64_t base, uint64_t bytes), void *arg)
{
    hw_lock(&mu);
    devheap_each(fn, arg);
    for (struct mem_range *r = range_of(treap_ceil(map, 0, 0)); r; r = range_of(treap_ceil(map, r->info.base + 1, 0)))
        if (!devheap_owns(r->info.base))
            fn(arg, r->info.base, r->info.bytes);
    hw_unlock(&mu);
}

void mem_stats(struct mem_stats *out)
{
    hw_lock(&mu);
    *out = stats;
    hw_unlock(&mu);
}

void mem_dump(FILE *out)
{
    hw_lock(&mu);
    for (struct mem_range *r = range_of(treap_ceil(map, 0, 0)); r; r = range_of(treap_ceil(map, r->info.base + 1, 0)))
        fprintf(out, "0x%llx: %zu bytes, %s, device %d%s\n", (unsigned long long)r->info.base, r->info.bytes, kind_name(&r->info),
                r->info.device, r->info.locked ? ", locked" : "");
    hw_unlock(&mu);
}
