/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory pools. A pool takes chunks of device memory and cuts them into pieces. A freed piece remembers where in which stream it
 * was freed: the same stream may have it again at once, because its order says so; any other only when that place was passed.
 */
#define _GNU_SOURCE
#include "core/mem/mempool.h"

#include "base/log.h"
#include "base/os.h"
#include "core/device/device.h"
#include "core/mem/ipc_file.h"
#include "core/mem/mempool_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

struct hw_mutex pool_mu = HW_MUTEX_INIT(HW_RANK_EVENT);
static struct mempool *defaults[N_PLACES], *current[N_PLACES];
struct hw_list pool_all = { &pool_all, &pool_all };
_Atomic uint64_t pool_idle_bytes[MAX_DEVICES];

/* --- places --- */

/* Which of the tables above a location and a type name; the answers to those that have none are an H200's. */
static CUresult place_of(const CUmemLocation *where, CUmemAllocationType type, int *out)
{
    const int managed = 2;                       /* CU_MEM_ALLOCATION_TYPE_MANAGED, since CUDA 13 */
    int first = (int)type == managed ? PLACES : 0;
    if (where->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "the NUMA node that a thread is on has no pool; name one");
    if ((int)type != managed && type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there are no pools of type %d", (int)type);
    if (where->type == CU_MEM_LOCATION_TYPE_DEVICE && device_peek(where->id))
        *out = first + where->id;
    else if (where->type == CU_MEM_LOCATION_TYPE_HOST)
        *out = first + PLACE_HOST;
    else if (where->type == CU_MEM_LOCATION_TYPE_HOST_NUMA && where->id >= 0 && where->id < MAX_NODES && hw_numa_node_exists(where->id))
        *out = first + PLACE_NODES + where->id;
    else if (where->type == CU_MEM_LOCATION_TYPE_INVALID && first)
        *out = first + PLACE_NONE;
    else
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no place of type %d and number %d", (int)where->type, where->id);
    return CUDA_SUCCESS;
}

/* --- life --- */

static void pool_free(struct obj *obj)
{
    struct mempool *p = hw_container_of(obj, struct mempool, obj);
    assert(hw_list_empty(&p->chunks));
    hw_lock(&pool_mu);
    hw_list_del(&p->in_all);
    hw_unlock(&pool_mu);
    hw_free(p);
}

/* With mu held. place: -1 for one that no place can have as its current one. */
static struct mempool *pool_new(int device, enum mem_kind kind, int place, bool is_default)
{
    struct mempool *p = hw_alloc(sizeof *p);
    p->device = device;
    p->kind = kind;
    p->place = place;
    p->is_default = is_default;
    hw_list_init(&p->chunks);
    p->reuse_events = p->reuse_opportunistic = p->reuse_internal = 1;
    obj_init(&p->obj, OBJ_MEMPOOL, pool_free);
    hw_list_push_back(&pool_all, &p->in_all);
    return p;
}

static struct mempool *default_locked(int place)
{
    bool managed = place >= PLACES;
    int of_device = place - (managed ? PLACES : 0);
    bool on_device = of_device < MAX_DEVICES;
    if (!defaults[place])
        defaults[place] = pool_new(on_device ? of_device : 0, managed ? MEM_MANAGED : on_device ? MEM_DEVICE : MEM_HOST, place, true);
    return defaults[place];
}

struct mempool *pool_current_locked(int place)
{
    return current[place] ? current[place] : default_locked(place);
}

struct mempool *mempool_get(CUmemoryPool handle)
{
    struct obj *obj = obj_get(handle, OBJ_MEMPOOL);
    return obj ? hw_container_of(obj, struct mempool, obj) : NULL;
}

void mempool_unref(struct mempool *p)
{
    obj_unref(p ? &p->obj : NULL);
}

CUmemoryPool mempool_handle(const struct mempool *p)
{
    return (CUmemoryPool)p->obj.handle;
}

int mempool_device(const struct mempool *p)
{
    return p->device;
}

CUresult mempool_create(const CUmemPoolProps *props, CUmemoryPool *out)
{
    static const unsigned char none[sizeof props->reserved];
    const int managed = 2;
    bool on_device = props->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    int place = -1;
    if (memcmp(props->reserved, none, sizeof none))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "reserved is not 0");
    CUresult rc = place_of(&props->location, props->allocType, &place);
    if (rc && (rc != CUDA_ERROR_NOT_SUPPORTED || (int)props->allocType != managed))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a pool needs a device, the host or a NUMA node that there is");
    if (props->handleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "handle types 0x%x; file descriptors only", (unsigned)props->handleTypes);
    hw_lock(&pool_mu);
    enum mem_kind kind = (int)props->allocType == managed ? MEM_MANAGED : on_device ? MEM_DEVICE : MEM_HOST;
    struct mempool *p = pool_new(on_device ? props->location.id : 0, kind, place, false);
    p->exportable = props->handleTypes != CU_MEM_HANDLE_TYPE_NONE;
    p->max_bytes = props->maxSize;
    *out = mempool_handle(p);
    hw_unlock(&pool_mu);
    return CUDA_SUCCESS;
}

/* --- other processes --- */

/* What the file of an exported pool holds. */
struct pool_card {
    uint64_t magic;
    int32_t pid, device;
};
enum { CARD_MAGIC = 0x6c6f6f70 };

CUresult mempool_export(struct mempool *p, int *out_fd)
{
    struct pool_card card = { CARD_MAGIC, getpid(), p->device };
    if (!p->exportable || p->imported)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the pool was made without a handle type, or by another process");
    int fd = memfd_create("hostwarp-pool", 0);   /* programs that are started get it too */
    if (fd >= 0 && write(fd, &card, sizeof card) != (ssize_t)sizeof card) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no file for the pool: %s", strerror(errno));
    *out_fd = fd;
    p->exported = true;
    return CUDA_SUCCESS;
}

CUresult mempool_import(int fd, CUmemoryPool *out)
{
    struct pool_card card;
    if (fd < 0 || fcntl(fd, F_GETFD) < 0)
        return hw_refuse(CUDA_ERROR_UNKNOWN, "%d is no file descriptor", fd);               /* measured */
    ssize_t n;
    do
        n = pread(fd, &card, sizeof card, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EIO)
        return hw_refuse(CUDA_ERROR_OPERATING_SYSTEM, "the file %d cannot be read: %s", fd, strerror(errno));
    if (n != (ssize_t)sizeof card || card.magic != CARD_MAGIC || !device_peek(card.device))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the file %d is none that cuMemPoolExportToShareableHandle gave", fd);
    hw_lock(&pool_mu);
    struct mempool *p = pool_new(card.device, MEM_DEVICE, -1, false);
    p->imported = true;
    *out = mempool_handle(p);
    hw_unlock(&pool_mu);
    return CUDA_SUCCESS;
}

bool mempool_is_imported(const struct mempool *p)
{
    return p->imported;
}

CUresult mempool_default(const CUmemLocation *where, CUmemAllocationType type, CUmemoryPool *out)
{
    int place;
    CUresult rc = place_of(where, type, &place);
    if (rc)
        return rc;
    hw_lock(&pool_mu);
    *out = mempool_handle(default_locked(place));
    hw_unlock(&pool_mu);
    return CUDA_SUCCESS;
}

CUresult mempool_current(const CUmemLocation *where, CUmemAllocationType type, CUmemoryPool *out)
{
    int place;
    CUresult rc = place_of(where, type, &place);
    if (rc)
        return rc;
    hw_lock(&pool_mu);
    *out = mempool_handle(pool_current_locked(place));
    hw_unlock(&pool_mu);
    return CUDA_SUCCESS;
}

CUresult mempool_set_current(const CUmemLocation *where, CUmemAllocationType type, CUmemoryPool handle)
{
    int place;
    CUresult rc = place_of(where, type, &place);
    if (rc)
        return rc;
    struct mempool *p = mempool_get(handle);
    if (!p)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed");
    rc = p->place == place ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "the pool is of another place");
    hw_lock(&pool_mu);
    if (!rc)
        current[place] = p;                      /* no reference: destroying it ends this */
    hw_unlock(&pool_mu);
    mempool_unref(p);
    return rc;
}

CUresult mempool_destroy(CUmemoryPool handle)
{
    struct mempool *p = mempool_get(handle);
    struct pool_drops d = { .n_streams = 0 };
    if (!p)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no pool, or it was destroyed");
    if (p->is_default || !obj_close(&p->obj)) {
        mempool_unref(p);
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "it is the default pool of a device, which stays, or it is being destroyed");
    }
    hw_lock(&pool_mu);
    p->closed = true;
    if (p->place >= 0 && current[p->place] == p)
        current[p->place] = NULL;
    hw_list_for_safe(it, &p->chunks)
        pool_chunk_drop(hw_list_item(it, struct pool_chunk, in_pool), &d);
    hw_unlock(&pool_mu);
    pool_drops_finish(&d);
    mempool_unref(p);
    return CUDA_SUCCESS;
}

/* --- attributes --- */

CUresult mempool_get_attribute(struct mempool *p, CUmemPool_attribute attribute, void *value)
{
    CUresult rc = p->imported ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "the pool is another process's") : CUDA_SUCCESS;
    int *i = value;
    cuuint64_t *u = value;
    if (rc)
        return rc;
    hw_lock(&pool_mu);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: *i = p->reuse_events; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: *i = p->reuse_opportunistic; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: *i = p->reuse_internal; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *u = p->threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: *u = p->reserved; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *u = p->reserved_high; break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *u = p->used; break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *u = p->used_high; break;
    default: rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no attribute %d of pools, or it cannot be set", (int)attribute); break;
    }
    hw_unlock(&pool_mu);
    return rc;
}

CUresult mempool_set_attribute(struct mempool *p, CUmemPool_attribute attribute, const void *value)
{
    CUresult rc = CUDA_SUCCESS;
    bool is_int = attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
    int i = 0;
    cuuint64_t u = 0;
    if (p->imported)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the pool is another process's");
    memcpy(is_int ? (void *)&i : (void *)&u, value, is_int ? sizeof i : sizeof u);
    hw_lock(&pool_mu);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: p->reuse_events = i != 0; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: p->reuse_opportunistic = i != 0; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: p->reuse_internal = i != 0; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: p->threshold = u; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:      /* the high-water marks can only be begun anew */
        rc = u ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "%llu: a high-water mark can only be set to 0", (unsigned long long)u) : CUDA_SUCCESS;
        p->reserved_high = rc ? p->reserved_high : p->reserved;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        rc = u ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "%llu: a high-water mark can only be set to 0", (unsigned long long)u) : CUDA_SUCCESS;
        p->used_high = rc ? p->used_high : p->used;
        break;
    default: rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no attribute %d of pools, or it cannot be set", (int)attribute); break;
    }
    hw_unlock(&pool_mu);
    return rc;
}

CUresult mempool_set_access(struct mempool *p, const CUmemAccessDesc *desc, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "entry %zu is for no device: only devices are given access", i);
        if (!device_peek(desc[i].location.id))
            return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "entry %zu: there is no device %d", i, desc[i].location.id);
        if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
            return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "entry %zu: memory of pools cannot be read only", i);
        if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "entry %zu: there is no access 0x%x", i, (unsigned)desc[i].flags);
        /* A pool's own device always has access. */
        if (p->kind == MEM_DEVICE && desc[i].location.id == p->device && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "entry %zu: device %d owns the pool, and keeps its access", i, desc[i].location.id);
    }
    hw_lock(&pool_mu);
    for (size_t i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << desc[i].location.id;
        p->accessible = desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? p->accessible | bit : p->accessible & ~bit;
    }
    hw_unlock(&pool_mu);
    return CUDA_SUCCESS;
}

CUresult mempool_access(struct mempool *p, const CUmemLocation *where, CUmemAccess_flags *out)
{
    bool host = where->type == CU_MEM_LOCATION_TYPE_HOST, can;
    if (!host && (where->type != CU_MEM_LOCATION_TYPE_DEVICE || !device_peek(where->id)))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "place %d.%d is neither the host nor a device", (int)where->type, where->id);
    hw_lock(&pool_mu);
    if (host)
        can = p->kind == MEM_HOST;               /* measured, of managed memory too: what was not set is not said */
    else
        can = (p->kind == MEM_DEVICE && where->id == p->device) || (p->accessible >> where->id & 1);
    hw_unlock(&pool_mu);
    *out = can ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

CUresult mempool_ref(CUdeviceptr ptr, struct ipc_ref *out)
{
    struct mem_info info;
    struct mempool *p = mem_lookup(ptr, &info) && info.pool ? mempool_get(info.pool) : NULL;
    CUresult rc = p && p->exported ? mem_pooled_ref(ptr, out)
        : hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is of no pool that was exported", (unsigned long long)ptr);
    mempool_unref(p);
    return rc;
}
