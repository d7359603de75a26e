/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map: all memory that CUDA knows, device, page-locked, registered, managed, variables of modules. One map by address answers every question about a
 * pointer, and mem_covers() is the question: what is there, and is it so many bytes? mem_lookup() is it for one byte, mem_span() without a lock for who asks often.
 *
 * The contract. Ranges never overlap. Sizes are exact bytes: the byte after the last one is not ours. A range belongs to the context it was made in and goes with
 * it; buffer_id is never given twice, so that who waited without the lock can tell whether a range is still the one it was. Host and device use one address for
 * the same memory. An address that is in no range is pageable memory of the host, or nothing at all: CUDA does not know which, and copies find out by a fault.
 *
 * A range's states:
 *
 *     (none) --add--> in the map --hook_mem_freeing, waits for the context's work--> dropped --> pages and addresses free for others
 *                        |                                                              ^
 *                        +---- memory of a pool: freed in a stream's order, at once ----+    (pool_alloc.c remembers where in which stream)
 *
 * Locks: mem_mu (rank MEM) guards the map. Nobody waits for work with it held: who frees looks the range up, drops the lock, waits, takes it again, and compares
 * buffer_id. Page-locking takes long: the range is in the map before its pages are locked, so that nobody registers them twice.
 *
 * An example. cuMemAlloc(1000) gives 0x7f0000000200, cuMemHostRegister() is given 0x55d0, 100.
 *
 *     address                   mem_lookup()                      mem_covers(address, 16)
 *     0x7f0000000200            device, base ...200, 1000 bytes   yes
 *     0x7f00000005e7            device, the last byte             no: one byte is left
 *     0x7f00000005e8            unknown                           no, though the page is there
 *     0x55d0                    registered, 100 bytes             yes
 *     0x5000, in the same page  unknown: pageable memory          no; but a kernel may touch it: mem_reachable() knows whole pages, as a device maps them
 */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include "base/base.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdio.h>

struct ctx;
struct device;

enum mem_kind {
    MEM_NONE,                    /* memory CUDA knows nothing of: pageable host memory, or nothing at all */
    MEM_DEVICE,                  /* cuMemAlloc */
    MEM_VARIABLE,                /* a variable of a module: as MEM_DEVICE, but cuMemFree does not take it */
    MEM_HOST,                    /* cuMemHostAlloc, cuMemAllocHost */
    MEM_REGISTERED,              /* cuMemHostRegister */
    MEM_MANAGED,                 /* cuMemAllocManaged, __managed__ variables */
};

/* What the map knows about the range a pointer lies in. A copy: stays true only while the range lives. */
struct mem_info {
    enum mem_kind kind;
    uint64_t base;
    size_t bytes;                /* as asked for */
    unsigned flags;              /* MEM_HOST, MEM_REGISTERED: what cuMemHostGetFlags answers; MEM_MANAGED: CU_MEM_ATTACH_* */
    struct ctx *ctx;             /* borrowed */
    CUcontext ctx_handle;
    int device;
    unsigned long long buffer_id;                /* unique in the process */
    bool sync_memops;            /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS was set */
    bool variable;               /* belongs to a module (MEM_VARIABLE, or a managed variable) */
    bool locked;                 /* the system really locked the pages */
    bool external;               /* mapped by vmm.c or ipc.c: cuMemFree does not take it; neighbours make one range */
    CUmemoryPool pool;           /* MEM_DEVICE: it came from this pool */
};

bool mem_init(void);                                             /* core_init() calls it: reserves the address range; false: there is none, it may be tried again */

/* The question: do [addr, addr + bytes) lie inside of one range, or of mappings side by side, which are one piece of memory to programs? *out tells of the range that
   addr lies in, also when it ends too early; kind MEM_NONE: addr lies in none. */
bool mem_covers(uint64_t addr, size_t bytes, struct mem_info *out);
/* The same for one byte: interior pointers too. */
static inline bool mem_lookup(uint64_t addr, struct mem_info *out) { return mem_covers(addr, 1, out); }

/* Addresses around one of which the map knows the same: a range, or what lies between two (MEM_NONE). */
struct mem_span {
    uint64_t base, bytes;
    enum mem_kind kind;
};
/* The spans that a thread asked for last. Copies ask for the same few again and again: each end of a copy has a place of its own,
   where its last answer stands. */
enum mem_slot { MEM_SLOT_DST, MEM_SLOT_SRC, MEM_SLOTS = 4 };
struct mem_spans {
    uint64_t generation;
    unsigned next;
    struct mem_span v[MEM_SLOTS];
};
extern _Thread_local struct mem_spans mem_spans;
extern _Atomic uint64_t mem_generation;          /* of the map: changes, under its lock, with every range that comes or goes */
const struct mem_span *mem_span_find(uint64_t addr, enum mem_slot slot);
/*
 * As mem_lookup(), without a lock where this thread asked for the span lately and no range has come or gone since. What was true
 * under the lock is true as long as the generation is the same. A range that goes while we look at it is the program's
 * mistake, with a lock as without. The answer holds until the next question for the same slot.
 */
static inline const struct mem_span *mem_span(uint64_t addr, enum mem_slot slot)
{
    const struct mem_span *s = &mem_spans.v[slot];
    /* acquire: pairs with the release of who changes the map */
    bool same = mem_spans.generation == atomic_load_explicit(&mem_generation, memory_order_acquire);
    return hw_likely(same && addr - s->base < s->bytes) ? s : mem_span_find(addr, slot);
}
/* The same for bytes from addr on: what they are. False: they are not all inside of one span, mem_covers() has to look closer. */
static inline __attribute__((always_inline)) bool mem_span_holds(uint64_t addr, size_t bytes, enum mem_slot slot, enum mem_kind *out)
{
    const struct mem_span *s = mem_span(addr, slot);
    *out = s->kind;
    return bytes <= s->bytes - (addr - s->base);
}
bool mem_reachable(uint64_t addr, uint64_t *out_base, uint64_t *out_end);   /* the pages around addr that kernels may use */

/* --- device memory --- */
CUresult mem_alloc(struct ctx *ctx, size_t bytes, CUdeviceptr *out);         /* aligned to 512; 0 bytes: INVALID_VALUE */
/* width and height 0, or an element size that is not 4, 8 or 16: INVALID_VALUE. Pitch is a multiple of 512. */
CUresult mem_alloc_pitch(struct ctx *ctx, size_t width, size_t height, unsigned element, CUdeviceptr *out, size_t *out_pitch);
/* Device or managed memory, first byte only. 0 is fine. Waits for all work of the range's context. */
CUresult mem_free(CUdeviceptr ptr);
CUresult mem_address_range(CUdeviceptr ptr, CUdeviceptr *out_base, size_t *out_bytes);   /* outs may be NULL; NOT_FOUND */
void mem_info_bytes(struct device *dev, size_t *out_free, size_t *out_total);            /* outs may be NULL */

/* --- for mempool.c, vmm.c, ipc.c, array.c --- */
struct extent;
struct pool_piece;
enum { MEM_OF_HOST = -1 };                                       /* in a device's place: counts as the host's memory, like managed memory */
struct extent *mem_chunk_alloc(int device, size_t bytes);                    /* device memory that is not in the map; NULL: none left */
/* A file behind a chunk, for other processes; nobody has used it yet. */
bool mem_chunk_share(struct extent *e);
/* A reference to memory of a pool whose chunks are shared; INVALID_VALUE: not the first byte of such. mempool_ref() asks whether it may be given. */
struct ipc_ref;
CUresult mem_pooled_ref(uint64_t addr, struct ipc_ref *out);
void mem_chunk_free(int device, struct extent *e);
struct mem_pooled {
    CUmemoryPool pool;
    struct pool_piece *piece;
    struct extent *chunk;        /* that the piece lies in */
};
void mem_add_pooled(struct ctx *ctx, enum mem_kind kind, int device, const struct mem_pooled *from, uint64_t base, size_t bytes);
bool mem_take_pooled(uint64_t base, struct pool_piece **out);                /* out of the map; false: not there */
/* Counts memory that does not come out of the device's range. */
bool mem_charge(int device, size_t bytes);
void mem_uncharge(int device, size_t bytes);
/* ctx may be NULL; kind: MEM_DEVICE or MEM_HOST; false: overlaps */
bool mem_add_external(struct ctx *ctx, enum mem_kind kind, int device, uint64_t base, size_t bytes);
bool mem_remove_external(uint64_t base, size_t bytes);                       /* exactly one range */

/* A reference that other processes open. Device memory of cuMemAlloc only (INVALID_VALUE); waits for all work the first time. */
CUresult mem_share(uint64_t addr, struct ipc_ref *out);

/* --- page-locked memory --- */
/* flags: CU_MEMHOSTALLOC_*; unknown bits: INVALID_VALUE. 0 bytes: success, *out is NULL. */
CUresult mem_host_alloc(struct ctx *ctx, size_t bytes, unsigned flags, void **out);
CUresult mem_host_free(void *ptr);                               /* waits for all work of its context; NULL is fine */
CUresult mem_host_register(struct ctx *ctx, void *ptr, size_t bytes, unsigned flags);
CUresult mem_host_unregister(void *ptr);                         /* waits for all work of its context */
CUresult mem_host_device_pointer(void *ptr, unsigned flags, CUdeviceptr *out);
CUresult mem_host_flags(void *ptr, unsigned *out);

/* --- managed memory --- */
CUresult mem_alloc_managed(struct ctx *ctx, size_t bytes, unsigned flags, CUdeviceptr *out);

/* --- for pointer attributes and modules --- */
CUresult mem_set_sync_memops(uint64_t addr, bool on);
CUresult mem_alloc_variable(struct ctx *ctx, size_t bytes, size_t align, bool managed, CUdeviceptr *out);
/* A managed variable whose memory is the host program's own variable. *fresh: nobody had adopted it yet, so its first value
   is still to be written. INVALID_VALUE when something else is known to lie there. */
CUresult mem_adopt_variable(struct ctx *ctx, void *ptr, size_t bytes, bool *fresh);
void mem_free_variable(CUdeviceptr ptr);
/* Frees everything that belongs to ctx; its work is done. */
void mem_free_ctx(struct ctx *ctx);

/* One line: what addr is, or which known range it is near. For fault messages. */
void mem_describe(uint64_t addr, char *out, size_t bytes);

/*
 * For a copy of the process (verify.c): the map is not changed between these two. Then each piece of memory that kernels may write is
 * told: whole pages of device memory, also what lies between its ranges, and the ranges of other kinds.
 */
void mem_hold(void);
void mem_let_go(void);
void mem_each(void (*fn)(void *arg, uint64_t base, uint64_t bytes), void *arg);

struct mem_stats {
    size_t pinned_bytes, pinned_locked_bytes, registered_bytes, managed_bytes;
    size_t n_device, n_host, n_registered, n_managed;
};
void mem_stats(struct mem_stats *out);
void mem_dump(FILE *out);

#endif
