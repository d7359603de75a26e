/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools: device memory that is allocated and freed in stream order. */
#ifndef CORE_MEMPOOL_H
#define CORE_MEMPOOL_H

#include "core/obj.h"

#include <cuda.h>

struct mempool;
struct pool_piece;
struct stream;

/* The pool of a handle as a reference, or NULL. */
struct mempool *mempool_get(CUmemoryPool handle);
void mempool_unref(struct mempool *p);
CUmemoryPool mempool_handle(const struct mempool *p);
int mempool_device(const struct mempool *p);

CUresult mempool_create(const CUmemPoolProps *props, CUmemoryPool *out);
/* The default pool: INVALID_VALUE. Memory that is still in use goes on; what remains goes when that is freed. */
CUresult mempool_destroy(CUmemoryPool handle);
/* A place's own pool, and the one that allocations without a pool take (of a device, pinned). */
CUresult mempool_default(const CUmemLocation *where, CUmemAllocationType type, CUmemoryPool *out);
CUresult mempool_current(const CUmemLocation *where, CUmemAllocationType type, CUmemoryPool *out);
CUresult mempool_set_current(const CUmemLocation *where, CUmemAllocationType type, CUmemoryPool handle);

CUresult mempool_get_attribute(struct mempool *p, CUmemPool_attribute attribute, void *value);
CUresult mempool_set_attribute(struct mempool *p, CUmemPool_attribute attribute, const void *value);
CUresult mempool_set_access(struct mempool *p, const CUmemAccessDesc *desc, size_t n);
CUresult mempool_access(struct mempool *p, const CUmemLocation *where, CUmemAccess_flags *out);
/* A pool for other processes: a file that says which it is. An imported one only gives its name to pointers that are imported. */
CUresult mempool_export(struct mempool *p, int *out_fd);
CUresult mempool_import(int fd, CUmemoryPool *out);
bool mempool_is_imported(const struct mempool *p);
/* A reference to memory of a pool that was exported; INVALID_VALUE: not the first byte of such. */
struct ipc_ref;
CUresult mempool_ref(CUdeviceptr ptr, struct ipc_ref *out);
/* Gives back what nobody uses, down to keep bytes. */
void mempool_trim(struct mempool *p, size_t keep);

/* 0 bytes: address 0, and nothing happens. pool NULL: the current one of the stream's device. The address is there at once; the memory is the caller's in stream order. */
CUresult mempool_alloc(struct mempool *pool, struct stream *s, size_t bytes, CUdeviceptr *out);
/* INVALID_VALUE: not the first byte of memory that is alive. Device memory of any other kind is freed when the stream comes to it. */
CUresult mempool_free(CUdeviceptr ptr, struct stream *s);

/* --- for mem.c and whoever waits for work --- */
void mempool_put_back(struct pool_piece *piece);                 /* freed in no stream's order: nothing uses it any more */
/* All work of s was waited for, or with s NULL all of ctx, or with neither some: unused memory beyond the release thresholds of the
   device's pools goes back. */
struct ctx;
void mempool_synchronized(int device, struct stream *s, struct ctx *ctx);

#endif
