/* SPDX-License-Identifier: Apache-2.0 */
/* Entering and leaving a driver call: is the library up, may this thread call, is there a context and is it whole. */
#include "driver/api.h"

#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/graph/capture.h"
#include "core/core.h"
#include "core/device/ctx.h"
#include "core/sched/gate.h"
#include "core/module/module.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"
#include "driver/capture.h"
#include "driver/library.h"
#include "driver/unseen.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

_Thread_local bool api_tls_per_thread;

CUresult api_enter(struct api_call *call, enum api_id id)
{
    const struct api_row *row = &api_rows[id];
    struct ctx *ctx;
    CUresult rc;

    call->id = id;
    if (hw_unlikely(hook_any)) {
        call->hook = (struct hook_call){.name = row->base, .caller = call->caller};
        hook_api_enter(&call->hook);
    }
    call->outer_per_thread = api_tls_per_thread;
    call->outer_inside = caller_self ? caller_self->n_inside : 0;
    api_tls_per_thread = row->pt == PT_ONLY;
    if (row->flags & NO_INIT)
        return CUDA_SUCCESS;
    if ((rc = core_check()))
        return hw_refuse(rc, "%s", rc == CUDA_ERROR_NOT_INITIALIZED ? "cuInit was not called, or the process was made by fork() of one that had called it"
                                                                    : "the process is about to exit");
    if (core_in_host_function() && !(row->flags & HOST_FN_OK))
        return hw_refuse(CUDA_ERROR_NOT_PERMITTED, "called from a callback or host function of a stream, where CUDA allows no calls");
    if (hw_unlikely(hw_heap_low()) && !(row->flags & GIVES))
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the host's memory is exhausted");
    if (hw_unlikely(capture_any()) && (rc = capture_check_call(id)))
        return hw_refuse(rc, "a stream is being captured, and this call is not allowed meanwhile");
    if (!(row->flags & (NEEDS_CTX | OWN_CTX)))
        return CUDA_SUCCESS;
    if ((row->flags & OWN_CTX) && !ctx_current())
        return CUDA_SUCCESS;
    if (!caller_self && !caller_make())
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no memory for what is kept of this thread");
    if (ctx_current())
        gate_enter(caller_self, ctx_current());
    rc = ctx_enter(&ctx);
    if (rc && (row->flags & BROKEN_OK) && ctx_current())
        return CUDA_SUCCESS;
    if (rc && !ctx_current())
        return hw_refuse(rc, "this thread has no current context (cuCtxCreate, cuCtxSetCurrent or cuDevicePrimaryCtxRetain makes one)");
    return rc ? hw_refuse(rc, "an earlier kernel or copy left this error in the context; every later call answers it until the context is destroyed") : rc;
}

/* --- CUDA_LOG_FILE --- */

static FILE *log_to;                             /* NULL: nobody wants it; const after log_open() */

static void log_open(void)
{
    const char *path = hw_cuda_env()->log_file;
    if (path && *path)
        log_to = strcmp(path, "stdout") == 0 ? stdout : strcmp(path, "stderr") == 0 ? stderr : fopen(path, "ae");
}

static void log_error(const char *symbol, CUresult rc)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *name = "?";
    struct timespec now;
    struct tm tm;
    pthread_once(&once, log_open);
    if (!log_to)
        return;
    int cancel = hw_cancel_off();
    do_cuGetErrorName(rc, &name);
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &tm);
    fprintf(log_to, "[%02d:%02d:%02d.%03ld][%lu][CUDA][E] Returning %d (%s) from %s\n", tm.tm_hour, tm.tm_min, tm.tm_sec, now.tv_nsec / 1000000,
            (unsigned long)pthread_self(), (int)rc, name, symbol);
    fflush(log_to);
    hw_cancel_on(cancel);
}

CUresult api_leave(struct api_call *call, CUresult rc)
{
    api_tls_per_thread = call->outer_per_thread;
    if (caller_self)
        caller_leave(caller_self, call->outer_inside);
    if (hw_unlikely(hook_any)) {
        call->hook.result = (int)rc;
        unseen_tell(&call->hook);
    }
    if (rc) {
        if (rc != CUDA_ERROR_NOT_READY)          /* an answer, not an error */
            log_error(api_rows[call->id].symbol, rc);
    }
    return rc;
}

void api_note_refusal(struct api_call *call, CUresult rc, char *args)
{
    const struct api_row *row = &api_rows[call->id];
    const char *name = "?";
    char *why = hw_reason_take();
    do_cuGetErrorName(rc, &name);
    if (rc == CUDA_ERROR_NOT_READY)
        hw_debug("%s(%s): not ready yet", row->symbol, args);
    else
        hw_debug("%s(%s) answers %s (%d)%s%s", row->symbol, args, name, (int)rc, why ? ": " : "", why ? why : "");
    if (hook_any)
        unseen_keep(NULL, args, why);
    else
        unseen_driver(row->base, call->caller, rc, args, why);
}

/* Who calls these has taken a wrong turn before; this tells where. */
static const char *stub_advice(enum api_id id)
{
    return id == API_cuGetExportTable ? ": a program with NVIDIA's static CUDA runtime inside asks for it; link with -cudart shared instead" : "";
}

CUresult api_stub(enum api_id id)
{
    static atomic_bool said[API_COUNT];

    if (!atomic_exchange_explicit(&said[id], true, memory_order_relaxed))
        hw_warn("%s is not supported yet%s", api_rows[id].symbol, stub_advice(id));
    return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "hostwarp does not have it (docs/status.md)%s", stub_advice(id));
}

bool api_per_thread(void) { return api_tls_per_thread; }

CUresult api_stream(CUstream handle, struct stream **out)
{
    struct ctx *ctx = ctx_current();
    struct stream *s;
    CUresult rc;

    *out = NULL;
    if (hw_likely(!handle && !api_tls_per_thread && ctx && !core_in_host_function() && !ctx->dead && !ctx_error(ctx))) {
        *out = ctx->legacy;
        stream_ref(*out);
        return CUDA_SUCCESS;
    }
    if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
        /* Inside a host function there is no current context to have default streams. */
        if (core_in_host_function())
            return hw_refuse(CUDA_ERROR_NOT_PERMITTED, "inside of a host function there are no default streams");
        if (!ctx)
            return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread, and default streams belong to one");
    }
    if ((rc = stream_get(ctx, handle, api_tls_per_thread, true, &s)))
        return rc;
    rc = gate_also(s->ctx) ? ctx_error(s->ctx) : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "the stream's context was destroyed");
    if (rc) {
        stream_unref(s);
        return rc;
    }
    *out = s;
    return CUDA_SUCCESS;
}

struct function *api_function(CUfunction handle)
{
    struct function *f = function_get(handle);
    CUfunction made;

    if (!f && library_kernel_function((CUkernel)handle, &made) == CUDA_SUCCESS)
        f = function_get(made);
    return f;
}
