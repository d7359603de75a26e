/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management: addresses, memory, mappings, access, sharing by descriptor. */
#include "driver_check.h"
#include <unistd.h>

int main(void)
{
    CUmemAllocationProp prop;
    CUmemAccessDesc rw;
    CUmemGenericAllocationHandle a, b, c, imported;
    CUcontext ctx;
    CUdevice dev;
    CUdeviceptr va, other;
    size_t g = 0, before, after;
    unsigned long long flags = 9;
    unsigned char byte = 0;
    int fd = -1;

    if (cuInit(0) || cuDeviceGet(&dev, 0) || cuDevicePrimaryCtxRetain(&ctx, dev) || cuCtxSetCurrent(ctx))
        return 1;
    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = dev;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    rw.location = prop.location;
    rw.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check_result("there is a granularity", cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
    check_true("a power of two", g && (g & (g - 1)) == 0);

    check_result("reserve", cuMemAddressReserve(&va, 8 * g, 0, 0, 0), CUDA_SUCCESS);
    check_result("nothing is nothing", cuMemAddressReserve(&other, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    cuMemGetInfo(&before, NULL);
    check_result("create", cuMemCreate(&a, 2 * g, &prop, 0), CUDA_SUCCESS);
    cuMemGetInfo(&after, NULL);
    check_true("it counts as the device's memory", after <= before - 2 * g);
    check_result("a second", cuMemCreate(&b, g, &prop, 0), CUDA_SUCCESS);
    check_result("odd sizes are refused", cuMemCreate(&c, g + 4096, &prop, 0), CUDA_ERROR_INVALID_VALUE);

    check_result("map", cuMemMap(va, 2 * g, 0, a, 0), CUDA_SUCCESS);
    check_result("map the next behind it", cuMemMap(va + 2 * g, g, 0, b, 0), CUDA_SUCCESS);
    check_result("map the first a second time elsewhere", cuMemMap(va + 4 * g, 2 * g, 0, a, 0), CUDA_SUCCESS);
    check_result("not where something is", cuMemMap(va, 2 * g, 0, a, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("access to both at once", cuMemSetAccess(va, 3 * g, &rw, 1), CUDA_SUCCESS);
    check_result("access to the alias", cuMemSetAccess(va + 4 * g, 2 * g, &rw, 1), CUDA_SUCCESS);
    check_result("what access there is", cuMemGetAccess(&flags, &rw.location, va + g), CUDA_SUCCESS);
    check_value("read and write", (long long)flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

    check_result("a fill across two mappings", cuMemsetD8(va, 7, 3 * g), CUDA_SUCCESS);
    check_result("a copy from the alias", cuMemcpyDtoH(&byte, va + 4 * g + 12345, 1), CUDA_SUCCESS);
    check_value("sees it", byte, 7);
    check_result("mapped memory is not freed like other memory", cuMemFree(va), CUDA_ERROR_INVALID_VALUE);
    check_result("the handle behind an address", cuMemRetainAllocationHandle(&c, (void *)(size_t)(va + 100)), CUDA_SUCCESS);
    check_true("is the one it was mapped with", c == a);

    check_result("a descriptor of it", cuMemExportToShareableHandle(&fd, a, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_SUCCESS);
    check_result("and memory of the descriptor",
                 cuMemImportFromShareableHandle(&imported, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), CUDA_SUCCESS);
    check_result("mapped", cuMemMap(va + 6 * g, 2 * g, 0, imported, 0), CUDA_SUCCESS);
    cuMemSetAccess(va + 6 * g, 2 * g, &rw, 1);
    cuMemsetD8(va + 6 * g, 9, 16);
    cuMemcpyDtoH(&byte, va + 3, 1);
    check_value("is the same memory", byte, 9);
    close(fd);

    check_result("release", cuMemRelease(a), CUDA_SUCCESS);
    check_result("once for each handle", cuMemRelease(c), CUDA_SUCCESS);
    check_result("what is mapped stays", cuMemcpyDtoH(&byte, va, 1), CUDA_SUCCESS);
    check_result("addresses in use stay too", cuMemAddressFree(va, 8 * g), CUDA_ERROR_INVALID_VALUE);
    check_result("unmap two at once", cuMemUnmap(va, 3 * g), CUDA_SUCCESS);
    check_result("the alias", cuMemUnmap(va + 4 * g, 2 * g), CUDA_SUCCESS);
    check_result("the import", cuMemUnmap(va + 6 * g, 2 * g), CUDA_SUCCESS);
    cuMemRelease(b);
    cuMemRelease(imported);
    cuMemGetInfo(&after, NULL);
    check_value("all of it came back", (long long)after, (long long)before);
    check_result("and the addresses", cuMemAddressFree(va, 8 * g), CUDA_SUCCESS);
    return n_failed != 0;
}
