/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing memory and events with other processes. */
#include "base/log.h"
#include "core/mem/ipc.h"

#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/mem/mem.h"
#include "driver/bodies.h"

_Static_assert(sizeof(struct ipc_ref) <= sizeof(CUipcMemHandle) && sizeof(struct ipc_ref) <= sizeof(CUipcEventHandle), "a reference fits");

CUresult do_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    struct ipc_ref ref;
    CUresult rc;

    if (!pHandle)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pHandle is NULL");
    if ((rc = mem_share(dptr, &ref)))
        return rc;
    memset(pHandle, 0, sizeof *pHandle);
    memcpy(pHandle, &ref, sizeof ref);
    return CUDA_SUCCESS;
}

CUresult do_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    struct ipc_ref ref;

    memcpy(&ref, &handle, sizeof ref);
    if (!pdptr || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || !ipc_ref_valid(&ref))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pdptr is NULL, flags 0x%x are not CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, or no process gave this handle", Flags);
    if (ipc_ref_ours(&ref))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "the memory is this process's own: only others open its handle");
    return ipc_mem_open(ctx_current(), &ref, false, pdptr);
}

CUresult do_cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    return do_cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult do_cuIpcCloseMemHandle(CUdeviceptr dptr) { return ipc_mem_close(dptr, false); }

CUresult do_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    struct event *e = event_get(event);
    struct ipc_ref ref;
    CUresult rc;

    if (!e)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no event, or it was destroyed");
    rc = pHandle ? event_share(e, &ref) : hw_refuse(CUDA_ERROR_INVALID_VALUE, "pHandle is NULL");
    event_unref(e);
    if (rc)
        return rc;
    memset(pHandle, 0, sizeof *pHandle);
    memcpy(pHandle, &ref, sizeof ref);
    return CUDA_SUCCESS;
}

CUresult do_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
    struct ipc_ref ref;

    if (!phEvent)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "phEvent is NULL");
    memcpy(&ref, &handle, sizeof ref);
    if (ipc_ref_valid(&ref) && ipc_ref_ours(&ref))
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "the event is this process's own: only others open its handle");
    return event_open(ctx_current(), &ref, phEvent);
}
