/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation, page-locked and registered memory, managed memory, what is known about pointers. */
#include "driver_check.h"

static void device_memory(void)
{
    static const struct {
        const char *why;
        size_t bytes;
        CUresult want;
    } cases[] = {
        {"zero bytes are invalid", 0, CUDA_ERROR_INVALID_VALUE},
        {"one byte", 1, CUDA_SUCCESS},
        {"a million and one", 1000001, CUDA_SUCCESS},
        {"64 TiB", (size_t)1 << 46, CUDA_ERROR_OUT_OF_MEMORY},
    };
    CUdeviceptr p, base;
    size_t bytes, free_before = 0, free_after = 0, total = 0, pitch = 0;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        p = 0;
        if (check_result(cases[i].why, cuMemAlloc(&p, cases[i].bytes), cases[i].want) && p) {
            check_true("memory is aligned to 256 bytes", p % 256 == 0);
            check_result("a range is known by any address in it", cuMemGetAddressRange(&base, &bytes, p + cases[i].bytes - 1), CUDA_SUCCESS);
            check_true("with its first byte and exact size", base == p && bytes == cases[i].bytes);
            check_result("the byte after it is unknown", cuMemGetAddressRange(&base, &bytes, p + cases[i].bytes), CUDA_ERROR_NOT_FOUND);
            if (cases[i].bytes > 1)
                check_result("freeing the middle is invalid", cuMemFree(p + 1), CUDA_ERROR_INVALID_VALUE);
            check_result("it is freed", cuMemFree(p), CUDA_SUCCESS);
            check_result("but not twice", cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
        }
    }
    check_result("no place for the pointer", cuMemAlloc(NULL, 16), CUDA_ERROR_INVALID_VALUE);
    check_result("freeing nothing is fine", cuMemFree(0), CUDA_SUCCESS);
    check_result("freeing what never was is invalid", cuMemFree(0x1234), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemGetInfo(&free_before, &total));
    NEED(cuMemAlloc(&p, 64 << 20));
    NEED(cuMemGetInfo(&free_after, &total));
    check_true("allocated memory is not free", free_after + (64 << 20) <= free_before + (2 << 20) && free_before <= total);
    NEED(cuMemFree(p));
    check_result("rows are padded", cuMemAllocPitch(&p, &pitch, 1000, 10, 4), CUDA_SUCCESS);
    check_true("to a multiple of 512 here", pitch >= 1000 && pitch % 512 == 0);
    NEED(cuMemFree(p));
    check_result("elements of 3 bytes cannot be padded for", cuMemAllocPitch(&p, &pitch, 1000, 10, 3), CUDA_ERROR_INVALID_VALUE);
}

static void host_memory(void)
{
    static char buffer[3 * 4096];
    CUdeviceptr d = 0;
    void *h = NULL, *wc = NULL;
    unsigned flags = 0;
    int local = 0;

    check_result("page-locked memory", cuMemAllocHost(&h, 100), CUDA_SUCCESS);
    memset(h, 7, 100);
    check_result("has a device pointer", cuMemHostGetDevicePointer(&d, h, 0), CUDA_SUCCESS);
    check_true("which is the same", d == (CUdeviceptr)h);
    check_result("and flags", cuMemHostGetFlags(&flags, h), CUDA_SUCCESS);
    check_value("mapped ones", flags, CU_MEMHOSTALLOC_DEVICEMAP);
    check_result("write-combined and portable", cuMemHostAlloc(&wc, 4096, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED), CUDA_SUCCESS);
    cuMemHostGetFlags(&flags, wc);
    check_value("is always mapped too", flags, 7);
    check_result("a variable has no device pointer", cuMemHostGetDevicePointer(&d, &local, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("cuMemFree does not take it", cuMemFree((CUdeviceptr)h), CUDA_ERROR_INVALID_VALUE);
    check_result("the middle is not freed", cuMemFreeHost((char *)h + 8), CUDA_ERROR_INVALID_VALUE);
    check_result("it is freed", cuMemFreeHost(h), CUDA_SUCCESS);
    check_result("but not twice", cuMemFreeHost(h), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemFreeHost(wc));
    check_result("a variable is not freed", cuMemFreeHost(&local), CUDA_ERROR_INVALID_VALUE);
    check_result("unknown flags", cuMemHostAlloc(&h, 100, 0x100), CUDA_ERROR_INVALID_VALUE);

    check_result("memory is registered", cuMemHostRegister(buffer, 4096, 0), CUDA_SUCCESS);
    check_result("but not twice", cuMemHostRegister(buffer, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    check_result("what lies beside it may be", cuMemHostRegister(buffer + 4096, 4096, 0), CUDA_SUCCESS);
    check_result("the middle is not unregistered", cuMemHostUnregister(buffer + 100), CUDA_ERROR_INVALID_VALUE);
    check_result("registered memory is not freed", cuMemFreeHost(buffer), CUDA_ERROR_INVALID_VALUE);
    check_result("it is unregistered", cuMemHostUnregister(buffer), CUDA_SUCCESS);
    check_result("but not twice", cuMemHostUnregister(buffer), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    NEED(cuMemHostUnregister(buffer + 4096));
    check_result("nothing cannot be registered", cuMemHostRegister(NULL, 4096, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("no bytes cannot be registered", cuMemHostRegister(buffer, 0, 0), CUDA_ERROR_INVALID_VALUE);
}

static void managed_memory(void)
{
    CUdeviceptr p = 0, q = 0;
    int managed = -1, where = 99;

    check_result("managed memory", cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    *(volatile int *)p = 42;
    check_value("the host may write it", *(volatile int *)p, 42);
    check_result("it says that it is managed", cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p), CUDA_SUCCESS);
    check_value("with 1", managed & 0xff, 1);
    check_result("unknown flags", cuMemAllocManaged(&q, 64, 77), CUDA_ERROR_INVALID_VALUE);
    check_result("a hint", cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0), CUDA_SUCCESS);
    check_result("is remembered", cuMemRangeGetAttribute(&where, sizeof where, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 4096), CUDA_SUCCESS);
    check_value("for the device", where, 0);
    check_result("a prefetch to the host", cuMemPrefetchAsync(p, 4096, CU_DEVICE_CPU, NULL), CUDA_SUCCESS);
    NEED(cuCtxSynchronize());
    NEED(cuMemRangeGetAttribute(&where, sizeof where, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4096));
    check_value("is remembered too", where, CU_DEVICE_CPU);
    check_result("a device that is not there", cuMemAdvise(p, 64, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 77), CUDA_ERROR_INVALID_DEVICE);
    check_result("a hint past the end", cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_READ_MOSTLY, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("it is freed", cuMemFree(p), CUDA_SUCCESS);
}

static void pointers(CUcontext ctx)
{
    CUdeviceptr d, seen = 0;
    CUcontext owner = NULL;
    unsigned type = 0;
    unsigned long long id1 = 0, id2 = 0;
    int ordinal = -1, local = 0;
    void *h;

    NEED(cuMemAlloc(&d, 1000));
    NEED(cuMemAllocHost(&h, 1000));
    check_result("a device pointer has a type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d + 999), CUDA_SUCCESS);
    check_value("device", type, CU_MEMORYTYPE_DEVICE);
    cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)h);
    check_value("page-locked memory is host memory", type, CU_MEMORYTYPE_HOST);
    check_result("a variable is unknown", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&local), CUDA_ERROR_INVALID_VALUE);
    check_result("memory has a context", cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, d), CUDA_SUCCESS);
    check_true("the one it was made in", owner == ctx);
    cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, d);
    check_value("and a device", ordinal, 0);
    cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, d + 10);
    check_true("and a first byte", seen == d);
    check_result("device memory has no host pointer", cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_HOST_POINTER, d), CUDA_ERROR_INVALID_VALUE);
    cuPointerGetAttribute(&id1, CU_POINTER_ATTRIBUTE_BUFFER_ID, d);
    cuPointerGetAttribute(&id2, CU_POINTER_ATTRIBUTE_BUFFER_ID, (CUdeviceptr)h);
    check_true("every piece of memory has a number of its own", id1 != id2);

    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
    void *where[] = {&type, &seen};
    type = 99, seen = 99;
    check_result("several attributes of a variable are no error", cuPointerGetAttributes(2, which, where, (CUdeviceptr)&local), CUDA_SUCCESS);
    check_true("they are zero", type == 0 && seen == 0);
    check_result("several attributes", cuPointerGetAttributes(2, which, where, d + 5), CUDA_SUCCESS);
    check_true("of a device pointer", type == CU_MEMORYTYPE_DEVICE && seen == d + 5);
    NEED(cuMemFree(d));
    NEED(cuMemFreeHost(h));
    check_result("freed memory is unknown", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    CUcontext ctx = check_start();

    device_memory();
    host_memory();
    managed_memory();
    pointers(ctx);
    return n_failed != 0;
}
