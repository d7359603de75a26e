/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other processes: what is mapped here, and how often. */
#define _GNU_SOURCE
#include "core/mem/ipc.h"
#include "base/log.h"

#include "base/lock.h"
#include "base/os.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/mem/mem.h"
#include "core/sched/sched.h"

#include <sys/mman.h>
#include <unistd.h>

struct opened {
    uint64_t inode;
    int32_t pid;
    uint64_t offset;
    uint64_t map, map_bytes, ptr, bytes;
    unsigned count;
    bool pooled;
    CUcontext ctx;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_EVENT);
static HW_VEC(struct opened) all HW_GUARDED_BY(mu);

static bool map_ref(const struct ipc_ref *ref, struct opened *out)
{
    int fd = ipc_ref_open(ref);
    if (fd < 0)
        return false;
    void *p = hw_window_map(ref->file_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    if (p != MAP_FAILED && mmap(p, ref->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(p, ref->file_bytes);
        p = MAP_FAILED;
    }
    close(fd);
    if (p == MAP_FAILED)
        return false;
    out->map = (uint64_t)(uintptr_t)p;
    out->map_bytes = ref->file_bytes;
    out->ptr = out->map + ref->offset;
    out->bytes = ref->bytes;
    return true;
}

CUresult ipc_mem_open(struct ctx *ctx, const struct ipc_ref *ref, bool pooled, CUdeviceptr *out)
{
    CUresult rc = CUDA_SUCCESS;
    struct opened o = { .inode = ref->inode, .pid = ref->pid, .offset = ref->offset, .count = 1, .pooled = pooled, .ctx = ctx_handle(ctx) };
    hw_lock(&mu);
    for (size_t i = 0; i < all.n; i++) {
        if (all.v[i].inode == ref->inode && all.v[i].pid == ref->pid && all.v[i].offset == ref->offset && all.v[i].bytes == ref->bytes
            && all.v[i].pooled == pooled) {
            all.v[i].count++;
            *out = all.v[i].ptr;
            hw_unlock(&mu);
            return CUDA_SUCCESS;
        }
    }
    if (!map_ref(ref, &o)) {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "process %d does not share such memory any more, or there is no room to map it", (int)ref->pid);
    } else if (!mem_add_external(ctx, MEM_DEVICE, ctx->dev->ordinal, o.ptr, o.bytes)) {
        munmap((void *)(uintptr_t)o.map, o.map_bytes);
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "the addresses of the other process's memory are in use here");
    } else {
        hw_vec_push(&all, o);
        *out = o.ptr;
    }
    hw_unlock(&mu);
    return rc;
}

/* The place of what begins at ptr, or the length of the list. */
static size_t find_locked(uint64_t ptr)
{
    size_t i = 0;
    while (i < all.n && all.v[i].ptr != ptr)
        i++;
    return i;
}

CUresult ipc_mem_close(CUdeviceptr ptr, bool pooled)
{
    struct opened gone = { 0 };
    hw_lock(&mu);
    size_t i = find_locked(ptr);
    bool found = i < all.n && all.v[i].pooled == pooled;
    if (found && --all.v[i].count == 0) {
        gone = all.v[i];
        all.v[i] = all.v[--all.n];
    }
    hw_unlock(&mu);
    if (gone.map) {
        struct ctx *ctx = ctx_get(gone.ctx);
        if (ctx)
            sched_wait_ctx(ctx);
        ctx_unref(ctx);
        mem_remove_external(gone.ptr, gone.bytes);
        munmap((void *)(uintptr_t)gone.map, gone.map_bytes);
    }
    return found ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no address that cuIpcOpenMemHandle gave");
}

bool ipc_mem_is_pooled(CUdeviceptr ptr)
{
    hw_lock(&mu);
    size_t i = find_locked(ptr);
    bool pooled = i < all.n && all.v[i].pooled;
    hw_unlock(&mu);
    return pooled;
}

void ipc_ctx_gone(struct ctx *ctx)
{
    CUcontext handle = ctx_handle(ctx);
    hw_lock(&mu);
    for (size_t i = 0; i < all.n;) {
        if (all.v[i].ctx != handle) {
            i++;
            continue;
        }
        munmap((void *)(uintptr_t)all.v[i].map, all.v[i].map_bytes);
        all.v[i] = all.v[--all.n];
    }
    hw_unlock(&mu);
}
