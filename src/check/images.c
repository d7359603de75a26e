/* SPDX-License-Identifier: Apache-2.0 */
#include "check/images.h"

#include "base/lock.h"
#include "base/vec.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/trace.h"
#include "check/check.h"
#include "check/init.h"
#include "check/runner.h"
#include "core/sched/sched.h"
#include "exec/texture.h"

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static HW_VEC(uint64_t) handles HW_GUARDED_BY(mu);

void images_made(uint64_t handle)
{
    hw_lock(&mu);
    hw_vec_push(&handles, handle);
    hw_unlock(&mu);
}

void images_gone(uint64_t handle)
{
    hw_lock(&mu);
    for (size_t k = 0; k < handles.n; k++)
        if (handles.v[k] == handle) {
            handles.v[k] = handles.v[--handles.n];
            break;
        }
    hw_unlock(&mu);
}

static bool is_image(uint64_t word)
{
    bool found = false;
    hw_lock(&mu);
    for (size_t k = 0; k < handles.n && !found; k++)
        found = handles.v[k] == word;
    hw_unlock(&mu);
    return found;
}

static void look(const char *kernel, uint64_t handle)
{
    const struct exec_texture *t = exec_texture_peek(handle);
    struct ledger_entry e;
    struct report r;
    if (!t || ledger_find((uint64_t)(uintptr_t)t->levels[0].base, &e) != LEDGER_FREED)
        return;
    report_begin(&r, "memory.freed", "kernel %s is given a %s object of memory that was freed", kernel, t->surface ? "surface" : "texture");
    report_host(&r, "launch", trace_current()->trace, "kernel %s", kernel);
    report_memory(&r, &e);
    report_advice(&r, "Destroy the object with its memory, and make another one.");
    report_end(&r);
}

/* Words of the parameters that are handles. */
static bool next_image(const void *params, size_t bytes, size_t *at, uint64_t *handle)
{
    for (; *at + 8 <= bytes; *at += 8) {
        memcpy(handle, (const char *)params + *at, 8);
        if (*handle && is_image(*handle)) {
            *at += 8;
            return true;
        }
    }
    return false;
}

static bool any_image(void)
{
    hw_lock(&mu);
    bool any = handles.n > 0;
    hw_unlock(&mu);
    return any;
}

void images_launch(const char *kernel, const void *params, size_t bytes)
{
    uint64_t handle;
    for (size_t at = 0; any_image() && next_image(params, bytes, &at, &handle);)
        look(kernel, handle);
}

/* ---- what was never written ---- */

static uint64_t level_bytes(const struct exec_texture *t, const struct exec_level *l) { return l->slice ? (uint64_t)l->slice * (t->layers ? t->layers : l->depth) : (uint64_t)l->pitch * l->height; }

static bool anybody_wrote(const struct exec_texture *t)
{
    for (uint32_t k = 0; k < t->n_levels; k++)
        if (init_any_written((uint64_t)(uintptr_t)t->levels[k].base, level_bytes(t, &t->levels[k])))
            return true;
    return false;
}

/* Variables of a module have their contents from the start. */
static bool holds_nothing(const struct ledger_entry *e) { return e->fresh || (e->made_by && strstr(e->made_by, "Array")); }

static void tell_unwritten(const struct cmd *c, const struct ledger_entry *e)
{
    const struct launched *l = c->watched;
    struct report r;
    report_begin(&r, "init.read", "kernel %s is given a texture of memory that nobody has written", c->x.launch.kernel->name);
    if (l)
        report_host(&r, "launch", l->call.trace, "kernel %s", c->x.launch.kernel->name);
    report_memory(&r, e);
    report_end(&r);
}

void images_begin(const struct cmd *c)
{
    const struct kabi_launch *l = &c->x.launch.kl;
    uint64_t handle;
    for (size_t at = 0; any_image() && next_image(l->params, l->param_bytes, &at, &handle);) {
        const struct exec_texture *t = exec_texture_peek(handle);
        struct ledger_entry e;
        if (!t || !t->n_levels || ledger_find((uint64_t)(uintptr_t)t->levels[0].base, &e) != LEDGER_INSIDE)
            continue;
        if (t->surface)
            init_write(e.base, e.bytes);         /* which texels a kernel writes is not seen */
        else if (holds_nothing(&e) && !anybody_wrote(t))
            tell_unwritten(c, &e);
    }
}
