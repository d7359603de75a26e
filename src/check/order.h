/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of commands: vector clocks over streams. A command comes after those before it in its stream, after what the stream was told to wait for,
 * after the legacy stream's where the rules say so, and after all that the host had waited for when it was queued. What the host knows is known to all
 * its threads.
 */
#ifndef CHECK_ORDER_H
#define CHECK_ORDER_H

#include "base/base.h"

struct cmd;
struct ctx;
struct event;
struct stream;

/* At the hooks; the scheduler's lock is held. */
void order_queued(struct cmd *c);
void order_depends(struct cmd *c, struct cmd *on);
void order_recorded(struct event *e, struct cmd *c);
void order_stream_waits(struct stream *s, struct event *e);
/* The host has waited: for a stream, an event, a context, or one command; the others are NULL. */
void order_host_waited(struct stream *s, struct event *e, struct ctx *ctx, uint64_t seq);
/* Host code may learn, in ways that we do not see, that what comes before this command is over: a host function has begun, a word was written that somebody
   may wait for. Commands that are queued later are not ordered by that. */
void order_host_sees(uint32_t number);
bool order_host_waited_for(uint32_t number);     /* and queues from now on behind it */
bool order_host_knows(uint32_t number);          /* by a wait, or so */
/* A place in a stream that is no command, such as where memory is freed in its order: a number to compare. */
uint32_t order_point(struct stream *s);
bool order_is_point(uint32_t number);

/* Numbers of commands (the low half of cmd->seq). Does one of the two come after the other? Of what is long forgotten: yes. */
bool order_between(uint32_t a, uint32_t b);

#endif
