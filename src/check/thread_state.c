/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for what the checker keeps for each thread: from the system, since a handler of a signal may be the first to ask; of threads that ended, for the next ones. */
#define _GNU_SOURCE
#include "check/thread_state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static _Thread_local struct check_thread *own;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(struct check_thread *) ended;

/* Pushed one by one, and taken all at once: so that nothing which is being taken comes back meanwhile. */
static void give_back(struct check_thread *first, struct check_thread *last)
{
    last->next = atomic_load(&ended);
    while (!atomic_compare_exchange_weak(&ended, &last->next, first))
        ;
}

static void thread_ends(void *state)
{
    own = NULL;
    give_back(state, state);
}

static void make_key(void) { pthread_key_create(&key, thread_ends); }

static struct check_thread *take(void)
{
    struct check_thread *t = atomic_exchange(&ended, NULL), *last;
    if (!t)
        return NULL;
    if (t->next) {
        for (last = t->next; last->next; last = last->next)
            ;
        give_back(t->next, last);
    }
    memset(t, 0, sizeof *t);
    return t;
}

struct check_thread *check_thread(void)
{
    static struct check_thread none;             /* without memory, threads share one: the worst is a report too few */
    if (own)
        return own;
    struct check_thread *t = take();
    if (!t) {
        t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (t == MAP_FAILED)
            return &none;
    }
    pthread_once(&once, make_key);
    pthread_setspecific(key, t);
    return own = t;
}
