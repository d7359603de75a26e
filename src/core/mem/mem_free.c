/* SPDX-License-Identifier: Apache-2.0 */
/* Giving memory back, and sharing it: what has to wait for the work that may use it. */
#include "base/log.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/hooks.h"
#include "core/mem/graph_mem.h"
#include "core/mem/ipc_file.h"
#include "core/mem/mem_internal.h"
#include "core/mem/mempool.h"
#include "core/sched/direct.h"
#include "core/sched/sched.h"

/* Frees the range that begins at addr once its context's work is done. Another thread may have freed it meanwhile: the id
   tells. */
static CUresult free_after_work(const struct mem_info *info)
{
    struct ctx *ctx = ctx_get(info->ctx_handle);
    hook_mem_freeing(info, NULL);
    if (ctx)
        sched_wait_ctx(ctx);
    ctx_unref(ctx);
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(info->base);
    bool same = r && r->info.buffer_id == info->buffer_id;
    struct pool_piece *piece = same ? r->piece : NULL;
    if (same)
        mem_drop(r);
    hw_unlock(&mem_mu);
    if (piece)
        mempool_put_back(piece);
    return same ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "another thread gave the memory back meanwhile");
}

/* What is given back must be the start of what `which` says; where it lies instead is worth a word. */
static CUresult not_the_start(uint64_t ptr, const char *which)
{
    hook_free_refused(ptr);
    struct mem_info info;
    if (mem_lookup(ptr, &info) && info.base != ptr)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx lies %llu bytes inside of other memory; only an address that %s will do", (unsigned long long)ptr, (unsigned long long)(ptr - info.base), which);
    return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is no address that %s, or it was given back already", (unsigned long long)ptr, which);
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

CUresult mem_host_free(void *ptr)
{
    struct mem_info info;
    if (!ptr)
        return CUDA_SUCCESS;
    if (!mem_lookup((uint64_t)(uintptr_t)ptr, &info) || info.base != (uint64_t)(uintptr_t)ptr || info.kind != MEM_HOST || info.external || info.pool)
        return not_the_start((uint64_t)(uintptr_t)ptr, "cuMemHostAlloc or cuMemAllocHost gave");
    return free_after_work(&info);
}

CUresult mem_host_unregister(void *ptr)
{
    struct mem_info info;
    if (!ptr)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the address is NULL");
    if (!mem_lookup((uint64_t)(uintptr_t)ptr, &info))
        return hw_refuse(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "%p was not registered, or was unregistered already", ptr);
    if (info.kind != MEM_REGISTERED || info.base != (uint64_t)(uintptr_t)ptr)
        return not_the_start((uint64_t)(uintptr_t)ptr, "cuMemHostRegister was given");
    return free_after_work(&info);
}

void mem_free_ctx(struct ctx *ctx)
{
    HW_VEC(struct pool_piece *) pieces = { 0 };
    hw_lock(&mem_mu);
    for (struct mem_range *r = mem_range_of(treap_ceil(mem_map, 0, 0)), *next; r; r = next) {
        next = mem_range_of(treap_ceil(mem_map, r->info.base + 1, 0));
        if (r->info.ctx != ctx)
            continue;
        if (r->piece)
            hw_vec_push(&pieces, r->piece);
        mem_drop(r);
    }
    hw_unlock(&mem_mu);
    for (size_t i = 0; i < pieces.n; i++)
        mempool_put_back(pieces.v[i]);
    hw_vec_fini(&pieces);
}

/* --- other processes --- */

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
    hw_lock(&mem_mu);
    struct mem_range *r = mem_find(call->addr);
    bool ours = r && r->info.kind == MEM_DEVICE && r->extent && !r->info.external && !r->info.variable;
    if (!ours)
        call->rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is not in memory of cuMemAlloc()", (unsigned long long)call->addr);
    else if (!devheap_share(r->extent, false, &fd, &base, &bytes))
        call->rc = hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no memory that can be shared");
    else
        call->rc = ipc_ref_make(fd, r->info.device, bytes, r->info.base - base, r->info.bytes, call->out);
    hw_unlock(&mem_mu);
}

CUresult mem_share(uint64_t addr, struct ipc_ref *out)
{
    struct share_call call = { addr, out, CUDA_SUCCESS };
    direct_quiet(share_range, &call);
    return call.rc;
}
