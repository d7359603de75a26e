// SPDX-License-Identifier: Apache-2.0
// The driver API: contexts, page-locked memory, memset, and a kernel that comes as PTX text. No kernel compiler is involved,
// so this is plain C++.
//
//   hostwarp run 05_driver_api.cpp
//   c++ 05_driver_api.cpp -lcuda        (after eval "$(hostwarp env)")
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                              \
    do {                                                                         \
        CUresult rc = (call);                                                    \
        if (rc != CUDA_SUCCESS) {                                                \
            const char *name = "?";                                              \
            cuGetErrorName(rc, &name);                                           \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name);     \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

// scale(x, factor, n): x[i] *= factor. The assembly language of CUDA devices; a real compiler writes it like this too.
static const char ptx[] = R"(
.version 7.0
.target sm_50
.address_size 64

.visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<4>;

    mov.u32         %r1, %ctaid.x;
    mov.u32         %r2, %ntid.x;
    mov.u32         %r3, %tid.x;
    mad.lo.s32      %r4, %r1, %r2, %r3;         // blockIdx.x * blockDim.x + threadIdx.x
    ld.param.u32    %r5, [n];
    setp.ge.u32     %p, %r4, %r5;
    @%p bra         done;

    ld.param.u64    %rd1, [x];
    mul.wide.u32    %rd2, %r4, 4;
    add.s64         %rd3, %rd1, %rd2;
    ld.global.f32   %f1, [%rd3];
    ld.param.f32    %f2, [factor];
    mul.f32         %f3, %f1, %f2;
    st.global.f32   [%rd3], %f3;
done:
    ret;
}
)";

int main()
{
    CHECK(cuInit(0));                           // before everything else
    CUdevice dev;
    char name[128];
    CHECK(cuDeviceGet(&dev, 0));
    CHECK(cuDeviceGetName(name, sizeof name, dev));
    CUcontext ctx;
    CHECK(cuCtxCreate(&ctx, 0, dev));           // and is now current for this thread
    std::printf("context on \"%s\"\n", name);

    const unsigned n = 1000;
    float *host;
    CUdeviceptr device;
    CHECK(cuMemAllocHost(reinterpret_cast<void **>(&host), n * sizeof *host));
    CHECK(cuMemAlloc(&device, n * sizeof *host));
    CHECK(cuMemsetD32(device, 0x3fc00000, n));  // the bits of 1.5f, n times

    // The JIT's words go into a buffer of ours; for a syntax error they name line and reason.
    char log[1024] = "";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, reinterpret_cast<void *>(sizeof log) };
    CUmodule module;
    CUresult loaded = cuModuleLoadDataEx(&module, ptx, 2, options, values);
    if (loaded != CUDA_SUCCESS)
        std::printf("the PTX was refused: %s\n", log);
    CHECK(loaded);
    CUfunction scale;
    CHECK(cuModuleGetFunction(&scale, module, "scale"));

    float factor = 4.0f;
    unsigned count = n;
    void *args[] = { &device, &factor, &count };
    CHECK(cuLaunchKernel(scale, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, args, nullptr));
    CHECK(cuMemcpyDtoH(host, device, n * sizeof *host));

    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++)
        wrong += host[i] != 6.0f;
    std::printf("1.5 * 4 = %.1f in all %u places, %u wrong\n", host[0], n, wrong);

    // What a broken kernel answers: an error code and a reason, no crash.
    CUmodule broken;
    log[0] = 0;
    values[1] = reinterpret_cast<void *>(sizeof log);
    CUresult rc = cuModuleLoadDataEx(&broken, ".version 7.0\n.target sm_50\n.address_size 64\n.entry k() { frobnicate.u32 %r1; }\n",
                                     2, options, values);
    const char *text = "?";
    cuGetErrorName(rc, &text);
    std::printf("a module with nonsense in it: %s\n  %s\n", text, log);

    CHECK(cuModuleUnload(module));
    CHECK(cuMemFree(device));
    CHECK(cuMemFreeHost(host));
    CHECK(cuCtxDestroy(ctx));
    return wrong != 0 || rc == CUDA_SUCCESS;
}
