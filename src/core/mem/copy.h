/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills: what waits for what, what is staged, which pointers are right.
 *
 * All go one way (copy.c): what both ends are is asked of the memory map; that and the kind of call give a row of one table: the engine, and how long the
 * call waits; then the copy is made by the calling thread, where its stream has nothing to wait for and queueing would take longer, or queued. Small copies with
 * nothing out of the ordinary have the same way in a few nanoseconds before it: copy_quick.h.
 */
#ifndef CORE_COPY_H
#define CORE_COPY_H

#include "base/base.h"

#include <cuda.h>

struct cmd;
struct ctx;
struct stream;

/* What the caller says about a pointer: DEVICE must be memory CUDA knows; HOST may be anything but NULL (and may turn out to
   be device memory: the real driver takes that too); ANY is found out by address. */
enum copy_side { COPY_ANY, COPY_HOST, COPY_DEVICE };

struct copy_end {
    enum copy_side side;
    uint64_t addr;               /* of the first byte to move: offsets are already added */
    size_t pitch;                /* bytes from row to row; 0: rows follow each other without a gap */
    size_t slice;                /* bytes from slice to slice; 0: pitch * rows */
};

/* The call that a copy comes from. How long it waits is in the table of copy.c, for each pair of places. */
enum copy_call {
    COPY_SYNC,
    COPY_ASYNC,                  /* one of the ...Async kind */
    COPY_IN_ORDER,               /* of a batch: the source, pageable or not, is read when the copy's turn comes */
    COPY_READ_NOW,               /* of a batch: the source is read before the call returns */
    COPY_CALLS,
};

struct copy_request {
    struct copy_end dst, src;
    size_t width;                /* bytes per row */
    size_t rows, slices;         /* 1 for a plain copy */
    enum copy_call call;
};

/* Checks bounds (INVALID_VALUE), queues on the stream and waits as the real driver does for this kind of memory: a pageable
   source is read before the call returns, a pageable destination is complete. Zero bytes: success. */
CUresult copy_run(struct stream *s, const struct copy_request *req);
/* Many of them, COPY_IN_ORDER or COPY_READ_NOW: nothing is done when one is wrong or empty, *bad says which. */
CUresult copy_batch(struct stream *s, const struct copy_request *reqs, size_t n, size_t *bad);
/* For graphs: the same checks, and the command; zero bytes give a command that does nothing. */
CUresult copy_cmd(const struct copy_request *req, struct cmd **out);
/* One row. */
CUresult copy_linear(struct stream *s, uint64_t dst, enum copy_side dst_side, uint64_t src, enum copy_side src_side, size_t bytes,
                     bool async);

/* Sets width elements of 1, 2 or 4 bytes in each row. dst and pitch must be multiples of the element (INVALID_VALUE); the
   memory must be known to CUDA. rows > 1: pitch >= width * element, else INVALID_VALUE. */
CUresult copy_fill(struct stream *s, CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows,
                   bool async);

CUresult copy_fill_cmd(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t rows, struct cmd **out);

#endif
