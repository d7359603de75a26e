/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory pools. A pool takes chunks of device memory and cuts them into pieces. A freed piece remembers where in which stream it
 * was freed: the same stream may have it again at once, because its order says so; any other only when that place was passed.
 */
#define _GNU_SOURCE
#include "core/mem/mempool.h"

#include "base/list.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/os.h"
#include "core/graph/capture.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/mem/devheap.h"
#include "core/graph/graph_mem.h"
#include "core/hooks.h"
#include "core/mem/ipc.h"
#include "core/mem/mem.h"
#include "core/mem/pin.h"
#include "core/stream/sched.h"
#include "core/stream/stream.h"
#include "core/mem/treap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK ((uint64_t)32 << 20)
#define GRAIN ((uint64_t)512)
/* Under `hostwarp check` there is a gap behind each piece, and pieces that were freed are not given out again before the pool is as large as this. */
enum { RED_ZONE = 16 };
#define HELD_BYTES ((uint64_t)256 << 20)
enum { MAX_DEVICES = 64 };

/* A part of a chunk. Neighbours in memory are neighbours in the chunk's list. */
struct pool_piece {
    struct hw_list order;
    struct treap_node by_size;   /* free ones: (bytes, base) in pool->free */
    struct pool_chunk *chunk;
    uint64_t base, bytes;
    uint64_t asked;              /* of its bytes, while it is used */
    bool used;
    struct stream *freed_in;     /* referenced; NULL: nothing uses it any more */
    uint64_t freed_at;           /* freed_in->n_done reaches it when the free has been executed */
    bool recycled;               /* under `hostwarp check`: it was in use before */
};

struct pool_chunk {
    struct hw_list in_pool, pieces;
    struct mempool *pool;
    struct extent *extent;
    uint64_t bytes, used;
};

/*
 * A pool.
 * Lifetime  The handle owns one reference, every chunk with used memory in it one more. Default pools live for ever.
 * Locks     mu (below) guards everything that is not const.
 */
struct mempool {
    struct obj obj;
    int device;                  /* const; 0 for memory of the host's */
    enum mem_kind kind;          /* const: MEM_DEVICE, MEM_HOST or MEM_MANAGED */
    uint64_t max_bytes;          /* const; 0: as much as there is */
    bool is_default;             /* const */
    bool exportable;             /* const; other processes may map its chunks */
    _Atomic bool exported;       /* a handle of it was given out: only then are its pieces */
    bool imported;               /* const; another process's: it has no chunks here */
    bool closed;
    bool unsettled;              /* a free piece may have freed_in */
    struct hw_list in_all;       /* pools */
    struct hw_list chunks;
    struct treap_node *free;
    int reuse_events, reuse_opportunistic, reuse_internal;
    uint64_t threshold, reserved, reserved_high, used, used_high;
    uint64_t accessible;         /* bit n: from device n, besides the own one */
};

/* Below MEM: chunks come from mem.c while it is held. */
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_EVENT);
static struct mempool *defaults[MAX_DEVICES], *current[MAX_DEVICES];
static struct hw_list pools = { &pools, &pools };
static _Atomic uint64_t idle_bytes[MAX_DEVICES];                 /* reserved and unused, of all pools of a device */

static struct pool_piece *piece_of(struct treap_node *n)
{
    return hw_container_of(n, struct pool_piece, by_size);
}

/* --- life --- */

static void pool_free(struct obj *obj)
{
    struct mempool *p = hw_container_of(obj, struct mempool, obj);
    assert(hw_list_empty(&p->chunks));
    hw_lock(&mu);
    hw_list_del(&p->in_all);
    hw_unlock(&mu);
    hw_free(p);
}

/* With mu held. */
static struct mempool *pool_new(int device, bool is_default)
{
    struct mempool *p = hw_alloc(sizeof *p);
    p->device = device;
    p->kind = MEM_DEVICE;
    p->is_default = is_default;
    hw_list_init(&p->chunks);
    p->reuse_events = p->reuse_opportunistic = p->reuse_internal = 1;
    obj_init(&p->obj, OBJ_MEMPOOL, pool_free);
    hw_list_push_back(&pools, &p->in_all);
    return p;
}

static struct mempool *default_locked(int device)
{
    if (!defaults[device])
        defaults[device] = pool_new(device, true);
    return defaults[device];
}

static struct mempool *current_locked(int device)
{
    return current[device] ? current[device] : default_locked(device);
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
    const int managed = 2;                       /* CU_MEM_ALLOCATION_TYPE_MANAGED, since CUDA 13 */
    bool on_host = props->location.type == CU_MEM_LOCATION_TYPE_HOST || props->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA
        || props->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
    if (((int)props->allocType != managed && props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) || memcmp(props->reserved, none, sizeof none))
        return CUDA_ERROR_INVALID_VALUE;
    if (!on_host && (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device_peek(props->location.id)))
        return CUDA_ERROR_INVALID_VALUE;
    if (props->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA && !hw_numa_node_exists(props->location.id))
        return CUDA_ERROR_INVALID_VALUE;
    if (props->handleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    hw_lock(&mu);
    struct mempool *p = pool_new(props->location.id, false);
    p->exportable = props->handleTypes != CU_MEM_HANDLE_TYPE_NONE;
    p->kind = (int)props->allocType == managed ? MEM_MANAGED : on_host ? MEM_HOST : MEM_DEVICE;
    p->max_bytes = props->maxSize;
    *out = mempool_handle(p);
    hw_unlock(&mu);
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
        return CUDA_ERROR_INVALID_VALUE;
    int fd = memfd_create("hostwarp-pool", 0);   /* programs that are started get it too */
    if (fd >= 0 && write(fd, &card, sizeof card) != (ssize_t)sizeof card) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out_fd = fd;
    p->exported = true;
    return CUDA_SUCCESS;
}

CUresult mempool_import(int fd, CUmemoryPool *out)
{
    struct pool_card card;
    if (fd < 0 || fcntl(fd, F_GETFD) < 0)
        return CUDA_ERROR_UNKNOWN;               /* measured */
    ssize_t n;
    do
        n = pread(fd, &card, sizeof card, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EIO)
        return CUDA_ERROR_OPERATING_SYSTEM;
    if (n != (ssize_t)sizeof card || card.magic != CARD_MAGIC || !device_peek(card.device))
        return CUDA_ERROR_INVALID_VALUE;
    hw_lock(&mu);
    struct mempool *p = pool_new(card.device, false);
    p->imported = true;
    *out = mempool_handle(p);
    hw_unlock(&mu);
    return CUDA_SUCCESS;
}

bool mempool_is_imported(const struct mempool *p)
{
    return p->imported;
}

CUmemoryPool mempool_default(int device)
{
    hw_lock(&mu);
    struct mempool *p = default_locked(device);
    hw_unlock(&mu);
    return mempool_handle(p);
}

CUmemoryPool mempool_current(int device)
{
    hw_lock(&mu);
    struct mempool *p = current_locked(device);
    hw_unlock(&mu);
    return mempool_handle(p);
}

CUresult mempool_set_current(int device, CUmemoryPool handle)
{
    struct mempool *p = mempool_get(handle);
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult rc = p->device == device && p->kind == MEM_DEVICE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    hw_lock(&mu);
    if (!rc)
        current[device] = p;                     /* no reference: destroying it ends this */
    hw_unlock(&mu);
    mempool_unref(p);
    return rc;
}

/* --- chunks; with mu held --- */

static struct pool_piece *piece_new(struct pool_chunk *c, uint64_t base, uint64_t bytes)
{
    struct pool_piece *piece = hw_alloc(sizeof *piece);
    piece->chunk = c;
    piece->base = base;
    piece->bytes = bytes;
    return piece;
}

/* Whose memory the chunks count as. */
static int charged_to(const struct mempool *p)
{
    return p->kind == MEM_DEVICE ? p->device : MEM_OF_HOST;
}

static struct pool_chunk *chunk_add(struct mempool *p, uint64_t bytes)
{
    if (p->max_bytes && (bytes > p->max_bytes || p->reserved > p->max_bytes - bytes))
        return NULL;
    struct extent *e = mem_chunk_alloc(charged_to(p), bytes);
    bool good = !e || ((!p->exportable || mem_chunk_share(e))
                       && (p->kind != MEM_HOST || pin_lock(devheap_base(e), devheap_base(e) + bytes) != PIN_FAILED));
    if (!good) {
        mem_chunk_free(charged_to(p), e);
        e = NULL;
    }
    if (!e)
        return NULL;
    struct pool_chunk *c = hw_alloc(sizeof *c);
    c->pool = p;
    c->extent = e;
    c->bytes = bytes;
    hw_list_init(&c->pieces);
    hw_list_push_back(&p->chunks, &c->in_pool);
    struct pool_piece *piece = piece_new(c, devheap_base(e), bytes);
    hw_list_push_back(&c->pieces, &piece->order);
    treap_insert(&p->free, &piece->by_size, bytes, piece->base);
    obj_ref(&p->obj);
    p->reserved += bytes;
    p->reserved_high = hw_max_u64(p->reserved_high, p->reserved);
    atomic_fetch_add(&idle_bytes[p->device], bytes);
    return c;
}

static bool passed(const struct pool_piece *piece)
{
    /* acquire: pairs with the count in finish_locked(), so what the stream did with the memory is over */
    return !piece->freed_in || atomic_load_explicit(&piece->freed_in->n_done, memory_order_acquire) >= piece->freed_at;
}

/* Drops the stream references of free pieces whose turn is over. The references are given to *out: a stream may end with its last
   one, and that takes locks. */
static void settle(struct pool_piece *piece, struct stream **out)
{
    *out = NULL;
    if (piece->freed_in && passed(piece)) {
        *out = piece->freed_in;
        piece->freed_in = NULL;
    }
}

enum { MAX_DROPS = 64 };
struct drops {
    struct stream *stream[MAX_DROPS];
    int n_streams;
    struct obj *pool[MAX_DROPS];
    int n_pools;
};

static void drops_finish(struct drops *d)
{
    for (int i = 0; i < d->n_streams; i++)
        stream_unref(d->stream[i]);
    for (int i = 0; i < d->n_pools; i++)
        obj_unref(d->pool[i]);
}

/* A chunk that nobody uses: back to the device. False: a stream has yet to come to a free, or too much to drop at once. */
static bool chunk_drop(struct pool_chunk *c, struct drops *d)
{
    int needed = 0;
    hw_list_for(it, &c->pieces) {
        struct pool_piece *piece = hw_list_item(it, struct pool_piece, order);
        if (piece->used || !passed(piece))
            return false;
        needed += piece->freed_in != NULL;
    }
    if (d->n_streams + needed > MAX_DROPS || d->n_pools == MAX_DROPS)
        return false;
    struct mempool *p = c->pool;
    hw_list_for_safe(it, &c->pieces) {
        struct pool_piece *piece = hw_list_item(it, struct pool_piece, order);
        if (piece->freed_in)
            d->stream[d->n_streams++] = piece->freed_in;
        treap_remove(&p->free, &piece->by_size);
        hw_free(piece);
    }
    if (p->kind == MEM_HOST)
        pin_unlock(devheap_base(c->extent), devheap_base(c->extent) + c->bytes);
    mem_chunk_free(charged_to(p), c->extent);
    p->reserved -= c->bytes;
    atomic_fetch_sub(&idle_bytes[p->device], c->bytes);
    hw_list_del(&c->in_pool);
    hw_free(c);
    d->pool[d->n_pools++] = &p->obj;
    return true;
}

/* Joins a free piece with the neighbour behind it where both have the same past. */
static void join_next_locked(struct mempool *p, struct pool_piece *a, struct stream **drop)
{
    *drop = NULL;
    if (a->order.next == &a->chunk->pieces)
        return;
    struct pool_piece *b = hw_list_item(a->order.next, struct pool_piece, order);
    if (a->used || b->used || a->freed_in != b->freed_in || a->recycled != b->recycled)
        return;
    treap_remove(&p->free, &a->by_size);
    treap_remove(&p->free, &b->by_size);
    a->bytes += b->bytes;
    a->freed_at = hw_max_u64(a->freed_at, b->freed_at);
    *drop = b->freed_in;
    hw_list_del(&b->order);
    hw_free(b);
    treap_insert(&p->free, &a->by_size, a->bytes, a->base);
}

/* Joins what lies side by side and whose turns are over. */
static void settle_pool_locked(struct mempool *p, struct drops *d)
{
    if (!p->unsettled)
        return;
    p->unsettled = false;
    hw_list_for(it, &p->chunks) {
        struct pool_chunk *c = hw_list_item(it, struct pool_chunk, in_pool);
        for (struct hw_list *at = c->pieces.next; at != &c->pieces; at = at->next) {
            struct pool_piece *piece = hw_list_item(at, struct pool_piece, order), *before = hw_list_item(at->prev, struct pool_piece, order);
            if (piece->used)
                continue;
            if (d->n_streams < MAX_DROPS)
                settle(piece, &d->stream[d->n_streams]);
            d->n_streams += d->n_streams < MAX_DROPS && d->stream[d->n_streams] != NULL;
            p->unsettled |= piece->freed_in != NULL;
            if (at->prev != &c->pieces && !before->used && !before->freed_in && !piece->freed_in && before->recycled == piece->recycled) {
                struct stream *none;
                at = at->prev;                   /* which takes it in */
                join_next_locked(p, before, &none);
            }
        }
    }
}

static void trim_locked(struct mempool *p, uint64_t keep, struct drops *d)
{
    hw_list_for_safe(it, &p->chunks) {
        struct pool_chunk *c = hw_list_item(it, struct pool_chunk, in_pool);
        if (p->reserved >= c->bytes && p->reserved - c->bytes >= hw_max_u64(keep, p->used))
            chunk_drop(c, d);
    }
}

void mempool_trim(struct mempool *p, size_t keep)
{
    struct drops d = { .n_streams = 0 };
    hw_lock(&mu);
    trim_locked(p, keep, &d);
    hw_unlock(&mu);
    drops_finish(&d);
}

/* Every pool of a device that has memory to give. */
static void trim_device(int device, bool all)
{
    struct drops d = { .n_streams = 0 };
    hw_lock(&mu);
    hw_list_for(it, &pools) {
        struct mempool *p = hw_list_item(it, struct mempool, in_all);
        if (p->device != device)
            continue;
        settle_pool_locked(p, &d);
        trim_locked(p, all ? 0 : p->threshold, &d);
    }
    hw_unlock(&mu);
    drops_finish(&d);
}

void mempool_synchronized(int device, struct stream *s, struct ctx *ctx)
{
    if (!atomic_load_explicit(&idle_bytes[device], memory_order_relaxed))
        return;
    sched_note_synced(s, ctx);
    trim_device(device, false);
}

CUresult mempool_destroy(CUmemoryPool handle)
{
    struct mempool *p = mempool_get(handle);
    struct drops d = { .n_streams = 0 };
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->is_default || !obj_close(&p->obj)) {
        mempool_unref(p);
        return CUDA_ERROR_INVALID_VALUE;
    }
    hw_lock(&mu);
    p->closed = true;
    if (current[p->device] == p)
        current[p->device] = NULL;
    hw_list_for_safe(it, &p->chunks)
        chunk_drop(hw_list_item(it, struct pool_chunk, in_pool), &d);
    hw_unlock(&mu);
    drops_finish(&d);
    mempool_unref(p);
    return CUDA_SUCCESS;
}

/* --- allocating --- */

/* Who asks for memory, and what his stream has waited for. */
struct asker {
    const struct stream *stream;
    struct stream_follows follows[STREAM_FOLLOWS];
    bool any;                    /* also what is held back */
};

/* The stream of the free comes before the asker's: it is the same, an event says so, the host has waited for it, or it happens
   to be over. */
static bool may_have(const struct mempool *p, const struct pool_piece *piece, const struct asker *a)
{
    const struct stream *f = piece->freed_in;
    if (hw_unlikely(piece->recycled) && p->reserved < HELD_BYTES && !a->any)
        return false;
    if (f == a->stream || !f || f->n_synced >= piece->freed_at || (p->reuse_opportunistic && passed(piece)))
        return true;
    for (unsigned i = 0; p->reuse_events && i < STREAM_FOLLOWS; i++)
        if (a->follows[i].stream == f->id && a->follows[i].at >= piece->freed_at)
            return true;
    return false;
}

static struct pool_piece *find_locked(struct mempool *p, uint64_t bytes, const struct asker *s)
{
    struct treap_node *n = treap_ceil(p->free, bytes, 0);
    while (n && !may_have(p, piece_of(n), s))
        n = treap_ceil(p->free, n->key, n->key2 + 1);
    return n ? piece_of(n) : NULL;
}

/* Makes a free piece a used one of this size; the rest stays free, with the same past. */
static void take_locked(struct mempool *p, struct pool_piece *piece, uint64_t bytes, uint64_t asked, struct stream **drop)
{
    treap_remove(&p->free, &piece->by_size);
    settle(piece, drop);
    if (piece->bytes > bytes) {
        struct pool_piece *rest = piece_new(piece->chunk, piece->base + bytes, piece->bytes - bytes);
        rest->freed_at = piece->freed_at;
        rest->recycled = piece->recycled;
        if ((rest->freed_in = piece->freed_in))
            stream_ref(rest->freed_in);
        hw_list_add_before(piece->order.next, &rest->order);
        treap_insert(&p->free, &rest->by_size, rest->bytes, rest->base);
        piece->bytes = bytes;
    }
    if (piece->freed_in) {                       /* the order of streams is enough */
        *drop = piece->freed_in;
        piece->freed_in = NULL;
    }
    piece->used = true;
    piece->asked = asked;
    piece->chunk->used += bytes;
    p->used += asked;
    p->used_high = hw_max_u64(p->used_high, p->used);
    atomic_fetch_sub(&idle_bytes[p->device], bytes);
}

static struct pool_piece *get_piece(struct mempool *p, uint64_t asked, struct stream *s)
{
    uint64_t bytes = hw_align_up(asked + (hw_options()->check[0] ? RED_ZONE : 0), GRAIN);
    struct asker a = { .stream = s };
    struct stream *drop = NULL;
    sched_follows(s, a.follows);
    hw_lock(&mu);
    struct pool_piece *piece = find_locked(p, bytes, &a);
    if (!piece && (chunk_add(p, hw_align_up(bytes, CHUNK)) || chunk_add(p, hw_align_up(bytes, 2u << 20))))
        piece = find_locked(p, bytes, &a);
    a.any = true;
    if (!piece)
        piece = find_locked(p, bytes, &a);
    if (piece)
        take_locked(p, piece, bytes, asked, &drop);
    hw_unlock(&mu);
    stream_unref(drop);
    return piece;
}

CUresult mempool_alloc(struct mempool *pool, struct stream *s, size_t bytes, CUdeviceptr *out)
{
    uint64_t rounded = hw_align_up(bytes, GRAIN);
    bool captures;
    CUresult rc = capture_enter(s, &captures);
    if (rc)
        return rc;
    if (bytes == 0 || (pool && pool->imported))
        return CUDA_ERROR_INVALID_VALUE;
    if (captures) {
        const CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = s->ctx->dev->ordinal } };
        return capture_alloc(s, &props, bytes, out);
    }
    if (rounded < bytes || rounded > (uint64_t)1 << 46)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct mempool *p = pool;
    if (!p) {
        hw_lock(&mu);
        p = current_locked(s->ctx->dev->ordinal);
        hw_unlock(&mu);
    }
    struct pool_piece *piece = get_piece(p, bytes, s);
    if (!piece) {                                /* memory that others have finished with may be enough */
        trim_device(p->device, true);
        piece = get_piece(p, bytes, s);
    }
    if (!piece) {
        sched_wait_ctx(s->ctx);
        trim_device(p->device, true);
        piece = get_piece(p, bytes, s);
    }
    if (!piece)
        return CUDA_ERROR_OUT_OF_MEMORY;
    mem_add_pooled(s->ctx, p->kind, p->device, piece, piece->base, bytes);
    hook_mem_given(piece->base, bytes, s);
    *out = piece->base;
    return CUDA_SUCCESS;
}

/* --- freeing --- */

/* s: takes over the reference. */
static void put_piece(struct pool_piece *piece, struct stream *s, uint64_t at)
{
    struct mempool *p = piece->chunk->pool;
    struct drops d = { .n_streams = 0 };
    struct stream **drop = d.stream;
    hw_lock(&mu);
    piece->used = false;
    piece->freed_in = s;
    piece->freed_at = at;
    piece->recycled = hw_options()->check[0] != 0;
    p->unsettled |= s != NULL;
    piece->chunk->used -= piece->bytes;
    p->used -= piece->asked;
    atomic_fetch_add(&idle_bytes[p->device], piece->bytes);
    treap_insert(&p->free, &piece->by_size, piece->bytes, piece->base);
    for (struct hw_list *it = piece->order.prev; it != piece->order.next->next; it = it->next) {
        struct pool_piece *near = hw_list_item(it, struct pool_piece, order);
        if (it == &piece->chunk->pieces || near->used)
            continue;
        settle(near, drop + d.n_streams);        /* two whose turns are over can be joined */
        d.n_streams += drop[d.n_streams] != NULL;
    }
    join_next_locked(p, piece, drop + d.n_streams);
    d.n_streams += drop[d.n_streams] != NULL;
    if (piece->order.prev != &piece->chunk->pieces) {
        struct pool_piece *before = hw_list_item(piece->order.prev, struct pool_piece, order);
        join_next_locked(p, before, drop + d.n_streams);
        d.n_streams += drop[d.n_streams] != NULL;
    }
    if (p->closed)
        hw_list_for_safe(it, &p->chunks)
            chunk_drop(hw_list_item(it, struct pool_chunk, in_pool), &d);
    hw_unlock(&mu);
    drops_finish(&d);
}

void mempool_put_back(struct pool_piece *piece)
{
    put_piece(piece, NULL, 0);
}

CUmemoryPool mempool_of_piece(const struct pool_piece *piece)
{
    return mempool_handle(piece->chunk->pool);
}

struct extent *mempool_shared_extent(const struct pool_piece *piece)
{
    return piece->chunk->pool->exported ? piece->chunk->extent : NULL;
}

CUresult mempool_free(CUdeviceptr ptr, struct stream *s)
{
    struct mem_info info;
    struct pool_piece *piece;
    if (ptr == 0)
        return CUDA_ERROR_INVALID_VALUE;
    bool captures;
    CUresult rc = capture_enter(s, &captures);
    if (rc || captures)
        return rc ? rc : capture_free(s, ptr);
    if (mem_lookup(ptr, &info) && info.variable && info.base == ptr)
        return graph_memory_free(ptr, s);
    if (ipc_mem_is_pooled(ptr)) {                /* another process's pool: only the mapping ends */
        sched_wait_stream(s);
        return ipc_mem_close(ptr, true);
    }
    if (!mem_lookup(ptr, &info) || info.base != ptr || info.variable || info.external
        || (!info.pool && info.kind != MEM_DEVICE && info.kind != MEM_MANAGED)) {
        hook_free_refused(ptr);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!info.pool && info.kind == MEM_MANAGED)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!info.pool) {
        sched_wait_stream(s);
        return mem_free(ptr);
    }
    hook_mem_freeing(&info, s);
    if (!mem_take_pooled(ptr, &piece))
        return CUDA_ERROR_INVALID_VALUE;
    /* A command that does nothing: when its turn is over, so is all that may use the memory. */
    struct cmd *marker = cmd_new(CMD_WAIT);
    sched_push(s, marker);
    stream_ref(s);
    put_piece(piece, s, atomic_load(&s->n_pushed));
    return CUDA_SUCCESS;
}

/* --- attributes --- */

CUresult mempool_get_attribute(struct mempool *p, CUmemPool_attribute attribute, void *value)
{
    CUresult rc = p->imported ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    int *i = value;
    cuuint64_t *u = value;
    if (rc)
        return rc;
    hw_lock(&mu);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: *i = p->reuse_events; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: *i = p->reuse_opportunistic; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: *i = p->reuse_internal; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *u = p->threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: *u = p->reserved; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *u = p->reserved_high; break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *u = p->used; break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *u = p->used_high; break;
    default: rc = CUDA_ERROR_INVALID_VALUE; break;
    }
    hw_unlock(&mu);
    return rc;
}

CUresult mempool_set_attribute(struct mempool *p, CUmemPool_attribute attribute, const void *value)
{
    CUresult rc = CUDA_SUCCESS;
    bool is_int = attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
    int i = 0;
    cuuint64_t u = 0;
    if (p->imported)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(is_int ? (void *)&i : (void *)&u, value, is_int ? sizeof i : sizeof u);
    hw_lock(&mu);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: p->reuse_events = i != 0; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: p->reuse_opportunistic = i != 0; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: p->reuse_internal = i != 0; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: p->threshold = u; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:      /* the high-water marks can only be begun anew */
        rc = u ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        p->reserved_high = rc ? p->reserved_high : p->reserved;
        break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        rc = u ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        p->used_high = rc ? p->used_high : p->used;
        break;
    default: rc = CUDA_ERROR_INVALID_VALUE; break;
    }
    hw_unlock(&mu);
    return rc;
}

CUresult mempool_set_access(struct mempool *p, const CUmemAccessDesc *desc, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return CUDA_ERROR_NOT_SUPPORTED;
        if (!device_peek(desc[i].location.id))
            return CUDA_ERROR_INVALID_DEVICE;
        if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
            return CUDA_ERROR_NOT_SUPPORTED;
        if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
        /* A pool's own device always has access. */
        if (p->kind == MEM_DEVICE && desc[i].location.id == p->device && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_DEVICE;
    }
    hw_lock(&mu);
    for (size_t i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << desc[i].location.id;
        p->accessible = desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? p->accessible | bit : p->accessible & ~bit;
    }
    hw_unlock(&mu);
    return CUDA_SUCCESS;
}

CUresult mempool_access(struct mempool *p, const CUmemLocation *where, CUmemAccess_flags *out)
{
    bool host = where->type == CU_MEM_LOCATION_TYPE_HOST, can;
    if (!host && (where->type != CU_MEM_LOCATION_TYPE_DEVICE || !device_peek(where->id)))
        return CUDA_ERROR_INVALID_VALUE;
    hw_lock(&mu);
    if (host)
        can = p->kind != MEM_DEVICE;
    else
        can = p->kind != MEM_DEVICE || where->id == p->device || (p->accessible >> where->id & 1);
    hw_unlock(&mu);
    *out = can ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}
