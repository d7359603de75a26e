/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack pointer of a call into the API tells which functions of that thread have returned. A host function that was given the address of a local variable
 * is looked at instruction by instruction: it is wrong if it touches the variable after its function was seen to be gone.
 */
#define _GNU_SOURCE
#include "check/frames.h"

#include "base/lock.h"
#include "check/hazard.h"
#include "check/host_access.h"
#include "check/host_calls.h"
#include "check/insn.h"
#include "check/ledger.h"
#include "check/order.h"
#include "check/report.h"
#include "check/trace.h"
#include "core/sched/sched.h"
#include "exec/exec.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { WATCHES = 256, DEEPEST = 24, STEPS = 20000, NEAR = 4096 };
enum watch_kind { WATCH_NOTHING, WATCH_FUNCTION, WATCH_COPY, WATCH_REGISTERED, WATCH_ARGUMENT };

/* A local variable of a thread, and who is to use it. */
struct frames_watch {
    enum watch_kind kind;
    pthread_t thread;
    uint64_t at, bytes;
    uint32_t number;             /* the command; none of registered memory */
    bool writes, said;
    _Atomic bool gone;           /* its function has returned */
    _Atomic unsigned calls;      /* of the thread, since */
    /* the host function's access; set by its thread, then hit is set */
    _Atomic bool hit;
    uint32_t trace, steps;
    uint32_t freed;              /* WATCH_ARGUMENT: the trace of the free() */
    const char *freed_by;
    int n_frames;
    void *frames[DEEPEST];
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct frames_watch watches[WATCHES] HW_GUARDED_BY(mu);
static _Atomic unsigned n_watches;
static _Atomic bool any_hit;
_Thread_local struct frames_watch *frames_watched;
static _Thread_local uint64_t stack_low, stack_high;

static void find_stack(void)
{
    pthread_attr_t attr;
    void *base;
    size_t bytes;
    if (stack_high || pthread_getattr_np(pthread_self(), &attr))
        return;
    if (pthread_attr_getstack(&attr, &base, &bytes) == 0) {
        stack_low = (uint64_t)(uintptr_t)base;
        stack_high = stack_low + bytes;
    }
    pthread_attr_destroy(&attr);
}

static bool on_stack(uint64_t at) { return at >= stack_low && at < stack_high; }

static void watch(enum watch_kind kind, uint64_t at, uint64_t bytes, uint32_t number, bool writes)
{
    uint64_t sp = trace_current()->sp;
    if (kind != WATCH_ARGUMENT && (!on_stack(at) || !sp))
        return;
    hw_lock(&mu);
    for (unsigned k = 0; k < WATCHES; k++)
        if (watches[k].kind == WATCH_NOTHING) {
            struct frames_watch *w = &watches[k];
            *w = (struct frames_watch){ .kind = kind, .thread = pthread_self(), .at = at, .bytes = bytes, .number = number, .writes = writes };
            atomic_store(&w->gone, kind != WATCH_ARGUMENT && at < sp);           /* a graph that another function made */
            if (kind == WATCH_ARGUMENT)
                host_calls_watch(1);
            atomic_fetch_add(&n_watches, 1);
            break;
        }
    hw_unlock(&mu);
}

static void unwatch(struct frames_watch *w)
{
    if (w->kind == WATCH_ARGUMENT)
        host_calls_watch(-1);
    w->kind = WATCH_NOTHING;
    atomic_fetch_sub(&n_watches, 1);
}

void frames_function_queued(const struct cmd *c)
{
    const struct trace_call *call = trace_current();
    hazard_name((uint32_t)c->seq, call, call->name ? call->name : "a host function");
    uint64_t data = (uint64_t)(uintptr_t)c->fn_data;
    if (data)
        watch(on_stack(data) ? WATCH_FUNCTION : WATCH_ARGUMENT, data, NEAR, (uint32_t)c->seq, false);
}

void frames_copy_queued(uint32_t number, const struct area *areas, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (!area_empty(&areas[k]))
            watch(WATCH_COPY, areas[k].base, area_end(&areas[k]) - areas[k].base, number, areas[k].writes);
}

void frames_registered(const struct mem_info *info)
{
    if (info->kind == MEM_REGISTERED)
        watch(WATCH_REGISTERED, info->base, info->bytes, 0, true);
}

void frames_unregistered(const struct mem_info *info)
{
    if (info->kind != MEM_REGISTERED || !atomic_load(&n_watches))
        return;
    hw_lock(&mu);
    for (unsigned k = 0; k < WATCHES; k++)
        if (watches[k].kind == WATCH_REGISTERED && watches[k].at == info->base)
            unwatch(&watches[k]);
    hw_unlock(&mu);
}

/* ---- reports ---- */

static void tell(const struct frames_watch *w)
{
    const struct trace_call *call = trace_current();
    struct ledger_entry e;
    struct report r;
    if (w->kind == WATCH_FUNCTION) {
        report_begin(&r, "hazard.freed", "a host function touches a local variable of a function that has returned");
        report_host(&r, "touch", w->trace, "in the host function");
        hazard_side(&r, "queued", w->number, NULL);
    } else if (w->kind == WATCH_ARGUMENT) {
        report_begin(&r, "hazard.freed", "%s ends the life of memory that a queued host function was given", w->freed_by);
        report_host(&r, "free", w->freed, "%s", w->freed_by);
        if (w->trace)
            report_host(&r, "touch", w->trace, "in the host function");
        hazard_side(&r, "queued", w->number, NULL);
    } else if (w->kind == WATCH_COPY) {
        report_begin(&r, "hazard.freed", "a queued copy still %s a local variable of a function that has returned", w->writes ? "writes" : "reads");
        report_host(&r, "gone", call->trace, "the function has returned when this is called");
        hazard_side(&r, w->writes ? "write" : "read", w->number, NULL);
    } else {
        report_begin(&r, "hazard.freed", "the function has returned whose local memory is still registered");
        report_host(&r, "gone", call->trace, "the function has returned when this is called");
        if (ledger_find_kind(w->at, w->at + w->bytes, MEM_REGISTERED, &e))
            report_host(&r, "made", e.made, "%s, %llu bytes", e.made_by ? e.made_by : "registered", (unsigned long long)e.bytes);
    }
    report_advice(&r, "%s", w->kind == WATCH_REGISTERED ? "Unregister it before the function returns, or take memory from the heap."
                  : w->kind == WATCH_ARGUMENT ? "Let the host function free it, or wait for the stream before." : "Wait for the stream before the function returns, or take memory from the heap.");
    report_end(&r);
}

void frames_drain(void)
{
    if (!atomic_load_explicit(&any_hit, memory_order_acquire) || !atomic_exchange(&any_hit, false))
        return;
    for (unsigned k = 0; k < WATCHES; k++) {
        struct frames_watch now = { 0 };
        hw_lock(&mu);
        if ((watches[k].kind == WATCH_FUNCTION || watches[k].kind == WATCH_ARGUMENT) && atomic_load(&watches[k].hit) && !watches[k].said) {
            memcpy(&now, &watches[k], sizeof now);
            watches[k].said = true;
        }
        hw_unlock(&mu);
        if (now.kind == WATCH_NOTHING)
            continue;
        now.trace = now.n_frames ? trace_of(now.frames, now.n_frames) : 0;
        tell(&now);
    }
}

/* ---- the thread that has the stack ---- */

static bool is_over(const struct frames_watch *w) { return w->kind == WATCH_COPY && order_host_knows(w->number); }

void frames_call(void)
{
    uint64_t sp = trace_current()->sp;
    find_stack();
    frames_drain();
    if (!atomic_load_explicit(&n_watches, memory_order_acquire) || !sp)
        return;
    for (unsigned k = 0; k < WATCHES; k++) {
        struct frames_watch now = { 0 };
        hw_lock(&mu);
        struct frames_watch *w = &watches[k];
        if (w->kind != WATCH_NOTHING && w->kind != WATCH_ARGUMENT && pthread_equal(w->thread, pthread_self())) {
            if (w->at < sp)
                atomic_store(&w->gone, true);
            atomic_fetch_add(&w->calls, 1);
            if (w->kind != WATCH_FUNCTION)
                memcpy(&now, w, sizeof now);
        }
        hw_unlock(&mu);
        if (now.kind == WATCH_NOTHING)
            continue;
        bool over = is_over(&now);
        if (!over && atomic_load(&now.gone))
            tell(&now);
        if (over || (now.kind == WATCH_COPY && atomic_load(&now.gone))) {
            hw_lock(&mu);
            if (w->kind == now.kind && w->number == now.number && w->at == now.at)
                unwatch(w);
            hw_unlock(&mu);
        }
    }
}

void frames_freed(uint64_t from, uint64_t to, const char *call, const void *caller)
{
    if (!atomic_load_explicit(&n_watches, memory_order_acquire))
        return;
    for (unsigned k = 0; k < WATCHES; k++) {
        hw_lock(&mu);
        bool found = watches[k].kind == WATCH_ARGUMENT && watches[k].at >= from && watches[k].at < to && !atomic_load(&watches[k].gone);
        uint32_t number = watches[k].number;
        hw_unlock(&mu);
        if (!found)
            continue;
        uint32_t trace = trace_from(caller);
        hw_lock(&mu);
        if (watches[k].kind == WATCH_ARGUMENT && watches[k].number == number) {
            watches[k].freed = trace;
            watches[k].freed_by = call;
            watches[k].bytes = to - watches[k].at;
            atomic_store(&watches[k].gone, true);
        }
        hw_unlock(&mu);
    }
}

/* ---- the host function's thread ---- */

/* It is as right to begin a little later: by then the thread that queued it may have come out of its function. */
static void linger(const struct frames_watch *w)
{
    const struct timespec pause = { 0, 100000 };
    for (int k = 0; k < 20 && !atomic_load(&w->gone) && atomic_load(&w->calls) == 0; k++)
        nanosleep(&pause, NULL);
}

void frames_function_begins(uint32_t number)
{
    struct frames_watch *found = NULL;
    if (!atomic_load_explicit(&n_watches, memory_order_acquire))
        return;
    hw_lock(&mu);
    for (unsigned k = 0; k < WATCHES && !found; k++)
        if (watches[k].kind == WATCH_FUNCTION && watches[k].number == number)
            found = &watches[k];
        else if (watches[k].kind == WATCH_ARGUMENT && watches[k].number == number && atomic_load(&watches[k].gone))
            found = &watches[k];
        else if (watches[k].kind == WATCH_ARGUMENT && watches[k].number == number)       /* from now on it may say that it is done with it */
            unwatch(&watches[k]);
    hw_unlock(&mu);
    if (!found)
        return;
    if (found->kind == WATCH_FUNCTION)
        linger(found);
    found->steps = 0;
    frames_watched = found;
    insn_begin_steps();
}

void frames_function_over(uint32_t number)
{
    if (!atomic_load_explicit(&n_watches, memory_order_acquire))
        return;
    hw_lock(&mu);
    for (unsigned k = 0; k < WATCHES; k++)       /* that it was freed is wrong enough */
        if (watches[k].kind == WATCH_ARGUMENT && watches[k].number == number && atomic_load(&watches[k].gone)) {
            atomic_store(&watches[k].hit, true);
            atomic_store(&any_hit, true);
        }
    hw_unlock(&mu);
    frames_drain();
    hw_lock(&mu);
    for (unsigned k = 0; k < WATCHES; k++)
        if ((watches[k].kind == WATCH_FUNCTION || watches[k].kind == WATCH_ARGUMENT) && watches[k].number == number)
            unwatch(&watches[k]);
    hw_unlock(&mu);
}

bool frames_step(uint64_t pc, const uint64_t registers[16], void *context)
{
    struct frames_watch *w = frames_watched;
    uint64_t at;
    bool inside = exec_in_hostfn();
    if (++w->steps > STEPS || (!inside && w->steps > STEPS / 10)) {
        frames_watched = NULL;
        return false;
    }
    if (!inside || !insn_address((const uint8_t *)(uintptr_t)pc, registers, &at) || at < w->at || at >= w->at + w->bytes || !atomic_load(&w->gone))
        return true;
    w->n_frames = host_access_frames(pc, w->frames, DEEPEST);
    (void)context;
    atomic_store(&w->hit, true);
    atomic_store(&any_hit, true);
    frames_watched = NULL;
    return false;
}
