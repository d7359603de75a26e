/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best code of large kernels, made by one thread of low priority. The two codes of a kernel come from the same LLVM module: what a region leaves in the
 * frame is the same in both, so that one region after the other may be exchanged at any time, also while blocks run.
 */
#define _GNU_SOURCE
#include "jit/code/tier_up.h"

#include "base/lock.h"
#include "base/log.h"
#include "base/os.h"
#include "jit/code/llvm.h"
#include "jit/code/target.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STACK = 16 << 20,
    NICE = 5,                    /* busy CPUs give it a quarter of what others get: who computes for long has the better code soon */
    PATIENCE_NS = 200000000,     /* how long exit() waits for work that can as well be done by the next process */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct hw_cond changed;
static struct later *first HW_GUARDED_BY(mu), **last HW_GUARDED_BY(mu) = &first, *current HW_GUARDED_BY(mu);
static __attribute__((used)) struct later *dropped HW_GUARDED_BY(mu);         /* where a search for leaks finds it */
static bool started HW_GUARDED_BY(mu), closing HW_GUARDED_BY(mu), gone HW_GUARDED_BY(mu), saving HW_GUARDED_BY(mu);
static pid_t owner;              /* const once started: a child of it has no such thread */

void later_free(struct later *job)
{
    if (!job)
        return;
    object_kernel_unref(job->kernel);
    object_fini(&job->best);
    object_fini(&job->quick);
    if (job->bitcode)
        LLVMDisposeMemoryBuffer(job->bitcode);
    hw_free((char *)job->rq.prefix);
    hw_free(job->name);
    hw_free(job);
}

bool later_make(struct later *job, struct diag *diag)
{
    LLVMContextRef cx = LLVMContextCreate();
    LLVMModuleRef mod = NULL;
    LLVMTargetMachineRef machine = target_machine_take(job->rq.width, false, diag);
    bool ok = machine && !LLVMParseBitcodeInContext2(cx, job->bitcode, &mod) && parts_make(&job->rq, mod, machine, &job->best, diag);
    if (mod)
        LLVMDisposeModule(mod);
    target_machine_give(machine, job->rq.width, false);
    LLVMContextDispose(cx);
    return ok;
}

/* Not when nobody waits for it any more: the process could end in the middle. */
static void save(const struct hw_hash *key, const struct object *o)
{
    hw_lock(&mu);
    bool may = !gone;
    saving = may;
    hw_unlock(&mu);
    if (may)
        object_save(key, o);
    hw_lock(&mu);
    saving = false;
    hw_unlock(&mu);
}

static void run(struct later *job)
{
    struct diag diag = { 0 };
    struct kabi_kernel *k = NULL;
    uint64_t begin = hw_now_ns();
    if (later_make(job, &diag)) {
        save(&job->key, &job->best);
        k = object_link(&job->key, &job->best, job->name, &diag);
    }
    if (k)
        object_exchange(job->kernel, k);
    if (k)
        hw_debug("best code of %s in use: made in %.1f ms, ready after %.1f ms", job->name, (double)(hw_now_ns() - begin) / 1e6, (double)(hw_now_ns() - job->begin_ns) / 1e6);
    else
        hw_warn("kernel %s keeps slower code:\n%s", job->name, diag.text.s ? diag.text.s : "no reason given\n");
    object_kernel_unref(k);
    diag_fini(&diag);
}

static void *work(void *unused)
{
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid)) + NICE);
    hw_lock(&mu);
    for (;;) {
        while (!first)
            hw_cond_wait(&changed, &mu);
        struct later *job = current = first;
        first = job->next;
        if (!first)
            last = &first;
        hw_unlock(&mu);
        run(job);
        hw_lock(&mu);
        current = NULL;
        hw_unlock(&mu);
        later_free(job);
        hw_lock(&mu);
    }
    return unused;
}

/* The next process finds the quick code, and knows by that that it is to finish the work. */
static void leave_to_next(struct later *job)
{
    if (job && !job->finish)
        object_save(&job->quick_key, &job->quick);
}

static bool waits_for_more(uint64_t until)
{
    bool more = current || first || saving, finish = current && current->finish;
    for (const struct later *j = first; j; j = j->next)
        finish |= j->finish;
    return more && (finish || hw_now_ns() < until);
}

/*
 * Waits a little, and for what an earlier process did not come to; then what is queued is left to the next process. LLVM cannot be interrupted: what it is at
 * goes on until the process is gone, where LLVM leaves its variables as they are (link_llvm.py), else to the end.
 */
static void at_exit(void)
{
    uint64_t until = hw_now_ns() + PATIENCE_NS;
    if (getpid() != owner)
        return;
    hw_lock(&mu);
    closing = true;
    while (waits_for_more(until)) {
        hw_unlock(&mu);
        usleep(500);
        hw_lock(&mu);
    }
    for (struct later *j = first; j; j = j->next)
        leave_to_next(j);
    dropped = first;             /* stays in memory until the process is gone */
    first = NULL;
    last = &first;
    leave_to_next(current);
    while (saving || (current && !llvm_stays())) {
        hw_unlock(&mu);
        usleep(500);
        hw_lock(&mu);
    }
    gone = true;
    hw_unlock(&mu);
}

static bool same_key(const struct later *a, const struct later *b)
{
    return a->key.a == b->key.a && a->key.b == b->key.b;
}

static bool queued_locked(const struct later *job)
{
    bool found = current && same_key(current, job);
    for (const struct later *j = first; j; j = j->next)
        found |= same_key(j, job);
    return found;
}

/* False: there is no thread. */
static bool start_locked(void)
{
    if (started)
        return true;
    owner = getpid();
    started = hw_thread_start(work, NULL, STACK, 0, NULL) == 0;
    if (started)
        atexit(at_exit);
    return started;
}

void later_push(struct later *job)
{
    job->begin_ns = hw_now_ns();
    hw_lock(&mu);
    bool mine = !queued_locked(job) && !closing, ok = start_locked();
    if (mine && ok) {
        *last = job;
        last = &job->next;
        hw_cond_broadcast(&changed);
    }
    hw_unlock(&mu);
    if (mine && !ok)
        run(job);
    if (!mine || !ok)
        later_free(job);
}
