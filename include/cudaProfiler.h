/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver API has for a profiler that is told when to look. */
#ifndef HOSTWARP_CUDA_PROFILER_H
#define HOSTWARP_CUDA_PROFILER_H

#include "hostwarp/words_push.h"

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUoutput_mode_enum { CU_OUT_KEY_VALUE_PAIR = 0, CU_OUT_CSV = 1 } CUoutput_mode;

CUresult CUDAAPI cuProfilerInitialize(const char *configFile, const char *outputFile, CUoutput_mode outputMode);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

#ifdef __cplusplus
}
#endif

#include "hostwarp/words_pop.h"

#endif
