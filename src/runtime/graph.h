/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about graphs share. */
#ifndef RUNTIME_GRAPH_H
#define RUNTIME_GRAPH_H

#include "runtime/bodies.h"

cudaError_t graph_describe_kernel(const struct cudaKernelNodeParams *in, CUDA_KERNEL_NODE_PARAMS *out);

#endif
