/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of pools, in stream order: which piece a stream may have, and what becomes of one that it frees. */
#include "base/log.h"
#include "base/options.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/hooks.h"
#include "core/mem/graph_mem.h"
#include "core/mem/ipc.h"
#include "core/mem/mempool_internal.h"
#include "core/sched/capturing.h"
#include "core/sched/mark.h"
#include "core/sched/sched.h"

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
    if (f == a->stream || !f || f->n_synced >= piece->freed_at || (p->reuse_opportunistic && pool_passed(piece)))
        return true;
    for (unsigned i = 0; p->reuse_events && i < STREAM_FOLLOWS; i++)
        if (a->follows[i].stream == f->id && a->follows[i].at >= piece->freed_at)
            return true;
    return false;
}

static struct pool_piece *find_locked(struct mempool *p, uint64_t bytes, const struct asker *s)
{
    struct treap_node *n = treap_ceil(p->free, bytes, 0);
    while (n && !may_have(p, pool_piece_of(n), s))
        n = treap_ceil(p->free, n->key, n->key2 + 1);
    return n ? pool_piece_of(n) : NULL;
}

/* Makes a free piece a used one of this size; the rest stays free, with the same past. */
static void take_locked(struct mempool *p, struct pool_piece *piece, uint64_t bytes, uint64_t asked, struct stream **drop)
{
    treap_remove(&p->free, &piece->by_size);
    pool_settle(piece, drop);
    if (piece->bytes > bytes) {
        struct pool_piece *rest = pool_piece_new(piece->chunk, piece->base + bytes, piece->bytes - bytes);
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
    atomic_fetch_sub(&pool_idle_bytes[p->device], bytes);
}

static struct pool_piece *get_piece(struct mempool *p, uint64_t asked, struct stream *s)
{
    uint64_t bytes = hw_align_up(asked + (hw_options()->check[0] ? RED_ZONE : 0), GRAIN);
    struct asker a = { .stream = s };
    struct stream *drop = NULL;
    sched_follows(s, a.follows);
    hw_lock(&pool_mu);
    struct pool_piece *piece = find_locked(p, bytes, &a);
    if (!piece && (pool_chunk_add(p, hw_align_up(bytes, CHUNK)) || pool_chunk_add(p, hw_align_up(bytes, 2u << 20))))
        piece = find_locked(p, bytes, &a);
    a.any = true;
    if (!piece)
        piece = find_locked(p, bytes, &a);
    if (piece)
        take_locked(p, piece, bytes, asked, &drop);
    hw_unlock(&pool_mu);
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
    if (pool && pool->imported)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "the pool is another process's");
    if (bytes == 0) {                            /* measured: no error, no address, no node in a graph */
        *out = 0;
        return CUDA_SUCCESS;
    }
    if (captures && pool && pool->kind == MEM_HOST)
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "graphs have memory of devices only");
    if (captures) {
        const CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = s->ctx->dev->ordinal } };
        return capture_alloc(s, &props, bytes, out);
    }
    if (rounded < bytes || rounded > (uint64_t)1 << 46)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes are more than any device has", bytes);
    struct mempool *p = pool;
    if (!p) {
        hw_lock(&pool_mu);
        p = pool_current_locked(s->ctx->dev->ordinal);
        hw_unlock(&pool_mu);
    }
    struct pool_piece *piece = get_piece(p, bytes, s);
    if (!piece) {                                /* memory that others have finished with may be enough */
        pool_trim_device(p->device, true);
        piece = get_piece(p, bytes, s);
    }
    if (!piece) {
        sched_wait_ctx(s->ctx);
        pool_trim_device(p->device, true);
        piece = get_piece(p, bytes, s);
    }
    if (!piece)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the pool and its device have no %zu bytes left", bytes);
    const struct mem_pooled from = { mempool_handle(p), piece, piece->chunk->extent };
    mem_add_pooled(s->ctx, p->kind, p->device, &from, piece->base, bytes);
    hook_mem_given(piece->base, bytes, s);
    *out = piece->base;
    return CUDA_SUCCESS;
}

/* --- freeing --- */

/* s: takes over the reference. */
static void put_piece(struct pool_piece *piece, struct stream *s, uint64_t at)
{
    struct mempool *p = piece->chunk->pool;
    struct pool_drops d = { .n_streams = 0 };
    struct stream **drop = d.stream;
    hw_lock(&pool_mu);
    piece->used = false;
    piece->freed_in = s;
    piece->freed_at = at;
    piece->recycled = hw_options()->check[0] != 0;
    p->unsettled |= s != NULL;
    piece->chunk->used -= piece->bytes;
    p->used -= piece->asked;
    atomic_fetch_add(&pool_idle_bytes[p->device], piece->bytes);
    treap_insert(&p->free, &piece->by_size, piece->bytes, piece->base);
    for (struct hw_list *it = piece->order.prev; it != piece->order.next->next; it = it->next) {
        struct pool_piece *near = hw_list_item(it, struct pool_piece, order);
        if (it == &piece->chunk->pieces || near->used)
            continue;
        pool_settle(near, drop + d.n_streams);        /* two whose turns are over can be joined */
        d.n_streams += drop[d.n_streams] != NULL;
    }
    pool_join_next_locked(p, piece, drop + d.n_streams);
    d.n_streams += drop[d.n_streams] != NULL;
    if (piece->order.prev != &piece->chunk->pieces) {
        struct pool_piece *before = hw_list_item(piece->order.prev, struct pool_piece, order);
        pool_join_next_locked(p, before, drop + d.n_streams);
        d.n_streams += drop[d.n_streams] != NULL;
    }
    if (p->closed)
        hw_list_for_safe(it, &p->chunks)
            pool_chunk_drop(hw_list_item(it, struct pool_chunk, in_pool), &d);
    hw_unlock(&pool_mu);
    pool_drops_finish(&d);
}

void mempool_put_back(struct pool_piece *piece)
{
    put_piece(piece, NULL, 0);
}

CUresult mempool_free(CUdeviceptr ptr, struct stream *s)
{
    struct mem_info info;
    struct pool_piece *piece;
    bool captures;
    CUresult rc = capture_enter(s, &captures);
    if (!rc && ptr == 0)
        return CUDA_SUCCESS;                     /* measured; what 0 bytes gave */
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
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is no address that an allocation gave, or it was given back already", (unsigned long long)ptr);
    }
    if (!info.pool && info.kind == MEM_MANAGED)
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "managed memory cannot be freed in stream order");
    if (!info.pool) {
        sched_wait_stream(s);
        return mem_free(ptr);
    }
    hook_mem_freeing(&info, s);
    if (!mem_take_pooled(ptr, &piece))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "0x%llx was freed by another thread meanwhile", (unsigned long long)ptr);
    /* A command that does nothing: when its turn is over, so is all that may use the memory. */
    struct cmd *marker = mark_nothing();
    sched_push(s, marker);
    stream_ref(s);
    put_piece(piece, s, atomic_load(&s->n_pushed));
    return CUDA_SUCCESS;
}
