/* SPDX-License-Identifier: Apache-2.0 */
/* Events: marks in streams, with the time at which the stream passed them. */
#ifndef CORE_EVENT_H
#define CORE_EVENT_H

#include "base/list.h"
#include "core/obj.h"

#include <cuda.h>

struct capture_mark;
struct ipc_event;
struct ipc_ref;
struct cmd;
struct ctx;
struct stream;

/*
 * An event.
 * Lifetime  The handle owns one reference, a queued record one more.
 * Locks     The scheduler's lock guards what is marked "sched".
 */
struct event {
    struct obj obj;
    struct ctx *ctx;                             /* const, referenced */
    unsigned flags;                              /* const */
    struct hw_list in_ctx;                       /* ctx->events */
    struct cmd *pending;                         /* sched: the newest record while it has not executed */
    bool recorded;                               /* sched: was ever recorded */
    struct capture_mark *_Atomic mark;           /* capture.c: its newest record was captured */
    uint64_t record_stream, record_at;           /* sched: where the newest record is: the stream's id, and its n_pushed then */
    uint64_t time_ns;                            /* sched: when the newest executed record did */
    struct ipc_event *shared;                    /* const; CU_EVENT_INTERPROCESS: this counts, not pending */
    int shared_fd;                               /* const; -1: another process made it */
};

CUresult event_create(struct ctx *ctx, unsigned flags, CUevent *out);        /* unknown flags, INTERPROCESS with timing: INVALID_VALUE */
CUresult event_destroy(CUevent handle);                          /* pending records still complete */
struct event *event_get(CUevent handle);                         /* a reference, or NULL: event_missing() */
CUresult event_missing(CUevent handle);                          /* what is wrong with one that event_get() does not know */
static inline void event_ref(struct event *e) { obj_ref(&e->obj); }
static inline void event_unref(struct event *e) { obj_unref(e ? &e->obj : NULL); }
static inline CUevent event_handle(const struct event *e) { return (CUevent)e->obj.handle; }

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
