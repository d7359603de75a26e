/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check/trace.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/os.h"
#include "base/vec.h"

#include <execinfo.h>
#include <unwind.h>

enum { DEEPEST = 24 };

struct stack {
    int n;
    void *frames[DEEPEST];
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static HW_VEC(struct stack *) stacks HW_GUARDED_BY(mu);
static struct hw_map known HW_GUARDED_BY(mu);    /* the frames -> their number */

static _Thread_local struct trace_call current;

struct trace_call *trace_current(void) { return &current; }

uint32_t trace_of(void *const *frames, int n)
{
    struct stack s = { .n = n < DEEPEST ? n : DEEPEST };
    if (s.n <= 1)
        return 0;
    size_t bytes = (size_t)s.n * sizeof s.frames[0];
    memcpy(s.frames, frames, bytes);
    hw_lock(&mu);
    uint32_t id = (uint32_t)(uintptr_t)hw_map_get(&known, s.frames, bytes);
    if (!id) {
        struct stack *kept = hw_alloc(sizeof *kept);
        *kept = s;
        hw_vec_push(&stacks, kept);
        id = (uint32_t)stacks.n;
        hw_map_set(&known, s.frames, bytes, (void *)(uintptr_t)id);
    }
    hw_unlock(&mu);
    return id;
}

uint32_t trace_from(const void *caller)
{
    void *frames[DEEPEST];
    int n = backtrace(frames, DEEPEST), first = 0;
    while (first < n && frames[first] != caller)
        first++;
    return first > 0 && first < n ? trace_of(frames + first - 1, n - first + 1) : trace_of(frames, n);
}

struct walk {
    const void *caller;
    uint64_t sp;
    int n;
    void *frames[DEEPEST];
};

static _Unwind_Reason_Code walk(struct _Unwind_Context *c, void *arg)
{
    struct walk *w = arg;
    void *at = (void *)_Unwind_GetIP(c);
    if (!at || w->n == DEEPEST)
        return _URC_END_OF_STACK;
    if (at == w->caller && !w->sp)
        w->sp = _Unwind_GetCFA(c);
    w->frames[w->n++] = at;
    return _URC_NO_REASON;
}

uint32_t trace_call(const void *caller, uint64_t *sp)
{
    struct walk w = { .caller = caller };
    _Unwind_Backtrace(walk, &w);
    *sp = w.sp;
    return trace_of(w.frames, w.n);
}

uint32_t trace_here(void)
{
    void *frames[DEEPEST];
    return trace_of(frames, backtrace(frames, DEEPEST));
}

void trace_print(struct hw_str *to, uint32_t trace)
{
    hw_lock(&mu);
    struct stack s = trace && trace <= stacks.n ? *stacks.v[trace - 1] : (struct stack){ 0 };
    hw_unlock(&mu);
    for (int k = 1; k < s.n; k++)                /* the first is ours */
        if (hw_call_place(s.frames[k], to))
            hw_str_puts(to, " ");
}
