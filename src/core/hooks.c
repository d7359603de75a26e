/* SPDX-License-Identifier: Apache-2.0 */
/* The listeners of the hooks. */
#include "core/hooks.h"

#include "core/clock.h"

static const struct hook_listener *listeners[HOOK_MAX_LISTENERS];
static size_t n_listeners;
bool hook_any;
const struct core_clock *core_clock;
extern HW_EXPORT const bool hostwarp_prof_listens __attribute__((alias("hook_any")));

bool hook_listen(const struct hook_listener *listener)
{
    if (n_listeners == HOOK_MAX_LISTENERS)
        return false;
    listeners[n_listeners++] = listener;
    hook_any = true;
    return true;
}

#define HOOK(name, params, args)                    \
    void hook_tell_##name params                    \
    {                                               \
        for (size_t i = 0; i < n_listeners; i++)    \
            if (listeners[i]->name)                 \
                listeners[i]->name args;            \
    }
#include "core/hooks.def"
