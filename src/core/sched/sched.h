/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler: commands, what each waits for, and the one lock over all of it.
 *
 * A command runs when it is the head of its stream and everything else it waits for has finished. It only ever waits for
 * commands that were queued before it, so no set of calls can make a cycle.
 */
#ifndef CORE_SCHED_H
#define CORE_SCHED_H

#include "core/sched/cmd.h"
#include "core/sched/order.h"

void sched_init(void);                           /* core_init() calls it once */

/* Queues; the stream runs it when its turn comes. */
void sched_push(struct stream *s, struct cmd *c);
/* For calls of the program that launch, copy or fill: as sched_push(), but waits where CUDA_LAUNCH_BLOCKING wants it. Answers the context's sticky error then. */
CUresult sched_push_work(struct stream *s, struct cmd *c);
extern bool sched_blocking;                      /* const after sched_init() */
/* Queues and waits; the caller helps. Answers the context's sticky error. */
CUresult sched_push_and_wait(struct stream *s, struct cmd *c);

/* Several commands at once, none of which starts before all are queued: items[i].cmd goes into items[i].stream and also waits for
   those items, all earlier, that items[i].deps names. after: the first one also waits for that event's newest record. Records
   and waits of events take place in order of the items. */
struct sched_item {
    struct stream *stream;
    struct cmd *cmd;
    const uint32_t *deps;
    uint32_t n_deps;
};
void sched_push_batch(const struct sched_item *items, size_t n, struct event *after);

/* For who was given a command by start(): now its job goes to the engine. */
void sched_submit(struct cmd *c, bool wake);

/* A command whose kind has start() or ran() is over now. */
void sched_done(struct cmd *c);

/* The streams that s waited for last, through events. */
void sched_follows(struct stream *s, struct stream_follows *out);
/* The host has waited for all of s, or for all streams of ctx. */
void sched_note_synced(struct stream *s, struct ctx *ctx);

/* Is everything done that a command queued on s now would wait for? */
bool sched_idle(struct stream *s);
void sched_wait_stream(struct stream *s);
void sched_wait_event(struct event *e);
void sched_wait_ctx(struct ctx *ctx);

extern _Atomic unsigned sched_n_busy;            /* streams with work, and calls of direct_quiet(); written under the lock */

/* For the fields of streams and events that are marked "sched". */
void sched_lock(void);
void sched_unlock(void);

#endif
