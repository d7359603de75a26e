/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables that queued work is to use when their function has returned: arguments of host functions, copies of graphs, registered memory. */
#ifndef CHECK_FRAMES_H
#define CHECK_FRAMES_H

#include "check/area.h"
#include "core/mem/mem.h"

struct cmd;

/* The calling thread comes into the API: what lies below its stack pointer there has no owner any more. No lock held. */
void frames_call(void);

void frames_function_queued(const struct cmd *c);
void frames_copy_queued(uint32_t number, const struct area *areas, unsigned n);
/* Memory goes that a host function was given, perhaps. */
void frames_freed(uint64_t from, uint64_t to, const char *call, const void *caller);
void frames_registered(const struct mem_info *info);
void frames_unregistered(const struct mem_info *info);

/* A host function begins, on its thread, and is over. */
void frames_function_begins(uint32_t number);
void frames_function_over(uint32_t number);

/* In a handler, before the next instruction of a host function: is it to be looked at further? pc: that instruction; registers: by their number in it. */
struct frames_watch;
extern _Thread_local struct frames_watch *frames_watched;        /* what this thread's host function was given, or NULL */
bool frames_step(uint64_t pc, const uint64_t registers[16], void *context);
void frames_drain(void);         /* reports */

#endif
