/* SPDX-License-Identifier: Apache-2.0 */
/* All streams of a context at once. */
#ifndef CORE_CTX_SYNC_H
#define CORE_CTX_SYNC_H

#include "base/base.h"

#include <cuda.h>

struct ctx;
struct event;
struct stream;

CUresult ctx_synchronize(struct ctx *ctx);                       /* waits for all work, flushes printf; the sticky error */
/* An event at the end of all that the context has to do now, and one that its streams wait for from now on. */
CUresult ctx_record_event(struct ctx *ctx, struct event *e);
CUresult ctx_wait_event(struct ctx *ctx, struct event *e);
/* References to all streams of a context, so that they can be used without the list's lock; hw_free() the list. */
size_t ctx_streams(struct ctx *ctx, struct stream ***out);

#endif
