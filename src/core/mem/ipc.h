/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other processes. */
#ifndef CORE_IPC_H
#define CORE_IPC_H

#include "core/mem/ipc_file.h"

struct ctx;

/* Memory of another process. Opened again, it is at the same place, and closed as often. INVALID_VALUE: it is gone. */
/* pooled: memory of another process's pool, which cuMemFreeAsync closes. */
CUresult ipc_mem_open(struct ctx *ctx, const struct ipc_ref *ref, bool pooled, CUdeviceptr *out);
CUresult ipc_mem_close(CUdeviceptr ptr, bool pooled);            /* waits for the context's work with the last */
bool ipc_mem_is_pooled(CUdeviceptr ptr);
void ipc_ctx_gone(struct ctx *ctx);                              /* its memory is out of the map already */

#endif
