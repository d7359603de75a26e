/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: finding them, the sticky error. They are made and ended in context/context.c. */
#include "core/device/ctx.h"

#include "base/log.h"
#include "core/device/device.h"
#include "exec/exec.h"

#include <stdatomic.h>

bool ctx_flags_valid(unsigned flags)
{
    const unsigned known = CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_COREDUMP_ENABLE
        | CU_CTX_USER_COREDUMP_ENABLE | CU_CTX_SYNC_MEMOPS;
    unsigned sched = flags & CU_CTX_SCHED_MASK;
    return !(flags & ~known) && !(sched & (sched - 1));
}

struct ctx *ctx_get(CUcontext handle)
{
    struct obj *obj = obj_get(handle, OBJ_CTX);
    return obj ? hw_container_of(obj, struct ctx, obj) : NULL;
}

static void tombstone_free(struct obj *obj)
{
    struct ctx *ctx = hw_container_of(obj, struct ctx, obj);
    hw_free(ctx);
}

struct ctx *ctx_get_dead(CUcontext handle)
{
    if (!obj_was(handle, OBJ_CTX))
        return NULL;
    struct ctx *ctx = hw_alloc(sizeof *ctx);
    ctx->dev = device_peek(0);
    hw_mutex_init(&ctx->mu, HW_RANK_CTX);
    hw_list_init(&ctx->events);
    hw_list_init(&ctx->modules);
    hw_list_init(&ctx->streams);
    hw_list_init(&ctx->busy);
    ctx->dead = true;
    obj_init(&ctx->obj, OBJ_CTX, tombstone_free);
    obj_ref(&ctx->obj);
    obj_close(&ctx->obj);                        /* nobody gets it by its own handle, which is another's */
    ctx->obj.handle = handle;
    return ctx;
}

CUresult ctx_attach(struct ctx *ctx, CUcontext *out)
{
    atomic_fetch_add(&ctx->attached, 1);
    *out = ctx_handle(ctx);
    return CUDA_SUCCESS;
}

CUresult ctx_set_flags(struct ctx *ctx, unsigned flags)
{
    if (!ctx_flags_valid(flags))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags 0x%x are not known, or name two ways to wait", flags);
    ctx->flags = flags;
    return CUDA_SUCCESS;
}

void ctx_poison(struct ctx *ctx, CUresult why)
{
    CUresult expected = CUDA_SUCCESS;
    if (atomic_compare_exchange_strong(&ctx->error, &expected, why) && why != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        ctx->dev->faulted = true;                /* that: nothing is wrong with the device, and a new context may find what this one lacked */
}

void ctx_flush_printf(struct ctx *ctx)
{
    exec_printf_flush(ctx->printf_buf);
}

void ctx_dump(const struct ctx *ctx, FILE *out)
{
    fprintf(out, "context %llu on device %d%s: flags %#x, error %d%s\n", (unsigned long long)ctx->id, ctx->dev->ordinal,
            ctx->primary ? " (primary)" : "", (unsigned)ctx->flags, (int)ctx->error, ctx->dead ? ", destroyed" : "");
}

bool ctx_limit_known(CUlimit limit)
{
    switch ((int)limit) {
    case CU_LIMIT_STACK_SIZE:
    case CU_LIMIT_PRINTF_FIFO_SIZE:
    case CU_LIMIT_MALLOC_HEAP_SIZE:
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
    case CU_LIMIT_SHMEM_SIZE:
    case CU_LIMIT_CIG_ENABLED: return true;
    default: return false;
    }
}

CUresult ctx_limit(struct ctx *ctx, CUlimit limit, size_t *out)
{
    if ((unsigned)limit > 9)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no limit %d", (int)limit);
    if (!ctx_limit_known(limit))
        return hw_refuse(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit %d is not supported", (int)limit);
    hw_lock(&ctx->mu);
    *out = ctx->limits[limit];
    hw_unlock(&ctx->mu);
    return CUDA_SUCCESS;
}
