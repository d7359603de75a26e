/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: the stack of a thread, life, primary contexts, limits. */
#include "driver_check.h"

#include <pthread.h>

static void *other_thread(void *seen)
{
    cuCtxGetCurrent(seen);
    return NULL;
}

static void without(CUdevice dev)
{
    CUcontext cur = (CUcontext)1;
    CUdeviceptr p;
    CUdevice d;
    void *h;

    check_result("without a context allocating fails", cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
    check_result("without a context page-locking fails", cuMemAllocHost(&h, 16), CUDA_ERROR_INVALID_CONTEXT);
    check_result("asking for the current context works", cuCtxGetCurrent(&cur), CUDA_SUCCESS);
    check_true("there is none yet", cur == NULL);
    check_result("without a context there is nothing to wait for", cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    check_result("without a context there is nothing to pop", cuCtxPopCurrent(&cur), CUDA_ERROR_INVALID_CONTEXT);
    check_result("without a context there is no device", cuCtxGetDevice(&d), CUDA_ERROR_INVALID_CONTEXT);
    check_result("device 999 has no context", cuDevicePrimaryCtxRetain(&cur, 999), CUDA_ERROR_INVALID_DEVICE);
    (void)dev;
}

static void stack(CUdevice dev)
{
    CUcontext a = NULL, b = NULL, cur = NULL, seen = (CUcontext)1;
    CUdevice d = -1;
    CUdeviceptr p = 0;
    pthread_t thread;

    check_result("a context is made", cuCtxCreate(&a, CU_CTX_SCHED_AUTO, dev), CUDA_SUCCESS);
    check_result("and another", cuCtxCreate(&b, 0, dev), CUDA_SUCCESS);
    check_result("flags must be known", cuCtxCreate(&cur, 0x4000, dev), CUDA_ERROR_INVALID_VALUE);
    cuCtxGetCurrent(&cur);
    check_true("the newest context is current", cur == b);
    pthread_create(&thread, NULL, other_thread, &seen);
    pthread_join(thread, NULL);
    check_true("another thread has no context", seen == NULL);
    check_result("the newest is popped", cuCtxPopCurrent(&cur), CUDA_SUCCESS);
    check_true("and handed back", cur == b);
    cuCtxGetCurrent(&cur);
    check_true("the older one is current then", cur == a);
    check_result("a context is pushed", cuCtxPushCurrent(b), CUDA_SUCCESS);
    check_result("NULL is not pushed", cuCtxPushCurrent(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result("setting NULL works", cuCtxSetCurrent(NULL), CUDA_SUCCESS);
    cuCtxGetCurrent(&cur);
    check_true("setting NULL pops: the one below is current", cur == a);
    check_result("the device of the context", cuCtxGetDevice(&d), CUDA_SUCCESS);
    check_value("is the one it was made for", d, dev);
    NEED(cuMemAlloc(&p, 100));
    NEED(cuCtxSetCurrent(b));
    check_result("memory may be freed from another context", cuMemFree(p), CUDA_SUCCESS);
    NEED(cuCtxSetCurrent(a));
    check_result("another context is destroyed", cuCtxDestroy(b), CUDA_SUCCESS);
    check_result("the current context is destroyed", cuCtxDestroy(a), CUDA_SUCCESS);
    check_result("then allocating fails", cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
}

static void primary(CUdevice dev)
{
    CUcontext c1 = NULL, c2 = NULL;
    unsigned flags = 9;
    int active = 9;

    check_result("the primary context is retained", cuDevicePrimaryCtxRetain(&c1, dev), CUDA_SUCCESS);
    check_result("and again", cuDevicePrimaryCtxRetain(&c2, dev), CUDA_SUCCESS);
    check_true("it is the same one", c1 == c2);
    check_result("its state can be asked", cuDevicePrimaryCtxGetState(dev, &flags, &active), CUDA_SUCCESS);
    check_value("it is active", active, 1);
    check_result("flags may be set while it is active", cuDevicePrimaryCtxSetFlags(dev, CU_CTX_SCHED_SPIN), CUDA_SUCCESS);
    check_result("released once", cuDevicePrimaryCtxRelease(dev), CUDA_SUCCESS);
    cuDevicePrimaryCtxGetState(dev, &flags, &active);
    check_value("it is still active", active, 1);
    check_result("released twice", cuDevicePrimaryCtxRelease(dev), CUDA_SUCCESS);
    cuDevicePrimaryCtxGetState(dev, &flags, &active);
    check_value("it is active no more", active, 0);
    check_result("released too often", cuDevicePrimaryCtxRelease(dev), CUDA_ERROR_INVALID_CONTEXT);
}

static void settings(CUdevice dev)
{
    CUcontext c;
    size_t bytes = 0;
    unsigned version = 0;
    int least = 99, greatest = 99;

    NEED(cuCtxCreate(&c, 0, dev));
    check_result("a limit is set", cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20), CUDA_SUCCESS);
    check_result("and read", cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE), CUDA_SUCCESS);
    check_true("it is at least what was asked for", bytes >= 16 << 20);
    check_result("an unknown limit is invalid", cuCtxGetLimit(&bytes, (CUlimit)99), CUDA_ERROR_INVALID_VALUE);
    check_result("a limit of the past is not supported", cuCtxGetLimit(&bytes, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH), CUDA_ERROR_UNSUPPORTED_LIMIT);
    check_result("priorities have a range", cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
    check_value("the least is 0", least, 0);
    check_true("greater ones are smaller numbers", greatest < 0);
    check_result("a context has an interface version", cuCtxGetApiVersion(c, &version), CUDA_SUCCESS);
    check_true("of 3.2 or later", version >= 3020);
    NEED(cuCtxDestroy(c));
}

int main(void)
{
    CUdevice dev;

    NEED(cuInit(0));
    NEED(cuDeviceGet(&dev, 0));
    without(dev);
    stack(dev);
    primary(dev);
    settings(dev);
    return n_failed != 0;
}
