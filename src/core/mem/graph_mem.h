/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that graphs allocate and free: its address is fixed when the node is made, and it is there as long as a graph may use it. */
#ifndef CORE_GRAPH_MEM_H
#define CORE_GRAPH_MEM_H

#include "base/base.h"

#include <cuda.h>

struct ctx;
struct graph_memory;
struct stream;

/* props: the device's own memory, or INVALID_VALUE. */
CUresult graph_memory_new(struct ctx *ctx, const CUmemPoolProps *props, size_t bytes, struct graph_memory **out);
struct graph_memory *graph_memory_get(CUdeviceptr ptr);          /* a reference to what begins there, or NULL */
void graph_memory_ref(struct graph_memory *m);
void graph_memory_unref(struct graph_memory *m);                 /* NULL is fine */
void graph_memory_describe(const struct graph_memory *m, CUDA_MEM_ALLOC_NODE_PARAMS *out);
CUdeviceptr graph_memory_ptr(const struct graph_memory *m);

/* A launch allocates it and does not free it: from then on it is the program's, until that or another graph frees it. False: it is
   already. */
bool graph_memory_give_out(struct graph_memory *m);
bool graph_memory_take_back(struct graph_memory *m);             /* false: it was not given out */
bool graph_memory_is_out(const struct graph_memory *m);
/* cuMemFree and cuMemFreeAsync (s) of such memory; waits. INVALID_VALUE: there is none there, or it is not given out. */
CUresult graph_memory_free(CUdeviceptr ptr, struct stream *s);

/* The blocks of one executable graph. */
struct graph_blocks;
struct graph_blocks *graph_blocks_new(void);
void graph_blocks_unref(struct graph_blocks *b);                 /* NULL is fine */
/* An executable graph that allocates it begins or ends. False: there is one already. */
bool graph_memory_begin(struct graph_memory *m, struct graph_blocks *b);
void graph_memory_end(struct graph_memory *m);
/* Around the queueing of a launch: first of all that it allocates, then, when it is known what is given out, of each again. */
void graph_memory_launching(struct graph_memory *m, bool begins);
void graph_memory_trim(int device);
CUresult graph_memory_attribute(int device, CUgraphMem_attribute attribute, cuuint64_t *out);
CUresult graph_memory_reset_high(int device, CUgraphMem_attribute attribute);

#endif
