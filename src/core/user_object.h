/* SPDX-License-Identifier: Apache-2.0 */
/* Counted things of the program's that graphs keep alive. */
#ifndef CORE_USER_OBJECT_H
#define CORE_USER_OBJECT_H

#include "core/obj.h"

#include <cuda.h>

/*
 * A user object.
 * Lifetime  Every count the program or a graph holds is a reference; the handle owns none of its own. At the last one destroy() is
 *           called, on the thread that drops it.
 */
struct user_object {
    struct obj obj;
    void *ptr;
    CUhostFn destroy;
};

CUuserObject user_object_create(void *ptr, CUhostFn destroy, unsigned count);
struct user_object *user_object_get(CUuserObject handle);        /* a reference, or NULL */
static inline void user_object_ref(struct user_object *u) { obj_ref(&u->obj); }
static inline void user_object_unref(struct user_object *u) { obj_unref(u ? &u->obj : NULL); }

#endif
