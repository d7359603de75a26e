/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver API has for a profiler that is told when to look. */
#ifndef HOSTWARP_CUDA_PROFILER_H
#define HOSTWARP_CUDA_PROFILER_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

#ifdef __cplusplus
}
#endif

#endif
