/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, launches, occupancy, linking, libraries: with PTX written by hand. */
#include "driver_check.h"

#define HEAD ".version 7.0\n.target sm_50\n.address_size 64\n"
static const char ptx[] = HEAD
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .global .align 8 .b8 table[40];\n"
    ".visible .entry bump(.param .u64 p, .param .u32 v)\n"
    "{ .reg .u64 %a; .reg .u32 %b; ld.param.u64 %a, [p]; ld.param.u32 %b, [v]; cvta.to.global.u64 %a, %a;\n"
    "  st.global.u32 [%a], %b; ret; }\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n, .param .f32 f)\n"
    "{ .reg .u64 %a, %o; .reg .u32 %n, %i, %t, %c; .reg .f32 %x, %f; .reg .pred %q;\n"
    "  ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; ld.param.f32 %f, [f]; cvta.to.global.u64 %a, %a;\n"
    "  mov.u32 %i, %ctaid.x; mov.u32 %t, %ntid.x; mov.u32 %c, %tid.x; mad.lo.u32 %i, %i, %t, %c;\n"
    "  setp.ge.u32 %q, %i, %n; @%q ret; mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;\n"
    "  ld.global.f32 %x, [%a]; mul.f32 %x, %x, %f; st.global.f32 [%a], %x; ret; }\n"
    ".visible .entry small() .maxntid 64, 1, 1 { ret; }\n";
static const char broken[] = HEAD ".visible .entry k() { frobnicate.u32 %r1; }\n";

static void loading(void)
{
    CUmodule m, bad;
    CUfunction f;
    CUdeviceptr g = 0;
    size_t bytes = 0;
    unsigned value = 0;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};

    check_result("PTX is loaded", cuModuleLoadData(&m, ptx), CUDA_SUCCESS);
    check_result("garbage is no image", cuModuleLoadData(&bad, "not ptx at all"), CUDA_ERROR_INVALID_IMAGE);
    check_result("an unknown instruction", cuModuleLoadDataEx(&bad, broken, 2, options, values), CUDA_ERROR_INVALID_PTX);
    check_true("is explained in the log", log[0] != 0 && memchr(log, 0, sizeof log));
    check_result("a missing file", cuModuleLoad(&bad, "no-such-file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
    check_result("a version from the future", cuModuleLoadData(&bad, ".version 99.0\n.target sm_50\n.address_size 64\n"),
                 CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    check_result("a kernel is found", cuModuleGetFunction(&f, m, "bump"), CUDA_SUCCESS);
    check_result("one that is not there is not", cuModuleGetFunction(&f, m, "nope"), CUDA_ERROR_NOT_FOUND);
    check_result("an empty name", cuModuleGetFunction(&f, m, ""), CUDA_ERROR_INVALID_VALUE);
    check_result("a variable is found", cuModuleGetGlobal(&g, &bytes, m, "counter"), CUDA_SUCCESS);
    check_value("with its size", (long long)bytes, 4);
    NEED(cuMemcpyDtoH(&value, g, 4));
    check_value("and its first value", value, 5);
    check_result("its size alone", cuModuleGetGlobal(NULL, &bytes, m, "table"), CUDA_SUCCESS);
    check_value("is enough", (long long)bytes, 40);
    check_result("one that is not there is not", cuModuleGetGlobal(&g, &bytes, m, "nope"), CUDA_ERROR_NOT_FOUND);
    check_result("it is unloaded", cuModuleUnload(m), CUDA_SUCCESS);
}

static void launching(CUfunction bump, CUfunction scale, CUfunction small, CUdeviceptr p)
{
    unsigned value = 42, got = 0;
    void *args[] = {&p, &value};
    struct {
        CUdeviceptr p;
        unsigned v;
    } packed = {p, 43};
    size_t bytes = 12, too_many = 16;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    void *wrong[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &too_many, CU_LAUNCH_PARAM_END};

    check_result("a kernel runs", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(&got, p, 4));
    check_value("and stores its parameter", got, 42);
    check_result("parameters in a buffer", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(&got, p, 4));
    check_value("arrive as well", got, 43);
    check_result("a buffer of the wrong size", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, 0, NULL, wrong), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    check_result("no kernel", cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL), CUDA_ERROR_INVALID_HANDLE);
    check_result("an empty grid", cuLaunchKernel(bump, 0, 1, 1, 1, 1, 1, 0, 0, args, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result("2048 threads", cuLaunchKernel(bump, 1, 1, 1, 2048, 1, 1, 0, 0, args, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result("parameters twice", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, 0, args, extra), CUDA_ERROR_INVALID_VALUE);
    check_result("parameters not at all", cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result("more threads than .maxntid", cuLaunchKernel(small, 1, 1, 1, 65, 1, 1, 0, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result("as many", cuLaunchKernel(small, 1, 1, 1, 64, 1, 1, 0, 0, NULL, NULL), CUDA_SUCCESS);

    static float data[1000];
    unsigned n = 1000;
    float factor = 1.5f;
    void *more[] = {&p, &n, &factor};
    for (int i = 0; i < 1000; i++)
        data[i] = (float)i;
    NEED(cuMemcpyHtoD(p, data, sizeof data));
    check_result("many blocks", cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, 0, more, NULL), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(data, p, sizeof data));
    int good = 1;
    for (int i = 0; i < 1000; i++)
        good &= data[i] == (float)i * 1.5f;
    check_true("do all the work", good);
    CUlaunchConfig config = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
    value = 77;
    check_result("a launch with a configuration", cuLaunchKernelEx(&config, bump, args, NULL), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(&got, p, 4));
    check_value("runs too", got, 77);
}

static void attributes(CUfunction bump, CUfunction small)
{
    int value = -1, blocks = -1, grid = -1, block = -1;
    const char *name = NULL;
    size_t offset = 99, bytes = 99;

    check_result("a kernel has attributes", cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, small), CUDA_SUCCESS);
    check_value(".maxntid is one", value, 64);
    cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, bump);
    check_value("no shared memory", value, 0);
    check_result("an unknown attribute", cuFuncGetAttribute(&value, (CUfunction_attribute)99, bump), CUDA_ERROR_INVALID_VALUE);
    check_result("more dynamic shared memory", cuFuncSetAttribute(bump, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 * 1024), CUDA_SUCCESS);
    check_result("too much of it", cuFuncSetAttribute(bump, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000 * 1024), CUDA_ERROR_INVALID_VALUE);
    check_result("a kernel has a name", cuFuncGetName(&name, bump), CUDA_SUCCESS);
    check_true("its own", name && strcmp(name, "bump") == 0);
    check_result("and parameters", cuFuncGetParamInfo(bump, 1, &offset, &bytes), CUDA_SUCCESS);
    check_true("at places of their own", offset == 8 && bytes == 4);
    check_result("but no third", cuFuncGetParamInfo(bump, 2, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    check_result("occupancy", cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bump, 256, 0), CUDA_SUCCESS);
    check_value("eight blocks of 256 threads", blocks, 8);
    check_result("the best block", cuOccupancyMaxPotentialBlockSize(&grid, &block, bump, NULL, 0, 0), CUDA_SUCCESS);
    check_value("is the largest", block, 1024);
    check_true("and fills the device", grid > 0 && grid % 2 == 0);
}

static void linking(CUdeviceptr p)
{
    static char first[] = HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                               "{ .reg .u32 %a; ld.param.u32 %a, [x]; add.u32 %a, %a, %a; st.param.u32 [r], %a; ret; }\n";
    static char second[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                                ".visible .entry go(.param .u64 p)\n"
                                "{ .reg .u64 %a; .reg .u32 %b; ld.param.u64 %a, [p]; cvta.to.global.u64 %a, %a; mov.u32 %b, 21;\n"
                                "  { .param .b32 q; .param .b32 s; st.param.b32 [q], %b; call.uni (s), twice, (q); ld.param.b32 %b, [s]; }\n"
                                "  st.global.u32 [%a], %b; ret; }\n";
    CUlinkState link;
    CUmodule m;
    CUfunction f;
    void *image = NULL, *args[] = {&p};
    size_t bytes = 0;
    unsigned got = 0;

    check_result("a linker", cuLinkCreate(0, NULL, NULL, &link), CUDA_SUCCESS);
    check_result("takes PTX", cuLinkAddData(link, CU_JIT_INPUT_PTX, first, sizeof first, "first", 0, NULL, NULL), CUDA_SUCCESS);
    check_result("and more of it", cuLinkAddData(link, CU_JIT_INPUT_PTX, second, sizeof second, "second", 0, NULL, NULL), CUDA_SUCCESS);
    check_result("and makes one image", cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
    if (image) {
        check_result("which is loaded", cuModuleLoadData(&m, image), CUDA_SUCCESS);
        NEED(cuModuleGetFunction(&f, m, "go"));
        check_result("and run", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL), CUDA_SUCCESS);
        NEED(cuMemcpyDtoH(&got, p, 4));
        check_value("a call across the two works", got, 42);
        NEED(cuModuleUnload(m));
    }
    check_result("the linker ends", cuLinkDestroy(link), CUDA_SUCCESS);
}

static void libraries(CUdeviceptr p)
{
    CUlibrary lib;
    CUkernel k;
    CUfunction f;
    unsigned count = 0, value = 11, got = 0;
    void *args[] = {&p, &value};

    check_result("a library", cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0), CUDA_SUCCESS);
    check_result("has kernels", cuLibraryGetKernelCount(&count, lib), CUDA_SUCCESS);
    check_value("three of them", count, 3);
    check_result("a kernel is found", cuLibraryGetKernel(&k, lib, "bump"), CUDA_SUCCESS);
    check_result("one that is not there is not", cuLibraryGetKernel(&k, lib, "nope"), CUDA_ERROR_NOT_FOUND);
    check_result("it is a function of this context", cuKernelGetFunction(&f, k), CUDA_SUCCESS);
    check_result("a kernel is launched like a function", cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(&got, p, 4));
    check_value("and runs", got, 11);
    check_result("it is unloaded", cuLibraryUnload(lib), CUDA_SUCCESS);
}

/* A library belongs to no context: it is loaded and asked about without one. */
static void libraries_without_a_context(CUdeviceptr p)
{
    CUcontext ctx;
    CUlibrary lib, other;
    CUkernel k, all[3];
    CUfunction f;
    CUdevice dev;
    CUmodule module;
    unsigned count = 0, value = 12, got = 0, flags;
    int threads = 0, active, before;
    size_t offset, bytes;
    void *args[] = {&p, &value};

    NEED(cuDeviceGet(&dev, 0));
    NEED(cuDevicePrimaryCtxGetState(dev, &flags, &before));
    NEED(cuCtxPopCurrent(&ctx));
    check_result("a library without a context", cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0), CUDA_SUCCESS);
    check_result("has kernels", cuLibraryGetKernelCount(&count, lib), CUDA_SUCCESS);
    check_value("three of them", count, 3);
    check_result("which are listed", cuLibraryEnumerateKernels(all, 3, lib), CUDA_SUCCESS);
    check_result("a kernel is found", cuLibraryGetKernel(&k, lib, "bump"), CUDA_SUCCESS);
    check_result("one that is not there is not", cuLibraryGetKernel(&k, lib, "nope"), CUDA_ERROR_NOT_FOUND);
    check_result("it has attributes", cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, dev), CUDA_SUCCESS);
    check_value("of the device", threads > 0, 1);
    check_result("parameters are a function's", cuKernelGetParamInfo(k, 1, &offset, &bytes), CUDA_ERROR_INVALID_CONTEXT);
    check_result("a function is a context's", cuKernelGetFunction(&f, k), CUDA_ERROR_INVALID_CONTEXT);
    check_result("so is a module", cuLibraryGetModule(&module, lib), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext now = ctx;
    NEED(cuCtxGetCurrent(&now));
    check_value("no context is current because of it", now == NULL, 1);
    NEED(cuDevicePrimaryCtxGetState(dev, &flags, &active));
    check_value("nor is the primary one active", active, before);
    check_result("bad code is refused", cuLibraryLoadData(&other, "nonsense", NULL, NULL, 0, NULL, NULL, 0) == CUDA_SUCCESS, 0);
    NEED(cuCtxPushCurrent(ctx));
    check_result("in a context it has parameters", cuKernelGetParamInfo(k, 1, &offset, &bytes), CUDA_SUCCESS);
    check_value("at their places", offset, 8);
    check_result("and is launched", cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(&got, p, 4));
    check_value("and runs", got, 12);
    check_result("it is unloaded", cuLibraryUnload(lib), CUDA_SUCCESS);
}

int main(void)
{
    CUmodule m;
    CUfunction bump, scale, small;
    CUdeviceptr p;

    check_start();
    loading();
    NEED(cuMemAlloc(&p, 4096));
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&bump, m, "bump"));
    NEED(cuModuleGetFunction(&scale, m, "scale"));
    NEED(cuModuleGetFunction(&small, m, "small"));
    launching(bump, scale, small, p);
    attributes(bump, small);
    linking(p);
    libraries(p);
    libraries_without_a_context(p);
    NEED(cuModuleUnload(m));
    return n_failed != 0;
}
