/* SPDX-License-Identifier: Apache-2.0 */
/* Small copies where nothing is out of the ordinary: all that has to be asked, in place, in a few nanoseconds. */
#ifndef CORE_COPY_QUICK_H
#define CORE_COPY_QUICK_H

#include "core/graph/capture.h"
#include "core/core.h"
#include "core/device/ctx.h"
#include "core/hooks.h"
#include "core/mem/mem.h"
#include "core/stream/sched.h"

/* Which ends must be memory that CUDA knows. */
enum { COPY_DST_KNOWN = 1, COPY_SRC_KNOWN = 2 };

/* As copy_now() in the current context, without an error. False: nothing was done, or only a part; the usual way is to be taken. */
static inline __attribute__((always_inline)) bool copy_quick(uint64_t dst, uint64_t src, size_t bytes, unsigned known)
{
    enum { KEEP_EVERY = 64 };                    /* looking after our signal handlers takes as long as copying a kilobyte */
    struct ctx *ctx = ctx_current();
    struct sched_direct *d = sched_direct;
    if (hw_unlikely(bytes - 1 >= exec_quick_max || !ctx || !d || hook_any || capture_any() || core_check() || core_in_host_function()))
        return false;
    const struct mem_span *to = mem_span(dst, MEM_SLOT_DST);
    bool fits = bytes <= to->bytes - (dst - to->base), to_known = to->kind != MEM_NONE;
    const struct mem_span *from = mem_span(src, MEM_SLOT_SRC);
    fits = fits && bytes <= from->bytes - (src - from->base);
    if (hw_unlikely(!fits || (!to_known && (!dst || known & COPY_DST_KNOWN)) || (from->kind == MEM_NONE && (!src || known & COPY_SRC_KNOWN))
                    || dst - src < bytes || src - dst < bytes))
        return false;
    if (hw_unlikely(++d->calls % KEEP_EVERY == 0))
        exec_fault_keep();
    if (hw_unlikely(!sched_try_direct_as(d)))
        return false;
    /* After looking for work: what has ended by now has left its error and its text. */
    bool good = hw_likely(!ctx->dead && !ctx_error(ctx) && !exec_printf_any(ctx->printf_buf))
                && exec_copy_quick((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes);
    sched_end_direct_as(d);
    return good;
}

#endif
