/* SPDX-License-Identifier: Apache-2.0 */
/* A box as programs describe it, turned into core's request. */
#ifndef DRIVER_COPY_H
#define DRIVER_COPY_H

#include "core/mem/copy.h"

/* What a batch says about the source of its copies. */
static inline enum copy_call copy_call_of(CUmemcpySrcAccessOrder order)
{
    return order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ? COPY_READ_NOW : COPY_IN_ORDER;
}

CUresult copy_request_3d(const CUDA_MEMCPY3D *c, struct copy_request *out);
CUresult copy_request_op(const CUDA_MEMCPY3D_BATCH_OP *op, struct copy_request *out);

#endif
