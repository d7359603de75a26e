/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the scheduler share: its lock, what a hold of it leaves to do, and the steps that are taken under it. */
#ifndef CORE_SCHED_INTERNAL_H
#define CORE_SCHED_INTERNAL_H

#include "base/os.h"
#include "core/device/ctx.h"
#include "core/sched/sched.h"

/* "When the command this hangs on has finished": one thing less to wait for, for a command or for a host thread. */
struct cmd_dep {
    struct cmd_dep *next;
    struct cmd *cmd;
    struct sched_waiter *waiter;
};

/*
 * A host thread that waits. On its stack: nobody may touch it after state became WAIT_DONE.
 * Locks     pending belongs to the scheduler's lock.
 */
enum { WAIT_SPINS, WAIT_PARKED, WAIT_DONE };
struct sched_waiter {
    _Atomic uint32_t state;
    unsigned pending;
    uint64_t limit;              /* it waits for nothing queued after this; const once waiting */
};

enum { SCHED_WAKES = 8 };
/* What a hold of the scheduler's lock leaves to do once it is dropped. */
struct sched_todo {
    struct hw_list work;         /* struct stream.in_work */
    struct cmd *ready, **ready_end;
    struct cmd *finished;
    struct stream *full;         /* one that was given more than it should hold */
    _Atomic uint32_t *wake[SCHED_WAKES];         /* states of waiters that sleep; only the address is used: they may be gone */
    int n_wake;
};

extern struct hw_mutex sched_mu;                 /* rank STREAM */
extern uint64_t sched_last_seq;                  /* sched_mu */

static inline struct cmd *sched_tail(struct stream *s)
{
    return hw_list_empty(&s->queue) ? NULL : hw_list_item(s->queue.prev, struct cmd, link);
}

static inline struct cmd *sched_head(struct stream *s)
{
    return hw_list_empty(&s->queue) ? NULL : hw_list_item(s->queue.next, struct cmd, link);
}

static inline bool sched_is_blocking(const struct stream *s)
{
    return !(s->flags & CU_STREAM_NON_BLOCKING);
}

static inline void sched_todo_init(struct sched_todo *t)
{
    hw_list_init(&t->work);
    t->ready = NULL;
    t->ready_end = &t->ready;
    t->finished = NULL;
    t->full = NULL;
    t->n_wake = 0;
}

static inline void sched_add_work(struct sched_todo *t, struct stream *s)
{
    if (hw_list_empty(&s->in_work))
        hw_list_push_back(&t->work, &s->in_work);
}

/* release: who sees that nothing is busy, in direct_begin(), also sees what the commands have written. It is enough that the
   last writer releases, since all of them have held the lock, one after the other. */
static inline void sched_change_busy(int by)
{
    unsigned now = atomic_load_explicit(&sched_n_busy, memory_order_relaxed) + (unsigned)by;
    atomic_store_explicit(&sched_n_busy, now, memory_order_release);
}

/* sched.c; all with the lock held. on: what c, or the thread, waits for. */
void sched_depend(struct cmd *on, struct cmd *c, struct sched_waiter *w);
void sched_hurry_locked(struct stream *s);
void sched_push_locked(struct sched_todo *t, struct stream *s, struct cmd *c);
void sched_finish_locked(struct sched_todo *t, struct cmd *c);   /* takes the head off its stream, and lets go what hung on it */
void sched_advance_locked(struct sched_todo *t);                 /* what may start now becomes ready */

/* sched_dispatch.c, without the lock. own: a command whose submitter waits and runs it itself; a small one then needs no other thread. */
void sched_dispatch(struct sched_todo *t, struct cmd *own);
void dispatch_init(void);

/* wait.c */
void sched_wait_own(struct stream *s);           /* for what the stream itself has queued now, and nothing else */
/* What a command queued on s now would wait for: is there any? With w, it waits for all of that. */
bool sched_tails_locked(struct stream *s, struct sched_waiter *w);

#endif
