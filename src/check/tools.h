/* SPDX-License-Identifier: Apache-2.0 */
/* What each tool does at the hooks. */
#ifndef CHECK_TOOLS_H
#define CHECK_TOOLS_H

#include "core/hooks.h"

struct ctx;
struct exec_checker;
struct report;
struct trace_call;

void call_enters(struct hook_call *call);
void call_leaves(struct hook_call *call);
void call_host_fn_queued(const struct cmd *c);
void call_host_fn_started(const struct cmd *c);

/* leak.c: what is still there when a context goes: its memory, and objects of any context */
void leak_object_made(void *handle, const char *what);
void leak_object_gone(void *handle);
void leak_capture_ended(void);                   /* the graph that a capture has filled is the program's from this call on */
void leak_object_tell(struct report *r, void *handle);           /* where it was made and destroyed; nothing if it is no object */
void leak_look(struct ctx *ctx, const char *when);

/* refused.c: calls that fail because of the memory that they name */
void refused_copy(uint64_t addr, uint64_t bytes, bool writes);
void refused_free(uint64_t addr);

/* access.c: instrumented kernels */
extern const struct exec_checker access_checker;
void access_launch_made(struct cmd *c, const struct function *f, const struct launch_config *config);
struct trace_call *access_launch_added(struct cmd *c);           /* who added it to a graph, to be filled in */
void access_launch_queued(struct cmd *c);
void access_launch_over(struct cmd *c);

#endif
