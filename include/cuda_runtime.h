/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API with its C++ conveniences, and in a CUDA compilation the device side of the language. */
#ifndef HOSTWARP_CUDA_RUNTIME_H
#define HOSTWARP_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask whether it is there */

#include "hostwarp/words_push.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#include "crt/host_defines.h"
#include "hostwarp/device_first.h"
#endif

#include "builtin_types.h"
#include "library_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)
#include "hostwarp/device.h"
#ifndef __CUDACC_RTC__
#include <math.h> /* programs that include nothing of it count on its names, host code too */
#include <stdlib.h>
#endif
#endif

#if defined(__cplusplus)
extern "C++" { /* some programs include all that has to do with CUDA inside extern "C" */
#include "hostwarp/rt_cpp.h"
}
#endif

#include "hostwarp/words_pop.h"

#endif
