/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: what streams, events, modules and memory belong to; the stack of current ones of every thread. */
#ifndef CORE_CTX_H
#define CORE_CTX_H

#include "base/list.h"
#include "base/lock.h"
#include "core/obj.h"

#include <cuda.h>

struct device;
struct stream;
struct exec_printf;
struct exec_heap;

enum { CTX_MAX_LINES = 32 };

/*
 * A context.
 * Lifetime  The handle owns one reference; every stream, event, module and every place in a thread's stack one more.
 *           Destroying waits for calls of other threads (gate.h) and for the work, frees the memory and closes the handles of
 *           everything inside; the struct stays until the last reference goes.
 * Locks     mu (rank CTX) guards what is marked; the lists of streams belong to the scheduler's lock (stream.c).
 * Threads   Any.
 */
struct ctx {
    struct obj obj;
    struct device *dev;                          /* const */
    uint64_t id;                                 /* const; unique in the process */
    bool primary;                                /* const */
    _Atomic unsigned flags;                      /* CU_CTX_* */
    _Atomic CUresult error;                      /* sticky; the first fault wins */
    _Atomic bool meets;                          /* there has been a cooperative launch */
    _Atomic unsigned attached;                   /* cuCtxAttach */
    _Atomic bool dead;                           /* destroyed: calls answer CONTEXT_IS_DESTROYED */
    struct hw_mutex mu;
    struct hw_list events HW_GUARDED_BY(mu);     /* struct event.in_ctx */
    struct hw_list modules HW_GUARDED_BY(mu);    /* struct module.in_ctx */
    size_t limits[16] HW_GUARDED_BY(mu);         /* by CUlimit */
    CUfunc_cache cache_config;                   /* a hint; remembered only */
    CUsharedconfig shared_config;
    struct exec_printf *printf_buf;              /* what kernels printed and nobody flushed yet */
    struct exec_heap *heap;                      /* malloc() of kernels */
    struct stream *legacy;                       /* the NULL stream; const; its memory is freed with ours */
    struct hw_list streams;                      /* all streams: struct stream.in_ctx; scheduler's lock */
    struct hw_list busy;                         /* streams with pending work: struct stream.in_busy; scheduler's lock */
    unsigned n_lines;                            /* const; queues that streams share, 0: each has its own */
    _Atomic unsigned n_lined_up;                 /* streams that were given one */
    struct hw_list lines[CTX_MAX_LINES];         /* struct cmd.in_line; scheduler's lock */
};

/* --- the calling thread's stack --- */

/* The current context, borrowed, NULL when there is none. It may be dead or poisoned: see ctx_enter(). */
extern _Thread_local struct ctx *ctx_top;        /* ctx_stack.c's */
static inline struct ctx *ctx_current(void) { return ctx_top; }
/* For every call that needs a context: INVALID_CONTEXT, CONTEXT_IS_DESTROYED, or the sticky error. *out is borrowed, and
   written also when the answer is the sticky error. */
CUresult ctx_enter(struct ctx **out);
CUcontext ctx_current_handle(void);                              /* NULL when there is none */
CUresult ctx_push(CUcontext handle);                             /* NULL handle: INVALID_VALUE */
CUresult ctx_pop(CUcontext *out);                                /* out may be NULL */
CUresult ctx_set_current(CUcontext handle);                      /* replaces the top; NULL pops it */

/* --- life --- */
CUresult ctx_create(struct device *dev, unsigned flags, CUcontext *out);             /* and makes it current */
CUresult ctx_destroy(CUcontext handle);                          /* waits; pops it where it is the caller's current one */
struct ctx *ctx_get(CUcontext handle);                           /* a reference, or NULL (INVALID_CONTEXT) */
struct ctx *ctx_get_dead(CUcontext handle);                      /* the same for one that was destroyed: only to be found dead */
/* Older than destroying: as often detached as attached and once more, it ends. INVALID_CONTEXT: not the current one. */
CUresult ctx_attach(struct ctx *ctx, CUcontext *out);
CUresult ctx_detach(CUcontext handle);
struct event;
/* An event at the end of all that the context has to do now, and one that its streams wait for from now on. */
CUresult ctx_record_event(struct ctx *ctx, struct event *e);
CUresult ctx_wait_event(struct ctx *ctx, struct event *e);
static inline void ctx_ref(struct ctx *c) { obj_ref(&c->obj); }
static inline void ctx_unref(struct ctx *c) { obj_unref(c ? &c->obj : NULL); }
static inline CUcontext ctx_handle(const struct ctx *c) { return (CUcontext)c->obj.handle; }

/* --- the primary context of a device --- */
CUresult ctx_primary_retain(struct device *dev, CUcontext *out);
CUresult ctx_primary_release(struct device *dev);                /* INVALID_CONTEXT when not retained */
CUresult ctx_primary_reset(struct device *dev);                  /* retained or not */
CUresult ctx_primary_state(struct device *dev, unsigned *flags, int *active);
CUresult ctx_primary_set_flags(struct device *dev, unsigned flags);

/* --- questions and settings --- */
CUresult ctx_synchronize(struct ctx *ctx);                       /* waits for all work, flushes printf; the sticky error */
CUresult ctx_set_flags(struct ctx *ctx, unsigned flags);
CUresult ctx_limit(struct ctx *ctx, CUlimit limit, size_t *out); /* UNSUPPORTED_LIMIT, INVALID_VALUE */
CUresult ctx_set_limit(struct ctx *ctx, CUlimit limit, size_t value);
bool ctx_flags_valid(unsigned flags);

/* The context is broken from now on. Called by engines when a kernel faults. */
void ctx_poison(struct ctx *ctx, CUresult why);
static inline CUresult ctx_error(const struct ctx *ctx) { return ctx->error; }
/* Writes what kernels printed to standard output. */
void ctx_flush_printf(struct ctx *ctx);
void ctx_dump(const struct ctx *ctx, FILE *out);

#endif
