/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, functions and libraries: what no handle, a wrong one and one that is gone are answered; the shared memory that is left for blocks. */
#include "driver_check.h"

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n.global .u32 g;\n"
                          ".visible .entry k(.param .u64 p) { ret; }\n"
                          ".visible .entry shares() { .shared .b8 s[4096]; .reg .u32 %r; mov.u32 %r, 1; st.shared.u32 [s], %r; ret; }\n";

/* Every question, of whatever handles are given. value: what is answered where an H200 says INVALID_VALUE for no handle. */
static void ask_all(const char *what, CUfunction f, CUkernel k, CUlibrary l, CUresult value)
{
    const CUresult handle = CUDA_ERROR_INVALID_HANDLE;
    const char *name;
    size_t a, b;
    int i;
    unsigned n;
    CUdeviceptr p;
    CUmodule m;
    CUfunction f2;
    CUkernel k2;
    CUlibrary l2;
    CUfunctionLoadingState state;
    const struct { const char *call; CUresult got, want; } rows[] = {
        {"cuFuncGetName", cuFuncGetName(&name, f), value},
        {"cuFuncGetModule", cuFuncGetModule(&m, f), value},
        {"cuFuncGetParamInfo", cuFuncGetParamInfo(f, 0, &a, &b), value},
        {"cuFuncGetAttribute", cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, f), handle},
        {"cuFuncSetAttribute", cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1), handle},
        {"cuFuncSetCacheConfig", cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1), handle},
        {"cuFuncSetSharedMemConfig", cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE), handle},
        {"cuFuncIsLoaded", cuFuncIsLoaded(&state, f), handle},
        {"cuFuncLoad", cuFuncLoad(f), handle},
        {"cuOccupancyMaxActiveBlocksPerMultiprocessor", cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, f, 32, 0), handle},
        {"cuOccupancyAvailableDynamicSMemPerBlock", cuOccupancyAvailableDynamicSMemPerBlock(&a, f, 1, 32), handle},
        {"cuLaunchKernel", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), handle},
        {"cuKernelGetName", cuKernelGetName(&name, k), value},
        {"cuKernelGetParamInfo", cuKernelGetParamInfo(k, 0, &a, &b), value},
        {"cuKernelGetFunction", cuKernelGetFunction(&f2, k), handle},
        {"cuKernelGetLibrary", cuKernelGetLibrary(&l2, k), handle},
        {"cuKernelGetAttribute", cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0), handle},
        {"cuKernelSetAttribute", cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1, k, 0), handle},
        {"cuKernelSetCacheConfig", cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0), handle},
        {"cuLibraryGetKernel", cuLibraryGetKernel(&k2, l, "k"), handle},
        {"cuLibraryGetKernelCount", cuLibraryGetKernelCount(&n, l), handle},
        {"cuLibraryEnumerateKernels", cuLibraryEnumerateKernels(&k2, 1, l), handle},
        {"cuLibraryGetModule", cuLibraryGetModule(&m, l), handle},
        {"cuLibraryGetGlobal", cuLibraryGetGlobal(&p, &a, l, "g"), handle},
        {"cuLibraryGetManaged", cuLibraryGetManaged(&p, &a, l, "g"), handle},
        {"cuLibraryUnload", cuLibraryUnload(l), handle},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char rule[128];
        snprintf(rule, sizeof rule, "%s of %s", rows[r].call, what);
        check_result(rule, rows[r].got, rows[r].want);
    }
}

static void places_for_answers(CUfunction f, CUkernel k, CUlibrary l)
{
    int i;

    check_result("a name without a place", cuFuncGetName(NULL, f), CUDA_ERROR_INVALID_VALUE);
    check_result("a kernel's name without a place", cuKernelGetName(NULL, k), CUDA_ERROR_INVALID_VALUE);
    check_result("an attribute without a place", cuKernelGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0), CUDA_ERROR_INVALID_VALUE);
    check_result("an attribute of no device", cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 77), CUDA_ERROR_INVALID_DEVICE);
    check_result("a kernel without a place", cuLibraryGetKernel(NULL, l, "k"), CUDA_ERROR_INVALID_VALUE);
    check_result("a kernel without a name", cuLibraryGetKernel(&k, l, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* A thread without a context: nothing may break, and what needs none answers. */
static void without_a_context(CUfunction f, CUkernel k, CUlibrary l)
{
    const char *name = "";
    CUlibrary l2 = NULL;
    CUmodule m;
    CUfunction f2;
    CUcontext ctx;
    size_t a, b;
    int i;

    NEED(cuCtxPopCurrent(&ctx));
    check_result("a kernel's name needs no context", cuKernelGetName(&name, k), CUDA_SUCCESS);
    check_true("and is right", strcmp(name, "k") == 0);
    check_result("nor does its library", cuKernelGetLibrary(&l2, k), CUDA_SUCCESS);
    check_true("which is right", l2 == l);
    cuKernelGetParamInfo(k, 0, &a, &b);
    cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0);
    cuFuncGetName(&name, f);
    cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, f);
    check_result("a module is one of a context", cuLibraryGetModule(&m, l), CUDA_ERROR_INVALID_CONTEXT);
    check_result("so is a function", cuKernelGetFunction(&f2, k), CUDA_ERROR_INVALID_CONTEXT);
    NEED(cuCtxPushCurrent(ctx));
}

/* What numBlocks leave to each: a share of the SM's memory, as far as the kernel may be given so much. */
static void shared_memory_that_is_left(CUfunction f, int fixed)
{
    int sm, most;
    size_t got;

    NEED(cuDeviceGetAttribute(&sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 0));
    NEED(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    const int allowed[] = {49152 - fixed, 100000, most - fixed};
    for (int a = 0; a < 3; a++) {
        if (a)
            NEED(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, allowed[a]));
        int wrong = 0;
        for (int n = 1; n <= 16; n++) {
            int share = sm / n / 128 * 128 - fixed;
            NEED(cuOccupancyAvailableDynamicSMemPerBlock(&got, f, n, 32));
            wrong += (int)got != (share < allowed[a] ? share : allowed[a]);
        }
        check_value(fixed ? "left beside static memory" : "left of all", wrong, 0);
    }
    check_result("for more blocks than an SM holds", cuOccupancyAvailableDynamicSMemPerBlock(&got, f, 48, 32), CUDA_ERROR_INVALID_VALUE);
    check_result("for blocks of which two fit", cuOccupancyAvailableDynamicSMemPerBlock(&got, f, 3, 1024), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    CUmodule m;
    CUfunction f, shares;
    CUlibrary l;
    CUkernel k;
    char name[256] = "", wrong[64] = "";

    check_start();
    NEED(cuModuleLoadData(&m, ptx));
    NEED(cuModuleGetFunction(&f, m, "k"));
    NEED(cuModuleGetFunction(&shares, m, "shares"));
    NEED(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
    NEED(cuLibraryGetKernel(&k, l, "k"));
    ask_all("no handle", NULL, NULL, NULL, CUDA_ERROR_INVALID_VALUE);
    places_for_answers(f, k, l);
    without_a_context(f, k, l);
    shared_memory_that_is_left(f, 0);
    shared_memory_that_is_left(shares, 4096);
    NEED(cuDeviceGetName(name, sizeof name, 0));
    if (strncmp(name, "hostwarp", 8) == 0) {     /* a real driver may take any number for an address */
        ask_all("a small number", (CUfunction)5, (CUkernel)5, (CUlibrary)5, CUDA_ERROR_INVALID_HANDLE);
        ask_all("an address", (CUfunction)(void *)wrong, (CUkernel)(void *)wrong, (CUlibrary)(void *)wrong, CUDA_ERROR_INVALID_HANDLE);
        ask_all("something else", (CUfunction)m, (CUkernel)l, (CUlibrary)m, CUDA_ERROR_INVALID_HANDLE);
        NEED(cuLibraryUnload(l));
        NEED(cuModuleUnload(m));
        ask_all("what is gone", f, k, l, CUDA_ERROR_INVALID_HANDLE);
    }
    return n_failed != 0;
}
