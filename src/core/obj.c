/* SPDX-License-Identifier: Apache-2.0 */
/* The table of handles. */
#include "core/obj.h"

#include "base/lock.h"
#include "base/log.h"
#include "core/hooks.h"

#include <stdatomic.h>

/*
 * handle = generation << 34 | index << 4 | kind. Generations begin at 1, so small numbers are no handles. The objects that a table of this size could name
 * take 200 GiB: memory ends before the table does, and calls answer that. The list of pages itself takes what is used of it.
 */
enum { KIND_BITS = 4, INDEX_BITS = 30, PAGE_BITS = 10, PAGE_SLOTS = 1 << PAGE_BITS, N_PAGES = 1 << (INDEX_BITS - PAGE_BITS) };
#define OPEN ((uint64_t)1 << 32)
#define GEN_SHIFT 40
#define GEN_MASK 0xffffffu

static struct obj_slot *_Atomic pages[N_PAGES];
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct obj_slot *free_slots HW_GUARDED_BY(mu);
static uint32_t n_slots HW_GUARDED_BY(mu);

static struct obj_slot *slot_take(void)
{
    hw_lock(&mu);
    if (!free_slots && n_slots < (uint32_t)N_PAGES * PAGE_SLOTS) {
        struct obj_slot *page = hw_alloc(sizeof *page * PAGE_SLOTS);
        for (int i = PAGE_SLOTS - 1; i >= 0; i--) {
            page[i].index = n_slots + (uint32_t)i;
            page[i].state = (uint64_t)1 << GEN_SHIFT;
            page[i].next_free = free_slots;
            free_slots = &page[i];
        }
        atomic_store_explicit(&pages[n_slots >> PAGE_BITS], page, memory_order_release);
        n_slots += PAGE_SLOTS;
    }
    struct obj_slot *slot = free_slots;
    if (!slot) {
        fprintf(stderr, "hostwarp: more than %u objects\n", n_slots);
        abort();
    }
    free_slots = slot->next_free;
    hw_unlock(&mu);
    return slot;
}

static void slot_give(struct obj_slot *slot)
{
    uint64_t gen = ((atomic_load(&slot->state) >> GEN_SHIFT) + 1) & GEN_MASK;
    atomic_store(&slot->state, (gen ? gen : 1) << GEN_SHIFT);
    hw_lock(&mu);
    slot->next_free = free_slots;
    free_slots = slot;
    hw_unlock(&mu);
}

void obj_init(struct obj *obj, enum obj_kind kind, void (*free_fn)(struct obj *))
{
    struct obj_slot *slot = slot_take();
    uint64_t gen = atomic_load(&slot->state) >> GEN_SHIFT;
    obj->kind = kind;
    obj->slot = slot;
    obj->free = free_fn;
    obj->handle = (void *)(uintptr_t)(gen << (KIND_BITS + INDEX_BITS) | (uint64_t)slot->index << KIND_BITS | kind);
    slot->obj = obj;
    atomic_store_explicit(&slot->state, gen << GEN_SHIFT | OPEN | 1, memory_order_release);
    hook_obj_made(obj);
}

static const char *const kind_names[OBJ_KIND_COUNT] = { "object", "context", "stream", "event", "module", "function", "graph", "graph node", "executable graph",
                                                        "user object", "memory pool", "memory allocation", "array" };

/* For the log; a caller that tries another kind next, and succeeds, makes it void. */
static struct obj *unknown(void *handle, enum obj_kind kind)
{
    if (hw_reasons_on())
        hw_reason("%p is no handle of a %s%s", handle, kind_names[kind], handle && obj_was(handle, kind) ? " any more: it was destroyed" : "");
    return NULL;
}

struct obj *obj_get(void *handle, enum obj_kind kind)
{
    uint64_t h = (uint64_t)(uintptr_t)handle, gen = h >> (KIND_BITS + INDEX_BITS);
    uint32_t index = (uint32_t)(h >> KIND_BITS) & ((1u << INDEX_BITS) - 1);
    if ((h & ((1u << KIND_BITS) - 1)) != kind || gen == 0 || gen > GEN_MASK)
        return unknown(handle, kind);
    struct obj_slot *page = atomic_load_explicit(&pages[index >> PAGE_BITS], memory_order_acquire);
    if (!page)
        return unknown(handle, kind);
    struct obj_slot *slot = &page[index & (PAGE_SLOTS - 1)];
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    do {
        if (state >> GEN_SHIFT != gen || !(state & OPEN))
            return unknown(handle, kind);
        /* acquire: pairs with the release in obj_init(), so slot->obj and the object are seen whole */
    } while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state + 1, memory_order_acquire, memory_order_relaxed));
    struct obj *obj = slot->obj;
    if (obj->kind == kind)
        return obj;
    obj_unref(obj);
    return unknown(handle, kind);
}

static uint64_t generation_of(void *handle)
{
    return (uint64_t)(uintptr_t)handle >> (KIND_BITS + INDEX_BITS);
}

/* The slot that a handle of this kind names; NULL: it cannot be one. */
static struct obj_slot *slot_of(void *handle, enum obj_kind kind)
{
    uint64_t h = (uint64_t)(uintptr_t)handle;
    uint32_t index = (uint32_t)(h >> KIND_BITS) & ((1u << INDEX_BITS) - 1);
    struct obj_slot *page = atomic_load_explicit(&pages[index >> PAGE_BITS], memory_order_acquire);
    return (h & ((1u << KIND_BITS) - 1)) == kind && generation_of(handle) && page ? &page[index & (PAGE_SLOTS - 1)] : NULL;
}

bool obj_was(void *handle, enum obj_kind kind)
{
    struct obj_slot *slot = slot_of(handle, kind);
    uint64_t gen = generation_of(handle), state = slot ? atomic_load(&slot->state) : 0;
    return state >> GEN_SHIFT > gen || (state >> GEN_SHIFT == gen && !(state & OPEN) && obj_refs_of(state));
}

bool obj_is_open(const struct obj *obj)
{
    return atomic_load(&obj->slot->state) & OPEN;
}

bool obj_close(struct obj *obj)
{
    if (!(atomic_fetch_and(&obj->slot->state, ~OPEN) & OPEN))
        return false;
    hook_obj_closed(obj);
    obj_unref(obj);
    return true;
}

bool obj_close_with_ctx(struct obj *obj)
{
    atomic_store(&obj->slot->went, atomic_load(&obj->slot->state) >> GEN_SHIFT);
    return obj_close(obj);
}

bool obj_went_with_ctx(void *handle, enum obj_kind kind)
{
    struct obj_slot *slot = slot_of(handle, kind);
    return slot && atomic_load(&slot->went) == generation_of(handle) && obj_was(handle, kind);
}

void obj_end(struct obj *obj)
{
    struct obj_slot *slot = obj->slot;
    obj->free(obj);
    slot_give(slot);
}

void obj_dump(FILE *out)
{
    static const char *const names[OBJ_KIND_COUNT] = { "none", "context", "stream", "event", "module", "function",
                                                        "graph", "graph node", "executable graph", "user object", "memory pool",
                                                        "physical memory", "array" };
    hw_lock(&mu);
    for (uint32_t i = 0; i < n_slots; i++) {
        struct obj_slot *slot = &pages[i >> PAGE_BITS][i & (PAGE_SLOTS - 1)];
        uint64_t state = atomic_load(&slot->state);
        if (state & OPEN)
            fprintf(out, "%s %p: %u references\n", names[slot->obj->kind], slot->obj->handle, obj_refs_of(state));
    }
    hw_unlock(&mu);
}
