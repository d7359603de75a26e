/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks: core and the driver say what happens, others (prof/, check/) listen. With no listener a hook is one branch. */
#ifndef CORE_HOOKS_H
#define CORE_HOOKS_H

#include "base/base.h"

struct cmd;
struct ctx;
struct event;
struct function;
struct launch_config;
struct mem_info;
struct obj;
struct stream;

/* One call of an API function. Lives on the caller's stack. */
struct hook_call {
    const char *name;            /* static text */
    const void *caller;          /* where the program called from */
    uint64_t token;              /* 0 at enter; what a listener stores is there again at leave */
    int result;                  /* at leave */
    const char *error, *args, *why;      /* at leave, of calls that failed, as far as known: the answer in words, "a=1, b=0x2", the reason */
};

/* Who added a node to a graph: the listener's. */
struct hook_node {
    const char *call;            /* static text; NULL: nobody listens */
    uint32_t trace;
};

/* What a listener wants to hear; NULL: nothing of that kind. */
struct hook_listener {
#define HOOK(name, params, args) void (*name) params;
#include "core/hooks.def"
#undef HOOK
};

enum { HOOK_MAX_LISTENERS = 4 };
/* Before other threads call in (a constructor will do); the listener stays for ever. False: there are too many. */
bool hook_listen(const struct hook_listener *listener);

/* Somebody listens. Written once, before the calls that read it. */
extern bool hook_any;

#define HOOK(name, params, args)      \
    void hook_tell_##name params;     \
    static inline void hook_##name params \
    {                                 \
        if (hw_unlikely(hook_any))    \
            hook_tell_##name args;    \
    }
#include "core/hooks.def"
#undef HOOK

#endif
