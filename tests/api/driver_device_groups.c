// SPDX-License-Identifier: Apache-2.0
// run: -lcuda
// The device runtime's functions of cooperative groups, called by PTX that only declares them: all blocks of a grid meet, again and again; a plain launch of a fresh context has no handle.
#include <cuda.h>

#include <stdio.h>

enum { BLOCKS = 6, ROUNDS = 20 };
static int bad;
#define CHECK(what)                                                   \
    do {                                                              \
        if (!(what))                                                  \
            bad++, printf("%s:%d: %s\n", __FILE__, __LINE__, #what);  \
    } while (0)

// Each block adds 1 to a counter in each round; after the meeting everybody must see BLOCKS more. out[0]: the sum of what was wrong; out[1]: what synchronising answered.
static const char *const ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle (.param .b32 s);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize (.param .b64 h, .param .b32 f);\n"
    ".global .align 4 .u32 counter;\n"
    ".visible .entry meet (.param .u64 out, .param .u32 rounds, .param .u32 blocks)\n"
    "{\n"
    "    .reg .b64 %d<4>; .reg .b32 %r<12>; .reg .pred %p<3>;\n"
    "    ld.param.u64 %d1, [out];\n"
    "    ld.param.u32 %r1, [rounds];\n"
    "    ld.param.u32 %r2, [blocks];\n"
    "    { .param .b32 s; .param .b64 h; st.param.b32 [s], 1; call (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %d2, [h]; }\n"
    "    mov.u32 %r3, 0;\n"
    "    mov.u32 %r10, %tid.x;\n"
    "    setp.ne.u32 %p2, %r10, 0;\n"
    "next:\n"
    "    @%p2 bra meeting;\n"
    "    atom.global.add.u32 %r4, [counter], 1;\n"
    "meeting:\n"
    "    { .param .b64 h; .param .b32 f; .param .b32 r; st.param.b64 [h], %d2; st.param.b32 [f], 0; call (r), cudaCGSynchronize, (h, f); ld.param.b32 %r5, [r]; }\n"
    "    add.u32 %r3, %r3, 1;\n"
    "    ld.volatile.global.u32 %r6, [counter];\n"
    "    mul.lo.u32 %r7, %r3, %r2;\n"
    "    setp.ne.u32 %p1, %r6, %r7;\n"
    "    selp.u32 %r8, 1, 0, %p1;\n"
    "    atom.global.add.u32 %r9, [%d1], %r8;\n"
    "    atom.global.or.b32 %r9, [%d1+4], %r5;\n"
    "    { .param .b64 h; .param .b32 f; .param .b32 r; st.param.b64 [h], %d2; st.param.b32 [f], 0; call (r), cudaCGSynchronize, (h, f); }\n"
    "    setp.lt.u32 %p1, %r3, %r1;\n"
    "    @%p1 bra next;\n"
    "    ret;\n"
    "}\n";

int main(void)
{
    CUdevice device;
    CUcontext ctx;
    CUmodule module;
    CUfunction meet;
    CUdeviceptr out;
    unsigned got[2], rounds = ROUNDS, blocks = BLOCKS, once = 1, alone = 1;
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&ctx, device) == CUDA_SUCCESS && cuCtxSetCurrent(ctx) == CUDA_SUCCESS);
    CHECK(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS && cuModuleGetFunction(&meet, module, "meet") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&out, 8) == CUDA_SUCCESS && cuMemsetD32(out, 0, 2) == CUDA_SUCCESS);
    void *first[] = {&out, &once, &alone}, *args[] = {&out, &rounds, &blocks};
    CHECK(cuLaunchKernel(meet, 1, 1, 1, 1, 1, 1, 0, 0, first, 0) == CUDA_SUCCESS && cuMemcpyDtoH(got, out, 8) == CUDA_SUCCESS);
    CHECK(got[1] != 0);
    CUdeviceptr counter;
    size_t bytes;
    CHECK(cuModuleGetGlobal(&counter, &bytes, module, "counter") == CUDA_SUCCESS && cuMemsetD32(counter, 0, 1) == CUDA_SUCCESS && cuMemsetD32(out, 0, 2) == CUDA_SUCCESS);
    CHECK(cuLaunchCooperativeKernel(meet, BLOCKS, 1, 1, 64, 1, 1, 0, 0, args) == CUDA_SUCCESS && cuMemcpyDtoH(got, out, 8) == CUDA_SUCCESS);
    CHECK(got[0] == 0 && got[1] == 0);
    CHECK(cuModuleUnload(module) == CUDA_SUCCESS && cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
    puts(bad ? "FAILED" : "ok");
    return bad != 0;
}
