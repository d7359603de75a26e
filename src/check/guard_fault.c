/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to protected pages: who made it, is it a hazard, and how it goes on. */
#define _GNU_SOURCE
#include "check/guard_internal.h"

#include "base/os.h"
#include "check/frames.h"
#include "check/host_access.h"
#include "check/insn.h"
#include "check/order.h"
#include "check/thread_state.h"
#include "check/trace.h"
#include "exec/exec.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__x86_64__)

enum { OPEN = PROT_READ | PROT_WRITE, TRAP_FLAG = 0x100, SAME_MOST = 1000, DEVICE_STEPS = 256, COUNTED = 1024 };

/* Steps since the last command was queued; the lock's. A program that comes very often to pages in use would stand still. */
static struct { uint64_t page, epoch; unsigned n; } counted[COUNTED];
static uint64_t budget_epoch;
static unsigned host_steps, device_steps;
/* Of a page, and of all. At first each word of a page can be read and written, so that a loop comes to the part of it that is in use; a program that goes on like that has less. */
static const struct { unsigned page, all; } limits[] = { { 2048, 1 << 14 }, { 128, 4096 } };
enum { PLENTY = 1 << 17 };
static unsigned steps_ever;
static struct sigaction previous;

static bool may_step(uint64_t page, bool device)
{
    uint64_t now = atomic_load(&guard_epoch);
    unsigned k = (unsigned)(page / guard_page_bytes() % COUNTED);
    if (budget_epoch != now) {
        budget_epoch = now;
        host_steps = device_steps = 0;
    }
    if (counted[k].page != page || counted[k].epoch != now) {
        counted[k].page = page;
        counted[k].epoch = now;
        counted[k].n = 0;
    }
    if (device)
        return ++device_steps <= DEVICE_STEPS;
    unsigned few = steps_ever >= PLENTY;
    bool may = ++counted[k].n <= limits[few].page && ++host_steps <= limits[few].all;
    steps_ever += may;
    return may;
}

/* Those that are in order with the host function that runs here. */
static void drop_ordered(uint32_t function, struct guard_found *f)
{
    unsigned n = 0;
    for (unsigned k = 0; k < f->n_copies; k++)
        if (!order_between(function, f->copies[k])) {
            f->copy_writes[n] = f->copy_writes[k];
            f->copies[n++] = f->copies[k];
        }
    f->n_copies = n;
    n = 0;
    for (unsigned k = 0; k < f->n_kernels; k++)
        if (!order_between(function, f->kernels[k]))
            f->kernels[n++] = f->kernels[k];
    f->n_kernels = n;
}

void guard_find_here(uint64_t from, uint64_t to, bool writes, struct guard_found *out)
{
    guard_find(from, to, writes, out);
    if (exec_in_hostfn() && check_thread()->step.function)
        drop_ordered(check_thread()->step.function, out);
}

static void close_later(void)
{
    if (check_thread()->step.n_later == 0)
        return;
    guard_lock();
    for (unsigned k = 0; k < check_thread()->step.n_later; k++)
        guard_settle(check_thread()->step.later[k], check_thread()->step.later[k] + guard_page_bytes());
    check_thread()->step.n_later = 0;
    guard_unlock();
}

void guard_call(void) { close_later(); }

void guard_function(uint32_t number)
{
    check_thread()->step.function = number;
    close_later();
}

/* The bytes that the instruction goes on to touch, up to the end of the page. */
static uint64_t bytes_of(const ucontext_t *u, uint64_t addr, bool *repeats)
{
    uint64_t one = insn_bytes((const uint8_t *)u->uc_mcontext.gregs[REG_RIP], repeats);
    if (!*repeats)
        return one;
    uint64_t rest = guard_page(addr) + guard_page_bytes() - addr, all = (uint64_t)u->uc_mcontext.gregs[REG_RCX] * one;
    bool down = u->uc_mcontext.gregs[REG_EFL] & 0x400;
    return down ? one : hw_max_u64(1, hw_min_u64(all, rest));
}

/* A host access. True: the page may stay open: there is nothing in it that this thread could do wrong, or it has been said. */
static bool look(const ucontext_t *u, uint64_t addr, uint64_t bytes, bool writes)
{
    struct guard_found found;
    uint64_t page = guard_page(addr);
    uint32_t function = exec_in_hostfn() ? check_thread()->step.function : 0;
    guard_find_here(addr, addr + bytes, writes, &found);
    if (found.n_copies || found.n_kernels) {
        bool again = host_access_note(addr, addr + bytes, writes, &found, (void *)(uintptr_t)u);
        return again && !found.n_kernels;
    }
    if (!function)
        return false;
    guard_find_here(page, page + guard_page_bytes(), true, &found);
    return !found.n_copies && !found.n_kernels;
}

static void open_page(uint64_t page) { mprotect((void *)(uintptr_t)page, guard_page_bytes(), OPEN); }

static void begin_step(ucontext_t *u, uint64_t page)
{
    for (unsigned k = 0; k < check_thread()->step.n; k++)
        if (check_thread()->step.pages[k] == page)
            page = 0;
    if (page && check_thread()->step.n < CHECK_STEP_PAGES)
        check_thread()->step.pages[check_thread()->step.n++] = page;
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* The page is open by now, for another thread was here: it is tried again, though not for ever. */
static bool try_again(uint64_t addr, uint64_t pc)
{
    bool same = check_thread()->step.same_addr == addr && check_thread()->step.same_pc == pc;
    check_thread()->step.same = same ? check_thread()->step.same + 1 : 0;
    check_thread()->step.same_addr = addr;
    check_thread()->step.same_pc = pc;
    return check_thread()->step.same < SAME_MOST;
}

static bool on_fault(const siginfo_t *info, void *context, bool device)
{
    ucontext_t *u = context;
    uint64_t addr = (uint64_t)(uintptr_t)info->si_addr, page = guard_page(addr);
    bool writes = u->uc_mcontext.gregs[REG_ERR] & 2, repeats = false, stays = false;
    if (info->si_code != SEGV_ACCERR)
        return false;
    int saved = errno;
    guard_lock();
    bool known = guard_knows_page(page), closed = known && !(guard_need(page) & (writes ? PROT_WRITE : PROT_READ));
    guard_unlock();
    if (!closed)
        return known && try_again(addr, (uint64_t)u->uc_mcontext.gregs[REG_RIP]);
    bool host = !device && (exec_in_hostfn() || (!hw_thread_is_ours && !trace_current()->name));
    close_later();
    if (host) {
        uint64_t bytes = bytes_of(u, addr, &repeats);
        stays = look(u, addr, bytes, writes);
    }
    guard_lock();
    open_page(page);
    if (repeats && check_thread()->step.n_later < CHECK_STEP_PAGES) {  /* a single step would be one element */
        check_thread()->step.later[check_thread()->step.n_later++] = page;
    } else if (!stays && (host || device)) {
        if (may_step(page, device))
            begin_step(u, page);
        else if (device)
            guard_open_around_locked(page);
    }
    guard_unlock();
    errno = saved;
    return true;
}

static bool goes_on(ucontext_t *u)
{
    static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };
    uint64_t registers[16];
    for (int k = 0; k < 16; k++)
        registers[k] = (uint64_t)u->uc_mcontext.gregs[order[k]];
    return frames_step((uint64_t)u->uc_mcontext.gregs[REG_RIP], registers, u);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    int saved = errno;
    bool watched = frames_watched != NULL;
    if (check_thread()->step.n || watched) {
        guard_lock();
        for (unsigned k = 0; k < check_thread()->step.n; k++)
            guard_settle(check_thread()->step.pages[k], check_thread()->step.pages[k] + guard_page_bytes());
        check_thread()->step.n = 0;
        guard_unlock();
        if (!watched || !goes_on(u))
            u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        errno = saved;
    } else if ((previous.sa_flags & SA_SIGINFO) && previous.sa_sigaction) {
        previous.sa_sigaction(sig, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(sig);
    } else if (previous.sa_handler == SIG_DFL) {
        signal(SIGTRAP, SIG_DFL);
        raise(SIGTRAP);
    }
}

bool guard_signals_init(void)
{
    struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
    sigemptyset(&sa.sa_mask);
    exec_guard = on_fault;
    return sigaction(SIGTRAP, &sa, &previous) == 0;
}

#else

void guard_call(void) {}
void guard_find_here(uint64_t from, uint64_t to, bool writes, struct guard_found *out) { guard_find(from, to, writes, out); }
void guard_function(uint32_t number) { (void)number; }
bool guard_signals_init(void) { return false; }

#endif
