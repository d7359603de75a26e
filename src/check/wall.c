/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check/wall.h"

#include "base/os.h"
#include "check/host_access.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/thread_state.h"
#include "check/trace.h"
#include "exec/exec.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__x86_64__)

enum { RANGES = 8192, RUNS = 1024, COMMANDS = 64, NOTED = 64, DEEPEST = 24, OPEN = PROT_READ | PROT_WRITE };
#define UNIT ((uint64_t)2 << 20)                 /* what lies in one and the same is of one kind (core/mem/devheap.c) */

struct range {
    uint64_t base, end;
};

/* Pages that are opened and closed together: device memory, and free memory between two pieces of it in one unit. */
struct run {
    uint64_t first, end;
    bool closed;
};

struct noted {
    uint64_t addr, pc;
    bool writes, fresh;
    int n_frames;
    void *frames[DEEPEST];
};

/* All of this belongs to the lock. Handlers take it: nobody allocates, or touches device memory, while he has it. */
static _Atomic bool locked;
static struct range ranges[RANGES];              /* by address */
static unsigned n_ranges;
static struct run runs[RUNS];                    /* by address; those of `ranges` but for what changed since */
static unsigned n_runs;
static bool on, changed;
static uint64_t commands[COMMANDS];              /* that run now; one too many is none */
static unsigned n_commands;
static struct noted noted[NOTED];
static unsigned n_noted;

static _Atomic bool some_open, any_fresh;        /* hints: is there anything to do? */
static bool (*others)(const siginfo_t *info, void *context, bool device);
static uint64_t page_bytes;

static void lock(void)
{
    while (atomic_exchange_explicit(&locked, true, memory_order_acquire))
        hw_cpu_relax();
}

static void unlock(void) { atomic_store_explicit(&locked, false, memory_order_release); }

/* ---- pages; with the lock ---- */

/* One too many of anything: then nothing is closed any more. */
static void give_up(void)
{
    for (unsigned k = 0; k < n_runs; k++)
        if (runs[k].closed)
            mprotect((void *)(uintptr_t)runs[k].first, runs[k].end - runs[k].first, OPEN);
    n_runs = n_ranges = 0;
    on = false;
}

static void open_run(struct run *r)
{
    if (!r->closed)
        return;
    mprotect((void *)(uintptr_t)r->first, r->end - r->first, OPEN);
    r->closed = false;
    atomic_store_explicit(&some_open, true, memory_order_relaxed);
}

static struct run *run_at(uint64_t addr)
{
    unsigned low = 0, high = n_runs;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (runs[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n_runs && runs[low].first <= addr ? &runs[low] : NULL;
}

/* What is closed stays within a run: ranges only came since, for one that goes opens its run. */
static void find_runs(void)
{
    static struct run found[RUNS];
    unsigned n = 0, before = 0;
    for (unsigned k = 0; k < n_ranges; k++) {
        uint64_t first = ranges[k].base & ~(page_bytes - 1), end = hw_align_up(ranges[k].end, page_bytes);
        struct run *last = n ? &found[n - 1] : NULL;
        if (last && (first <= last->end || (last->end - 1) / UNIT == first / UNIT))
            last->end = hw_max_u64(last->end, end);
        else if (n < RUNS)
            found[n++] = (struct run){ .first = first, .end = end };
        else
            return give_up();
    }
    for (unsigned k = 0; k < n; k++) {
        while (before < n_runs && runs[before].first < found[k].first)
            before++;
        found[k].closed = before < n_runs && runs[before].closed && runs[before].first == found[k].first && runs[before].end == found[k].end;
    }
    memcpy(runs, found, n * sizeof found[0]);
    n_runs = n;
    changed = false;
}

static void close_all(void)
{
    if (!on || n_commands)
        return;
    if (changed)
        find_runs();
    for (unsigned k = 0; k < n_runs; k++)
        if (!runs[k].closed)
            runs[k].closed = mprotect((void *)(uintptr_t)runs[k].first, runs[k].end - runs[k].first, PROT_NONE) == 0;
    atomic_store_explicit(&some_open, false, memory_order_relaxed);
}

/* ---- what comes and goes ---- */

static bool is_walled(const struct mem_info *info) { return info->kind == MEM_DEVICE && !info->external && !info->variable; }

static unsigned behind(uint64_t addr)
{
    unsigned low = 0, high = n_ranges;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (ranges[middle].end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void wall_range_added(const struct mem_info *info)
{
    if (!is_walled(info))
        return;
    lock();
    unsigned k = behind(info->base);
    if (on && n_ranges == RANGES) {
        give_up();
    } else if (on) {
        memmove(&ranges[k + 1], &ranges[k], (n_ranges - k) * sizeof ranges[0]);
        ranges[k] = (struct range){ info->base, info->base + info->bytes };
        n_ranges++;
        changed = true;
        atomic_store_explicit(&some_open, true, memory_order_relaxed);
    }
    unlock();
}

void wall_range_dropped(const struct mem_info *info)
{
    if (!is_walled(info))
        return;
    lock();
    unsigned k = behind(info->base);
    if (k < n_ranges && ranges[k].base == info->base) {
        struct run *r = run_at(info->base);
        memmove(&ranges[k], &ranges[k + 1], (n_ranges - k - 1) * sizeof ranges[0]);
        n_ranges--;
        if (r)
            open_run(r);
        changed = true;
    }
    unlock();
}

void wall_command(uint64_t seq, bool begins)
{
    lock();
    if (begins && n_commands < COMMANDS)
        commands[n_commands++] = seq;
    for (unsigned k = 0; begins && k < n_runs; k++)
        open_run(&runs[k]);
    for (unsigned k = 0; !begins && k < n_commands; k++)
        if (commands[k] == seq) {
            commands[k] = commands[--n_commands];
            break;
        }
    if (!begins && n_commands == 0 && atomic_load_explicit(&some_open, memory_order_relaxed))
        close_all();
    unlock();
}

void wall_call_over(void)
{
    if (!atomic_load_explicit(&some_open, memory_order_relaxed) || trace_current()->name)
        return;
    lock();
    close_all();
    unlock();
}

/* ---- accesses ---- */

static void note(const ucontext_t *u, uint64_t addr)
{
    struct noted now = { .addr = addr, .pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP], .writes = u->uc_mcontext.gregs[REG_ERR] & 2, .fresh = true };
    now.n_frames = host_access_frames(now.pc, now.frames, DEEPEST);
    lock();
    bool known = false;
    for (unsigned k = 0; k < NOTED && k < n_noted; k++)
        known |= noted[k].pc == now.pc;
    if (!known)
        noted[n_noted++ % NOTED] = now;
    unlock();
    atomic_store(&any_fresh, true);
}

/* The pages are open by now, for another thread was here: it is tried again, though not for ever. */
static bool try_again(uint64_t addr, const ucontext_t *u)
{
    enum { MOST = 1000 };
    struct check_stepping *s = &check_thread()->step;
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    s->same = s->same_addr == addr && s->same_pc == pc ? s->same + 1 : 0;
    s->same_addr = addr;
    s->same_pc = pc;
    return s->same < MOST;
}

static bool on_fault(const siginfo_t *info, void *context, bool device)
{
    uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
    int saved = errno;
    bool closed = false, known = false;
    lock();
    struct run *r = info->si_code == SEGV_ACCERR ? run_at(addr) : NULL;
    if (r) {
        known = true;
        closed = r->closed;
        open_run(r);
    }
    unlock();
    bool host = !device && (exec_in_hostfn() || (!hw_thread_is_ours && !trace_current()->name));
    if (closed && host)
        note(context, addr);
    errno = saved;
    return closed || (known && try_again(addr, context)) || (others && others(info, context, device));
}

static void tell(const struct noted *n)
{
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (ledger_find(n->addr, &e) == LEDGER_NOTHING)
        return;
    ledger_describe(&where, &e, n->addr);
    report_begin(&r, "memory.host-access", "host %s device memory", n->writes ? "write to" : "read of");
    report_host(&r, n->writes ? "write" : "read", trace_of(n->frames, n->n_frames), "%s", where.s);
    report_memory(&r, &e);
    report_advice(&r, "Only the device can use this address: copy with cudaMemcpy(), or have the memory from cudaMallocManaged() or cudaHostAlloc().");
    report_end(&r);
    hw_str_fini(&where);
}

void wall_drain(void)
{
    if (!atomic_load_explicit(&any_fresh, memory_order_acquire) || !atomic_exchange(&any_fresh, false))
        return;
    for (unsigned k = 0; k < NOTED; k++) {
        lock();
        struct noted now = noted[k];
        noted[k].fresh = false;
        unlock();
        if (now.fresh)
            tell(&now);
    }
}

void wall_init(void)
{
    if (dlsym(RTLD_DEFAULT, "MPI_Init"))         /* an MPI library sends from device memory, and receives into it */
        return;
    page_bytes = hw_page_bytes();
    others = exec_guard;
    exec_guard = on_fault;
    on = true;
}

void wall_off(void)
{
    atomic_store(&locked, false);
    give_up();
}

#else

void wall_init(void) {}
void wall_off(void) {}
void wall_range_added(const struct mem_info *info) { (void)info; }
void wall_range_dropped(const struct mem_info *info) { (void)info; }
void wall_command(uint64_t seq, bool begins) { (void)seq, (void)begins; }
void wall_call_over(void) {}
void wall_drain(void) {}

#endif
