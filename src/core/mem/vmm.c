/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory management. Physical memory is a file that exists only in memory: it can be mapped at several addresses, and its
 * descriptor is what other processes get. Reserved addresses are a mapping that nobody may touch.
 */
#define _GNU_SOURCE
#include "core/mem/vmm.h"

#include "base/log.h"
#include "base/lock.h"
#include "base/os.h"
#include "base/vec.h"
#include "core/device/device.h"
#include "core/mem/ipc_file.h"
#include "core/mem/mem.h"
#include "core/obj.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Physical memory.
 * Lifetime  Handles may be counted (retain), and every mapping holds one reference of the object.
 * Locks     mu guards handles.
 */
struct physical {
    struct obj obj;
    CUmemAllocationProp prop;    /* const */
    size_t bytes;                /* const */
    int fd;                      /* const */
    bool charged;                /* const; not when another process made it */
    unsigned handles;
};

struct reservation {
    uint64_t base, bytes;
};

struct mapping {
    uint64_t base, bytes;
    size_t offset;
    struct physical *memory;     /* referenced */
    uint8_t access[64];          /* CUmemAccess_flags by device */
    bool known;                  /* in the map of all memory: somebody has access */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_EVENT);
static HW_VEC(struct reservation) reservations HW_GUARDED_BY(mu);
static HW_VEC(struct mapping) mappings HW_GUARDED_BY(mu);

static void *at(uint64_t addr)
{
    return (void *)(uintptr_t)addr;
}

/* --- addresses --- */

CUresult vmm_reserve(size_t bytes, size_t align, CUdeviceptr wish, CUdeviceptr *out)
{
    size_t step = align > VMM_GRANULARITY ? align : VMM_GRANULARITY, whole;
    if (bytes == 0 || bytes % VMM_GRANULARITY || (align && !hw_is_pow2(align)) || __builtin_add_overflow(bytes, step, &whole))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes are no multiple of %zu, or the alignment %zu is no power of two", bytes, (size_t)VMM_GRANULARITY, align);
    char *p = MAP_FAILED;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (wish && wish % step == 0)                /* a wish, not a must */
        p = mmap(at(wish), bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED || (uint64_t)(uintptr_t)p % step) {
        if (p != MAP_FAILED)
            munmap(p, bytes);
        if ((p = hw_window_map(whole, PROT_NONE, flags)) == MAP_FAILED)
            return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no %zu bytes of addresses", whole);
        char *start = (char *)at(hw_align_up((uint64_t)(uintptr_t)p, step));
        if (start > p)
            munmap(p, (size_t)(start - p));
        if (start + bytes < p + whole)
            munmap(start + bytes, (size_t)(p + whole - start - bytes));
        p = start;
    }
    struct reservation r = { (uint64_t)(uintptr_t)p, bytes };
    hw_lock(&mu);
    hw_vec_push(&reservations, r);
    hw_unlock(&mu);
    *out = r.base;
    return CUDA_SUCCESS;
}

static bool reserved_locked(uint64_t base, size_t bytes)
{
    for (size_t i = 0; i < reservations.n; i++) {
        const struct reservation *r = &reservations.v[i];
        if (base >= r->base && base - r->base < r->bytes && bytes <= r->bytes - (base - r->base))
            return true;
    }
    return false;
}

static struct mapping *mapping_locked(uint64_t base, size_t bytes)
{
    for (size_t i = 0; i < mappings.n; i++)
        if (base < mappings.v[i].base + mappings.v[i].bytes && mappings.v[i].base < base + bytes)
            return &mappings.v[i];
    return NULL;
}

CUresult vmm_free_addresses(CUdeviceptr base, size_t bytes)
{
    hw_lock(&mu);
    size_t i = 0;
    while (i < reservations.n && (reservations.v[i].base != base || reservations.v[i].bytes != bytes))
        i++;
    bool found = i < reservations.n, in_use = found && mapping_locked(base, bytes);
    if (found && !in_use) {
        munmap(at(base), bytes);
        reservations.v[i] = reservations.v[--reservations.n];
    }
    hw_unlock(&mu);
    if (!found)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes at 0x%llx are no reservation of cuMemAddressReserve()", bytes, (unsigned long long)base);
    return in_use ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "memory is mapped there; unmap it first") : CUDA_SUCCESS;
}

/* --- physical memory --- */

static void physical_free(struct obj *obj)
{
    struct physical *p = hw_container_of(obj, struct physical, obj);
    close(p->fd);
    if (p->charged)
        mem_uncharge(p->prop.location.id, p->bytes);
    hw_free(p);
}

static CUmemGenericAllocationHandle physical_new(int fd, size_t bytes, const CUmemAllocationProp *prop, bool charged)
{
    struct physical *p = hw_alloc(sizeof *p);
    p->fd = fd;
    p->bytes = bytes;
    p->prop = *prop;
    p->charged = charged;
    p->handles = 1;
    obj_init(&p->obj, OBJ_PHYSICAL, physical_free);
    return (CUmemGenericAllocationHandle)(uintptr_t)p->obj.handle;
}

static struct physical *physical_get(CUmemGenericAllocationHandle handle)
{
    struct obj *obj = obj_get(at(handle), OBJ_PHYSICAL);
    return obj ? hw_container_of(obj, struct physical, obj) : NULL;
}

CUresult vmm_create(size_t bytes, const CUmemAllocationProp *prop, CUmemGenericAllocationHandle *out)
{
    const unsigned others = CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT | CU_MEM_HANDLE_TYPE_FABRIC;
    bool on_host = prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
    if (bytes == 0 || bytes % VMM_GRANULARITY || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED || (prop->requestedHandleTypes & others))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes are no multiple of %zu, or the memory is not pinned, or is for handles of another system (0x%x)", bytes, (size_t)VMM_GRANULARITY, (unsigned)prop->requestedHandleTypes);
    if (!on_host && prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no memory in a place of type %d", (int)prop->location.type);
    if (on_host && !hw_numa_node_exists(prop->location.id))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no NUMA node %d", prop->location.id);
    if (!on_host && !device_peek(prop->location.id))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d", prop->location.id);
    if (on_host ? bytes > hw_memory_bytes() : !mem_charge(prop->location.id, bytes))
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes are more than the device or the machine has left", bytes);
    int fd = ipc_file_new("hostwarp", bytes);
    if (fd < 0) {
        if (!on_host)
            mem_uncharge(prop->location.id, bytes);
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no file of %zu bytes: %s", bytes, strerror(errno));
    }
    *out = physical_new(fd, bytes, prop, !on_host);
    return CUDA_SUCCESS;
}

CUresult vmm_release(CUmemGenericAllocationHandle handle)
{
    struct physical *p = physical_get(handle);
    if (!p)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no handle of memory, or it was released");
    hw_lock(&mu);
    bool last = --p->handles == 0;
    hw_unlock(&mu);
    if (last)
        obj_close(&p->obj);
    obj_unref(&p->obj);
    return CUDA_SUCCESS;
}

CUresult vmm_export(CUmemGenericAllocationHandle handle, int *out_fd)
{
    struct physical *p = physical_get(handle);
    CUresult rc = CUDA_SUCCESS;
    int fd = -1;
    if (!p || !(p->prop.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no memory of cuMemCreate(), or it was made without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    else if ((fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 0)) < 0)
        rc = hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no file descriptor: %s", strerror(errno));
    else
        *out_fd = fd;
    obj_unref(p ? &p->obj : NULL);
    return rc;
}

CUresult vmm_import(int fd, CUmemGenericAllocationHandle *out)
{
    struct stat st = { 0 };
    CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 } };
    if (fd >= 0 && fstat(fd, &st) && errno != EBADF)
        return hw_refuse(CUDA_ERROR_OPERATING_SYSTEM, "the file %d cannot be looked at: %s", fd, strerror(errno));
    if (!S_ISREG(st.st_mode) || !ipc_file_stays(fd) || st.st_size <= 0 || st.st_size % VMM_GRANULARITY)
        return hw_refuse(CUDA_ERROR_UNKNOWN, "the file %d is none that cuMemExportToShareableHandle gave", fd);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no more file descriptors (ulimit -n)");
    *out = physical_new(own, (size_t)st.st_size, &prop, false);
    return CUDA_SUCCESS;
}

CUresult vmm_properties(CUmemGenericAllocationHandle handle, CUmemAllocationProp *out)
{
    struct physical *p = physical_get(handle);
    if (!p)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no handle of memory, or it was released");
    *out = p->prop;
    obj_unref(&p->obj);
    return CUDA_SUCCESS;
}

/* --- mapping --- */

CUresult vmm_map(CUdeviceptr ptr, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle)
{
    struct physical *p = physical_get(handle);
    CUresult rc = CUDA_SUCCESS;
    if (!p)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "that is no memory of cuMemCreate(), or it was released");
    hw_lock(&mu);
    /* The real driver maps whole allocations only, from their beginning. */
    if (ptr && ptr % VMM_GRANULARITY == 0 && bytes && (offset || bytes != p->bytes))
        rc = hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "%zu bytes from offset %zu: only the whole allocation of %zu bytes can be mapped", bytes, offset, (size_t)p->bytes);
    else if (ptr % VMM_GRANULARITY || !bytes || !reserved_locked(ptr, bytes) || mapping_locked(ptr, bytes))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes at 0x%llx are not aligned to 2 MiB, not reserved, or mapped already", bytes, (unsigned long long)ptr);
    else if (mmap(at(ptr), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p->fd, 0) == MAP_FAILED)
        rc = hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system does not map it: %s", strerror(errno));
    if (!rc) {
        struct mapping m = { .base = ptr, .bytes = bytes, .offset = offset, .memory = p };
        hw_vec_push(&mappings, m);
        p = NULL;                                /* the reference is the mapping's */
    }
    hw_unlock(&mu);
    obj_unref(p ? &p->obj : NULL);
    return rc;
}

/* How many bytes of [ptr, ptr + bytes) whole mappings cover. */
static size_t covered_locked(uint64_t ptr, size_t bytes)
{
    size_t sum = 0;
    for (size_t i = 0; i < mappings.n; i++)
        if (mappings.v[i].base >= ptr && mappings.v[i].base - ptr < bytes && mappings.v[i].bytes <= bytes - (mappings.v[i].base - ptr))
            sum += mappings.v[i].bytes;
    return sum;
}

CUresult vmm_unmap(CUdeviceptr ptr, size_t bytes)
{
    HW_VEC(struct physical *) gone = { 0 };
    hw_lock(&mu);
    /* Whole mappings, and nothing where there is none. */
    bool whole = covered_locked(ptr, bytes) == bytes || !mapping_locked(ptr, bytes);
    CUresult rc = bytes && reserved_locked(ptr, bytes) && whole ? CUDA_SUCCESS
        : hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes at 0x%llx are not reserved, or cut a mapping in two", bytes, (unsigned long long)ptr);
    for (size_t i = 0; !rc && i < mappings.n;) {
        struct mapping m = mappings.v[i];
        if (m.base < ptr || m.base - ptr >= bytes) {
            i++;
            continue;
        }
        if (m.known)
            mem_remove_external(m.base, m.bytes);
        if (mmap(at(m.base), m.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
            hw_error("cuMemUnmap: the system keeps 0x%llx mapped", (unsigned long long)m.base);
        hw_vec_push(&gone, m.memory);
        mappings.v[i] = mappings.v[--mappings.n];
    }
    hw_unlock(&mu);
    for (size_t i = 0; i < gone.n; i++)
        obj_unref(&gone.v[i]->obj);
    hw_vec_fini(&gone);
    return rc;
}

/* The pages have one protection for all devices: the most that any of them may. */
static int protection(const struct mapping *m)
{
    int prot = PROT_NONE;
    for (size_t d = 0; d < HW_LEN(m->access); d++)
        prot |= m->access[d] == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
            : m->access[d] == CU_MEM_ACCESS_FLAGS_PROT_READ ? PROT_READ : PROT_NONE;
    return prot;
}

CUresult vmm_set_access(CUdeviceptr ptr, size_t bytes, const CUmemAccessDesc *desc, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (desc[i].location.type == CU_MEM_LOCATION_TYPE_HOST)
            return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "entry %zu: access of the host cannot be set", i);
        if ((desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE && desc[i].location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA)
            || (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ
                && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "entry %zu: there is no place of type %d, or no access 0x%x", i, (int)desc[i].location.type, (unsigned)desc[i].flags);
        if (desc[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && !device_peek(desc[i].location.id))
            return hw_refuse(CUDA_ERROR_INVALID_VALUE, "entry %zu: there is no device %d", i, desc[i].location.id);
    }
    hw_lock(&mu);
    CUresult rc = bytes && covered_locked(ptr, bytes) == bytes ? CUDA_SUCCESS
        : hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes at 0x%llx are not covered by whole mappings", bytes, (unsigned long long)ptr);
    for (size_t i = 0; !rc && i < mappings.n; i++) {
        struct mapping *m = &mappings.v[i];
        if (m->base < ptr || m->base - ptr >= bytes)
            continue;
        for (size_t d = 0; d < n; d++)
            if (desc[d].location.type == CU_MEM_LOCATION_TYPE_DEVICE)
                m->access[desc[d].location.id] = (uint8_t)desc[d].flags;
        int prot = protection(m);
        bool on_host = m->memory->prop.location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
        if (mprotect(at(m->base), m->bytes, prot)) {
            rc = hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system does not change the protection: %s", strerror(errno));
        } else if (prot != PROT_NONE && !m->known) {
            m->known = mem_add_external(NULL, on_host ? MEM_HOST : MEM_DEVICE, on_host ? 0 : m->memory->prop.location.id, m->base, m->bytes);
        } else if (prot == PROT_NONE && m->known) {
            mem_remove_external(m->base, m->bytes);
            m->known = false;
        }
    }
    hw_unlock(&mu);
    return rc;
}

CUresult vmm_access(CUdeviceptr ptr, const CUmemLocation *where, unsigned long long *out)
{
    if (where->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the place has type %d; only a device's access can be asked for", (int)where->type);
    if (!device_peek(where->id))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no device %d; cuDeviceGetCount() says how many there are", (int)where->id);
    hw_lock(&mu);
    const struct mapping *m = mapping_locked(ptr, 1);
    if (m)
        *out = m->access[where->id];
    hw_unlock(&mu);
    return m ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at 0x%llx", (unsigned long long)ptr);
}

CUresult vmm_retain(uint64_t addr, CUmemGenericAllocationHandle *out)
{
    hw_lock(&mu);
    struct mapping *m = mapping_locked(addr, 1);
    /* A handle that was released cannot come back to life: the mapping alone keeps the memory then. */
    bool open = m && obj_is_open(&m->memory->obj);
    if (open) {
        m->memory->handles++;
        *out = (CUmemGenericAllocationHandle)(uintptr_t)m->memory->obj.handle;
    }
    hw_unlock(&mu);
    return open ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "nothing is mapped there, or its memory was released");
}
