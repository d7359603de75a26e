/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX: names for devices, contexts, streams and events of the driver API. They are taken and not shown. */
#ifndef HOSTWARP_NVTX3_CUDA_H
#define HOSTWARP_NVTX3_CUDA_H

#include "../hostwarp/words_push.h"

#include "../cuda.h"
#include "nvToolsExt.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void nvtxNameCuDeviceA(CUdevice device, const char *name) { (void)device, (void)name; }
static inline void nvtxNameCuDeviceW(CUdevice device, const wchar_t *name) { (void)device, (void)name; }
static inline void nvtxNameCuContextA(CUcontext context, const char *name) { (void)context, (void)name; }
static inline void nvtxNameCuContextW(CUcontext context, const wchar_t *name) { (void)context, (void)name; }
static inline void nvtxNameCuStreamA(CUstream stream, const char *name) { (void)stream, (void)name; }
static inline void nvtxNameCuStreamW(CUstream stream, const wchar_t *name) { (void)stream, (void)name; }
static inline void nvtxNameCuEventA(CUevent event, const char *name) { (void)event, (void)name; }
static inline void nvtxNameCuEventW(CUevent event, const wchar_t *name) { (void)event, (void)name; }

#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA

#ifdef __cplusplus
}
#endif

#include "../hostwarp/words_pop.h"

#endif
