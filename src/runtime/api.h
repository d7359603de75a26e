/* SPDX-License-Identifier: Apache-2.0 */
/* What every runtime call shares: entering and leaving, the thread's last error, codes of the driver turned into ours. */
#ifndef RUNTIME_API_H
#define RUNTIME_API_H

#include "base/log.h"
#include "base/base.h"

#include <builtin_types.h>
#include <cuda.h>
#include <hostwarp.h>
#include <stdatomic.h>

enum api_pt { PT_ANY, PT_ONLY };                 /* PT_ONLY: stream 0 is the calling thread's own default stream */
enum api_flag {
    NO_INIT = 1,                                 /* does not start the driver */
    NEEDS_CTX = 2,                               /* makes the device's primary context current where the thread has none */
    QUIET = 4 | NO_INIT,                         /* what it answers is not an error of its own */
};

/* One call in progress. Lives on the caller's stack. */
struct api_call {
    const char *name;
    const void *caller;
    uint64_t token;                              /* the profiler's */
    unsigned flags;
    bool outer_per_thread;                       /* of the call around us: a callback of ours may call in again */
};

cudaError_t api_enter(struct api_call *call, const char *name, enum api_pt pt, unsigned flags);
cudaError_t api_leave(struct api_call *call, cudaError_t rc);

/* For entry.c, which does in place what they come to when nobody listens: */
extern _Thread_local bool api_tls_per_thread;    /* which default stream the running entry point means */
extern _Atomic bool api_exit_hooked;             /* the first call has been */
#pragma weak hostwarp_prof_listens
static inline bool api_listened_to(void) { return &hostwarp_prof_listens && hostwarp_prof_listens; }
/* The call answers rc: for the log, and for the driver, which knows who listens. Takes args; before api_leave(). */
void api_note_refusal(struct api_call *call, cudaError_t rc, char *args);
/* Does anybody want to know? That something is not ready yet is asked often. */
static inline bool api_notes(cudaError_t rc) { return hw_unlikely(rc != cudaSuccess) && (rc == cudaErrorNotReady ? hw_log_on(HW_LOG_DEBUG) : hw_reasons_on()); }
cudaError_t api_stub(const char *name, _Atomic bool *said);

/* 12030 or 13000: which library this is. Each has its own (entry.c). */
extern const int api_version;

/* --- for bodies --- */

/* The thread's last error; taking it clears it. */
cudaError_t api_last_error(bool take);
/* What a HAND-written call answers: remembered as the last error like any other. */
cudaError_t api_latch(cudaError_t rc);

/* Is the program on its way out? */
bool api_exiting(void);

/* The driver's answer as ours. */
cudaError_t api_error(CUresult rc);

/* The driver's stream of ours: 0 is the default stream that this entry point means. */
CUstream api_stream(cudaStream_t stream);

#endif
