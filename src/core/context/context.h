/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts are made and ended here, above all that they hold. */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "base/base.h"

#include <cuda.h>

struct ctx;
struct device;

/* --- life --- */
CUresult ctx_create(struct device *dev, unsigned flags, CUcontext *out);             /* and makes it current */
CUresult ctx_destroy(CUcontext handle);                          /* waits; pops it where it is the caller's current one */
/* Older than destroying: as often detached as attached (ctx_attach()) and once more, it ends. INVALID_CONTEXT: not the current one. */
CUresult ctx_detach(CUcontext handle);

/* --- the primary context of a device --- */
CUresult ctx_primary_retain(struct device *dev, CUcontext *out);
CUresult ctx_primary_release(struct device *dev);                /* INVALID_CONTEXT when not retained */
CUresult ctx_primary_reset(struct device *dev);                  /* retained or not */
CUresult ctx_primary_state(struct device *dev, unsigned *flags, int *active);
CUresult ctx_primary_set_flags(struct device *dev, unsigned flags);

/* --- limits --- */
enum { CONTEXT_L2_PART = 3932160, CONTEXT_L2_PARTS = 10 };       /* as measured on an H200: what L2 cache is set aside in, and how many of the 16 can be */
CUresult ctx_set_limit(struct ctx *ctx, CUlimit limit, size_t value);

#endif
