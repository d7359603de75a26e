/* SPDX-License-Identifier: Apache-2.0 */
/* Counted things of the program's that graphs keep alive. */
#ifndef CORE_USER_OBJECT_H
#define CORE_USER_OBJECT_H

#include "core/obj.h"

#include <cuda.h>
#include <stdatomic.h>

/*
 * A user object.
 * Lifetime  As long as the program and graphs hold counts, which are many at once; all of them together are one reference. With the last
 *           destroy() is called, on the thread that drops it.
 */
struct user_object {
    struct obj obj;
    _Atomic uint64_t held;
    void *ptr;
    CUhostFn destroy;
};

CUuserObject user_object_create(void *ptr, CUhostFn destroy, unsigned count);
struct user_object *user_object_get(CUuserObject handle);        /* a reference, or NULL */
void user_object_hold(struct user_object *u, uint64_t count);    /* by somebody who has a reference */
void user_object_drop(struct user_object *u, uint64_t count);    /* at most as many as there are */
static inline void user_object_ref(struct user_object *u) { obj_ref(&u->obj); }
static inline void user_object_unref(struct user_object *u) { obj_unref(u ? &u->obj : NULL); }

#endif
