/* SPDX-License-Identifier: Apache-2.0 */
/* A thread for what follows from a command and may take a while: a condition is looked at, what a kernel launched is queued. It never waits. */
#ifndef CORE_LATER_H
#define CORE_LATER_H

#include "core/sched/cmd.h"

bool later_ready(void);                          /* before commands that come here are made: there is a thread for them. False: none is to be had now */
void later_do(struct cmd *c, void (*fn)(struct cmd *c));         /* fn(c) by that thread, first come first; c->next and c->later are its own until then */

#endif
