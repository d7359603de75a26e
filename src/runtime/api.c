/* SPDX-License-Identifier: Apache-2.0 */
/* Entering and leaving a runtime call, and the last error of each thread. */
#include "runtime/api.h"

#include "base/log.h"
#include "runtime/bodies.h"
#include "runtime/context.h"

#include <hostwarp.h>
#include <stdatomic.h>

/* Weak: a driver library that is not hostwarp's does without. */
#pragma weak hostwarp_prof_api_enter
#pragma weak hostwarp_prof_api_leave
#pragma weak hostwarp_call_failed
#pragma weak hostwarp_errors_seen

_Thread_local bool api_tls_per_thread;
static _Thread_local cudaError_t tls_last_error;

/* Set when the program ends. The hook is put in place by the first call, so that it runs before the destructors which the
   compiler registered at start. */
_Atomic bool api_exit_hooked;
static _Atomic bool exiting;

static void at_exit(void) { atomic_store_explicit(&exiting, true, memory_order_relaxed); }
bool api_exiting(void) { return atomic_load_explicit(&exiting, memory_order_relaxed); }

cudaError_t api_enter(struct api_call *call, const char *name, enum api_pt pt, unsigned flags)
{
    call->name = name;
    if (api_listened_to())
        call->token = hostwarp_prof_api_enter(name, call->caller);
    call->flags = flags;
    call->outer_per_thread = api_tls_per_thread;
    api_tls_per_thread = pt == PT_ONLY;
    if (flags & NO_INIT)
        return cudaSuccess;
    if (hw_unlikely(!atomic_load_explicit(&api_exit_hooked, memory_order_relaxed)) &&
        !atomic_exchange_explicit(&api_exit_hooked, true, memory_order_relaxed))
        atexit(at_exit);
    if (flags & NEEDS_CTX)
        return context_bind();
    return context_init();
}

cudaError_t api_leave(struct api_call *call, cudaError_t rc)
{
    api_tls_per_thread = call->outer_per_thread;
    if (api_listened_to())
        hostwarp_prof_api_leave(call->token, (int)rc);
    if ((call->flags & QUIET) == QUIET)
        return rc;
    return api_latch(rc);
}

/* The driver's line, with its reason, stands before this one where the driver was asked. */
void api_note_refusal(struct api_call *call, cudaError_t rc, char *args)
{
    char *why = hw_reason_take();
    bool own = (call->flags & QUIET) != QUIET && rc != cudaErrorNotReady;
    if (own)
        hw_debug("%s(%s) answers %s (%d)%s%s", call->name, args, cudaGetErrorName(rc), (int)rc, why ? ": " : "", why ? why : "");
    if (own && hostwarp_call_failed) {
        hostwarp_call_failed(call->name, call->caller, (int)rc, cudaGetErrorString(rc), args, why);
        return;
    }
    hw_free(why);
    hw_free(args);
}

/* Success does not clear what is there; NotReady is an answer, not an error. */
cudaError_t api_latch(cudaError_t rc)
{
    if (rc != cudaSuccess && rc != cudaErrorNotReady)
        tls_last_error = rc;
    return rc;
}

cudaError_t api_last_error(bool take)
{
    cudaError_t rc = tls_last_error;

    if (rc != cudaSuccess && hostwarp_errors_seen)
        hostwarp_errors_seen();
    if (take)
        tls_last_error = cudaSuccess;
    return rc;
}

cudaError_t api_stub(const char *name, _Atomic bool *said)
{
    if (!atomic_exchange_explicit(said, true, memory_order_relaxed))
        hw_warn("%s is not supported yet", name);
    return hw_refuse(cudaErrorNotSupported, "hostwarp does not have %s yet; docs/status.md lists what it has", name);
}

CUstream api_stream(cudaStream_t stream)
{
    if (!stream && api_tls_per_thread)
        return CU_STREAM_PER_THREAD;
    return (CUstream)stream;
}
