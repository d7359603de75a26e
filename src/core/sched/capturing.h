/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that are being captured: for everything that puts work into streams. Who captures (graph/capture.c) stands above those who ask, since a graph's nodes
 * are kernels and copies; so they reach it through a table of functions.
 */
#ifndef CORE_CAPTURING_H
#define CORE_CAPTURING_H

#include "base/base.h"

#include <cuda.h>
#include <stdatomic.h>

struct copy_request;
struct ctx;
struct event;
struct function;
struct launch_config;
struct stream;

struct capturing {
#define CAPTURE(result, name, params, args) result (*name) params;
#include "core/sched/capturing.def"
#undef CAPTURE
};
extern const struct capturing capturing;

#define CAPTURE(result, name, params, args) static inline result capture_##name params { return capturing.name args; }
#include "core/sched/capturing.def"
#undef CAPTURE

extern _Atomic unsigned capture_count;           /* captures that are active */
static inline bool capture_any(void) { return atomic_load_explicit(&capture_count, memory_order_relaxed) != 0; }

/* One load while nobody captures. */
static inline CUresult capture_enter(struct stream *s, bool *captures)
{
    *captures = false;
    return hw_likely(!capture_any()) ? CUDA_SUCCESS : capture_stream(s, captures);
}

#endif
