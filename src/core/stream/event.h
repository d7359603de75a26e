/* SPDX-License-Identifier: Apache-2.0 */
/* Events: marks in streams, with the time at which the stream passed them. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "core/sched/order.h"

#include <cuda.h>

struct ipc_ref;
struct cmd;
struct ctx;
struct stream;

CUresult event_create(struct ctx *ctx, unsigned flags, CUevent *out);        /* unknown flags, INTERPROCESS with timing: INVALID_VALUE */
CUresult event_destroy(CUevent handle);                          /* pending records still complete */
struct event *event_get(CUevent handle);                         /* a reference, or NULL: event_missing() */
CUresult event_missing(CUevent handle);                          /* what is wrong with one that event_get() does not know */

/* An event and a stream of different contexts: INVALID_HANDLE. flags: CU_EVENT_RECORD_*. */
CUresult event_record(struct event *e, struct stream *s, unsigned flags);
/* For other processes: INVALID_HANDLE when the event was not made for that, or not made here; and another process's event. */
CUresult event_share(struct event *e, struct ipc_ref *out);
CUresult event_open(struct ctx *ctx, const struct ipc_ref *ref, CUevent *out);
void event_push_wait(struct stream *s, struct event *e);         /* what is queued on s after this waits for e's newest record */
CUresult event_query(struct event *e);                           /* never recorded: success */
CUresult event_synchronize(struct event *e);
/* Never recorded, or made without timing: INVALID_HANDLE; not passed yet: NOT_READY. */
CUresult event_elapsed(struct event *start, struct event *end, float *out_ms);

#endif
