// SPDX-License-Identifier: Apache-2.0
// run: -lnvJitLink -lnvrtc
// nvJitLink over PTX: two texts that need each other become one image that the driver loads.
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static int bad;
#define CHECK(x) ((x) ? (void)0 : (void)(bad++, printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #x)))

static const char caller[] = R"(.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) scale (.param .b32 x);
.visible .entry apply(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [p];
    ld.global.u32 %r1, [%rd1];
    { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call (r), scale, (x); ld.param.b32 %r2, [r]; }
    st.global.u32 [%rd1], %r2;
    ret;
}
)";
static const char callee[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .func (.param .b32 r) scale (.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [x];
    mad.lo.s32 %r2, %r1, 10, 7;
    st.param.b32 [r], %r2;
    ret;
}
)";

static nvJitLinkHandle make()
{
    nvJitLinkHandle l = NULL;
    const char *options[] = {"-arch=sm_80", "-O3", "-lineinfo", "-ptx"};
    CHECK(nvJitLinkCreate(&l, 4, options) == NVJITLINK_SUCCESS && l);
    return l;
}

static std::string error_log(nvJitLinkHandle l)
{
    size_t n = 0;
    CHECK(nvJitLinkGetErrorLogSize(l, &n) == NVJITLINK_SUCCESS && n >= 1);
    std::vector<char> text(n);
    CHECK(nvJitLinkGetErrorLog(l, text.data()) == NVJITLINK_SUCCESS && strlen(text.data()) + 1 == n);
    return text.data();
}

static void two_texts_become_one()
{
    nvJitLinkHandle l = make();
    size_t n = 0, cubin = 0;
    CHECK(nvJitLinkGetLinkedPtxSize(l, &n) == NVJITLINK_ERROR_INTERNAL && nvJitLinkGetLinkedCubinSize(l, &n) == NVJITLINK_ERROR_INTERNAL);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_PTX, caller, strlen(caller), "caller") == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_ANY, callee, sizeof callee, "callee") == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkComplete(l) == NVJITLINK_SUCCESS);
    CHECK(error_log(l).empty());
    CHECK(nvJitLinkGetInfoLogSize(l, &n) == NVJITLINK_SUCCESS && n == 1);
    CHECK(nvJitLinkGetLinkedPtxSize(l, &n) == NVJITLINK_SUCCESS && nvJitLinkGetLinkedCubinSize(l, &cubin) == NVJITLINK_SUCCESS);
    std::vector<char> ptx(n), image(cubin);
    CHECK(nvJitLinkGetLinkedPtx(l, ptx.data()) == NVJITLINK_SUCCESS && strstr(ptx.data(), "scale") && strstr(ptx.data(), "apply"));
    CHECK(nvJitLinkGetLinkedCubin(l, image.data()) == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkDestroy(&l) == NVJITLINK_SUCCESS && !l);

    CUdevice device;
    CUcontext ctx;
    CUmodule module;
    CUfunction apply;
    CUdeviceptr d;
    int v = 4;
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&ctx, device) == CUDA_SUCCESS && cuCtxSetCurrent(ctx) == CUDA_SUCCESS);
    CHECK(cuModuleLoadData(&module, image.data()) == CUDA_SUCCESS && cuModuleGetFunction(&apply, module, "apply") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&d, 4) == CUDA_SUCCESS && cuMemcpyHtoD(d, &v, 4) == CUDA_SUCCESS);
    void *args[] = {&d};
    CHECK(cuLaunchKernel(apply, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS && cuMemcpyDtoH(&v, d, 4) == CUDA_SUCCESS);
    CHECK(v == 47);
}

/* What NVRTC makes with -dlto is linked as LTO IR; PTX is none, and there is none without -dlto. */
static std::vector<char> lto_of(const char *source)
{
    nvrtcProgram p;
    const char *plain[] = {"-rdc=true"}, *lto[] = {"-dlto"};
    size_t n = 1;
    CHECK(nvrtcCreateProgram(&p, source, "part.cu", 0, NULL, NULL) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 1, plain) == NVRTC_SUCCESS && nvrtcGetLTOIRSize(p, &n) == NVRTC_SUCCESS && n == 0);
    CHECK(nvrtcCompileProgram(p, 1, lto) == NVRTC_SUCCESS && nvrtcGetLTOIRSize(p, &n) == NVRTC_SUCCESS && n > 1);
    std::vector<char> out(n);
    CHECK(nvrtcGetLTOIR(p, out.data()) == NVRTC_SUCCESS);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    return out;
}

static void lto_of_nvrtc_is_linked()
{
    std::vector<char> one = lto_of("extern __device__ int f(int); extern \"C\" __global__ void go(int *p) { *p = f(*p); }");
    std::vector<char> two = lto_of("__device__ int f(int x) { return x * 3 + 1; }");
    nvJitLinkHandle l = NULL;
    const char *options[] = {"-lto", "-arch=sm_80"};
    CHECK(nvJitLinkCreate(&l, 2, options) == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_LTOIR, one.data(), one.size(), "one") == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_PTX, two.data(), two.size(), "two") != NVJITLINK_SUCCESS);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_LTOIR, two.data(), two.size(), "two") == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkComplete(l) == NVJITLINK_SUCCESS);
    size_t n = 0;
    CHECK(nvJitLinkGetLinkedCubinSize(l, &n) == NVJITLINK_SUCCESS);
    std::vector<char> image(n);
    CHECK(nvJitLinkGetLinkedCubin(l, image.data()) == NVJITLINK_SUCCESS && nvJitLinkDestroy(&l) == NVJITLINK_SUCCESS);
    CUmodule module;
    CUfunction go;
    CUdeviceptr d;
    int v = 5;
    CHECK(cuModuleLoadData(&module, image.data()) == CUDA_SUCCESS && cuModuleGetFunction(&go, module, "go") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&d, 4) == CUDA_SUCCESS && cuMemcpyHtoD(d, &v, 4) == CUDA_SUCCESS);
    void *args[] = {&d};
    CHECK(cuLaunchKernel(go, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS && cuMemcpyDtoH(&v, d, 4) == CUDA_SUCCESS);
    CHECK(v == 16);
}

/* As the library of CUDA 13.0 has it: the result is a module that holds nothing, and it can be had once. */
static void nothing_links_to_an_empty_module()
{
    nvJitLinkHandle l = NULL;
    const char *options[] = {"-arch=sm_80"};
    size_t n = 0;
    CHECK(nvJitLinkCreate(&l, 1, options) == NVJITLINK_SUCCESS && nvJitLinkComplete(l) == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkComplete(l) == NVJITLINK_ERROR_INTERNAL);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_PTX, caller, sizeof caller, "late") == NVJITLINK_ERROR_INTERNAL);
    CHECK(nvJitLinkGetLinkedPtxSize(l, &n) == NVJITLINK_ERROR_INVALID_INPUT);      /* without -ptx */
    CHECK(nvJitLinkGetLinkedCubinSize(l, &n) == NVJITLINK_SUCCESS && n > 0);
    std::vector<char> image(n);
    CUmodule module;
    CUfunction f;
    CHECK(nvJitLinkGetLinkedCubin(l, image.data()) == NVJITLINK_SUCCESS && nvJitLinkDestroy(&l) == NVJITLINK_SUCCESS);
    CHECK(cuModuleLoadData(&module, image.data()) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&f, module, "k") == CUDA_ERROR_NOT_FOUND && cuModuleUnload(module) == CUDA_SUCCESS);
}

static void errors_are_told()
{
    nvJitLinkHandle l = NULL;
    const char *no_arch[] = {"-lineinfo"}, *unknown[] = {"-arch=sm_80", "-frobnicate"};
    CHECK(nvJitLinkCreate(&l, 1, no_arch) == NVJITLINK_ERROR_MISSING_ARCH && !l);
    CHECK(nvJitLinkCreate(&l, 2, unknown) == NVJITLINK_ERROR_UNRECOGNIZED_OPTION && !l);

    l = make();
    const char wrong[] = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frob.u32 x; }\n";
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_PTX, wrong, sizeof wrong, "wrong.ptx") == NVJITLINK_ERROR_PTX_COMPILE);
    CHECK(error_log(l).find("wrong.ptx:4") != std::string::npos);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_LTOIR, caller, sizeof caller, "x") == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
    CHECK(error_log(l).find("links PTX") != std::string::npos);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_FATBIN, "hello world", 12, "x") == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_ANY, "hello world", 12, "x") == NVJITLINK_ERROR_UNRECOGNIZED_INPUT);
    CHECK(nvJitLinkAddData(l, (nvJitLinkInputType)99, caller, sizeof caller, "x") == NVJITLINK_ERROR_INCORRECT_INPUT_TYPE);
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_PTX, NULL, 0, "x") == NVJITLINK_ERROR_INVALID_INPUT);
    CHECK(nvJitLinkAddFile(l, NVJITLINK_INPUT_PTX, "/no/such/file") == NVJITLINK_ERROR_INVALID_INPUT);
    CHECK(nvJitLinkDestroy(&l) == NVJITLINK_SUCCESS);

    l = make();
    CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_PTX, caller, sizeof caller, "caller") == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkComplete(l) == NVJITLINK_ERROR_INTERNAL && error_log(l).find("'scale'") != std::string::npos);
    CHECK(nvJitLinkDestroy(&l) == NVJITLINK_SUCCESS);

    l = make();
    for (int i = 0; i < 2; i++)
        CHECK(nvJitLinkAddData(l, NVJITLINK_INPUT_PTX, callee, sizeof callee, "callee") == NVJITLINK_SUCCESS);
    CHECK(nvJitLinkComplete(l) == NVJITLINK_ERROR_FINALIZE && error_log(l).find("scale") != std::string::npos);
    CHECK(nvJitLinkDestroy(&l) == NVJITLINK_SUCCESS && nvJitLinkDestroy(&l) == NVJITLINK_ERROR_NULL_INPUT);
}

int main()
{
    unsigned major = 0, minor = 0;
    CHECK(nvJitLinkVersion(&major, &minor) == NVJITLINK_SUCCESS && major >= 12);
    two_texts_become_one();
    lto_of_nvrtc_is_linked();
    nothing_links_to_an_empty_module();
    errors_are_told();
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
