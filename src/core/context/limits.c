/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of contexts: cuCtxSetLimit. */
#include "core/context/context.h"

#include "base/log.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/module/device_query.h"
#include "core/module/module.h"
#include "exec/exec.h"

CUresult ctx_set_limit(struct ctx *ctx, CUlimit limit, size_t value)
{
    if ((unsigned)limit > 9)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no limit %d", (int)limit);
    if (!ctx_limit_known(limit))
        return hw_refuse(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit %d is not supported", (int)limit);
    if (limit == CU_LIMIT_SHMEM_SIZE || limit == CU_LIMIT_CIG_ENABLED)
        return hw_refuse(CUDA_ERROR_NOT_PERMITTED, "limit %d can only be read", (int)limit);         /* to be read only */
    if (limit == CU_LIMIT_STACK_SIZE && value > 512 * 1024)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a stack of %zu bytes; at most 524288", value);
    if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > 128)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a granularity of %zu; at most 128", value);
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value > (size_t)CONTEXT_L2_PARTS * CONTEXT_L2_PART)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes of L2 cache; at most %zu", value, (size_t)CONTEXT_L2_PARTS * CONTEXT_L2_PART);
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE && value > ctx->dev->memory_bytes)
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes for printf are more than the device has", value);
    if (limit == CU_LIMIT_STACK_SIZE)            /* measured: 3000 reads back as 3008, a heap of 1 MiB as 4 MiB */
        value = hw_align_up(value, 16);
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
        value = hw_max_u64(value, 4u << 20);
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE)
        value = hw_max_u64(value, 512u << 10);
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE)              /* a sixteenth of the cache at a time */
        value = (value + CONTEXT_L2_PART - 1) / CONTEXT_L2_PART * CONTEXT_L2_PART;
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE) {
        ctx_flush_printf(ctx);
        exec_printf_resize(ctx->printf_buf, value);
    }
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
        exec_heap_limit(ctx->heap, value);
    hw_lock(&ctx->mu);
    ctx->limits[limit] = value;
    hw_list_for(it, &ctx->modules)
        device_figures_limit(hw_list_item(it, struct module, in_ctx), limit, value);
    hw_unlock(&ctx->mu);
    return CUDA_SUCCESS;
}
