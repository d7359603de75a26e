/* SPDX-License-Identifier: Apache-2.0 */
/* References to files in memory between processes, and what is mapped through them. */
#define _GNU_SOURCE
#include "core/mem/ipc.h"

#include "base/lock.h"
#include "base/os.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/mem/mem.h"
#include "core/stream/sched.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC = 0x63706968 };

_Static_assert(sizeof(struct ipc_ref) <= 64, "a handle holds 64 bytes");

int ipc_file_new(const char *name, uint64_t bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool ipc_file_stays(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK);
}

CUresult ipc_ref_make(int fd, int device, uint64_t file_bytes, uint64_t offset, uint64_t bytes, struct ipc_ref *out)
{
    struct stat st;
    if (fstat(fd, &st))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = (struct ipc_ref){ MAGIC, getpid(), fd, device, st.st_ino, file_bytes, offset, bytes };
    return CUDA_SUCCESS;
}

bool ipc_ref_valid(const struct ipc_ref *ref)
{
    return ref->magic == MAGIC && ref->pid > 0 && ref->fd >= 0 && ref->device >= 0 && ref->bytes && ref->offset <= ref->file_bytes
        && ref->bytes <= ref->file_bytes - ref->offset;
}

bool ipc_ref_ours(const struct ipc_ref *ref)
{
    return ref->pid == getpid();
}

/* The other process's descriptor as one of ours; -1: it is no longer that file. */
static int open_ref(const struct ipc_ref *ref)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)ref->pid, (int)ref->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (!ipc_file_stays(fd) || fstat(fd, &st) || st.st_ino != ref->inode || (uint64_t)st.st_size != ref->file_bytes)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* --- memory --- */

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
    int fd = open_ref(ref);
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
        rc = CUDA_ERROR_INVALID_VALUE;
    } else if (!mem_add_external(ctx, MEM_DEVICE, ctx->dev->ordinal, o.ptr, o.bytes)) {
        munmap((void *)(uintptr_t)o.map, o.map_bytes);
        rc = CUDA_ERROR_INVALID_VALUE;
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
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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

/* --- events --- */

static struct ipc_event *map_event(int fd)
{
    void *p = mmap(NULL, sizeof(struct ipc_event), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

CUresult ipc_event_new(struct ipc_event **out, int *out_fd)
{
    int fd = ipc_file_new("hostwarp-event", sizeof **out);
    struct ipc_event *e = fd >= 0 ? map_event(fd) : NULL;
    if (!e) {
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = e;
    *out_fd = fd;
    return CUDA_SUCCESS;
}

CUresult ipc_event_open(const struct ipc_ref *ref, struct ipc_event **out)
{
    int fd = ipc_ref_valid(ref) && ref->bytes == sizeof **out ? open_ref(ref) : -1;
    struct ipc_event *e = fd >= 0 ? map_event(fd) : NULL;
    if (fd >= 0)
        close(fd);
    if (!e)
        return CUDA_ERROR_MAP_FAILED;
    *out = e;
    return CUDA_SUCCESS;
}

void ipc_event_free(struct ipc_event *e, int fd)
{
    if (e)
        munmap(e, sizeof *e);
    if (fd >= 0)
        close(fd);
}
