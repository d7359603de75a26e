/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that failed. */
#include "check/tools.h"

#include "check/check.h"
#include "check/report.h"
#include "check/trace.h"

#include <cuda.h>

static _Thread_local unsigned depth;             /* only the outermost call is the program's own */

/* Answers that are no failures: something is not done yet; what was asked for is there already, or is not known, which is what was asked. */
static bool harmless(const char *name, int result)
{
    static const char *const repeats[] = { "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaGetErrorName", "cuGetErrorString", "cuGetErrorName",
                                           "cudaPointerGetAttributes", "cuPointerGetAttribute", "cuPointerGetAttributes", "cudaGetDriverEntryPoint", "cuGetProcAddress" };
    for (size_t k = 0; k < HW_LEN(repeats); k++)
        if (strcmp(name, repeats[k]) == 0)
            return true;
    return result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED || result == CUDA_ERROR_DEINITIALIZED;
}

void call_enters(struct hook_call *call)
{
    struct trace_call *now = trace_current();
    if (!check_tools || depth++ > 0)
        return;
    now->name = call->name;
    now->trace = trace_call(call->caller, &now->sp);
}

void call_leaves(struct hook_call *call)
{
    struct trace_call *now = trace_current();
    const char *text = NULL;
    if (!check_tools || depth == 0 || --depth > 0)
        return;
    if ((check_tools & CHECK_API) && now->name && !harmless(now->name, call->result)) {
        struct report r;
        depth++;                 /* what we ask is no call of the program */
        cuGetErrorString((CUresult)call->result, &text);
        report_begin(&r, "api.failed", "%s failed: %s", now->name, text ? text : "unknown error");
        report_host(&r, "call", now->trace, "%s (error %d)", now->name, call->result);
        report_advice(&r, "Look at what the call answers, and at cudaGetLastError() after a launch.");
        report_end(&r);
        depth--;
    }
    now->name = NULL;
}
