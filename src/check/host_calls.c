/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the C library, as the preloaded library tells them: memory that is freed while CUDA knows it, and what the system reads and writes. */
#define _GNU_SOURCE
#include "check/host_calls.h"

#include "base/os.h"
#include "check/frames.h"
#include "check/guard.h"
#include "check/host_access.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/trace.h"
#include "exec/exec.h"
#include "preload/calls.h"

#include <dlfcn.h>

static struct preload_calls *calls;              /* NULL: nothing was preloaded */

/* Our own code: it may hold locks. */
static bool is_ours(void) { return trace_current()->name || (hw_thread_is_ours && !exec_in_hostfn()); }

static void frees(const void *p, size_t bytes, const char *call, const void *caller)
{
    struct ledger_entry e;
    struct report r;
    uint64_t from = (uint64_t)(uintptr_t)p;
    if (is_ours())
        return;
    frames_freed(from, from + bytes, call, caller);
    if (!ledger_find_kind(from, from + bytes, MEM_REGISTERED, &e))
        return;
    uint32_t trace = trace_from(caller);
    report_begin(&r, "hazard.freed", "%s ends the life of memory that is still registered", call);
    report_host(&r, "free", trace, "%zu bytes", bytes);
    report_host(&r, "made", e.made, "%s, %llu bytes", e.made_by ? e.made_by : "registered", (unsigned long long)e.bytes);
    report_advice(&r, "Unregister memory before it is freed: the device may use it until then.");
    report_end(&r);
    guard_open(from, from + bytes);              /* the C library writes into what it gets back */
}

static void thread_made(void)
{
    if (!hw_thread_starts)
        guard_not_alone();
}

static void io_begins(const void *p, size_t bytes) { guard_open((uint64_t)(uintptr_t)p, (uint64_t)(uintptr_t)p + bytes); }

static void io_ends(const void *p, size_t bytes, size_t moved, bool writes, const void *caller)
{
    uint64_t from = (uint64_t)(uintptr_t)p;
    guard_close(from, from + bytes);
    if (moved && !is_ours())
        host_access_call(from, from + moved, writes, caller);
}

void host_calls_init(void)
{
    calls = dlsym(RTLD_DEFAULT, "hostwarp_preload_calls");
    if (!calls) {
        guard_not_alone();                       /* for all that we know */
        return;
    }
    calls->thread_made = thread_made;
    calls->handler_set = exec_fault_again;
    if (atomic_load(&calls->any_thread))
        guard_not_alone();
    calls->frees = frees;
    calls->io_begins = io_begins;
    calls->io_ends = io_ends;
    atomic_store(&calls->any_guarded, true);
}

void host_calls_watch(int by)
{
    static _Atomic int n;
    int now = atomic_fetch_add(&n, by) + by;
    if (calls)
        atomic_store(&calls->any_watched, now > 0);
}

void host_calls_off(void)
{
    if (!calls)
        return;
    atomic_store(&calls->any_watched, false);
    atomic_store(&calls->any_guarded, false);
}
