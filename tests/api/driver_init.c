/* SPDX-License-Identifier: Apache-2.0 */
/* What works before cuInit, what the start-up calls answer, names of errors, looking functions up. */
#include "driver_check.h"

static void before_init(void)
{
    CUdeviceptr p;
    const char *s;
    int n = -1, version = 0;

    check_result("counting devices needs cuInit", cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    check_result("allocating needs cuInit", cuMemAlloc(&p, 16), CUDA_ERROR_NOT_INITIALIZED);
    check_result("naming an error does not need cuInit", cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &s), CUDA_SUCCESS);
    check_result("the version does not need cuInit", cuDriverGetVersion(&version), CUDA_SUCCESS);
    check_true("the version is at least 12.0", version >= 12000);
    check_result("cuInit takes no flags", cuInit(1), CUDA_ERROR_INVALID_VALUE);
}

static void errors(void)
{
    static const struct {
        CUresult code;
        const char *name, *text;
    } rows[] = {
        {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
        {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
        {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
        {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
        {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
        {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
        {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
    };
    const char *s;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        s = NULL;
        cuGetErrorName(rows[i].code, &s);
        check_true(rows[i].name, s && strcmp(s, rows[i].name) == 0);
        s = NULL;
        cuGetErrorString(rows[i].code, &s);
        check_true(rows[i].text, s && strcmp(s, rows[i].text) == 0);
    }
    s = "x";
    check_result("an unknown code has no name", cuGetErrorName((CUresult)123456, &s), CUDA_ERROR_INVALID_VALUE);
    check_true("and the pointer becomes NULL", s == NULL);
}

static void devices(void)
{
    CUdevice dev;
    CUuuid uuid;
    char name[256] = "";
    int n = 0, value = 0, major = 0, minor = 0;
    size_t bytes = 0;

    check_result("devices are counted", cuDeviceGetCount(&n), CUDA_SUCCESS);
    check_true("there is a device", n >= 1);
    check_result("device 999 is invalid", cuDeviceGet(&dev, 999), CUDA_ERROR_INVALID_DEVICE);
    check_result("device -1 is invalid", cuDeviceGet(&dev, -1), CUDA_ERROR_INVALID_DEVICE);
    NEED(cuDeviceGet(&dev, 0));
    check_result("a device has a name", cuDeviceGetName(name, sizeof name, dev), CUDA_SUCCESS);
    check_true("the name is not empty", name[0] != 0);
    memset(name, 'x', sizeof name);
    check_result("a short buffer is filled as far as it goes", cuDeviceGetName(name, 4, dev), CUDA_SUCCESS);
    check_true("and ends in a zero byte", memchr(name, 0, 4) != NULL && name[4] == 'x');
    check_result("a device has a size", cuDeviceTotalMem(&bytes, dev), CUDA_SUCCESS);
    check_true("the size is not zero", bytes > 0);
    check_result("a device has a uuid", cuDeviceGetUuid(&uuid, dev), CUDA_SUCCESS);
    cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev);
    check_value("a warp has 32 threads", value, 32);
    cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, dev);
    check_value("a block has at most 1024 threads", value, 1024);
    check_result("an unknown attribute is invalid", cuDeviceGetAttribute(&value, (CUdevice_attribute)4711, dev), CUDA_ERROR_INVALID_VALUE);
    check_result("attributes of device 999 are invalid", cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 999),
                 CUDA_ERROR_INVALID_DEVICE);
    cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev);
    cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev);
    check_true("the compute capability is at least 5.0", major >= 5 && minor >= 0);
    char bus[32] = "";
    CUdevice same = -1;
    check_result("a device has a PCI address", cuDeviceGetPCIBusId(bus, sizeof bus, dev), CUDA_SUCCESS);
    check_result("a PCI address leads back to the device", cuDeviceGetByPCIBusId(&same, bus), CUDA_SUCCESS);
    check_value("to the same one", same, dev);
}

static void lookups(void)
{
    CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
    void *new_alloc = NULL, *p = NULL, *q = NULL;

    check_result("a name is found", cuGetProcAddress("cuMemAlloc", &new_alloc, 12000, 0, &status), CUDA_SUCCESS);
    check_value("and the status says so", status, CU_GET_PROC_ADDRESS_SUCCESS);
    check_true("a program of 12.0 gets cuMemAlloc_v2", new_alloc == (void *)cuMemAlloc);
    cuGetProcAddress("cuStreamQuery", &p, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, NULL);
    cuGetProcAddress("cuStreamQuery", &q, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL);
    check_true("the per-thread function is another one", p && q && p != q);
    cuGetProcAddress("cuInit", &p, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL);
    check_true("a function without streams is found for both", p == (void *)cuInit);
    p = &p;
    check_result("looking for an unknown name is no error", cuGetProcAddress("cuNoSuchFunction", &p, 12000, 0, &status), CUDA_SUCCESS);
    check_true("an unknown name gives NULL", p == NULL);
    check_value("and the status says not found", status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    p = &p;
    cuGetProcAddress("cuLaunchKernelEx", &p, 5000, 0, &status);
    check_true("a name younger than the program gives NULL", p == NULL);
    check_value("and the status says the version is too low", status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    check_result("nobody knows version 99", cuGetProcAddress("cuMemAlloc", &p, 99000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    before_init();
    check_result("cuInit works", cuInit(0), CUDA_SUCCESS);
    check_result("cuInit may be called again", cuInit(0), CUDA_SUCCESS);
    errors();
    devices();
    lookups();
    return n_failed != 0;
}
