/* SPDX-License-Identifier: Apache-2.0 */
/* What every object that programs hold a handle of begins with, and the one table that turns handles into objects. */
#ifndef CORE_OBJ_H
#define CORE_OBJ_H

#include "base/base.h"

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
void obj_ref(struct obj *obj);
void obj_unref(struct obj *obj);                           /* NULL is fine */
void obj_unref_many(struct obj *obj, unsigned n);          /* n references at once */

void obj_dump(FILE *out);                                  /* every open handle, one line each */

#endif
