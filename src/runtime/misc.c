/* SPDX-License-Identifier: Apache-2.0 */
/* Versions, the driver beneath, profiler control, channel descriptions. */
#include "runtime/bodies.h"

#include "runtime/context.h"

cudaError_t do_cudaRuntimeGetVersion(int *runtimeVersion)
{
    if (!runtimeVersion)
        return hw_refuse(cudaErrorInvalidValue, "runtimeVersion is NULL");
    *runtimeVersion = api_version;
    return cudaSuccess;
}

cudaError_t do_cudaDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return hw_refuse(cudaErrorInvalidValue, "driverVersion is NULL");
    return api_error(cuDriverGetVersion(driverVersion));
}

/* --- functions of the driver by name --- */

cudaError_t do_cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                                unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *driverStatus)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    CUresult cu;

    if (!symbol || !symbol[0] || !funcPtr || flags > cudaEnablePerThreadDefaultStream)
        return hw_refuse(cudaErrorInvalidValue, "the symbol has no name, funcPtr is NULL, or there are no flags 0x%llx", (unsigned long long)flags);
    /* Called by its per-thread name, the default is the per-thread function. */
    if (flags == cudaEnableDefault && api_stream(NULL))
        flags = cudaEnablePerThreadDefaultStream;
    cu = cuGetProcAddress(symbol, funcPtr, (int)cudaVersion, flags, &status);
    if (cu != CUDA_SUCCESS && cu != CUDA_ERROR_NOT_FOUND)
        return api_error(cu);
    if (driverStatus) {
        *driverStatus = (enum cudaDriverEntryPointQueryResult)status;
        if (status != CU_GET_PROC_ADDRESS_SUCCESS)
            *funcPtr = NULL;
        return cudaSuccess;
    }
    return status == CU_GET_PROC_ADDRESS_SUCCESS ? cudaSuccess : hw_refuse(cudaErrorSymbolNotFound, "the driver has no %s in version %u", symbol, cudaVersion);
}

cudaError_t do_cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                       enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return do_cudaGetDriverEntryPointByVersion(symbol, funcPtr, (unsigned)api_version, flags, driverStatus);
}

/* --- profiler control --- */

/* Of cudaProfiler.h, which is not ours to include. */
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

cudaError_t do_cudaProfilerStart(void) { return api_error(cuProfilerStart()); }
cudaError_t do_cudaProfilerStop(void) { return api_error(cuProfilerStop()); }

/* --- channels --- */

HW_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    struct cudaChannelFormatDesc d = {x, y, z, w, f};

    return d;
}
