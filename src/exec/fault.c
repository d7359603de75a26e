/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that touches memory it may not: out of the block, back to the engine, never out of the process. */
#define _GNU_SOURCE
#include "exec/internal.h"

#include "base/lock.h"
#include "base/options.h"
#include "base/os.h"

#include <hostwarp.h>
#include <signal.h>
#include <stdio.h>
#include <stdatomic.h>
#include <sys/mman.h>

bool (*exec_guard)(const siginfo_t *info, void *context, bool device);

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
static struct sigaction previous[HW_LEN(signals)];
static struct hw_mutex install_mu = HW_MUTEX_INIT(HW_RANK_LEAF);

/* The handler reads it, so it must not need memory then: every thread has touched it before it runs generated code. */
static _Thread_local struct exec_scope *volatile scope;
static _Thread_local void *passed_context;
static _Thread_local bool installs;              /* the calls that are made now are ours */
static _Atomic bool gives_up;                    /* a fault is fatal: nobody handles it any more */
static _Thread_local char *passed_frame;
static _Thread_local volatile unsigned in_service;      /* services call each other */

void exec_scope_set(struct exec_scope *s)
{
    in_service = 0;
    scope = s;
    exec_debug_scope(s);
    atomic_signal_fence(memory_order_seq_cst);
}

void exec_service(bool begins)
{
    in_service = begins ? in_service + 1 : in_service - 1;
    atomic_signal_fence(memory_order_seq_cst);
}

void exec_fault_raise(enum exec_fault fault, uint64_t addr, uint32_t line)
{
    struct exec_scope *s = scope;
    scope = NULL;
    exec_debug_scope(NULL);
    s->fault = fault;
    s->addr = addr;
    s->line = line;
    siglongjmp(s->env, 1);
}

/* Not ours: what the program had installed before decides. A handler that was installed after ours may call us as its own
   predecessor: then we are called again for the same signal, further down the stack, and it is fatal. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *old = NULL;
    char *frame = __builtin_frame_address(0);
    bool again = context == passed_context && frame < passed_frame;
    passed_context = context;
    passed_frame = frame;
    for (size_t i = 0; i < HW_LEN(signals) && !again; i++)
        if (signals[i] == sig)
            old = &previous[i];
    if (old && (old->sa_flags & SA_SIGINFO) && old->sa_sigaction) {
        old->sa_sigaction(sig, info, context);
    } else if (old && !(old->sa_flags & SA_SIGINFO) && old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(sig);
    } else {
        /* On return the instruction faults again, this time fatally and with the right core dump. A signal that somebody sent
           would not come again: send it. */
        gives_up = true;
        signal(sig, SIG_DFL);
        if (info->si_code <= 0)
            raise(sig);
    }
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    if (hw_unlikely(exec_guard != NULL) && sig == SIGSEGV && exec_guard(info, context, scope != NULL))
        return;
    if (info->si_code > 0 && exec_quick_leave(context))
        return;
    if (!scope || info->si_code <= 0) {
        pass_on(sig, info, context);
        return;
    }
    uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
    enum exec_fault fault = EXEC_FAULT_ADDRESS;
    if (sig == SIGFPE)
        fault = EXEC_FAULT_ARITHMETIC;
    else if (sig == SIGILL)
        fault = EXEC_FAULT_INSTRUCTION;
    else if (sig == SIGBUS && info->si_code == BUS_ADRALN)
        fault = EXEC_FAULT_MISALIGNED;
    else if (exec_area_owns(&exec_buffers()->now->shared, addr))
        fault = EXEC_FAULT_SHARED;
    exec_fault_raise(fault, addr, 0);
}

/* Sent by the watchdog to a thread whose kernel has run for too long. */
static void on_timeout(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    (void)context;
    if (scope && !in_service)                    /* the watchdog sends it again */
        exec_fault_raise(EXEC_FAULT_TIMEOUT, 0, 0);
}

void exec_fault_install(void)
{
    struct sigaction sa = { 0 }, now;
    sa.sa_sigaction = on_signal;
    /* NODEFER: we leave by a jump, so the signal must not stay blocked. */
    sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&sa.sa_mask);
    hw_lock(&install_mu);
    installs = true;
    for (size_t i = 0; i < HW_LEN(signals); i++) {
        if (sigaction(signals[i], NULL, &now) || ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal))
            continue;
        previous[i] = now;
        sigaction(signals[i], &sa, NULL);
    }
    if (hw_options()->timeout > 0) {
        sa.sa_sigaction = on_timeout;
        sa.sa_flags = SA_SIGINFO | SA_ONSTACK;   /* may come often: one at a time; exec_fault_unblock() lets the next in */
        sigaction(EXEC_TIMEOUT_SIGNAL, &sa, NULL);
    }
    installs = false;
    hw_unlock(&install_mu);
}

void exec_fault_forget(void)
{
    hw_mutex_init(&install_mu, HW_RANK_LEAF);
}

void exec_fault_unblock(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, EXEC_TIMEOUT_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void exec_fault_again(void)
{
    if (!gives_up && !installs)
        exec_fault_install();
}

uint64_t exec_fault_keep(void)
{
    static _Atomic uint64_t next_ns;
    uint64_t now = hw_now_ns();
    if (now >= atomic_load_explicit(&next_ns, memory_order_relaxed)) {
        atomic_store_explicit(&next_ns, now + 1000000, memory_order_relaxed);
        exec_fault_install();
    }
    return now;
}

static size_t handler_stack_bytes(void) { return 64 * 1024; }

void *exec_fault_thread(void)
{
    stack_t now;
    if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
        return NULL;
    void *stack = mmap(NULL, handler_stack_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = handler_stack_bytes() }, NULL);
    return stack;
}

void exec_fault_thread_ends(void *stack)
{
    stack_t now;
    if (!stack)
        return;
    if (!sigaltstack(NULL, &now) && now.ss_sp == stack)
        sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
    munmap(stack, handler_stack_bytes());
}
