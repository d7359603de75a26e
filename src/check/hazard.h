/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of different streams that touch the same bytes in no order: copies and fills against each other, and against what kernels touched. */
#ifndef CHECK_HAZARD_H
#define CHECK_HAZARD_H

#include "base/base.h"
#include "check/trace.h"

struct cmd;
struct report;
struct stream;

/* cmd.watched of a copy: the call that made it, and when (ledger_now()). */
struct copy_watch {
    struct trace_call call;
    struct trace_call added;     /* of a graph: the call that added the node */
    uint64_t at;
};

/* A command, so that reports can name it; what: static text. */
void hazard_name(uint32_t number, const struct trace_call *call, const char *what);
/* A launch, so that reports can name it: the call, the one that added it to a graph (or NULL, or no call), the kernel's name, which stays. */
void hazard_launch(const struct cmd *c, const struct trace_call *call, const struct trace_call *added, const char *kernel);

void hazard_copy_made(struct cmd *c);            /* on the calling thread */
void hazard_copy_queued(struct cmd *c);          /* its place in the order is known; the scheduler's lock is held */
void hazard_copy_over(struct cmd *c);
struct trace_call *hazard_copy_added(struct cmd *c);             /* who added it to a graph, to be filled in */
/* The life of memory of a pool begins or ends in the order of a stream. */
enum hazard_life { HAZARD_FREED = 1, HAZARD_MADE };
void hazard_life(struct stream *s, uint64_t base, uint64_t bytes, enum hazard_life what);

/* Was this said often enough? */
bool hazard_is_stale(uint32_t now, const char *now_place, uint32_t other, const char *other_place);
/* One side of a report: a command, by its number; place: in device code, or NULL. */
void hazard_side(struct report *r, const char *verb, uint32_t number, const char *place);

/* A kernel's access to a word of global memory that another command touched; place: in device code. */
void hazard_found(uint32_t now, const char *now_place, bool now_writes, uint32_t other, const char *other_place, bool other_writes, uint64_t address);
/* Does it touch what a copy does that is in no order with the kernel, or what host code did? Quick where there is none. system_wide: host code may wait for the
   word, or write it for the kernel to wait for. */
struct hazard_view;
struct hazard_view *hazard_view_new(uint32_t kernel);
void hazard_view_free(struct hazard_view *v);
void hazard_look(struct hazard_view *v, uint64_t address, uint64_t bytes, bool writes, bool system_wide, const char *place);

/* Is there a copy by now that is in no order with the kernel? */
bool hazard_any(struct hazard_view *v);

/* Was the address looked at, and is it in memory that host code cannot use? [*low, *high): made smaller, to where the same holds. */
bool hazard_private(const struct hazard_view *v, uint64_t address, uint64_t *low, uint64_t *high);

#endif
