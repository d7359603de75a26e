/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check/host_access.h"

#include "check/guard_internal.h"
#include "check/hazard.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/touch.h"
#include "check/trace.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <ucontext.h>

enum { NOTED = 2048, DEEPEST = 24 };

/* An access, or a row of them by one instruction. */
struct noted {
    uint64_t from, to, pc;
    bool writes, fresh;
    const char *freed_by;        /* NULL: a plain access */
    struct guard_found found;
    uint32_t trace;
    int n_frames;
    void *frames[DEEPEST];
};

static struct noted noted[NOTED];                /* a ring; the guard's lock */
static unsigned n_noted;
static _Atomic bool any_fresh;
static _Atomic uint64_t generation;

static bool same_commands(const struct guard_found *a, const struct guard_found *b)
{
    return a->n_copies == b->n_copies && a->n_kernels == b->n_kernels && memcmp(a->copies, b->copies, a->n_copies * sizeof a->copies[0]) == 0
        && memcmp(a->kernels, b->kernels, a->n_kernels * sizeof a->kernels[0]) == 0;
}

/* A loop comes to the next element, or the one before, or the same again. */
static bool extend(uint64_t pc, uint64_t from, uint64_t to, bool writes, const struct guard_found *found, bool *same)
{
    enum { LAST = 8 };
    for (unsigned k = n_noted; k > 0 && k + LAST > n_noted; k--) {
        struct noted *n = &noted[(k - 1) % NOTED];
        if (n->pc != pc || n->writes != writes || n->freed_by || !same_commands(&n->found, found))
            continue;
        *same = true;
        if (from >= n->from && to <= n->to)
            return true;
        if (from > n->to || to < n->from)
            continue;
        n->from = hw_min_u64(n->from, from);
        n->to = hw_max_u64(n->to, to);
        n->fresh = true;
        return true;
    }
    return false;
}

#if defined(__x86_64__)
static uint64_t pc_of(void *context) { return (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]; }
#else
static uint64_t pc_of(void *context) { (void)context; return 0; }
#endif

/* The interrupted function and its callers: what stands above the place of the signal is ours. */
int host_access_frames(uint64_t pc, void **out, int most)
{
    void *all[DEEPEST + 8];
    int n = backtrace(all, DEEPEST + 8), first = 0, kept = 1;
    while (first < n && (uint64_t)(uintptr_t)all[first] != pc)
        first++;
    out[0] = NULL;                               /* where trace_here() has itself */
    if (first == n) {                            /* the unwinder did not come that far */
        out[1] = (void *)(uintptr_t)(pc + 1);
        return 2;
    }
    out[kept++] = (void *)(uintptr_t)(pc + 1);   /* as if it were a return address: one is subtracted from those */
    for (int k = first + 1; k < n && kept < most; k++)
        out[kept++] = all[k];
    return kept;
}

bool host_access_note(uint64_t from, uint64_t to, bool writes, const struct guard_found *found, void *context)
{
    uint64_t pc = pc_of(context);
    bool same = false;
    guard_lock();
    bool known = extend(pc, from, to, writes, found, &same);
    guard_unlock();
    if (!known) {
        struct noted now = { .from = from, .to = to, .pc = pc, .writes = writes, .fresh = true, .found = *found };
        now.n_frames = host_access_frames(pc, now.frames, DEEPEST);
        guard_lock();
        noted[n_noted++ % NOTED] = now;
        guard_unlock();
    }
    atomic_fetch_add(&generation, 1);
    atomic_store(&any_fresh, true);
    return same;
}

static void note(struct noted now)
{
    guard_lock();
    noted[n_noted++ % NOTED] = now;
    guard_unlock();
    atomic_fetch_add(&generation, 1);
    atomic_store(&any_fresh, true);
    host_access_drain();
}

void host_access_freed(uint64_t from, uint64_t to, const char *what)
{
    struct noted now = { .from = from, .to = to, .writes = true, .fresh = true, .freed_by = what };
    guard_find(from, to, true, &now.found);
    if (!now.found.n_copies && !now.found.n_kernels)
        return;
    now.trace = trace_current()->name ? trace_current()->trace : trace_here();
    note(now);
}

void host_access_call(uint64_t from, uint64_t to, bool writes, const void *caller)
{
    struct noted now = { .from = from, .to = to, .writes = writes, .fresh = true };
    guard_find_here(from, to, writes, &now.found);
    if (!now.found.n_copies && !now.found.n_kernels)
        return;
    now.trace = trace_from(caller);
    note(now);
}

/* ---- reports ---- */

static void tell(const struct noted *n, uint32_t number, bool kernel, bool other_writes, const char *place, uint64_t address)
{
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (kernel && guard_has_talked(number))
        return;
    if (hazard_is_stale(number, place, n->trace, n->freed_by))
        return;
    bool known = ledger_find(address, &e) != LEDGER_NOTHING;
    if (known)
        ledger_describe(&where, &e, address);
    const char *memory = known ? ledger_kind(e.kind) : "memory", *does = other_writes ? "writes" : "reads", *what = kernel ? "kernel" : "copy or fill";
    if (n->freed_by)
        report_begin(&r, "hazard.freed", "%s ends the life of %s that a queued %s still %s", n->freed_by, memory, what, does);
    else
        report_begin(&r, n->writes ? "hazard.host-write" : "hazard.host-read", "host %s %s that a queued %s still %s", n->writes ? "write to" : "read of", memory, what, does);
    report_host(&r, n->freed_by ? "free" : n->writes ? "write" : "read", n->trace, "%s", where.s ? where.s : "?");
    hazard_side(&r, other_writes ? "write" : "read", number, place);
    if (known)
        report_memory(&r, &e);
    report_advice(&r, "Nothing orders the two: wait for its stream, or for an event that is recorded behind the %s, before the %s.", kernel ? "launch" : "copy",
                  n->freed_by ? "memory goes" : n->writes ? "write" : "read");
    report_end(&r);
    hw_str_fini(&where);
}

static bool has(const uint32_t *v, unsigned n, uint32_t x)
{
    for (unsigned k = 0; k < n; k++)
        if (v[k] == x)
            return true;
    return false;
}

/* A line that a kernel has touched: the bytes are those of the access. */
static void meets_line(const struct touched *t, void *arg)
{
    const struct noted *n = arg;
    if ((t->write || n->writes) && has(n->found.kernels, n->found.n_kernels, t->number))
        tell(n, t->number, true, t->write, t->place, t->line + (t->bytes[0] ? (unsigned)__builtin_ctzll(t->bytes[0]) : 64 + (unsigned)__builtin_ctzll(t->bytes[1])));
}

static void look_at(struct noted *n)
{
    for (unsigned k = 0; k < n->found.n_copies; k++)
        tell(n, n->found.copies[k], false, n->found.copy_writes[k], NULL, n->from);
    if (n->found.n_kernels)
        touch_each(n->from, n->to, 0, meets_line, n);
}

void host_access_drain(void)
{
    if (!atomic_load_explicit(&any_fresh, memory_order_acquire) || !atomic_exchange(&any_fresh, false))
        return;
    for (unsigned k = 0; k < NOTED; k++) {
        struct noted now = { 0 };
        guard_lock();
        if (noted[k].fresh) {
            now = noted[k];
            noted[k].fresh = false;
        }
        guard_unlock();
        if (!now.to)
            continue;
        if (!now.trace) {
            now.trace = trace_of(now.frames, now.n_frames);
            guard_lock();
            if (noted[k].pc == now.pc)
                noted[k].trace = now.trace;
            guard_unlock();
        }
        look_at(&now);
    }
}

/* ---- what kernels ask ---- */

uint64_t host_access_generation(void) { return atomic_load_explicit(&generation, memory_order_acquire); }

bool host_access_next(uint32_t kernel, unsigned *next, struct host_seen *out)
{
    bool found = false;
    guard_lock();
    for (; !found && *next < NOTED && *next < n_noted; ++*next) {
        const struct noted *n = &noted[*next];
        found = has(n->found.kernels, n->found.n_kernels, kernel);
        if (found)
            *out = (struct host_seen){ n->from, n->to, n->writes, *next };
    }
    guard_unlock();
    return found;
}

void host_access_met(unsigned index, uint32_t kernel, bool kernel_writes, const char *place, uint64_t address)
{
    host_access_drain();                         /* so that it has its trace */
    guard_lock();
    struct noted now = noted[index];
    guard_unlock();
    if (!now.trace)                              /* another thread is about to find it */
        now.trace = trace_of(now.frames, now.n_frames);
    if (has(now.found.kernels, now.found.n_kernels, kernel) && address < now.to)
        tell(&now, kernel, true, kernel_writes, place, address);
}
