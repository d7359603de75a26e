/* SPDX-License-Identifier: Apache-2.0 */
/* What every object that programs hold a handle of begins with, and the one table that turns handles into objects. */
#ifndef CORE_OBJ_H
#define CORE_OBJ_H

#include "base/base.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>

enum obj_kind { OBJ_NONE, OBJ_CTX, OBJ_STREAM, OBJ_EVENT, OBJ_MODULE, OBJ_FUNCTION,
                OBJ_GRAPH, OBJ_NODE, OBJ_EXEC, OBJ_USER, OBJ_MEMPOOL, OBJ_PHYSICAL, OBJ_ARRAY, OBJ_KIND_COUNT };

/*
 * The head of an object. A handle is a slot's index plus its generation, so a stale handle is found out.
 * Lifetime  The slot, which is never given back to the system, holds the count of references. The open handle owns one.
 *           obj_close() makes the handle unknown and drops that one; at zero the kind's free function runs, with no
 *           lock of ours taken by obj.c.
 * Threads   Everything here is lock-free except making and freeing slots.
 */
struct obj {
    enum obj_kind kind;
    struct obj_slot *slot;
    void *handle;                /* what the program sees: never NULL, 1 or 2 */
    void (*free)(struct obj *);
};

void obj_init(struct obj *obj, enum obj_kind kind, void (*free_fn)(struct obj *));   /* one reference: the handle's */
struct obj *obj_get(void *handle, enum obj_kind kind);     /* a new reference, or NULL: unknown, stale, of another kind */
bool obj_was(void *handle, enum obj_kind kind);                    /* was a handle of that kind, and is closed */
bool obj_is_open(const struct obj *obj);                   /* the handle still works */
bool obj_close(struct obj *obj);                           /* false: somebody else closed it first */
bool obj_close_with_ctx(struct obj *obj);                  /* the same, because its context was destroyed */
bool obj_went_with_ctx(void *handle, enum obj_kind kind);  /* that is how it was closed */

/*
 * A slot. state: generation (24 bits), open flag, count of references (32 bits), changed together by compare-exchange, so that
 * a reference is never taken through a handle that was closed meanwhile.
 * Lifetime  For ever: obj_get() may look at any slot at any time.
 */
struct obj_slot {
    _Atomic uint64_t state;
    _Atomic uint64_t went;       /* the last generation that its context took along */
    struct obj *obj;             /* valid while references exist */
    uint32_t index;
    struct obj_slot *next_free;
};

void obj_end(struct obj *obj);                             /* the last reference is gone */
static inline uint32_t obj_refs_of(uint64_t state) { return (uint32_t)state; }

static inline void obj_ref(struct obj *obj)
{
    atomic_fetch_add_explicit(&obj->slot->state, 1, memory_order_relaxed);
}

/* For what was found in a list that objects leave when they are freed: false, its last reference is gone already. */
static inline bool obj_try_ref(struct obj *obj)
{
    uint64_t state = atomic_load_explicit(&obj->slot->state, memory_order_relaxed);
    do {
        if (obj_refs_of(state) == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&obj->slot->state, &state, state + 1, memory_order_acquire, memory_order_relaxed));
    return true;
}

/* n references at once. */
static inline void obj_unref_many(struct obj *obj, unsigned n)
{
    uint64_t old = atomic_fetch_sub_explicit(&obj->slot->state, n, memory_order_acq_rel);
    assert(obj_refs_of(old) >= n);
    if (hw_unlikely(obj_refs_of(old) == n))
        obj_end(obj);
}

static inline void obj_unref(struct obj *obj)              /* NULL is fine */
{
    if (obj)
        obj_unref_many(obj, 1);
}

void obj_dump(FILE *out);                                  /* every open handle, one line each */

#endif
