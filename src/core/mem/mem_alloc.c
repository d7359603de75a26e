/* SPDX-License-Identifier: Apache-2.0 */
/* Device and managed memory: allocating, variables of modules, what a device is charged with. */
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/mem/ipc_file.h"
#include "core/mem/mem_internal.h"

#include <sys/mman.h>

enum { ALLOC_ALIGN = 512, MANAGED_PAGES = 1 << 20 };             /* textures of plain memory begin at multiples of 512 */

static CUresult alloc_kind(struct ctx *ctx, enum mem_kind kind, size_t bytes, size_t align, unsigned flags, bool variable,
                           CUdeviceptr *out)
{
    if (bytes == 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0 bytes are asked for");
    hw_lock(&mem_mu);
    struct devheap_charge *charge = kind == MEM_MANAGED ? &mem_managed_charge : &mem_device_charge[ctx->dev->ordinal];
    struct extent *e = devheap_alloc(charge, bytes, align);
    if (e && kind == MEM_MANAGED && hw_options()->check[0])      /* whole pages are touched, or not */
        madvise((void *)(uintptr_t)(devheap_base(e) & ~(hw_page_bytes() - 1)), bytes, MADV_NOHUGEPAGE);
    if (e) {
        struct mem_range *r = mem_add_as(ctx, kind, devheap_base(e), bytes, flags, variable, false);
        r->extent = e;
        mem_counts.n_device += kind != MEM_MANAGED;
        mem_counts.n_managed += kind == MEM_MANAGED;
        mem_counts.managed_bytes += kind == MEM_MANAGED ? bytes : 0;
        *out = r->info.base;
    }
    hw_unlock(&mem_mu);
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
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu by %zu elements of %u bytes; those of 4, 8 or 16 will do", width, height, element);
    if (pitch < width || __builtin_mul_overflow(pitch, height, &bytes))
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "%zu rows of %zu bytes are more than there can be", height, width);
    CUresult rc = mem_alloc(ctx, bytes, out);
    if (!rc)
        *out_pitch = pitch;
    return rc;
}

CUresult mem_alloc_managed(struct ctx *ctx, size_t bytes, unsigned flags, CUdeviceptr *out)
{
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are neither GLOBAL nor HOST", flags);
    /* host code may do to large memory what needs whole pages; the checker asks which pages were touched */
    bool whole = bytes > MANAGED_PAGES || hw_options()->check[0];
    return alloc_kind(ctx, MEM_MANAGED, bytes, whole ? hw_page_bytes() : ALLOC_ALIGN, flags, false, out);
}

CUresult mem_alloc_variable(struct ctx *ctx, size_t bytes, size_t align, bool managed, CUdeviceptr *out)
{
    return alloc_kind(ctx, managed ? MEM_MANAGED : MEM_VARIABLE, bytes, align, managed ? CU_MEM_ATTACH_GLOBAL : 0, true, out);
}

CUresult mem_adopt_variable(struct ctx *ctx, void *ptr, size_t bytes, bool *fresh)
{
    uint64_t base = (uint64_t)(uintptr_t)ptr;
    CUresult rc = CUDA_SUCCESS;
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(base);
    *fresh = false;
    if (r && r->info.base == base && r->info.bytes == bytes && r->info.kind == MEM_MANAGED && r->info.variable) {
        /* another context's module has it: one variable for all devices */
    } else if (!ptr || bytes == 0 || base + bytes < base || mem_overlaps(base, bytes)) {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes of a managed variable at %p are NULL, empty, or known as other memory", (size_t)bytes, (void *)ptr);
    } else {
        r = mem_add_as(ctx, MEM_MANAGED, base, bytes, CU_MEM_ATTACH_GLOBAL, true, false);
        mem_counts.n_managed++;
        mem_counts.managed_bytes += bytes;
        *fresh = true;
    }
    hw_unlock(&mem_mu);
    return rc;
}

void mem_free_variable(CUdeviceptr ptr)
{
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(ptr);
    if (r && r->info.base == ptr && r->info.variable)
        mem_drop(r);
    hw_unlock(&mem_mu);
}

void mem_info_bytes(struct device *dev, size_t *out_free, size_t *out_total)
{
    hw_lock(&mem_mu);
    const struct devheap_charge *c = &mem_device_charge[dev->ordinal];
    if (out_free)
        *out_free = c->limit - hw_min_u64(c->used, c->limit);
    if (out_total)
        *out_total = c->limit;
    hw_unlock(&mem_mu);
}

static struct devheap_charge *charge_for(int device)
{
    return device == MEM_OF_HOST ? &mem_managed_charge : &mem_device_charge[device];
}

struct extent *mem_chunk_alloc(int device, size_t bytes)
{
    hw_lock(&mem_mu);
    struct extent *e = devheap_alloc(charge_for(device), bytes, hw_page_bytes());
    hw_unlock(&mem_mu);
    return e;
}

bool mem_chunk_share(struct extent *e)
{
    uint64_t base, bytes;
    int fd;
    hw_lock(&mem_mu);
    bool ok = devheap_share(e, true, &fd, &base, &bytes);
    hw_unlock(&mem_mu);
    return ok;
}

CUresult mem_pooled_ref(uint64_t addr, struct ipc_ref *out)
{
    CUresult rc;
    uint64_t base, bytes;
    int fd;
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(addr);
    struct extent *e = r && r->info.base == addr && r->piece ? r->chunk : NULL;
    if (e && devheap_share(e, false, &fd, &base, &bytes))        /* it is shared already: nothing is moved */
        rc = ipc_ref_make(fd, r->info.device, bytes, r->info.base - base, r->info.bytes, out);
    else
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the beginning of an allocation of a pool that can be exported", (unsigned long long)addr);
    hw_unlock(&mem_mu);
    return rc;
}

void mem_chunk_free(int device, struct extent *e)
{
    hw_lock(&mem_mu);
    devheap_free(charge_for(device), e);
    hw_unlock(&mem_mu);
}

void mem_add_pooled(struct ctx *ctx, enum mem_kind kind, int device, const struct mem_pooled *from, uint64_t base, size_t bytes)
{
    hw_lock(&mem_mu);
    unsigned flags = kind == MEM_MANAGED ? CU_MEM_ATTACH_GLOBAL : kind == MEM_HOST ? CU_MEMHOSTALLOC_DEVICEMAP : 0;
    struct mem_range *r = mem_add(ctx, kind, base, bytes, flags);
    r->piece = from->piece;
    r->chunk = from->chunk;
    r->info.device = device;
    r->info.pool = from->pool;
    mem_counts.n_device += kind == MEM_DEVICE;
    mem_counts.n_managed += kind == MEM_MANAGED;
    mem_counts.managed_bytes += kind == MEM_MANAGED ? bytes : 0;
    hw_unlock(&mem_mu);
}

bool mem_take_pooled(uint64_t base, struct pool_piece **out)
{
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(base);
    bool there = r && r->info.base == base && r->piece;
    if (there) {
        *out = r->piece;
        mem_drop(r);
    }
    hw_unlock(&mem_mu);
    return there;
}

bool mem_charge(int device, size_t bytes)
{
    hw_lock(&mem_mu);
    struct devheap_charge *c = &mem_device_charge[device];
    bool fits = c->used <= c->limit && bytes <= c->limit - c->used;
    if (fits)
        c->used += bytes;
    hw_unlock(&mem_mu);
    return fits;
}

void mem_uncharge(int device, size_t bytes)
{
    hw_lock(&mem_mu);
    mem_device_charge[device].used -= bytes;
    hw_unlock(&mem_mu);
}
