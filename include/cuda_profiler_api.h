/* SPDX-License-Identifier: Apache-2.0 */
/* Where a program says which part of it is worth profiling. */
#ifndef HOSTWARP_CUDA_PROFILER_API_H
#define HOSTWARP_CUDA_PROFILER_API_H

#include "hostwarp/words_push.h"

#include "driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif

extern cudaError_t CUDARTAPI cudaProfilerStart(void);
extern cudaError_t CUDARTAPI cudaProfilerStop(void);

#ifdef __cplusplus
}
#endif

#include "hostwarp/words_pop.h"

#endif
