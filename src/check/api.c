/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that failed. Whether anybody looked at the answer is known later: the program may ask for its last error, and whether its code looks at what the call
 * returned is for the command to find (cli/dropped.c). Calls in host functions are wrong in any case.
 */
#include "check/tools.h"

#include "base/lock.h"
#include "check/check.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/thread_state.h"
#include "check/trace.h"
#include "core/core.h"
#include "core/sched/sched.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Thread_local unsigned depth;             /* only the outermost call is the program's own */
static _Thread_local char *inner_why;            /* what a call inside of it said */
static _Thread_local const void *caller;         /* of the outermost */

/* ---- host functions ---- */

enum { HOST_FNS = 1024 };

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct { uint64_t seq; struct trace_call call; } host_fns[HOST_FNS] HW_GUARDED_BY(mu);    /* by their number; old ones are forgotten */
static _Thread_local struct trace_call running;  /* who queued the host function that this thread runs */

void call_host_fn_queued(const struct cmd *c)
{
    hw_lock(&mu);
    host_fns[c->seq % HOST_FNS].seq = c->seq;
    host_fns[c->seq % HOST_FNS].call = *trace_current();
    hw_unlock(&mu);
}

void call_host_fn_started(const struct cmd *c)
{
    hw_lock(&mu);
    running = host_fns[c->seq % HOST_FNS].seq == c->seq ? host_fns[c->seq % HOST_FNS].call : (struct trace_call){ 0 };
    hw_unlock(&mu);
}

/* ---- captures ---- */

static struct trace_call captures HW_GUARDED_BY(mu);             /* where the newest capture began */

static void capture_began(const struct trace_call *now)
{
    hw_lock(&mu);
    captures = *now;
    hw_unlock(&mu);
}

static void tell_capture(struct report *r, int result)
{
    hw_lock(&mu);
    struct trace_call began = captures;
    hw_unlock(&mu);
    if (result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD && began.name)
        report_host(r, "capture", began.trace, "began by %s", began.name);
}

/* ---- failures ---- */

/* Failures of this thread that nobody has looked at, by their reports' numbers. */

static void looked(void)
{
    struct check_thread *own = check_thread();
    for (unsigned k = 0; k < own->n_failed; k++)
        report_looked(own->failed[k]);
    own->n_failed = 0;
}

static void is_pending(uint32_t number)
{
    struct check_thread *own = check_thread();
    for (unsigned k = 0; k < own->n_failed; k++)
        if (own->failed[k] == number)
            return;
    if (number && own->n_failed < CHECK_PENDING)
        own->failed[own->n_failed++] = number;
}

static bool named(const char *name, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(name, list[k]) == 0)
            return true;
    return false;
}

/* Answers that are no failures: something is not done yet, and that was the question; what was asked for is there already, or is not known, which is what was
   asked. */
static bool harmless(const char *name, int result)
{
    static const char *const questions[] = { "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName", "cuGetErrorString", "cuGetErrorName",
                                             "cudaPointerGetAttributes", "cuPointerGetAttribute", "cuPointerGetAttributes", "cudaGetDriverEntryPoint",
                                             "cudaGetDriverEntryPointByVersion", "cuGetProcAddress" };
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED || result == CUDA_ERROR_DEINITIALIZED || named(name, questions, HW_LEN(questions)))
        return true;
    return result == CUDA_ERROR_NOT_READY && !strstr(name, "ElapsedTime");       /* that one writes no time */
}

/* Errors that stay with the context: each later call has them, and the first is enough. */
static bool is_echo(int result)
{
    static _Atomic bool told;
    bool sticky = result == CUDA_ERROR_ECC_UNCORRECTABLE || (result >= CUDA_ERROR_ILLEGAL_ADDRESS && result <= CUDA_ERROR_LAUNCH_FAILED && result != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                  && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED && result != CUDA_ERROR_PEER_ACCESS_NOT_ENABLED && result != CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE
                  && result != CUDA_ERROR_CONTEXT_IS_DESTROYED && result != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED && result != CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    return sticky && atomic_exchange(&told, true);
}

/* The memory and the objects that the arguments name. */
static void tell_arguments(struct report *r, const char *args)
{
    uint64_t told = 0;
    for (const char *p = args; p && (p = strstr(p, "=0x")); p++) {
        uint64_t value = strtoull(p + 1, NULL, 16);
        struct ledger_entry e;
        enum ledger_found found = ledger_find(value, &e);
        if ((found == LEDGER_INSIDE || found == LEDGER_FREED) && e.base != told) {
            report_memory(r, &e);
            told = e.base;
        } else {
            leak_object_tell(r, (void *)(uintptr_t)value);
        }
    }
}

static const char *advice_for(const char *name)
{
    if (strstr(name, "Launch"))
        return "The kernel did not run. Ask cudaGetLastError() behind the launch, or look at what the call answers.";
    return "Nobody looked at what the call answers, nor asked cudaGetLastError() behind it.";
}

static void tell_failure(const struct trace_call *now, const struct hook_call *call)
{
    const char *text = call->error, *why = call->why ? call->why : inner_why;
    bool in_host_fn = core_in_host_function() && call->result == CUDA_ERROR_NOT_PERMITTED;
    struct report r;
    if (!text)
        cuGetErrorString((CUresult)call->result, &text);
    report_begin(&r, in_host_fn ? "api.host-function" : "api.failed", "%s failed: %s", now->name, in_host_fn ? "a host function of a stream may make no CUDA calls" : text ? text : "unknown error");
    report_host(&r, "call", now->trace, "%s(%s) answers %d", now->name, call->args ? call->args : "", call->result);
    if (in_host_fn && running.name)
        report_host(&r, "queued", running.trace, "the host function, by %s", running.name);
    if (why && !in_host_fn)
        report_note(&r, "why", "%s", why);
    tell_arguments(&r, call->args);
    tell_capture(&r, call->result);
    report_advice(&r, "%s", in_host_fn ? "Let the host's thread make the call when it has waited, or put the work into the stream." : advice_for(now->name));
    if (in_host_fn)
        report_end(&r);
    else
        is_pending(report_end_failed(&r, caller));
}

void call_enters(struct hook_call *call)
{
    struct trace_call *now = trace_current();
    if (!check_tools || depth++ > 0)
        return;
    now->name = call->name;
    now->trace = trace_call(call->caller, &now->sp);
    now->told = false;
    caller = call->caller;
    hw_free(inner_why);
    inner_why = NULL;
}

void call_leaves(struct hook_call *call)
{
    struct trace_call *now = trace_current();
    if (!check_tools || depth == 0)
        return;
    if (--depth > 0) {
        if (call->result && call->why) {
            hw_free(inner_why);
            inner_why = hw_strdup(call->why);
        }
        return;
    }
    if (now->name && call->result == CUDA_SUCCESS && strstr(now->name, "EndCapture"))
        leak_capture_ended();
    if (now->name && call->result == CUDA_SUCCESS && strstr(now->name, "BeginCapture"))
        capture_began(now);
    if ((check_tools & CHECK_API) && now->name && !now->told) {
        depth++;                 /* what we ask is no call of the program */
        if (strcmp(now->name, "cudaGetLastError") == 0 || strcmp(now->name, "cudaPeekAtLastError") == 0)
            looked();
        else if (!harmless(now->name, call->result) && !is_echo(call->result))
            tell_failure(now, call);
        depth--;
    }
    now->name = NULL;
}
