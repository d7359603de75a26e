// SPDX-License-Identifier: Apache-2.0
// run: -lnvrtc -lcuda
// NVRTC: source to PTX that loads and runs; names, headers, options, and logs that say what is wrong.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static int bad;
#define CHECK(what)                                           \
    do {                                                      \
        if (!(what)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what); \
            bad++;                                            \
        }                                                     \
    } while (0)

static const char *source = R"(
#include "scale.h"
namespace n { template <class T> __global__ void mul(T *p, int k) { p[threadIdx.x] = p[threadIdx.x] * (T)k + SCALE + offset(); } }
__device__ int counter = 5;
extern "C" __global__ void plain(int *p) { p[threadIdx.x] += ADD + counter; }
)";

static std::string log_of(nvrtcProgram p)
{
    size_t n;
    CHECK(nvrtcGetProgramLogSize(p, &n) == NVRTC_SUCCESS);
    std::vector<char> log(n + 1);
    CHECK(nvrtcGetProgramLog(p, log.data()) == NVRTC_SUCCESS);
    return log.data();
}

static void good_program()
{
    const char *header = "#define SCALE 3\n__device__ inline int offset() { return 1; }\n", *name = "scale.h", *lowered, *variable;
    const char *options[] = {"--gpu-architecture=compute_80", "-DADD=10", "--std=c++17"};
    nvrtcProgram p;
    CHECK(nvrtcCreateProgram(&p, source, "scale.cu", 1, &header, &name) == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "n::mul<float>") == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "&counter") == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(p, "n::mul<float>", &lowered) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    nvrtcResult rc = nvrtcCompileProgram(p, 3, options);
    if (rc)
        printf("%s\n", log_of(p).c_str());
    CHECK(rc == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "plain") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CHECK(nvrtcGetLoweredName(p, "n::mul<float>", &lowered) == NVRTC_SUCCESS && strstr(lowered, "mul"));
    CHECK(nvrtcGetLoweredName(p, "&counter", &variable) == NVRTC_SUCCESS && strstr(variable, "counter"));
    CHECK(nvrtcGetLoweredName(p, "nobody", &variable) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    size_t n = 0;
    CHECK(nvrtcGetPTXSize(p, &n) == NVRTC_SUCCESS && n > 100);
    std::vector<char> ptx(n + 1);
    CHECK(nvrtcGetPTX(p, ptx.data()) == NVRTC_SUCCESS && strlen(ptx.data()) + 1 == n);

    CUdevice device;
    CUcontext ctx;
    CUmodule module;
    CUfunction mul, plain;
    CUdeviceptr d;
    float f[4] = {1, 2, 3, 4};
    int k = 2, v[4] = {1, 2, 3, 4};
    CHECK(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&ctx, device) == CUDA_SUCCESS && cuCtxSetCurrent(ctx) == CUDA_SUCCESS);
    CHECK(cuModuleLoadData(&module, ptx.data()) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&mul, module, lowered) == CUDA_SUCCESS && cuModuleGetFunction(&plain, module, "plain") == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&d, sizeof f) == CUDA_SUCCESS && cuMemcpyHtoD(d, f, sizeof f) == CUDA_SUCCESS);
    void *args[] = {&d, &k};
    CHECK(cuLaunchKernel(mul, 1, 1, 1, 4, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS && cuMemcpyDtoH(f, d, sizeof f) == CUDA_SUCCESS);
    CHECK(f[0] == 6 && f[3] == 12);
    CHECK(cuMemcpyHtoD(d, v, sizeof v) == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(plain, 1, 1, 1, 4, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS && cuMemcpyDtoH(v, d, sizeof v) == CUDA_SUCCESS);
    CHECK(v[0] == 16 && v[3] == 19);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS && !p);
}

/* Only the host writes it, and only by its name: the compiler must neither drop it nor take it for zero. */
static void static_constants_are_found()
{
    nvrtcProgram p;
    size_t n = 0, bytes = 0;
    CUmodule module;
    CUfunction read;
    CUdeviceptr table, d;
    int three[4] = {3, 4, 5, 6}, got = 0;
    const char *source = "static __constant__ int table[4]; extern \"C\" __global__ void read(int *p) { *p = table[1] + table[2]; }";
    CHECK(nvrtcCreateProgram(&p, source, "table.cu", 0, 0, 0) == NVRTC_SUCCESS && nvrtcCompileProgram(p, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcGetPTXSize(p, &n) == NVRTC_SUCCESS);
    std::vector<char> ptx(n);
    CHECK(nvrtcGetPTX(p, ptx.data()) == NVRTC_SUCCESS && cuModuleLoadData(&module, ptx.data()) == CUDA_SUCCESS);
    CHECK(cuModuleGetGlobal(&table, &bytes, module, "table") == CUDA_SUCCESS && bytes == sizeof three);
    CHECK(cuModuleGetGlobal(&d, &bytes, module, "tabl") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetFunction(&read, module, "read") == CUDA_SUCCESS && cuMemAlloc(&d, 4) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(table, three, sizeof three) == CUDA_SUCCESS);
    void *args[] = {&d};
    CHECK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS && cuMemcpyDtoH(&got, d, 4) == CUDA_SUCCESS);
    CHECK(got == 9);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

static void bad_programs()
{
    nvrtcProgram p;
    const char *option = "--no-such-option";
    CHECK(nvrtcCreateProgram(&p, "__global__ void f() { undeclared = 1; }", "wrong.cu", 0, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, 0) == NVRTC_ERROR_COMPILATION);
    std::string log = log_of(p);
    CHECK(log.find("wrong.cu") != std::string::npos && log.find("undeclared") != std::string::npos);
    CHECK(nvrtcCompileProgram(p, 1, &option) == NVRTC_ERROR_INVALID_OPTION);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    CHECK(nvrtcCreateProgram(0, "", "", 0, 0, 0) == NVRTC_ERROR_INVALID_INPUT);
    CHECK(nvrtcCompileProgram(0, 0, 0) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(!strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"));
}

// Options are NVRTC's own: none of them writes a file, reads options from one, or loads code into the compiler.
static void options()
{
    struct { std::vector<const char *> words; bool good; } rows[] = {
        {{"-arch=sm_80"}, true}, {{"-arch", "compute_80"}, true}, {{"-DA=1", "-D", "B", "--define-macro=C", "-UA"}, true}, {{"-I/tmp", "--include-path", "/tmp"}, true},
        {{"-std=c++17", "-lineinfo", "-use_fast_math", "--fmad=false", "-w"}, true}, {{"-default-device", "-rdc=true", "-dopt=on", "-Xptxas", "-v", "--minimal"}, true},
        {{"--diag-suppress=177", "-no-cache", "-time=/tmp/hostwarp-not-written", "--pre-include=cuda_fp16.h"}, true},
        {{"-o", "/tmp/hostwarp-not-written"}, false}, {{"-o=/tmp/hostwarp-not-written"}, false}, {{"--output-file=/tmp/hostwarp-not-written"}, false},
        {{"@/tmp/hostwarp-no-options"}, false}, {{"--options-file=/tmp/hostwarp-no-options"}, false}, {{"-fplugin=/tmp/hostwarp-no-plugin.so"}, false},
        {{"-Xclang", "-load"}, false}, {{"-Xcompiler", "-fplugin=x"}, false}, {{"-MD"}, false}, {{"-MF", "/tmp/hostwarp-not-written"}, false}, {{"-keep"}, false},
        {{"-ccbin=/bin/true"}, false}, {{"other.cu"}, false}, {{"-lfoo"}, false}, {{"-O3"}, false}, {{"-arch"}, false}, {{"-std", "c++17"}, false}, {{"-G=1"}, false},
    };
    for (auto &row : rows) {
        nvrtcProgram p;
        CHECK(nvrtcCreateProgram(&p, "__global__ void f() { }", "options.cu", 0, 0, 0) == NVRTC_SUCCESS);
        nvrtcResult rc = nvrtcCompileProgram(p, (int)row.words.size(), row.words.data());
        if ((rc == NVRTC_SUCCESS) != row.good || (!row.good && (rc != NVRTC_ERROR_INVALID_OPTION || log_of(p).find(row.words[0]) == std::string::npos))) {
            printf("%s ...: %d, %s", row.words[0], (int)rc, log_of(p).c_str());
            bad++;
        }
        const char *none = nullptr;
        CHECK(nvrtcCompileProgram(p, 1, &none) != NVRTC_SUCCESS);
        CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    }
    FILE *f = fopen("/tmp/hostwarp-not-written", "r");
    CHECK(!f);
}

/* What is shown without being asked for, also when the cache has the program; options that change it. */
static void warnings()
{
    const char *text = "#warning look here\n__global__ void f(int *p) { int idle = 3; int set; set = *p; }\n__device__ int g(int a) { if (a) return 2; }\n";
    struct { std::vector<const char *> words; bool good, directive, idle, set, end; } rows[] = {
        {{}, true, true, true, true, true}, {{}, true, true, true, true, true}, {{"-w"}, true, false, false, false, false},
        {{"-diag-suppress=177,1105"}, true, false, false, true, true}, {{"--diag-suppress", "550"}, true, true, true, false, true},
        {{"-diag-error=940"}, false, true, true, true, true}, {{"-lineinfo"}, true, true, true, true, true}, {{"-arch=sm_80"}, true, true, true, true, true},
    };
    for (auto &row : rows) {
        nvrtcProgram p;
        CHECK(nvrtcCreateProgram(&p, text, "warned.cu", 0, 0, 0) == NVRTC_SUCCESS);
        CHECK((nvrtcCompileProgram(p, (int)row.words.size(), row.words.data()) == NVRTC_SUCCESS) == row.good);
        std::string log = log_of(p);
        auto has = [&](const char *word) { return log.find(word) != std::string::npos; };
        CHECK(has("look here") == row.directive && has("'idle'") == row.idle && has("'set'") == row.set && has("warned.cu:3") == row.end);
        CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    }
    nvrtcProgram p;
    CHECK(nvrtcCreateProgram(&p, "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n__global__ void f(__half *p) { *p = __hadd(*p, *p); }", "none.cu", 0, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, 0) == NVRTC_SUCCESS && log_of(p).empty());
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

/* Every architecture that is listed can be compiled for; the program and the PTX know which one it is. */
static void architectures()
{
    int n = 0, archs[64];
    CHECK(nvrtcGetNumSupportedArchs(&n) == NVRTC_SUCCESS && n > 10 && n < 64 && nvrtcGetSupportedArchs(archs) == NVRTC_SUCCESS);
    bool blackwell = false;
    for (int i = 0; i < n; i++) {
        CHECK(i == 0 || archs[i] > archs[i - 1]);
        blackwell |= archs[i] == 100;
        if (archs[i] < 87)
            continue;
        std::string option = "-arch=compute_" + std::to_string(archs[i]), target = ".target sm_" + std::to_string(archs[i]) + "\n", macro = ", " + std::to_string(archs[i] * 10) + ";";
        const char *words[] = {option.c_str()};
        nvrtcProgram p;
        size_t bytes = 0;
        CHECK(nvrtcCreateProgram(&p, "__global__ void f(int *p) { *p = __CUDA_ARCH__; }", "arch.cu", 0, 0, 0) == NVRTC_SUCCESS);
        CHECK(nvrtcCompileProgram(p, 1, words) == NVRTC_SUCCESS && nvrtcGetPTXSize(p, &bytes) == NVRTC_SUCCESS);
        std::string ptx(bytes, ' ');
        CHECK(nvrtcGetPTX(p, &ptx[0]) == NVRTC_SUCCESS && ptx.find(target) != std::string::npos && ptx.find(macro) != std::string::npos);
        CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    }
    CHECK(blackwell);
}

/* PTX is handed out as it is; where machine code is asked for, an assembler reads it first. */
static void machine_code_is_verified()
{
    const char *text = "__global__ void k(int *p)\n{\n    asm volatile(\"bogus.u32 %0, 3;\" : \"=r\"(*p));\n}\n";
    const char *machine[] = {"-arch=sm_80"}, *virtual_machine[] = {"-arch=compute_80"}, *parts[] = {"-arch=sm_80", "-rdc=true"};
    nvrtcProgram p;
    CHECK(nvrtcCreateProgram(&p, text, "assembly.cu", 0, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 1, virtual_machine) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 1, machine) == NVRTC_ERROR_COMPILATION);
    std::string log = log_of(p);
    CHECK(log.find("assembly.cu:3") != std::string::npos && log.find("bogus") != std::string::npos);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);

    CHECK(nvrtcCreateProgram(&p, "__device__ int f(int); __global__ void k(int *p) { *p = f(*p); }", "parts.cu", 0, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 1, machine) == NVRTC_ERROR_COMPILATION && log_of(p).find("f(int)") != std::string::npos);
    CHECK(nvrtcCompileProgram(p, 2, parts) == NVRTC_SUCCESS);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

int main()
{
    good_program();
    options();
    machine_code_is_verified();
    warnings();
    architectures();
    static_constants_are_found();
    bad_programs();
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
