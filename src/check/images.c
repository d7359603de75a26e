/* SPDX-License-Identifier: Apache-2.0 */
#include "check/images.h"

#include "base/lock.h"
#include "base/vec.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/trace.h"
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

void images_launch(const char *kernel, const void *params, size_t bytes)
{
    hw_lock(&mu);
    bool any = handles.n > 0;
    hw_unlock(&mu);
    for (size_t at = 0; any && at + 8 <= bytes; at += 8) {
        uint64_t word;
        memcpy(&word, (const char *)params + at, 8);
        if (word && is_image(word))
            look(kernel, word);
    }
}
