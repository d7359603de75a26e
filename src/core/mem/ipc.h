/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and events that several processes use: files that exist only in memory, named by a process and its descriptor. */
#ifndef CORE_IPC_H
#define CORE_IPC_H

#include "base/base.h"

#include <cuda.h>
#include <stdatomic.h>

struct ctx;

/* What travels between processes inside CUDA's handles of 64 bytes. */
struct ipc_ref {
    uint32_t magic;
    int32_t pid, fd, device;
    uint64_t inode, file_bytes;  /* tell whether the descriptor still is that file */
    uint64_t offset, bytes;
};

/*
 * A file in memory that stays as long as it is: who maps it need not trust the others that have it. -1: there is no memory. What others hand over is
 * only taken if it is such a file; any other could become shorter, and touching it would then end the process.
 */
int ipc_file_new(const char *name, uint64_t bytes);
bool ipc_file_stays(int fd);

/* fd: open in this process for as long as others may open the reference. */
CUresult ipc_ref_make(int fd, int device, uint64_t file_bytes, uint64_t offset, uint64_t bytes, struct ipc_ref *out);
bool ipc_ref_valid(const struct ipc_ref *ref);
bool ipc_ref_ours(const struct ipc_ref *ref);                    /* made by this process */

/* Memory of another process. Opened again, it is at the same place, and closed as often. INVALID_VALUE: it is gone. */
/* pooled: memory of another process's pool, which cuMemFreeAsync closes. */
CUresult ipc_mem_open(struct ctx *ctx, const struct ipc_ref *ref, bool pooled, CUdeviceptr *out);
CUresult ipc_mem_close(CUdeviceptr ptr, bool pooled);            /* waits for the context's work with the last */
bool ipc_mem_is_pooled(CUdeviceptr ptr);
void ipc_ctx_gone(struct ctx *ctx);                              /* its memory is out of the map already */

/* How often an event was recorded, and the newest record that was passed: in memory that all its processes share. */
struct ipc_event {
    _Atomic uint64_t recorded, done;
};
CUresult ipc_event_new(struct ipc_event **out, int *out_fd);
CUresult ipc_event_open(const struct ipc_ref *ref, struct ipc_event **out);
void ipc_event_free(struct ipc_event *e, int fd);                /* fd -1: another process's */

#endif
