/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing memory and events with other processes. */
#include "runtime/bodies.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle) && sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle),
               "the runtime's handles are the driver's");

cudaError_t do_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    return api_error(cuIpcGetMemHandle((CUipcMemHandle *)handle, (CUdeviceptr)(uintptr_t)devPtr));
}

cudaError_t do_cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
    CUipcMemHandle h;

    memcpy(&h, &handle, sizeof h);
    return api_error(cuIpcOpenMemHandle((CUdeviceptr *)devPtr, h, flags));
}

cudaError_t do_cudaIpcCloseMemHandle(void *devPtr) { return api_error(cuIpcCloseMemHandle((CUdeviceptr)(uintptr_t)devPtr)); }

cudaError_t do_cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    return api_error(cuIpcGetEventHandle((CUipcEventHandle *)handle, (CUevent)event));
}

cudaError_t do_cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    CUipcEventHandle h;

    memcpy(&h, &handle, sizeof h);
    return api_error(cuIpcOpenEventHandle((CUevent *)event, h));
}
