/* SPDX-License-Identifier: Apache-2.0 */
/* What every entry point shares: ids, the table made of driver.def, entering and leaving a call. */
#ifndef DRIVER_API_H
#define DRIVER_API_H

#include "base/log.h"
#include "base/base.h"
#include "core/hooks.h"

#include <cuda.h>

struct ctx;
struct function;
struct stream;

/* cudaProfiler.h declares this type for programs; we need only its size. */
typedef int CUoutput_mode;

/* The newest interface level this library speaks. Programs and runtimes of 12.x and 13.0 both accept it. */
enum { DRIVER_NEWEST = 13000, DRIVER_OLDEST = 11000 };
int driver_version(void);        /* 13000, or what HOSTWARP_DRIVER says */

enum api_kind { API_KIND_API, API_KIND_SAME, API_KIND_STUB };
enum api_pt { PT_ANY, PT_ONLY };                 /* PT_ONLY: stream 0 is the calling thread's own default stream */
enum api_flag {
    NO_INIT = 1,                                 /* works before cuInit, at exit and inside host functions */
    NEEDS_CTX = 2,                               /* INVALID_CONTEXT without one; a broken context answers why it is broken */
    OWN_CTX = 4,                                 /* as NEEDS_CTX, but a handle that names its context will do instead */
    BROKEN_OK = 8,                               /* with NEEDS_CTX: a broken context is fine */
    HOST_FN_OK = 16,                             /* allowed inside host functions when it names a stream or event */
    GIVES = 32,                                  /* gives back, waits or asks: goes on while the heap is exhausted */
};

enum api_id {
#define API(base, sym, since, pt, flags, params, args) API_##sym,
#define STUB(base, sym, since, pt, flags, params, args) API_##sym,
#define SAME(base, sym, other, since, pt, flags, params, args) API_##sym,
#include "driver/driver.def"
#undef API
#undef STUB
#undef SAME
    API_COUNT
};

struct api_row {
    const char *base, *symbol;
    void (*fn)(void);
    int since;
    enum api_kind kind;
    enum api_pt pt;
    unsigned flags;
};
extern const struct api_row api_rows[API_COUNT];

/* One call in progress. Lives on the caller's stack. */
struct api_call {
    enum api_id id;
    const void *caller;
    bool outer_per_thread;                       /* of the call around us: a callback of ours may call in again */
    unsigned outer_inside;                       /* so many contexts that one is inside of (core/device/gate.h) */
    struct hook_call hook;                       /* filled only while somebody listens */
};

extern _Thread_local bool api_tls_per_thread;    /* which default stream the entry point that runs on this thread means */

CUresult api_enter(struct api_call *call, enum api_id id);
CUresult api_leave(struct api_call *call, CUresult rc);
CUresult api_stub(enum api_id id);
/* The call answers rc: for the log, for listeners, for the end of the program. Takes args; before api_leave(). */
void api_note_refusal(struct api_call *call, CUresult rc, char *args);
/* Does anybody want to know? That something is not ready yet is asked often. */
static inline bool api_notes(CUresult rc) { return hw_unlikely(rc != CUDA_SUCCESS) && (rc == CUDA_ERROR_NOT_READY ? hw_log_on(HW_LOG_DEBUG) : hw_reasons_on()); }

/* --- for bodies --- */

/* The stream of a handle, as a reference; 0 is the default stream that this entry point means. A stream of another context
   than the current one is fine: the stream's context counts, and what is wrong with it is the answer. */
CUresult api_stream(CUstream handle, struct stream **out);
bool api_per_thread(void);

bool api_window_valid(const CUaccessPolicyWindow *w);            /* of streams, launches and nodes */

/* CUfunction or, as the real driver allows, a CUkernel in its place. A reference: function_put(). NULL: INVALID_HANDLE. */
struct function *api_function(CUfunction handle);

#endif
