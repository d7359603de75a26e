/* SPDX-License-Identifier: Apache-2.0 */
/* Types of pointers to the functions of cudaProfiler.h. */
#ifndef HOSTWARP_CUDA_PROFILER_TYPEDEFS_H
#define HOSTWARP_CUDA_PROFILER_TYPEDEFS_H

#include "hostwarp/words_push.h"

#include "cudaProfiler.h"

typedef CUresult(CUDAAPI *PFN_cuProfilerInitialize_v4000)(const char *configFile, const char *outputFile, CUoutput_mode outputMode);
typedef CUresult(CUDAAPI *PFN_cuProfilerStart_v4000)(void);
typedef CUresult(CUDAAPI *PFN_cuProfilerStop_v4000)(void);
#define PFN_cuProfilerInitialize PFN_cuProfilerInitialize_v4000
#define PFN_cuProfilerStart PFN_cuProfilerStart_v4000
#define PFN_cuProfilerStop PFN_cuProfilerStop_v4000

#include "hostwarp/words_pop.h"

#endif
