/* SPDX-License-Identifier: Apache-2.0 */
/* The exported symbols of libcuda.so.1, made of driver.def: each enters, calls its body, leaves. */
#include "base/args.h"
#include "base/log.h"
#include "base/os.h"
#include "core/graph/capture.h"
#include "core/core.h"
#include "core/device/ctx.h"
#include "core/device/gate.h"
#include "driver/bodies.h"

/* cuda.h declares all but these. */
CUresult CUDAAPI cuProfilerInitialize(const char *configFile, const char *outputFile, CUoutput_mode outputMode);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

/* What api_enter() and api_leave() come to in nearly every call: nobody listens or captures, and the context is whole. The row's
   facts are constants here. */
static inline CUresult enter(struct api_call *call, enum api_id id, enum api_pt pt, unsigned flags)
{
    if (hw_unlikely(hook_any || capture_any() || core_check() || core_in_host_function() || hw_heap_low()))
        return api_enter(call, id);
    struct ctx *ctx = ctx_current();
    struct sched_direct *d = sched_direct;
    if (hw_unlikely(!d))
        return api_enter(call, id);
    call->outer_inside = d->n_inside;
    if ((flags & (NEEDS_CTX | OWN_CTX)) && hw_unlikely(!ctx || !gate_enter(d, ctx) || ctx_error(ctx))) {
        gate_leave(d, call->outer_inside);
        return api_enter(call, id);
    }
    call->id = id;
    call->outer_per_thread = api_tls_per_thread;
    api_tls_per_thread = pt == PT_ONLY;
    return CUDA_SUCCESS;
}

static inline CUresult leave(struct api_call *call, CUresult rc)
{
    struct sched_direct *d = sched_direct;
    if (hw_unlikely(hook_any || rc || !d))
        return api_leave(call, rc);
    gate_leave(d, call->outer_inside);
    api_tls_per_thread = call->outer_per_thread;
    return CUDA_SUCCESS;
}

/*
 * Calls that take so little time that turning off the cancellation of the thread would be a part of it. They come to no point where it could be cancelled,
 * except in what turns it off by itself: compiling, printing and logging. In all others a thread that another cancels ends behind the call, not
 * in the middle with locks held.
 */
static inline bool is_quick(enum api_id id)
{
    switch (id) {
#define QUICK(sym) case API_##sym: case API_##sym##_ptsz:
    QUICK(cuLaunchKernel)
    QUICK(cuLaunchKernelEx)
    QUICK(cuMemcpyAsync)
    QUICK(cuMemcpyHtoDAsync_v2)
    QUICK(cuMemcpyDtoHAsync_v2)
    QUICK(cuMemcpyDtoDAsync_v2)
    QUICK(cuMemsetD8Async)
    QUICK(cuMemsetD32Async)
    QUICK(cuEventRecord)
    QUICK(cuStreamWaitEvent)
    QUICK(cuStreamQuery)
    QUICK(cuStreamSynchronize)
    QUICK(cuLaunchHostFunc)
    QUICK(cuGraphLaunch)
#undef QUICK
    case API_cuMemcpyHtoD_v2:
    case API_cuMemcpyDtoH_v2:
    case API_cuMemcpyDtoD_v2:
    case API_cuMemcpy:
    case API_cuEventQuery:
    case API_cuCtxSynchronize:
    case API_cuCtxGetCurrent:
    case API_cuCtxSetCurrent:
    case API_cuCtxPushCurrent_v2:
    case API_cuCtxPopCurrent_v2:
    case API_cuPointerGetAttribute:
    case API_cuGetErrorName:
    case API_cuGetErrorString: return true;
    default: return false;
    }
}

#define WRAPPER(sym, body, pt, flags, params, args) \
    HW_EXPORT CUresult CUDAAPI sym params          \
    {                                              \
        struct api_call call;                      \
        int cancel = is_quick(API_##sym) ? 0 : hw_cancel_off(); \
        call.caller = __builtin_return_address(0); \
        CUresult rc = enter(&call, API_##sym, pt, flags); \
        if (rc == CUDA_SUCCESS)                    \
            rc = do_##body args;                   \
        if (api_notes(rc))                         \
            api_note_refusal(&call, rc, HW_ARGS_TEXT args); \
        rc = leave(&call, rc);                     \
        if (!is_quick(API_##sym))                  \
            hw_cancel_on(cancel);                  \
        return rc;                                 \
    }

#define API(base, sym, since, pt, flags, params, args) WRAPPER(sym, sym, pt, flags, params, args)
#define SAME(base, sym, other, since, pt, flags, params, args) WRAPPER(sym, other, pt, flags, params, args)
#define STUB(base, sym, since, pt, flags, params, args)       \
    CUresult do_##sym params { return api_stub(API_##sym); } \
    WRAPPER(sym, sym, pt, flags, params, args)
#include "driver/driver.def"
#undef API
#undef STUB
#undef SAME

#define ROW(knd, base, sym, since, pt, flags) [API_##sym] = {#base, #sym, (void (*)(void))sym, since, knd, pt, flags},
#define API(base, sym, since, pt, flags, params, args) ROW(API_KIND_API, base, sym, since, pt, flags)
#define STUB(base, sym, since, pt, flags, params, args) ROW(API_KIND_STUB, base, sym, since, pt, flags)
#define SAME(base, sym, other, since, pt, flags, params, args) ROW(API_KIND_SAME, base, sym, since, pt, flags)
const struct api_row api_rows[API_COUNT] = {
#include "driver/driver.def"
};
