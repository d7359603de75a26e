/* SPDX-License-Identifier: Apache-2.0 */
/* The way of copy.h for small copies where nothing is out of the ordinary: the same questions, in place, in a few nanoseconds. */
#ifndef CORE_COPY_QUICK_H
#define CORE_COPY_QUICK_H

#include "core/core.h"
#include "core/device/ctx.h"
#include "core/hooks.h"
#include "core/mem/mem.h"
#include "core/sched/capturing.h"
#include "core/sched/direct.h"

/* Which ends must be memory that CUDA knows. */
enum { COPY_DST_KNOWN = 1, COPY_SRC_KNOWN = 2 };

/* copy_run() of a call that waits, in the legacy stream of the current context. False: nothing was done, or only a part; copy_run() is to be called. */
static inline __attribute__((always_inline)) bool copy_quick(uint64_t dst, uint64_t src, size_t bytes, unsigned known)
{
    enum { KEEP_EVERY = 64 };                    /* looking after our signal handlers takes as long as copying a kilobyte */
    struct ctx *ctx = ctx_current();
    struct caller *d = caller_self;
    if (hw_unlikely(bytes - 1 >= exec_quick_max || !ctx || !d || hook_any || capture_any() || core_check() || core_in_host_function()))
        return false;
    enum mem_kind to, from;
    if (hw_unlikely(!mem_span_holds(dst, bytes, MEM_SLOT_DST, &to) || !mem_span_holds(src, bytes, MEM_SLOT_SRC, &from)
                    || (to == MEM_NONE && (!dst || known & COPY_DST_KNOWN)) || (from == MEM_NONE && (!src || known & COPY_SRC_KNOWN))
                    || dst - src < bytes || src - dst < bytes))
        return false;
    if (hw_unlikely(++d->calls % KEEP_EVERY == 0))
        exec_fault_keep();
    if (hw_unlikely(!direct_try_as(d)))
        return false;
    /* After looking for work: what has ended by now has left its error and its text. */
    bool good = hw_likely(!ctx->dead && !ctx_error(ctx) && !exec_printf_any(ctx->printf_buf))
                && exec_copy_quick((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes);
    direct_end_as(d);
    return good;
}

#endif
