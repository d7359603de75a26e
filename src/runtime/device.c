/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing, asking about and waiting for devices; limits and preferences; peers. */
#include "runtime/bodies.h"
#include "runtime/context.h"

/* The driver maps host memory always and does not take the flag for it (measured: INVALID_VALUE). */
static unsigned driver_flags(unsigned flags) { return flags & ~(unsigned)cudaDeviceMapHost; }

/* --- choosing --- */

/* Where there is no device, the count is right and the answer is still an error. */
cudaError_t do_cudaGetDeviceCount(int *count)
{
    cudaError_t rc;

    if (!count)
        return hw_refuse(cudaErrorInvalidValue, "count is NULL");
    if (!(rc = context_init()))                  /* left alone otherwise: measured */
        *count = context_device_count();
    return rc;
}

cudaError_t do_cudaSetDevice(int device) { return context_set_device(device); }

cudaError_t do_cudaGetDevice(int *device)
{
    if (!device)
        return hw_refuse(cudaErrorInvalidValue, "device is NULL");
    return context_device(device);
}

cudaError_t do_cudaSetValidDevices(int *device_arr, int len) { return context_set_valid(device_arr, len); }

cudaError_t do_cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    CUcontext ctx;
    cudaError_t rc;

    if (flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
        return hw_refuse(cudaErrorInvalidValue, "there are no flags 0x%x", flags);
    if (device < 0 || device >= context_device_count())
        return hw_refuse(cudaErrorInvalidDevice, "there is no device %d; cudaGetDeviceCount() says %d", device, context_device_count());
    if (flags & cudaInitDeviceFlagsAreValid) {
        if (deviceFlags & ~(unsigned)cudaDeviceMask)
            return hw_refuse(cudaErrorInvalidValue, "there are no flags 0x%x of a device", deviceFlags);
        if ((rc = api_error(cuDevicePrimaryCtxSetFlags(device, driver_flags(deviceFlags)))))
            return rc;
    }
    return context_primary(device, &ctx);
}

/* The device that is at least what is asked for and closest to it; else the first one. */
cudaError_t do_cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    int best = 0, best_cc = 0, want;

    if (!device || !prop)
        return hw_refuse(cudaErrorInvalidValue, "device or prop is NULL");
    want = prop->major * 10 + prop->minor;
    for (int i = 0; i < context_device_count(); i++) {
        int major = 0, minor = 0;
        size_t bytes = 0;
        cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i);
        cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i);
        cuDeviceTotalMem(&bytes, i);
        if (major * 10 + minor >= want && bytes >= prop->totalGlobalMem && (!best_cc || major * 10 + minor < best_cc)) {
            best = i;
            best_cc = major * 10 + minor;
        }
    }
    *device = best;
    return cudaSuccess;
}

/* --- flags --- */

cudaError_t do_cudaSetDeviceFlags(unsigned int flags)
{
    int device;
    cudaError_t rc;

    if (flags & ~(unsigned)cudaDeviceMask)
        return hw_refuse(cudaErrorInvalidValue, "there are no flags 0x%x of a device", flags);
    if ((rc = context_device(&device)))
        return rc;
    return api_error(cuDevicePrimaryCtxSetFlags(device, driver_flags(flags)));
}

cudaError_t do_cudaGetDeviceFlags(unsigned int *flags)
{
    int device, active;
    unsigned got;
    cudaError_t rc;

    if (!flags)
        return hw_refuse(cudaErrorInvalidValue, "flags is NULL");
    if ((rc = context_device(&device)))
        return rc;
    if ((rc = api_error(cuDevicePrimaryCtxGetState(device, &got, &active))))
        return rc;
    *flags = got | cudaDeviceMapHost;            /* with one address space, host memory is always mapped */
    return cudaSuccess;
}

/* --- waiting, ending --- */

cudaError_t do_cudaDeviceSynchronize(void) { return api_error(cuCtxSynchronize()); }
cudaError_t do_cudaDeviceReset(void) { return context_reset(); }

/* --- questions --- */

cudaError_t do_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    if (!value)
        return hw_refuse(cudaErrorInvalidValue, "value is NULL");
    return api_error(cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device));
}

cudaError_t do_cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    CUdevice dev;
    cudaError_t rc;

    if (!device || !pciBusId)
        return hw_refuse(cudaErrorInvalidValue, "device or pciBusId is NULL");
    if ((rc = api_error(cuDeviceGetByPCIBusId(&dev, pciBusId))))
        return rc;
    *device = dev;
    return cudaSuccess;
}

cudaError_t do_cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    return api_error(cuDeviceGetPCIBusId(pciBusId, len, device));
}

cudaError_t do_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice)
{
    return api_error(cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attr, srcDevice, dstDevice));
}

cudaError_t do_cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    return api_error(cuCtxGetStreamPriorityRange(leastPriority, greatestPriority));
}

cudaError_t do_cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, const struct cudaChannelFormatDesc *fmtDesc,
                                                    int device)
{
    static const CUarray_format formats[3][3] = {
        {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
        {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
        {0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT},
    };
    unsigned channels, width;

    if (!maxWidthInElements || !fmtDesc)
        return hw_refuse(cudaErrorInvalidValue, "maxWidthInElements or fmtDesc is NULL");
    width = fmtDesc->x == 8 ? 0 : fmtDesc->x == 16 ? 1 : 2;
    channels = (fmtDesc->x > 0) + (fmtDesc->y > 0) + (fmtDesc->z > 0) + (fmtDesc->w > 0);
    if ((unsigned)fmtDesc->f > cudaChannelFormatKindFloat || !formats[fmtDesc->f][width] ||
        (fmtDesc->x != 8 && fmtDesc->x != 16 && fmtDesc->x != 32))
        return hw_refuse(cudaErrorInvalidChannelDescriptor, "no texture has channels of %d bits and kind %d", fmtDesc->x, (int)fmtDesc->f);
    return api_error(cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, formats[fmtDesc->f][width], channels, device));
}

/* --- limits and preferences --- */

cudaError_t do_cudaDeviceSetLimit(enum cudaLimit limit, size_t value) { return api_error(cuCtxSetLimit((CUlimit)limit, value)); }
cudaError_t do_cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit) { return api_error(cuCtxGetLimit(pValue, (CUlimit)limit)); }

cudaError_t do_cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    return api_error(cuCtxSetCacheConfig((CUfunc_cache)cacheConfig));
}

cudaError_t do_cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    CUfunc_cache config;
    cudaError_t rc;

    if (!pCacheConfig)
        return hw_refuse(cudaErrorInvalidValue, "pCacheConfig is NULL");
    if ((rc = api_error(cuCtxGetCacheConfig(&config))))
        return rc;
    *pCacheConfig = (enum cudaFuncCache)config;
    return cudaSuccess;
}

cudaError_t do_cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return api_error(cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t do_cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig)
{
    CUsharedconfig config;
    cudaError_t rc;

    if (!pConfig)
        return hw_refuse(cudaErrorInvalidValue, "pConfig is NULL");
    if ((rc = api_error(cuCtxGetSharedMemConfig(&config))))
        return rc;
    *pConfig = (enum cudaSharedMemConfig)config;
    return cudaSuccess;
}

cudaError_t do_cudaCtxResetPersistingL2Cache(void) { return api_error(cuCtxResetPersistingL2Cache()); }

/* Devices have had real doubles since 2008: nothing to convert. */
cudaError_t do_cudaSetDoubleForDevice(double *d) { return d ? cudaSuccess : hw_refuse(cudaErrorInvalidValue, "d is NULL"); }
cudaError_t do_cudaSetDoubleForHost(double *d) { return d ? cudaSuccess : hw_refuse(cudaErrorInvalidValue, "d is NULL"); }

/* --- peers --- */

cudaError_t do_cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    return api_error(cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice));
}

cudaError_t do_cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    CUcontext peer;
    cudaError_t rc = context_primary(peerDevice, &peer);

    return rc ? rc : api_error(cuCtxEnablePeerAccess(peer, flags));
}

cudaError_t do_cudaDeviceDisablePeerAccess(int peerDevice)
{
    CUcontext peer;
    cudaError_t rc = context_primary(peerDevice, &peer);

    return rc ? rc : api_error(cuCtxDisablePeerAccess(peer));
}
