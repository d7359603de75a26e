/* SPDX-License-Identifier: Apache-2.0 */
/* Profiler control, and what hostwarp.h offers to programs and other libraries. */
#include "core/hooks.h"
#include "driver/bodies.h"
#include "driver/debug_log.h"
#include "driver/unseen.h"
#include "check/check.h"
#include "clock/clock.h"
#include "prof/prof.h"

#include <hostwarp.h>

/* At load time, so that the very first call is seen and nobody is inside one. */
__attribute__((constructor)) static void profiler_at_load(void)
{
    clock_init();                                /* first: the others read its time */
    prof_init();
    check_init();
    debug_log_init();
}

CUresult do_cuProfilerStart(void)
{
    prof_switch(true);
    return CUDA_SUCCESS;
}

CUresult do_cuProfilerStop(void)
{
    prof_switch(false);
    return CUDA_SUCCESS;
}

HW_EXPORT int hostwarp_prof_range_push(const char *text) { return prof_range_push(text); }
HW_EXPORT int hostwarp_prof_range_pop(void) { return prof_range_pop(); }
HW_EXPORT uint64_t hostwarp_prof_range_start(const char *text) { return prof_range_start(text); }
HW_EXPORT void hostwarp_prof_range_end(uint64_t range) { prof_range_end(range); }
HW_EXPORT void hostwarp_prof_mark(const char *text) { prof_mark(text); }

HW_EXPORT uint64_t hostwarp_prof_api_enter(const char *name, const void *caller)
{
    struct hook_call call = {.name = name, .caller = caller};

    hook_api_enter(&call);
    return call.token;
}

HW_EXPORT void hostwarp_prof_api_leave(uint64_t token, int result)
{
    struct hook_call call = {.token = token, .result = result};

    unseen_tell(&call);
}

HW_EXPORT void hostwarp_call_failed(const char *name, const void *caller, int result, const char *error, char *args, char *why)
{
    if (hook_any)
        unseen_keep(error, args, why);
    else
        unseen_runtime(name, caller, result, error, args, why);
}

HW_EXPORT void hostwarp_errors_seen(void) { unseen_seen(); }
