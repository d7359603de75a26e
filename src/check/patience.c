/* SPDX-License-Identifier: Apache-2.0 */
#include "check/patience.h"

#include "base/base.h"
#include "check/thread_state.h"
#include "core/hooks.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { QUIET_MS = 20, BUDGET_MS = 2000, OFTEN = 3 };            /* with no call; for all functions of a process together; who asks so often waits */

static _Atomic int inside, waiting;              /* calls that threads are in; those of them that wait for work */
static _Atomic uint64_t entered, asked;         /* calls; those that ask whether something is over */
static _Atomic int spent;

static bool waits(const char *name) { return strstr(name, "Synchronize") || (strstr(name, "Memcpy") && !strstr(name, "Async")); }

void patience_enters(const struct hook_call *call)
{
    struct patience *own = &check_thread()->patience;
    if (own->depth++)            /* calls inside of calls are one */
        return;
    own->waits = waits(call->name);
    atomic_fetch_add_explicit(&entered, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&asked, strstr(call->name, "Query") != NULL, memory_order_relaxed);
    atomic_fetch_add_explicit(&waiting, own->waits, memory_order_relaxed);
}

void patience_leaves(void)
{
    struct patience *own = &check_thread()->patience;
    if (!own->depth || --own->depth)
        return;
    atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&waiting, own->waits, memory_order_relaxed);
}

void patience_wait(void)
{
    uint64_t seen = atomic_load(&entered), first = atomic_load(&asked);
    for (int quiet = 0; quiet < QUIET_MS && !atomic_load(&waiting) && atomic_load(&asked) - first < OFTEN && atomic_load(&spent) < BUDGET_MS; quiet++) {
        usleep(1000);
        atomic_fetch_add(&spent, 1);
        if (atomic_load(&inside) || atomic_load(&entered) != seen)
            quiet = 0;
        seen = atomic_load(&entered);
    }
}
