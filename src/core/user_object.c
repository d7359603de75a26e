/* SPDX-License-Identifier: Apache-2.0 */
/* Counted things of the program's that graphs keep alive. */
#include "core/user_object.h"

static void user_object_free(struct obj *obj)
{
    struct user_object *u = hw_container_of(obj, struct user_object, obj);
    u->destroy(u->ptr);
    hw_free(u);
}

CUuserObject user_object_create(void *ptr, CUhostFn destroy, unsigned count)
{
    struct user_object *u = hw_alloc(sizeof *u);
    u->ptr = ptr;
    u->destroy = destroy;
    obj_init(&u->obj, OBJ_USER, user_object_free);
    for (unsigned i = 1; i < count; i++)
        user_object_ref(u);
    return (CUuserObject)u->obj.handle;
}

struct user_object *user_object_get(CUuserObject handle)
{
    struct obj *obj = obj_get(handle, OBJ_USER);
    return obj ? hw_container_of(obj, struct user_object, obj) : NULL;
}
