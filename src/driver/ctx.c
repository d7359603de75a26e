/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: making and ending them, the calling thread's stack, settings; primary contexts. */
#include "base/log.h"
#include "core/stream/ctx_sync.h"
#include "core/context/context.h"
#include "core/device/ctx.h"

#include "core/device/device.h"
#include "core/stream/event.h"
#include "core/sched/gate.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"

/* The interface version that contexts made by the _v2 and later calls report. */
enum { CTX_API_VERSION = 3020 };

/* --- life --- */

CUresult do_cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    struct device *d = device_peek(dev);

    if (!pctx)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pctx is NULL");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    return ctx_create(d, flags, pctx);
}

CUresult do_cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev)
{
    if (numParams < 0 || (numParams > 0 && !paramsArray))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "numParams is %d, and paramsArray is %p", numParams, (const void *)paramsArray);
    if (numParams > 0)
        return hw_refuse(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "execution affinity is not supported");
    return do_cuCtxCreate_v2(pctx, flags, dev);
}

CUresult do_cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev)
{
    if (ctxCreateParams && ctxCreateParams->cigParams)
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "graphics interop is not supported");
    if (ctxCreateParams)
        return do_cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams, ctxCreateParams->numExecAffinityParams, flags, dev);
    return do_cuCtxCreate_v2(pctx, flags, dev);
}

CUresult do_cuCtxDestroy_v2(CUcontext ctx)
{
    if (!ctx)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "ctx is NULL");
    return ctx_destroy(ctx);
}

CUresult do_cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    return pctx && !flags ? ctx_attach(ctx_current(), pctx) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "pctx is NULL, or flags 0x%x are not 0", flags);
}

CUresult do_cuCtxDetach(CUcontext ctx) { return ctx_detach(ctx); }

/* --- the stack --- */

CUresult do_cuCtxPushCurrent_v2(CUcontext ctx) { return ctx_push(ctx); }
CUresult do_cuCtxPopCurrent_v2(CUcontext *pctx) { return ctx_pop(pctx); }
CUresult do_cuCtxSetCurrent(CUcontext ctx) { return ctx_set_current(ctx); }

CUresult do_cuCtxGetCurrent(CUcontext *pctx)
{
    if (!pctx)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pctx is NULL");
    *pctx = ctx_current_handle();
    return CUDA_SUCCESS;
}

/* --- questions --- */

CUresult do_cuCtxGetDevice(CUdevice *device)
{
    if (!device)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "device is NULL");
    *device = ctx_current()->dev->ordinal;
    return CUDA_SUCCESS;
}

/* The context of a handle, or the current one for NULL; a reference. */
static struct ctx *ctx_of(CUcontext handle)
{
    struct ctx *ctx;

    if (handle)
        return ctx_get(handle);
    ctx = ctx_current();
    if (ctx)
        ctx_ref(ctx);
    return ctx;
}

CUresult do_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    struct ctx *c;

    if (!device)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "device is NULL");
    if (!(c = ctx_of(ctx)))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed");
    *device = c->dev->ordinal;
    ctx_unref(c);
    return CUDA_SUCCESS;
}

CUresult do_cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    struct ctx *c;

    if (!ctxId)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "ctxId is NULL");
    if (!(c = ctx_of(ctx)))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed");
    *ctxId = c->id;
    ctx_unref(c);
    return CUDA_SUCCESS;
}

CUresult do_cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    struct ctx *c;

    if (!version)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "version is NULL");
    if (!(c = ctx_of(ctx)))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed");
    ctx_unref(c);
    *version = CTX_API_VERSION;
    return CUDA_SUCCESS;
}

CUresult do_cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    if (leastPriority)
        *leastPriority = STREAM_PRIORITY_LEAST;
    if (greatestPriority)
        *greatestPriority = STREAM_PRIORITY_GREATEST;
    return CUDA_SUCCESS;
}

CUresult do_cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    int units = 0;

    if (!pExecAffinity || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pExecAffinity is NULL, or type %d is not known", (int)type);
    do_cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ctx_current()->dev->ordinal);
    memset(pExecAffinity, 0, sizeof *pExecAffinity);
    pExecAffinity->type = type;
    pExecAffinity->param.smCount.val = (unsigned)units;
    return CUDA_SUCCESS;
}

/* --- waiting --- */

static CUresult with_event(CUcontext hCtx, CUevent hEvent, CUresult (*fn)(struct ctx *ctx, struct event *e))
{
    struct ctx *c = ctx_get(hCtx);
    struct event *e = event_get(hEvent);
    CUresult rc = !c ? hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed")
        : !e ? hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no event, or it was destroyed")
        : !gate_also(c) ? hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context was destroyed meanwhile") : fn(c, e);

    event_unref(e);
    ctx_unref(c);
    return rc;
}

CUresult do_cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent) { return with_event(hCtx, hEvent, ctx_record_event); }
CUresult do_cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent) { return with_event(hCtx, hEvent, ctx_wait_event); }

CUresult do_cuCtxSynchronize(void) { return ctx_synchronize(ctx_current()); }

CUresult do_cuCtxSynchronize_v2(CUcontext ctx)
{
    struct ctx *c = ctx_of(ctx);
    CUresult rc;

    if (!c)
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed");
    rc = gate_also(c) ? ctx_synchronize(c) : hw_refuse(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the context was destroyed meanwhile");
    ctx_unref(c);
    return rc;
}

/* --- settings --- */

CUresult do_cuCtxGetFlags(unsigned int *flags)
{
    if (!flags)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags is NULL");
    /* Host memory can always be mapped, asked for or not; a primary context says so. */
    *flags = ctx_current()->flags | (ctx_current()->primary ? CU_CTX_MAP_HOST : 0);
    return CUDA_SUCCESS;
}

CUresult do_cuCtxSetFlags(unsigned int flags) { return ctx_set_flags(ctx_current(), flags); }

CUresult do_cuCtxSetLimit(CUlimit limit, size_t value)
{
    if ((unsigned)limit >= CU_LIMIT_MAX)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no limit %d", (int)limit);
    return ctx_set_limit(ctx_current(), limit, value);
}

CUresult do_cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    if (!pvalue || (unsigned)limit >= CU_LIMIT_MAX)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pvalue is NULL, or there is no limit %d", (int)limit);
    return ctx_limit(ctx_current(), limit, pvalue);
}

CUresult do_cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    if (!pconfig)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pconfig is NULL");
    *pconfig = ctx_current()->cache_config;
    return CUDA_SUCCESS;
}

CUresult do_cuCtxSetCacheConfig(CUfunc_cache config)
{
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no cache configuration %d", (int)config);
    ctx_current()->cache_config = config;
    return CUDA_SUCCESS;
}

CUresult do_cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    if (!pConfig)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pConfig is NULL");
    /* Devices with a fixed bank width report it, whatever was asked for; ours is an A100's: four bytes. */
    *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CUresult do_cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no bank size %d", (int)config);
    ctx_current()->shared_config = config;
    return CUDA_SUCCESS;
}

/* There is no cache of ours that lines could persist in: nothing is left to reset. */
CUresult do_cuCtxResetPersistingL2Cache(void) { return CUDA_SUCCESS; }

/* --- primary contexts --- */

CUresult do_cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    struct device *d = device_peek(dev);

    if (!pctx)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pctx is NULL");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    return ctx_primary_retain(d, pctx);
}

CUresult do_cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    struct device *d = device_peek(dev);

    return d ? ctx_primary_release(d) : hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
}

CUresult do_cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    struct device *d = device_peek(dev);

    return d ? ctx_primary_set_flags(d, flags) : hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
}

CUresult do_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    struct device *d = device_peek(dev);

    if (!flags || !active)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of flags and active is NULL");
    return d ? ctx_primary_state(d, flags, active) : hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
}

CUresult do_cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    struct device *d = device_peek(dev);

    return d ? ctx_primary_reset(d) : hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
}
