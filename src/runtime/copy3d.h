/* SPDX-License-Identifier: Apache-2.0 */
/* A box as programs describe it, in the driver's words. */
#ifndef RUNTIME_COPY3D_H
#define RUNTIME_COPY3D_H

#include "runtime/api.h"

cudaError_t copy3d_describe(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);

#endif
