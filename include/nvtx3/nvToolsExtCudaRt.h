/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX: names for devices, streams and events of the runtime API. They are taken and not shown. */
#ifndef HOSTWARP_NVTX3_CUDART_H
#define HOSTWARP_NVTX3_CUDART_H

#include "../hostwarp/words_push.h"

#include "../cuda_runtime_api.h"
#include "nvToolsExt.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void nvtxNameCudaDeviceA(int device, const char *name) { (void)device, (void)name; }
static inline void nvtxNameCudaDeviceW(int device, const wchar_t *name) { (void)device, (void)name; }
static inline void nvtxNameCudaStreamA(cudaStream_t stream, const char *name) { (void)stream, (void)name; }
static inline void nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t *name) { (void)stream, (void)name; }
static inline void nvtxNameCudaEventA(cudaEvent_t event, const char *name) { (void)event, (void)name; }
static inline void nvtxNameCudaEventW(cudaEvent_t event, const wchar_t *name) { (void)event, (void)name; }

#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA

#ifdef __cplusplus
}
#endif

#include "../hostwarp/words_pop.h"

#endif
