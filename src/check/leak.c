/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that programs hold handles of: where they were made and destroyed, and what nobody gave back when a context goes. */
#include "check/tools.h"

#include "base/lock.h"
#include "base/vec.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/trace.h"
#include "core/device/ctx.h"

enum { DEAD = 1024 };

struct made {
    void *handle;
    const char *what;
    struct trace_call made, gone;
    const struct ctx *ctx;       /* the thread's then; to compare only */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static HW_VEC(struct made) objects HW_GUARDED_BY(mu);
static struct made dead[DEAD] HW_GUARDED_BY(mu);         /* a ring */
static uint64_t n_dead HW_GUARDED_BY(mu);

void leak_object_made(void *handle, const char *what)
{
    const struct trace_call *call = trace_current();
    if (!call->name)                             /* our own */
        return;
    hw_lock(&mu);
    hw_vec_push(&objects, ((struct made){ handle, what, *call, { 0 }, ctx_current() }));
    hw_unlock(&mu);
}

void leak_object_gone(void *handle)
{
    hw_lock(&mu);
    for (size_t k = objects.n; k > 0; k--)
        if (objects.v[k - 1].handle == handle) {
            objects.v[k - 1].gone = *trace_current();
            dead[n_dead++ % DEAD] = objects.v[k - 1];
            objects.v[k - 1] = objects.v[--objects.n];
            break;
        }
    hw_unlock(&mu);
}

void leak_capture_ended(void)
{
    const struct trace_call *call = trace_current();
    hw_lock(&mu);
    for (size_t k = objects.n; k > 0; k--)
        if (strstr(objects.v[k - 1].made.name, "BeginCapture")) {
            objects.v[k - 1].made = *call;
            break;
        }
    hw_unlock(&mu);
}

void leak_object_tell(struct report *r, void *handle)
{
    struct made found = { 0 };
    hw_lock(&mu);
    for (size_t k = 0; k < objects.n && !found.handle; k++)
        if (objects.v[k].handle == handle)
            found = objects.v[k];
    for (uint64_t k = n_dead; k > 0 && k + DEAD > n_dead && !found.handle; k--)
        if (dead[(k - 1) % DEAD].handle == handle)
            found = dead[(k - 1) % DEAD];
    hw_unlock(&mu);
    if (!found.handle)
        return;
    report_host(r, "made", found.made.trace, "%s, by %s", found.what, found.made.name);
    if (found.gone.name)
        report_host(r, "gone", found.gone.trace, "by %s", found.gone.name);
}

struct look {
    struct ctx *ctx;
    const char *when;
};

static void look_at_range(const struct ledger_entry *e, void *arg)
{
    static const char *const kinds[] = { [MEM_NONE] = "memory", [MEM_DEVICE] = "device memory", [MEM_VARIABLE] = "memory", [MEM_HOST] = "page-locked memory",
                                         [MEM_REGISTERED] = "registered memory", [MEM_MANAGED] = "managed memory" };
    const struct look *l = arg;
    struct report r;
    bool registered = e->kind == MEM_REGISTERED;
    if ((e->variable && !e->heap) || !e->made_by || (l->ctx && e->ctx != l->ctx))
        return;
    report_begin(&r, "leak.memory", "%llu bytes of %s were never %s", (unsigned long long)e->bytes, e->heap ? "the device heap" : kinds[e->kind], registered ? "unregistered" : "freed");
    if (e->heap)
        report_device(&r, "made", e->made_place, "%s, %llu bytes", e->made_by, (unsigned long long)e->bytes);
    else
        report_host(&r, "made", e->made, "%s, %llu bytes", e->made_by, (unsigned long long)e->bytes);
    report_advice(&r, "They were still there %s: give each back with %s.", l->when,
                  e->heap ? "free() in a kernel" : registered ? "cudaHostUnregister()" : e->kind == MEM_HOST ? "cudaFreeHost()" : strstr(e->made_by, "Async") ? "cudaFreeAsync()" : "cudaFree()");
    report_end(&r);
}

void leak_look(struct ctx *ctx, const char *when)
{
    struct look l = { ctx, when };
    ledger_each(look_at_range, &l);
    hw_lock(&mu);
    size_t n = objects.n;
    struct made *all = hw_alloc((n + 1) * sizeof *all);
    if (n)
        memcpy(all, objects.v, n * sizeof *all);
    hw_unlock(&mu);
    for (size_t k = 0; k < n; k++) {
        struct report r;
        if (all[k].ctx && all[k].ctx != ctx)
            continue;
        report_begin(&r, "leak.object", "%s was never destroyed", all[k].what);
        report_host(&r, "made", all[k].made.trace, "%s", all[k].made.name);
        report_advice(&r, "It was still there %s.", when);
        report_end(&r);
    }
    hw_free(all);
}
