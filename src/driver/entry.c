/* SPDX-License-Identifier: Apache-2.0 */
/* The exported symbols of libcuda.so.1, made of driver.def: each enters, calls its body, leaves. */
#include "core/capture.h"
#include "core/core.h"
#include "core/ctx.h"
#include "core/gate.h"
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

#define WRAPPER(sym, body, pt, flags, params, args) \
    HW_EXPORT CUresult CUDAAPI sym params          \
    {                                              \
        struct api_call call;                      \
        call.caller = __builtin_return_address(0); \
        CUresult rc = enter(&call, API_##sym, pt, flags); \
        if (rc == CUDA_SUCCESS)                    \
            rc = do_##body args;                   \
        return leave(&call, rc);                   \
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
