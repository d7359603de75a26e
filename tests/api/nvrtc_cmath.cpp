// SPDX-License-Identifier: Apache-2.0
// run: -lnvrtc -lcuda
// Every function of <cmath> in a program for NVRTC, which includes nothing: it compiles, loads, and nv/target is there without being asked for.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

static const char source[] =
    "template <class T> __device__ double all(T x)\n"
    "{\n"
    "    double sum = 0;\n    volatile double sink;\n"
#define F1(name, from, to, ulps) "    sink = " #name "(x); sum += sizeof(" #name "(x)) == sizeof(T);\n"
#define I1(name, result, from, to) "    sink = " #name "(x); sum += sizeof(" #name "(x)) == sizeof(" #result ");\n"
#define F2(name, from, to, ulps) "    sink = " #name "(x, x); sum += sizeof(" #name "(x, x)) == sizeof(T);\n"
#define T1(name, result) "    sink = " #name "(x); sum += 1;\n"
#define T2(name) "    sink = " #name "(x, x); sum += 1;\n"
#include "cmath.def"
    "    return sum;\n"
    "}\n"
    "extern \"C\" __global__ void k(double *out, float f, double d)\n"
    "{\n"
    "    out[0] = all(f) + all(d);\n"
    "    NV_IF_TARGET(NV_PROVIDES_SM_60, out[1] = max(f, 60.0f);, out[1] = 0;)\n"
    "    NV_IF_ELSE_TARGET(NV_IS_HOST, (out[2] = 1;), (double a = round(f), b = 2; out[2] = a + b;))\n"
    "    NV_DISPATCH_TARGET(NV_PROVIDES_SM_120, out[3] = 120;, NV_IS_DEVICE, out[3] = 7;)\n"
    "}\n";

int main()
{
    int rows = 0;
#define F1(name, from, to, ulps) rows++;
#define I1(name, result, from, to) rows++;
#define F2(name, from, to, ulps) rows++;
#define T1(name, result) rows++;
#define T2(name) rows++;
#include "cmath.def"
    nvrtcProgram p;
    nvrtcCreateProgram(&p, source, "cmath.cu", 0, nullptr, nullptr);
    nvrtcResult rc = nvrtcCompileProgram(p, 0, nullptr);
    size_t n;
    nvrtcGetProgramLogSize(p, &n);
    std::vector<char> text(n + 1);
    nvrtcGetProgramLog(p, text.data());
    if (rc) {
        printf("%s\n", text.data());
        return 1;
    }
    nvrtcGetPTXSize(p, &n);
    text.resize(n);
    nvrtcGetPTX(p, text.data());
    CUcontext ctx;
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    float f = 0.25f;
    double d = 0.25, got[4] = {0, 0, 0, 0};
    void *arguments[] = {&out, &f, &d};
    bool good = cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&ctx, 0) == 0 && cuCtxSetCurrent(ctx) == 0 && cuModuleLoadData(&module, text.data()) == 0;
    good = good && cuModuleGetFunction(&function, module, "k") == 0 && cuMemAlloc(&out, sizeof got) == 0;
    good = good && cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == 0 && cuMemcpyDtoH(got, out, sizeof got) == 0;
    good = good && got[0] == 2 * rows && got[1] == 60 && got[2] == 2 && got[3] == 7;
    printf("%s: %d functions, %g %g %g %g\n", good ? "good" : "bad", rows, got[0], got[1], got[2], got[3]);
    return !good;
}
