/* SPDX-License-Identifier: Apache-2.0 */
/* A box as programs describe it, turned into core's request. */
#ifndef DRIVER_COPY_H
#define DRIVER_COPY_H

#include <cuda.h>

struct copy_request;

CUresult copy_request_3d(const CUDA_MEMCPY3D *c, struct copy_request *out);
CUresult copy_request_op(const CUDA_MEMCPY3D_BATCH_OP *op, struct copy_request *out);

#endif
