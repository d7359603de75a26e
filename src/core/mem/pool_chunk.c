/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of memory pools: taking them from the device, joining free pieces, giving back what nobody uses. */
#include "core/mem/devheap.h"
#include "core/mem/mempool_internal.h"
#include "core/mem/pin.h"
#include "core/sched/sched.h"

struct pool_piece *pool_piece_new(struct pool_chunk *c, uint64_t base, uint64_t bytes)
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

struct pool_chunk *pool_chunk_add(struct mempool *p, uint64_t bytes)
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
    struct pool_piece *piece = pool_piece_new(c, devheap_base(e), bytes);
    hw_list_push_back(&c->pieces, &piece->order);
    treap_insert(&p->free, &piece->by_size, bytes, piece->base);
    obj_ref(&p->obj);
    p->reserved += bytes;
    p->reserved_high = hw_max_u64(p->reserved_high, p->reserved);
    atomic_fetch_add(&pool_idle_bytes[p->device], bytes);
    return c;
}

/* Drops the stream references of free pieces whose turn is over. The references are given to *out: a stream may end with its last
   one, and that takes locks. */
void pool_settle(struct pool_piece *piece, struct stream **out)
{
    *out = NULL;
    if (piece->freed_in && pool_passed(piece)) {
        *out = piece->freed_in;
        piece->freed_in = NULL;
    }
}

void pool_drops_finish(struct pool_drops *d)
{
    for (int i = 0; i < d->n_streams; i++)
        stream_unref(d->stream[i]);
    for (int i = 0; i < d->n_pools; i++)
        obj_unref(d->pool[i]);
}

/* A chunk that nobody uses: back to the device. False: a stream has yet to come to a free, or too much to drop at once. */
bool pool_chunk_drop(struct pool_chunk *c, struct pool_drops *d)
{
    int needed = 0;
    hw_list_for(it, &c->pieces) {
        struct pool_piece *piece = hw_list_item(it, struct pool_piece, order);
        if (piece->used || !pool_passed(piece))
            return false;
        needed += piece->freed_in != NULL;
    }
    if (d->n_streams + needed > POOL_DROPS || d->n_pools == POOL_DROPS)
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
    atomic_fetch_sub(&pool_idle_bytes[p->device], c->bytes);
    hw_list_del(&c->in_pool);
    hw_free(c);
    d->pool[d->n_pools++] = &p->obj;
    return true;
}

/* Joins a free piece with the neighbour behind it where both have the same past. */
void pool_join_next_locked(struct mempool *p, struct pool_piece *a, struct stream **drop)
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
static void settle_pool_locked(struct mempool *p, struct pool_drops *d)
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
            if (d->n_streams < POOL_DROPS)
                pool_settle(piece, &d->stream[d->n_streams]);
            d->n_streams += d->n_streams < POOL_DROPS && d->stream[d->n_streams] != NULL;
            p->unsettled |= piece->freed_in != NULL;
            if (at->prev != &c->pieces && !before->used && !before->freed_in && !piece->freed_in && before->recycled == piece->recycled) {
                struct stream *none;
                at = at->prev;                   /* which takes it in */
                pool_join_next_locked(p, before, &none);
            }
        }
    }
}

static void trim_locked(struct mempool *p, uint64_t keep, struct pool_drops *d)
{
    hw_list_for_safe(it, &p->chunks) {
        struct pool_chunk *c = hw_list_item(it, struct pool_chunk, in_pool);
        if (p->reserved >= c->bytes && p->reserved - c->bytes >= hw_max_u64(keep, p->used))
            pool_chunk_drop(c, d);
    }
}

void mempool_trim(struct mempool *p, size_t keep)
{
    struct pool_drops d = { .n_streams = 0 };
    hw_lock(&pool_mu);
    trim_locked(p, keep, &d);
    hw_unlock(&pool_mu);
    pool_drops_finish(&d);
}

/* Every pool of a device that has memory to give. */
void pool_trim_device(int device, bool all)
{
    struct pool_drops d = { .n_streams = 0 };
    hw_lock(&pool_mu);
    hw_list_for(it, &pool_all) {
        struct mempool *p = hw_list_item(it, struct mempool, in_all);
        if (p->device != device)
            continue;
        settle_pool_locked(p, &d);
        trim_locked(p, all ? 0 : p->threshold, &d);
    }
    hw_unlock(&pool_mu);
    pool_drops_finish(&d);
}

void mempool_synchronized(int device, struct stream *s, struct ctx *ctx)
{
    if (!atomic_load_explicit(&pool_idle_bytes[device], memory_order_relaxed))
        return;
    sched_note_synced(s, ctx);
    pool_trim_device(device, false);
}
