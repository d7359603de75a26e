// SPDX-License-Identifier: Apache-2.0
// libnvvm: NVVM IR of both dialects, text and bitcode, to PTX that loads and computes; options, errors, logs.
// run: -lnvvm -lcuda
#include <cuda.h>
#include <nvvm.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(x)                                                                                                                           \
    do {                                                                                                                                   \
        if (!(x)) {                                                                                                                        \
            std::printf("line %d: %s\n", __LINE__, #x);                                                                                    \
            std::exit(1);                                                                                                                  \
        }                                                                                                                                  \
    } while (0)

static const char layout[] = "target triple = \"nvptx64-nvidia-cuda\"\n"
                             "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-"
                             "v64:64:64-v128:128:128-n16:32:64\"\n";

/* Pointers with types, names in quotes, nested and function types, a struct by value, stars in strings and comments. */
static const char typed[] = R"(
%"pair" = type { i32, i32* }
@"table" = internal addrspace(1) global [4 x i32] [i32 10, i32 20, i32 30, i32 40]
@text = internal addrspace(1) constant [4 x i8] c"i8*\00" ; a comment with i32* and "
declare float @"__nv_sqrtf"(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i1 } @"llvm.nvvm.shfl.sync.i32"(i32, i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.vote.sync(i32, i32, i1)
define internal i32 @"twice"(i32* %"p", i32 (i32)* %unused) alwaysinline {
  %v = load i32, i32* %p
  %d = shl i32 %v, 1
  ret i32 %d
}
define internal i32 @by_value(%"pair"* byval align 8 %p) noinline {
  %f = getelementptr %"pair", %"pair"* %p, i32 0, i32 0
  %v = load i32, i32* %f
  ret i32 %v
}
define void @"go"(i32 addrspace(1)* %"out", float %x) {
"entry":
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %room = alloca %"pair"
  %slot = getelementptr inbounds %"pair", %"pair"* %room, i32 0, i32 0
  store i32 %t, i32* %slot
  %a = call i32 @by_value(%"pair"* byval align 8 %room)
  %two = call i32 @twice(i32* %slot, i32 (i32)* null)
  %entry2 = getelementptr [4 x i32], [4 x i32] addrspace(1)* @"table", i32 0, i32 %t
  %c = load i32, i32 addrspace(1)* %entry2
  %s = call { i32, i1 } @llvm.nvvm.shfl.sync.i32(i32 -1, i32 3, i32 %c, i32 1, i32 31)
  %other = extractvalue { i32, i1 } %s, 0
  %small = icmp ult i32 %t, 2
  %v = call { i32, i1 } @llvm.nvvm.vote.sync(i32 -1, i32 3, i1 %small)
  %ballot = extractvalue { i32, i1 } %v, 0
  %root = call float @"__nv_sqrtf"(float %x)
  %r = fptosi float %root to i32
  %s1 = add i32 %a, %two
  %s2 = add i32 %s1, %other
  %s3 = mul i32 %ballot, 1000
  %s4 = add i32 %s2, %s3
  %s5 = mul i32 %r, 10000
  %s6 = add i32 %s4, %s5
  %at = getelementptr i32, i32 addrspace(1)* %out, i32 %t
  store i32 %s6, i32 addrspace(1)* %at
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32 addrspace(1)*, float)* @"go", !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0, i32 3, i32 1}
)";

static const char opaque[] = R"(
define void @go(ptr addrspace(1) %out, float %x) {
  %y = fmul float %x, 0x36F0000000000000
  %z = fmul float %y, 0x47E0000000000000
  %w = fmul float %z, 0x4130000000000000
  %i = fptosi float %w to i32
  store i32 %i, ptr addrspace(1) %out
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @go, !"kernel", i32 1}
)";

static std::string log_of(nvvmProgram p)
{
    size_t n = 0;
    CHECK(nvvmGetProgramLogSize(p, &n) == NVVM_SUCCESS && n >= 1);
    std::vector<char> text(n);
    CHECK(nvvmGetProgramLog(p, text.data()) == NVVM_SUCCESS);
    return text.data();
}

static std::string compile(const std::vector<std::string> &modules, std::vector<const char *> options, nvvmResult expect = NVVM_SUCCESS, std::string *log = nullptr)
{
    nvvmProgram p;
    CHECK(nvvmCreateProgram(&p) == NVVM_SUCCESS);
    for (const std::string &m : modules)
        CHECK(nvvmAddModuleToProgram(p, m.data(), m.size(), "part") == NVVM_SUCCESS);
    nvvmResult rc = nvvmCompileProgram(p, (int)options.size(), options.data());
    if (rc != expect)
        std::printf("%s: %s\n", nvvmGetErrorString(rc), log_of(p).c_str());
    CHECK(rc == expect);
    std::string out;
    size_t n = 0;
    if (rc == NVVM_SUCCESS) {
        CHECK(nvvmGetCompiledResultSize(p, &n) == NVVM_SUCCESS);
        std::vector<char> text(n);
        CHECK(nvvmGetCompiledResult(p, text.data()) == NVVM_SUCCESS && strlen(text.data()) + 1 == n);
        out = text.data();
    } else {
        CHECK(nvvmGetCompiledResultSize(p, &n) == NVVM_SUCCESS && n == 1);
    }
    if (log)
        *log = log_of(p);
    CHECK(nvvmDestroyProgram(&p) == NVVM_SUCCESS && !p);
    return out;
}

static std::vector<int> run(const std::string &ptx, float x)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr d;
    std::vector<int> out(4);
    CHECK(cuModuleLoadData(&m, ptx.c_str()) == CUDA_SUCCESS && cuModuleGetFunction(&f, m, "go") == CUDA_SUCCESS && cuMemAlloc(&d, 16) == CUDA_SUCCESS);
    void *args[] = {&d, &x};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS && cuMemcpyDtoH(out.data(), d, 16) == CUDA_SUCCESS);
    CHECK(cuModuleUnload(m) == CUDA_SUCCESS && cuMemFree(d) == CUDA_SUCCESS);
    return out;
}

static void pointers_with_types_are_read()
{
    for (const char *opt : {"-opt=3", "-opt=0"}) {
        std::string ptx = compile({layout + std::string(typed)}, {opt, "-arch=compute_80"});
        CHECK(ptx.find(".target sm_80") != std::string::npos && ptx.find(".entry go") != std::string::npos);
        std::vector<int> out = run(ptx, 49);
        for (int t = 0; t < 4; t++)
            CHECK(out[t] == t + 2 * t + ((t ^ 1) + 1) * 10 + 3 * 1000 + 7 * 10000);
    }
}

static void options_change_the_code()
{
    std::string plain = compile({layout + std::string(opaque)}, {"-arch=compute_75", "-ftz=0"}), flushed = compile({layout + std::string(opaque)}, {"-ftz=1"});
    CHECK(plain.find(".target sm_75") != std::string::npos && plain.find("mul.rn.ftz") == std::string::npos && plain.find("mul.ftz") == std::string::npos);
    CHECK(flushed.find(".ftz.f32") != std::string::npos);
    CHECK(run(plain, 1)[0] == 8 && run(flushed, 1)[0] == 0);
    CHECK(compile({opaque}, {"-gen-lto"}).compare(0, 8, "hostwarp") == 0);
}

static void modules_are_joined()
{
    const char *caller = "declare i32 @f(i32)\ndefine void @go(i32* %out, float %x) {\n  %v = call i32 @f(i32 41)\n  store i32 %v, i32* %out\n  ret void\n}\n"
                         "!nvvm.annotations = !{!0}\n!0 = !{void (i32*, float)* @go, !\"kernel\", i32 1}\n";
    const char *callee = "define i32 @f(i32 %x) {\n  %v = add i32 %x, 1\n  ret i32 %v\n}\ndefine i32 @unused(i32 %x) {\n  ret i32 %x\n}\n";
    CHECK(run(compile({caller, callee}, {}), 0)[0] == 42);
    nvvmProgram p;
    size_t n;
    CHECK(nvvmCreateProgram(&p) == NVVM_SUCCESS && nvvmAddModuleToProgram(p, caller, strlen(caller), "caller") == NVVM_SUCCESS);
    CHECK(nvvmLazyAddModuleToProgram(p, callee, strlen(callee), nullptr) == NVVM_SUCCESS && nvvmVerifyProgram(p, 0, nullptr) == NVVM_SUCCESS);
    CHECK(nvvmCompileProgram(p, 0, nullptr) == NVVM_SUCCESS && nvvmGetCompiledResultSize(p, &n) == NVVM_SUCCESS);
    std::vector<char> text(n);
    CHECK(nvvmGetCompiledResult(p, text.data()) == NVVM_SUCCESS && !strstr(text.data(), "unused") && run(text.data(), 0)[0] == 42);
    CHECK(nvvmDestroyProgram(&p) == NVVM_SUCCESS);
}

// libdevice's functions that are one instruction are written out; -ftz counts for them, too. A caller may give sincos() a result that it does not have.
static void libdevice_is_written_out()
{
    std::string source = "target triple = \"nvptx64-nvidia-cuda\"\ndeclare float @__nv_fast_tanf(float)\ndeclare float @__nv_fmaxf(float, float)\ndeclare float @__nv_sqrtf(float)\ndeclare ptr @__nv_sincosf(float, ptr, ptr)\n"
                         "define void @go(ptr %p) {\n  %a = load float, ptr %p\n  %b = call float @__nv_fast_tanf(float %a)\n  %d = call float @__nv_sqrtf(float %b)\n  %c = call float @__nv_fmaxf(float %d, float 1.0)\n"
                         "  %s = getelementptr float, ptr %p, i64 1\n  %r = call ptr @__nv_sincosf(float %c, ptr %s, ptr %p)\n  ret void\n}\n"
                         "!nvvm.annotations = !{!0}\n!0 = !{ptr @go, !\"kernel\", i32 1}\n";
    std::string plain = compile({source}, {}), flushed = compile({source}, {"-ftz=1"});
    CHECK(plain.find("sin.approx.f32") != std::string::npos && plain.find("max.f32") != std::string::npos && plain.find("tanf") == std::string::npos && plain.find("sqrt.rn.f32") != std::string::npos);
    CHECK(flushed.find("cos.approx.ftz.f32") != std::string::npos && flushed.find("max.ftz.f32") != std::string::npos);
    CUmodule module;
    CHECK(cuModuleLoadData(&module, plain.c_str()) == CUDA_SUCCESS && cuModuleUnload(module) == CUDA_SUCCESS);
}

static void what_is_wrong_is_said()
{
    std::string log;
    compile({"define void @go() {\n  %v = add i32 %nothing, 1\n  ret void\n}\n"}, {}, NVVM_ERROR_COMPILATION, &log);
    CHECK(log.find("nothing") != std::string::npos && log.find(" (2, ") != std::string::npos);
    compile({"This is not NVVM IR"}, {}, NVVM_ERROR_COMPILATION, &log);
    CHECK(log.find(" (1, 0): parse expected top-level entity") != std::string::npos && log.find("module0.ll") == std::string::npos && log.back() != '\n');
    compile({opaque}, {"-no-such-option"}, NVVM_ERROR_INVALID_OPTION, &log);
    CHECK(log.find("-no-such-option") != std::string::npos);
    compile({opaque}, {"-arch=compute_81"}, NVVM_ERROR_INVALID_OPTION);
    compile({opaque}, {"-arch=sm_80"}, NVVM_ERROR_INVALID_OPTION);
    compile({}, {}, NVVM_ERROR_NO_MODULE_IN_PROGRAM);
    compile({"BC\xc0\xde this is no bitcode"}, {}, NVVM_ERROR_COMPILATION);
    for (const char *odd : {"*", "****", ")*", "define void @f() { ]}>)* ", "\"", "@\"", "define (addrspace(1)*", "byval sret"})
        compile({odd}, {}, NVVM_ERROR_COMPILATION);
    nvvmProgram p;
    int a, b, c, d;
    CHECK(nvvmCreateProgram(&p) == NVVM_SUCCESS && nvvmAddModuleToProgram(p, nullptr, 3, "x") == NVVM_ERROR_INVALID_INPUT);
    CHECK(nvvmAddModuleToProgram(p, "define void @f() { ret i32 1 }", 30, "x") == NVVM_SUCCESS && nvvmVerifyProgram(p, 0, nullptr) == NVVM_ERROR_INVALID_IR);
    CHECK(nvvmCompileProgram(p, 1, nullptr) == NVVM_ERROR_INVALID_INPUT && nvvmDestroyProgram(&p) == NVVM_SUCCESS && nvvmDestroyProgram(&p) == NVVM_ERROR_INVALID_PROGRAM);
    CHECK(nvvmCreateProgram(nullptr) == NVVM_ERROR_INVALID_PROGRAM && nvvmCompileProgram(nullptr, 0, nullptr) == NVVM_ERROR_INVALID_PROGRAM);
    CHECK(nvvmVersion(&a, &b) == NVVM_SUCCESS && a == 2 && nvvmIRVersion(&a, &b, &c, &d) == NVVM_SUCCESS && a == 2 && nvvmVersion(nullptr, &b) == NVVM_ERROR_INVALID_INPUT);
    CHECK(strcmp(nvvmGetErrorString(NVVM_ERROR_INVALID_IR), "NVVM_ERROR_INVALID_IR") == 0 && nvvmLLVMVersion("compute_80", &a) == NVVM_SUCCESS && a >= 7);
}

int main()
{
    CUdevice device;
    CUcontext ctx;
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&ctx, device) == CUDA_SUCCESS && cuCtxSetCurrent(ctx) == CUDA_SUCCESS);
    pointers_with_types_are_read();
    options_change_the_code();
    modules_are_joined();
    libdevice_is_written_out();
    what_is_wrong_is_said();
}
