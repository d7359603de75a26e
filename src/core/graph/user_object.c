/* SPDX-License-Identifier: Apache-2.0 */
/* Counted things of the program's that graphs keep alive. */
#include "core/graph/user_object.h"

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
    u->held = count;
    obj_init(&u->obj, OBJ_USER, user_object_free);
    return (CUuserObject)u->obj.handle;
}

struct user_object *user_object_get(CUuserObject handle)
{
    struct obj *obj = obj_get(handle, OBJ_USER);
    return obj ? hw_container_of(obj, struct user_object, obj) : NULL;
}

void user_object_hold(struct user_object *u, uint64_t count)
{
    if (count && atomic_fetch_add(&u->held, count) == 0)         /* more was dropped than there was, and a graph still has it */
        user_object_ref(u);
}

void user_object_drop(struct user_object *u, uint64_t count)
{
    uint64_t held = atomic_load(&u->held), take;
    do
        take = hw_min_u64(count, held);
    while (!atomic_compare_exchange_weak(&u->held, &held, held - take));
    if (take && take == held)
        obj_unref(&u->obj);
}
