/* SPDX-License-Identifier: Apache-2.0 */
/* A handle names its context: what works on a thread without a context, and what works from another context. */
#include "driver_check.h"

#include <pthread.h>

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter;\n"
                          ".visible .entry bump(.param .u64 p, .param .u32 v)\n"
                          "{ .reg .u64 %a; .reg .u32 %b; ld.param.u64 %a, [p]; ld.param.u32 %b, [v]; cvta.to.global.u64 %a, %a;\n"
                          "  st.global.u32 [%a], %b; ret; }\n";

static CUcontext first;
static CUstream stream;
static CUevent event, later;
static CUmodule module;
static CUfunction bump;
static CUdeviceptr p;
static void *h;
static char buf[64];
static unsigned value = 1;
static void *args[] = {&p, &value};

static void make(void)
{
    NEED(cuStreamCreate(&stream, 0));
    NEED(cuEventCreate(&event, 0));
    NEED(cuEventCreate(&later, 0));
    NEED(cuEventRecord(event, stream));
    NEED(cuEventRecord(later, stream));
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&bump, module, "bump"));
    NEED(cuMemAlloc(&p, 4096));
    NEED(cuMemAllocHost(&h, 4096));
    NEED(cuCtxSynchronize());
}

/* Runs on a thread that never made a context current. */
static void *without_context(void *unused)
{
    CUdeviceptr q;
    CUfunction f;
    CUstream s;
    unsigned flags;
    size_t bytes;
    float ms;
    int type;

    (void)unused;
    check_result("a stream is asked", cuStreamQuery(stream), CUDA_SUCCESS);
    check_result("a stream tells its flags", cuStreamGetFlags(stream, &flags), CUDA_SUCCESS);
    check_result("a stream is waited for", cuStreamSynchronize(stream), CUDA_SUCCESS);
    check_result("an event is asked", cuEventQuery(event), CUDA_SUCCESS);
    check_result("two events tell their distance", cuEventElapsedTime(&ms, event, later), CUDA_SUCCESS);
    check_result("an event is recorded", cuEventRecord(event, stream), CUDA_SUCCESS);
    check_result("a stream waits for an event", cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
    check_result("a kernel is launched in a stream", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL), CUDA_SUCCESS);
    check_result("a copy is made in a stream", cuMemcpyHtoDAsync(p + 64, buf, 16, stream), CUDA_SUCCESS);
    check_result("a fill is made in a stream", cuMemsetD8Async(p + 128, 0, 4, stream), CUDA_SUCCESS);
    check_result("a module tells its kernels", cuModuleGetFunction(&f, module, "bump"), CUDA_SUCCESS);
    check_result("a module tells its variables", cuModuleGetGlobal(&q, &bytes, module, "counter"), CUDA_SUCCESS);
    check_result("a kernel tells its attributes", cuFuncGetAttribute(&type, CU_FUNC_ATTRIBUTE_NUM_REGS, bump), CUDA_SUCCESS);
    check_result("a pointer tells its type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), CUDA_SUCCESS);
    check_result("but there is no default stream", cuStreamQuery(NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_result("to launch in", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_CONTEXT);
    check_result("or to copy in", cuMemcpyHtoD(p, buf, 16), CUDA_ERROR_INVALID_CONTEXT);
    check_result("and nothing new is made", cuStreamCreate(&s, 0), CUDA_ERROR_INVALID_CONTEXT);
    check_result("no memory either", cuMemAlloc(&q, 16), CUDA_ERROR_INVALID_CONTEXT);
    check_result("ranges need a context", cuMemGetAddressRange(&q, &bytes, p), CUDA_ERROR_INVALID_CONTEXT);
    return NULL;
}

static void from_another_context(CUdevice dev)
{
    CUcontext second, now;
    CUstream other;
    CUevent here;
    float ms;

    NEED(cuCtxCreate(&second, 0, dev));
    NEED(cuStreamCreate(&other, 0));
    NEED(cuEventCreate(&here, 0));
    check_result("kernel and stream of different contexts", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, other, args, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result("kernel and stream of one other context", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL), CUDA_SUCCESS);
    check_result("kernel of another context in the default stream", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result("a copy in a stream of another context", cuMemcpyHtoDAsync(p, buf, 16, stream), CUDA_SUCCESS);
    check_result("a copy to memory of another context", cuMemcpyHtoDAsync(p, buf, 16, other), CUDA_SUCCESS);
    check_result("event and stream of different contexts", cuEventRecord(event, other), CUDA_ERROR_INVALID_HANDLE);
    check_result("event and stream of one other context", cuEventRecord(event, stream), CUDA_SUCCESS);
    check_result("a stream waits for an event of another context", cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
    NEED(cuEventRecord(here, other));
    NEED(cuStreamSynchronize(other));
    NEED(cuStreamSynchronize(stream));
    check_result("events of different contexts have no distance", cuEventElapsedTime(&ms, event, here), CUDA_ERROR_INVALID_HANDLE);
    check_result("a stream of another context is destroyed", cuStreamDestroy(stream), CUDA_SUCCESS);
    check_result("and a module unloaded", cuModuleUnload(module), CUDA_SUCCESS);
    NEED(cuCtxDestroy(second));
    NEED(cuCtxGetCurrent(&now));
    check_true("the first context is current again", now == first);
    check_result("a primary context is not destroyed", cuCtxDestroy(first), CUDA_ERROR_INVALID_CONTEXT);
}

static void destroyed_under_the_stack(CUdevice dev)
{
    CUcontext c, now;
    CUdeviceptr q;
    CUdevice d;
    CUevent gone;
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR flat = {.Width = 16, .Height = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};

    NEED(cuCtxCreate(&c, 0, dev));
    NEED(cuEventCreate(&gone, 0));
    NEED(cuArrayCreate(&array, &flat));
    NEED(cuCtxPushCurrent(first));
    NEED(cuCtxDestroy(c));
    NEED(cuCtxPopCurrent(NULL));
    NEED(cuCtxGetCurrent(&now));
    check_true("a destroyed context may still be current", now == c);
    check_result("but it makes nothing", cuMemAlloc(&q, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result("and has nothing to wait for", cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result("it knows its device", cuCtxGetDevice(&d), CUDA_SUCCESS);
    NEED(cuCtxSetCurrent(first));
    check_result("an event that went with its context says so", cuEventQuery(gone), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result("also to who would destroy it", cuEventDestroy(gone), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result("an array of it says so too", cuArrayGetDescriptor(&flat, array), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    check_result("and when it is destroyed", cuArrayDestroy(array), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

int main(void)
{
    pthread_t thread;

    first = check_start();
    make();
    pthread_create(&thread, NULL, without_context, NULL);
    pthread_join(thread, NULL);
    from_another_context(0);
    destroyed_under_the_stack(0);
    return n_failed != 0;
}
