/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about devices. */
#include "base/diag.h"
#include "base/log.h"
#include "base/options.h"
#include "core/device/device.h"
#include "core/module/device_launch.h"
#include "driver/bodies.h"
#include "ptx/ptx.h"

#include <hostwarp.h>
#include <stdio.h>

CUresult do_cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!device)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "device is NULL");
    if (!device_peek(ordinal))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetCount(int *count)
{
    if (!count)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "count is NULL");
    *count = device_count();
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetName(char *name, int len, CUdevice dev)
{
    const struct device *d = device_peek(dev);

    if (!name || len <= 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "name is NULL, or has no room");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    snprintf(name, (size_t)len, "%s", d->name);
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    const struct device *d = device_peek(dev);

    if (!uuid)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "uuid is NULL");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    static_assert(sizeof(uuid->bytes) == sizeof(d->uuid), "one size of uuid");
    memcpy(uuid->bytes, d->uuid, sizeof(d->uuid));
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    const struct device *d = device_peek(dev);

    if (!bytes)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "bytes is NULL");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    *bytes = d->memory_bytes;
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    const struct device *d = device_peek(dev);

    if (!pi)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pi is NULL");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    return device_attribute(d, (int)attrib, pi);
}

CUresult do_cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    const struct device *d = device_peek(dev);
    CUresult rc = CUDA_SUCCESS;

    if (!prop)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "prop is NULL");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    const struct {
        CUdevice_attribute attribute;
        int *field;
    } rows[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &prop->maxThreadsPerBlock},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &prop->maxThreadsDim[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &prop->maxThreadsDim[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &prop->maxThreadsDim[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &prop->maxGridSize[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &prop->maxGridSize[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &prop->maxGridSize[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &prop->sharedMemPerBlock},
        {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, &prop->totalConstantMemory},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &prop->SIMDWidth},
        {CU_DEVICE_ATTRIBUTE_MAX_PITCH, &prop->memPitch},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &prop->regsPerBlock},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &prop->clockRate},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &prop->textureAlign},
    };
    for (size_t i = 0; i < HW_LEN(rows) && !rc; i++)
        rc = device_attribute(d, (int)rows[i].attribute, rows[i].field);
    return rc;
}

CUresult do_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    const struct device *d = device_peek(dev);

    if (!major || !minor)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of major and minor is NULL");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    *major = (int)d->cc_major;
    *minor = (int)d->cc_minor;
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    const struct device *d;

    if (!dev || !pciBusId)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "one of dev and pciBusId is NULL");
    if (!device_pci_text(pciBusId))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "\"%s\" is no PCI address", pciBusId);
    d = device_by_pci_bus_id(pciBusId);
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    *dev = d->ordinal;
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    const struct device *d = device_peek(dev);

    if (!pciBusId || len <= 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pciBusId is NULL, or has no room");
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    return device_pci_bus_id(d, pciBusId, (size_t)len);
}

CUresult do_cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format, unsigned numChannels,
                                               CUdevice dev)
{
    const struct device *d = device_peek(dev);
    int width = 0;
    CUresult rc;

    if (!maxWidthInElements || (numChannels != 1 && numChannels != 2 && numChannels != 4))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "maxWidthInElements is NULL, or %u channels are not 1, 2 or 4", numChannels);
    if (!d)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
        break;
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "format %d has no linear textures", (int)format);
    }
    if ((rc = device_attribute(d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, &width)))
        return rc;
    *maxWidthInElements = (size_t)width;
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    if (!pi || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "pi is NULL, or type %d is not known", (int)type);
    if (!device_peek(dev))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "there is no such device; cuDeviceGetCount() says how many there are");
    *pi = 0;
    return CUDA_SUCCESS;
}

/* nvcc links a library to programs whose parts are compiled separately. We have our own in its place, so what it was compiled for does not count. */
static bool is_replaced(const void *fatbin, unsigned cc)
{
    struct diag unused = {0};
    char *text = NULL;
    size_t bytes;
    bool replaced = ptx_image_text(fatbin, SIZE_MAX, cc, &unused, &text, &bytes) == PTX_OK && device_launch_replaces(text);

    hw_free(text);
    diag_fini(&unused);
    return replaced;
}

HW_EXPORT void hostwarp_program_holds(const void *fatbin)
{
    unsigned cc = ptx_image_needs(fatbin);

    if (cc > (unsigned)hw_options()->cc && !is_replaced(fatbin, cc))
        device_wants(cc);
}
