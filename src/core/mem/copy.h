/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills: what waits for what, what is staged, which pointers are right. */
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

struct copy_request {
    struct copy_end dst, src;
    size_t width;                /* bytes per row */
    size_t rows, slices;         /* 1 for a plain copy */
    bool async;                  /* the call was one of the ...Async kind */
};

/* Checks bounds (INVALID_VALUE), queues on the stream and waits as the real driver does for this kind of memory: a pageable
   source is read before the call returns, a pageable destination is complete. Zero bytes: success. */
CUresult copy_run(struct stream *s, const struct copy_request *req);
/* A copy that the caller waits for, in the legacy stream: done at once where nothing has to be waited for, and *rc is the context's
   error then. False: nothing was done, copy_linear() is to be called. */
bool copy_now(struct ctx *ctx, uint64_t dst, enum copy_side dst_side, uint64_t src, enum copy_side src_side, size_t bytes, CUresult *rc);
/* Many asynchronous copies: nothing is queued when one is wrong, *bad says which. The source of those marked in now is read before
   the call returns; of the others, pageable or not, when their turn comes. */
CUresult copy_batch(struct stream *s, const struct copy_request *reqs, const bool *now, size_t n, size_t *bad);
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
