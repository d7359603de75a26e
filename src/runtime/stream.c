/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, callbacks and host functions. */
#include "runtime/bodies.h"

/* --- life --- */

cudaError_t do_cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
    if (!pStream)
        return hw_refuse(cudaErrorInvalidValue, "pStream is NULL");
    return api_error(cuStreamCreateWithPriority((CUstream *)pStream, flags, priority));
}

cudaError_t do_cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    if (!pStream)
        return hw_refuse(cudaErrorInvalidValue, "pStream is NULL");
    return api_error(cuStreamCreate((CUstream *)pStream, flags));
}

cudaError_t do_cudaStreamCreate(cudaStream_t *pStream) { return do_cudaStreamCreateWithFlags(pStream, cudaStreamDefault); }

cudaError_t do_cudaStreamDestroy(cudaStream_t stream)
{
    /* The default streams belong to the context. */
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return hw_refuse(cudaErrorInvalidResourceHandle, "the default streams belong to the context, and are not destroyed");
    return api_error(cuStreamDestroy((CUstream)stream));
}

/* --- questions --- */

cudaError_t do_cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    return api_error(cuStreamGetPriority(api_stream(hStream), priority));
}

cudaError_t do_cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
    return api_error(cuStreamGetFlags(api_stream(hStream), flags));
}

cudaError_t do_cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId)
{
    return api_error(cuStreamGetId(api_stream(hStream), streamId));
}

cudaError_t do_cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
    CUdevice dev;
    cudaError_t rc;

    if (!device)
        return hw_refuse(cudaErrorInvalidValue, "device is NULL");
    if ((rc = api_error(cuStreamGetDevice(api_stream(hStream), &dev))))
        return rc;
    *device = dev;
    return cudaSuccess;
}

cudaError_t do_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    CUstreamCaptureStatus status;
    cudaError_t rc;

    if (!pCaptureStatus)
        return hw_refuse(cudaErrorInvalidValue, "pCaptureStatus is NULL");
    if ((rc = api_error(cuStreamIsCapturing(api_stream(stream), &status))))
        return rc;
    *pCaptureStatus = (enum cudaStreamCaptureStatus)status;
    return cudaSuccess;
}

/* --- waiting --- */

cudaError_t do_cudaStreamSynchronize(cudaStream_t stream) { return api_error(cuStreamSynchronize(api_stream(stream))); }
cudaError_t do_cudaStreamQuery(cudaStream_t stream) { return api_error(cuStreamQuery(api_stream(stream))); }

cudaError_t do_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    return api_error(cuStreamWaitEvent(api_stream(stream), (CUevent)event, flags));
}

cudaError_t do_cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags)
{
    return api_error(cuStreamAttachMemAsync(api_stream(stream), (CUdeviceptr)(uintptr_t)devPtr, length, flags));
}

/* --- callbacks --- */

/* A callback on its way to the program: the driver's kind takes a CUresult, ours an error of the runtime. */
struct callback {
    cudaStreamCallback_t fn;
    void *data;
};

static void CUDA_CB run_callback(CUstream stream, CUresult status, void *data)
{
    struct callback cb = *(struct callback *)data;

    hw_free(data);
    cb.fn((cudaStream_t)stream, api_error(status), cb.data);
}

cudaError_t do_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags)
{
    struct callback *cb;
    CUresult rc;

    if (!callback || flags)
        return hw_refuse(cudaErrorInvalidValue, "the callback is NULL, or flags 0x%x are not 0", flags);
    cb = hw_alloc(sizeof *cb);
    cb->fn = callback;
    cb->data = userData;
    rc = cuStreamAddCallback(api_stream(stream), run_callback, cb, 0);
    if (rc != CUDA_SUCCESS)
        hw_free(cb);
    return api_error(rc);
}

cudaError_t do_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    if (!fn)
        return hw_refuse(cudaErrorInvalidValue, "fn is NULL");
    return api_error(cuLaunchHostFunc(api_stream(stream), fn, userData));
}
