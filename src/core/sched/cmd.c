/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: making, using again, letting go. */
#include "core/sched/cmd.h"

#include "core/sched/order.h"

#include <pthread.h>

/* Commands to use again: a list that anyone adds to by compare-exchange. A thread that needs one takes all of it for itself. */
static struct cmd *_Atomic free_cmds;
static _Thread_local struct cmd *own_cmds;
static pthread_key_t own_key;                    /* gives own_cmds back when the thread ends */

static void give(struct cmd *first, struct cmd *last)
{
    struct cmd *old = atomic_load_explicit(&free_cmds, memory_order_relaxed);
    do
        last->next = old;
    while (!atomic_compare_exchange_weak_explicit(&free_cmds, &old, first, memory_order_release, memory_order_relaxed));
}

static void thread_ends(void *any)
{
    struct cmd *last = own_cmds;
    (void)any;
    if (!last)
        return;
    while (last->next)
        last = last->next;
    give(own_cmds, last);
    own_cmds = NULL;
}

void cmd_init(void)
{
    pthread_key_create(&own_key, thread_ends);
}

static struct cmd *take_cmd(void)
{
    if (!own_cmds) {
        /* acquire: pairs with give() */
        own_cmds = atomic_exchange_explicit(&free_cmds, NULL, memory_order_acquire);
        pthread_setspecific(own_key, &own_cmds);
    }
    struct cmd *c = own_cmds;
    if (!c)
        return hw_alloc(sizeof *c);
    own_cmds = c->next;
    return c;
}

struct cmd *cmd_new(const struct cmd_type *type)
{
    struct cmd *c = take_cmd();
    c->type = type;
    c->kind = type->kind;
    c->next = c->chain = NULL;
    c->stream = NULL;
    c->small = c->running = c->ran = c->went_idle = false;
    c->n_deps = 0;
    c->dependents = NULL;
    c->watched = NULL;
    c->timed = NULL;
    c->module = NULL;
    c->params = c->staging = NULL;
    c->event = NULL;
    c->values = NULL;
    c->condition = NULL;
    c->verify = NULL;
    c->keeps = NULL;
    c->launcher = NULL;
    c->launched = NULL;
    c->parent = NULL;
    return c;
}

/* Lets go what it holds, except keeps. */
static void cmd_clear(struct cmd *c)
{
    if (c->type->drop)
        c->type->drop(c);
}

void cmd_drop(struct cmd *c)
{
    struct obj *kept = c->keeps;
    cmd_clear(c);
    give(c, c);
    obj_unref(kept);
}

/* Many at once, of which neighbours often keep the same. */
void cmd_drop_all(struct cmd *first)
{
    struct obj *kept = NULL;
    unsigned n = 0;
    struct cmd *last = NULL;
    for (struct cmd *c = first; c; c = c->next) {
        struct stream *idle = c->went_idle ? c->stream : NULL;
        if (c->keeps != kept) {
            if (kept)
                obj_unref_many(kept, n);
            kept = c->keeps;
            n = 0;
        }
        n++;
        cmd_clear(c);
        stream_unref(idle);
        last = c;
    }
    if (last)
        give(first, last);
    if (kept)
        obj_unref_many(kept, n);
}
