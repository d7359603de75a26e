/* SPDX-License-Identifier: Apache-2.0 */
/* After a kernel faulted: every call that touches the context answers why, and what only asks still works. */
#include "driver_check.h"

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry store(.param .u64 p)\n"
                          "{ .reg .u64 %a; ld.param.u64 %a, [p]; cvta.to.global.u64 %a, %a; st.global.u32 [%a], 1; ret; }\n";

int main(void)
{
    const CUresult bad = CUDA_ERROR_ILLEGAL_ADDRESS;
    CUcontext ctx = check_start(), now;
    CUmodule module;
    CUfunction store;
    CUstream stream, another;
    CUevent event;
    CUdeviceptr p, q, nowhere = 8;
    CUdevice dev;
    unsigned flags;
    size_t bytes;
    int type, active;
    void *h, *args[] = {&nowhere};

    NEED(cuStreamCreate(&stream, 0));
    NEED(cuEventCreate(&event, 0));
    NEED(cuModuleLoadData(&module, ptx));
    NEED(cuModuleGetFunction(&store, module, "store"));
    NEED(cuMemAlloc(&p, 64));
    NEED(cuMemAllocHost(&h, 64));
    check_result("the launch itself succeeds", cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL), CUDA_SUCCESS);
    check_result("waiting tells what happened", cuCtxSynchronize(), bad);
    check_result("and again", cuCtxSynchronize(), bad);
    check_result("a stream", cuStreamQuery(stream), bad);
    check_result("an event", cuEventQuery(event), bad);
    check_result("another launch", cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL), bad);
    check_result("a copy", cuMemcpyHtoD(p, &nowhere, 8), bad);
    check_result("new memory", cuMemAlloc(&q, 16), bad);
    check_result("old memory", cuMemFree(p), bad);
    check_result("page-locked memory", cuMemFreeHost(h), bad);
    check_result("its flags", cuMemHostGetFlags(&flags, h), bad);
    check_result("a new stream", cuStreamCreate(&another, 0), bad);
    check_result("a module", cuModuleGetFunction(&store, module, "store"), bad);
    check_result("its end", cuModuleUnload(module), bad);
    check_result("a limit", cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE), bad);
    check_result("the memory left", cuMemGetInfo(&bytes, &bytes), bad);
    check_result("the current context is told", cuCtxGetCurrent(&now), CUDA_SUCCESS);
    check_true("it is the broken one", now == ctx);
    check_result("its device is told", cuCtxGetDevice(&dev), CUDA_SUCCESS);
    check_result("its flags are told", cuCtxGetFlags(&flags), CUDA_SUCCESS);
    check_result("a pointer is told", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), CUDA_SUCCESS);
    check_result("the primary context's state is told", cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
    check_result("devices are told", cuDeviceGetAttribute(&type, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), CUDA_SUCCESS);
    check_result("the stack works", cuCtxPopCurrent(&now), CUDA_SUCCESS);
    check_result("both ways", cuCtxPushCurrent(ctx), CUDA_SUCCESS);
    check_result("the context is reset", cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
    return n_failed != 0;
}
