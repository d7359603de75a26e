/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and objects that nobody gave back. */
#include "check/tools.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/vec.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/trace.h"

struct made {
    void *handle;
    const char *what, *by;
    uint32_t trace;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static HW_VEC(struct made) objects HW_GUARDED_BY(mu);

void leak_object_made(void *handle, const char *what)
{
    const struct trace_call *call = trace_current();
    if (!call->name)                             /* our own */
        return;
    hw_lock(&mu);
    hw_vec_push(&objects, ((struct made){ handle, what, call->name, call->trace }));
    hw_unlock(&mu);
}

void leak_object_gone(void *handle)
{
    hw_lock(&mu);
    for (size_t k = objects.n; k > 0; k--)
        if (objects.v[k - 1].handle == handle) {
            objects.v[k - 1] = objects.v[--objects.n];
            break;
        }
    hw_unlock(&mu);
}

struct look {
    struct ctx *ctx;
    const char *when;
};

static void look_at_range(const struct ledger_entry *e, void *arg)
{
    const struct look *l = arg;
    struct report r;
    if (e->variable || !e->made_by || (l->ctx && e->ctx != l->ctx))
        return;
    report_begin(&r, "leak.memory", "%llu bytes of memory were never freed", (unsigned long long)e->bytes);
    report_host(&r, "made", e->made, "%s, %llu bytes", e->made_by, (unsigned long long)e->bytes);
    report_advice(&r, "They were still there %s.", l->when);
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
        report_begin(&r, "leak.object", "%s was never destroyed", all[k].what);
        report_host(&r, "made", all[k].trace, "%s", all[k].by);
        report_advice(&r, "It was still there %s.", when);
        report_end(&r);
    }
    hw_free(all);
}
