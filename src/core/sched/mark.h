/* SPDX-License-Identifier: Apache-2.0 */
/* Marks in streams: records of events, and waits for them. */
#ifndef CORE_MARK_H
#define CORE_MARK_H

#include "core/sched/cmd.h"
#include "core/sched/order.h"

/* Puts the record of an event, or a wait for its newest record, into a stream. */
void mark_push_record(struct stream *s, struct event *e);
void mark_push_wait(struct stream *s, struct event *e);
/* The same for an event that processes share: the command writes the record's number, or waits for it (NULL: it is there already). */
void mark_push_shared(struct stream *s, struct event *e, struct cmd *c, bool records);

/* The same as commands, for graphs; and one that does nothing, in its place in a stream. */
struct cmd *mark_record(struct event *e);
struct cmd *mark_wait(struct event *e);
struct cmd *mark_nothing(void);

#endif
