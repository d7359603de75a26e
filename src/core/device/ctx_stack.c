/* SPDX-License-Identifier: Apache-2.0 */
/* Every thread's stack of contexts. */
#include "base/log.h"
#include "base/vec.h"
#include "core/device/ctx.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * The stack. Its entries are references, so that a context destroyed by another thread is still there to be found dead.
 * Lifetime  Made by the first push, freed when the thread ends.
 */
struct ctx_stack {
    HW_VEC(struct ctx *) v;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct ctx_stack *stack;
_Thread_local struct ctx *ctx_top;               /* of that stack */

static void thread_ends(void *p)
{
    struct ctx_stack *s = p;
    stack = NULL;
    ctx_top = NULL;
    for (size_t i = 0; i < s->v.n; i++)
        ctx_unref(s->v.v[i]);
    hw_vec_fini(&s->v);
    hw_free(s);
}

static void make_key(void)
{
    pthread_key_create(&key, thread_ends);
}

static struct ctx_stack *stack_make(void)
{
    if (!stack) {
        pthread_once(&once, make_key);
        stack = hw_alloc(sizeof *stack);
        pthread_setspecific(key, stack);
    }
    return stack;
}

static void stack_push(struct ctx *ctx)
{
    struct ctx_stack *s = stack_make();
    hw_vec_push(&s->v, ctx);
    ctx_top = ctx;
}

CUresult ctx_enter(struct ctx **out)
{
    struct ctx *ctx = ctx_current();
    if (!ctx)
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
    if (ctx->dead)
        return hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context was destroyed");
    *out = ctx;
    return ctx_error(ctx);
}

CUcontext ctx_current_handle(void)
{
    struct ctx *ctx = ctx_current();
    return ctx ? ctx_handle(ctx) : NULL;
}

/* A destroyed context can be made current: it is the calls that need it which fail. */
static struct ctx *get_any(CUcontext handle)
{
    struct ctx *ctx = ctx_get(handle);
    return ctx ? ctx : ctx_get_dead(handle);
}

CUresult ctx_push(CUcontext handle)
{
    struct ctx *ctx = get_any(handle);
    if (!ctx)
        return hw_refuse(handle ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE, "the context is NULL, or was destroyed, or never was");
    stack_push(ctx);
    return CUDA_SUCCESS;
}

CUresult ctx_pop(CUcontext *out)
{
    struct ctx *ctx = ctx_current();
    if (!ctx)
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
    stack->v.n--;
    ctx_top = stack->v.n ? stack->v.v[stack->v.n - 1] : NULL;
    if (out)
        *out = ctx_handle(ctx);
    ctx_unref(ctx);
    return CUDA_SUCCESS;
}

CUresult ctx_set_current(CUcontext handle)
{
    struct ctx *ctx = handle ? get_any(handle) : NULL;
    if (handle && !ctx)
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed");
    if (ctx_current())
        ctx_pop(NULL);
    if (ctx)
        stack_push(ctx);
    return CUDA_SUCCESS;
}
