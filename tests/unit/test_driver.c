/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's table, looking functions up in it, and calls with nothing in them: an error each, never a crash. */
#define __CUDA_API_VERSION_INTERNAL                          /* every symbol under its own name */
#include "driver/api.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const struct api_row *row_of(const char *symbol)
{
    for (int i = 0; i < API_COUNT; i++) {
        if (strcmp(api_rows[i].symbol, symbol) == 0)
            return &api_rows[i];
    }
    fail_msg("no row %s", symbol);
    return NULL;
}

static void every_row_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < API_COUNT; i++) {
        const struct api_row *row = &api_rows[i];
        assert_non_null(row->symbol);
        assert_non_null(row->fn);
        assert_true(row->since >= 2000 && row->since <= driver_version());
        assert_true(strncmp(row->symbol, row->base, strlen(row->base)) == 0);
        const char *end = strrchr(row->symbol, '_');
        bool twin = end && (strcmp(end, "_ptds") == 0 || strcmp(end, "_ptsz") == 0);
        assert_int_equal(twin, row->pt == PT_ONLY);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(row->symbol, api_rows[j].symbol);
    }
}

static void lookups_follow_version_and_stream(void **state)
{
    static const struct {
        const char *base;
        int version;
        cuuint64_t flags;
        const char *want;
    } cases[] = {
        {"cuMemAlloc", 2000, 0, "cuMemAlloc"},
        {"cuMemAlloc", 3010, 0, "cuMemAlloc"},
        {"cuMemAlloc", 3020, 0, "cuMemAlloc_v2"},
        {"cuMemAlloc", 13000, 0, "cuMemAlloc_v2"},
        {"cuMemAlloc", -5, 0, "cuMemAlloc_v2"},
        {"cuCtxCreate", 11000, 0, "cuCtxCreate_v2"},
        {"cuCtxCreate", 12000, 0, "cuCtxCreate_v3"},
        {"cuCtxCreate", 13000, 0, "cuCtxCreate_v4"},
        {"cuMemcpyHtoD", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, "cuMemcpyHtoD_v2_ptds"},
        {"cuMemcpyHtoD", 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, "cuMemcpyHtoD_v2"},
        {"cuStreamQuery", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, "cuStreamQuery_ptsz"},
        {"cuStreamQuery", 5000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL},
        {"cuInit", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, "cuInit"},
        {"cuGetProcAddress", 11030, 0, "cuGetProcAddress"},
        {"cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2"},
        {"cuGraphInstantiate", 11000, 0, "cuGraphInstantiate_v2"},
        {"cuGraphInstantiate", 12000, 0, "cuGraphInstantiateWithFlags"},
        {"cuEventElapsedTime", 12000, 0, "cuEventElapsedTime"},
        {"cuMemAlloc_v2", 12000, 0, NULL},
        {"cuMemAlloc", 1000, 0, NULL},
        {"", 12000, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < HW_LEN(cases); i++) {
        void *fn = &fn, *old = &old;
        assert_int_equal(cuGetProcAddress_v2(cases[i].base, &fn, cases[i].version, cases[i].flags, NULL), CUDA_SUCCESS);
        void *want = cases[i].want ? (void *)row_of(cases[i].want)->fn : NULL;
        if (fn != want)
            print_error("%s at %d\n", cases[i].base, cases[i].version);
        assert_ptr_equal(fn, want);
        assert_int_equal(cuGetProcAddress(cases[i].base, &old, cases[i].version, cases[i].flags),
                         want ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
    }
}

static void every_error_has_a_name_and_a_text(void **state)
{
    const char *s;

    (void)state;
#define ERROR_BOTH(code, name, runtime, sticky, text)                              \
    assert_int_equal(cuGetErrorName((CUresult)code, &s), CUDA_SUCCESS);      \
    assert_string_equal(s, #name);                                           \
    assert_int_equal(cuGetErrorString((CUresult)code, &s), CUDA_SUCCESS);    \
    assert_true(s[0] != 0);
#include <hostwarp/errors.def>
}

/* All words zero. Extra arguments do no harm in the C calling conventions we run on; handles by value come from the stack. */
typedef CUresult any_fn(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long);

static CUresult call_with_nothing(const struct api_row *row)
{
    return ((any_fn *)row->fn)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void before_init_every_call_says_so(void **state)
{
    (void)state;
    for (int i = 0; i < API_COUNT; i++) {
        if (!(api_rows[i].flags & NO_INIT))
            assert_int_equal(call_with_nothing(&api_rows[i]), CUDA_ERROR_NOT_INITIALIZED);
    }
}

static void without_a_context_every_call_that_needs_one_says_so(void **state)
{
    (void)state;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    for (int i = 0; i < API_COUNT; i++) {
        if (api_rows[i].flags & NEEDS_CTX)
            assert_int_equal(call_with_nothing(&api_rows[i]), CUDA_ERROR_INVALID_CONTEXT);
    }
}

/* These may take nothing for an answer: releasing nothing, waiting for nothing, setting a default. */
static bool nothing_is_fine(const char *base)
{
    static const char *const names[] = {
        "cuInit", "cuCtxSetCurrent", "cuCtxSynchronize", "cuCtxSetCacheConfig", "cuCtxSetSharedMemConfig", "cuCtxSetFlags",
        "cuCtxResetPersistingL2Cache", "cuCtxGetStreamPriorityRange", "cuMemFree", "cuMemFreeAsync", "cuMemFreeHost", "cuMemGetInfo",
        "cuStreamQuery", "cuStreamSynchronize", "cuProfilerStart", "cuProfilerStop", "cuCtxPopCurrent", "cuDevicePrimaryCtxReset",
        "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxSetFlags", "cuCtxSetLimit",
        "cuStreamBeginCapture", "cuStreamCopyAttributes", "cuTexObjectDestroy", "cuSurfObjectDestroy", "cuDeviceGraphMemTrim",
    };
    for (size_t i = 0; i < HW_LEN(names); i++) {
        if (strcmp(names[i], base) == 0)
            return true;
    }
    /* Moving or filling zero bytes is done at once. */
    return strncmp(base, "cuMemcpy", 8) == 0 || strncmp(base, "cuMemset", 8) == 0;
}

static void a_call_with_nothing_in_it_is_an_error_and_no_crash(void **state)
{
    CUcontext ctx;

    (void)state;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    for (int i = 0; i < API_COUNT; i++) {
        const struct api_row *row = &api_rows[i];
        if (row->flags & NO_INIT && strcmp(row->base, "cuInit") != 0) {
            assert_int_not_equal(call_with_nothing(row), CUDA_SUCCESS);
            continue;
        }
        assert_int_equal(cuDevicePrimaryCtxRetain(&ctx, 0), CUDA_SUCCESS);
        assert_int_equal(cuCtxSetCurrent(ctx), CUDA_SUCCESS);
        CUresult rc = call_with_nothing(row);
        if (row->kind == API_KIND_STUB)
            assert_int_equal(rc, CUDA_ERROR_NOT_SUPPORTED);
        else if (rc == CUDA_SUCCESS && !nothing_is_fine(row->base))
            fail_msg("%s with nothing in it succeeded", row->symbol);
        if (rc == CUDA_SUCCESS && strcmp(row->base, "cuStreamBeginCapture") == 0) { /* of the thread's own stream */
            CUgraph g;
            assert_int_equal(cuStreamEndCapture_ptsz(NULL, &g), CUDA_SUCCESS);
            assert_int_equal(cuGraphDestroy(g), CUDA_SUCCESS);
        }
        cuDevicePrimaryCtxRelease_v2(0);
    }
}

static CUcontext start(void)
{
    CUcontext ctx;

    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuDevicePrimaryCtxRetain(&ctx, 0), CUDA_SUCCESS);
    assert_int_equal(cuCtxSetCurrent(ctx), CUDA_SUCCESS);
    return ctx;
}

static void handles_that_never_were_are_refused(void **state)
{
    long local = 0;
    const uintptr_t made_up[] = {3, 0x10, 0x1230, 0xdeadbeef, (uintptr_t)&local, (uintptr_t)&start, UINTPTR_MAX, (uintptr_t)1 << 47};
    void *args[1] = {&local};

    (void)state;
    start();
    for (size_t i = 0; i < HW_LEN(made_up); i++) {
        void *h = (void *)made_up[i];
        int value;
        CUfunction f;
        CUdeviceptr p;
        size_t bytes;
        assert_int_equal(cuStreamQuery(h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuStreamDestroy_v2(h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuMemcpyAsync(16, 16, 16, h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuEventQuery(h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuEventRecord(h, NULL), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuEventDestroy_v2(h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuModuleUnload(h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuModuleGetFunction(&f, h, "f"), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuModuleGetGlobal_v2(&p, &bytes, h, "g"), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuLaunchKernel(h, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuFuncSetBlockShape(h, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuLibraryUnload(h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuKernelGetFunction(&f, h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuLinkDestroy(h), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cuCtxSetCurrent(h), CUDA_ERROR_INVALID_CONTEXT);
        assert_int_equal(cuCtxPushCurrent_v2(h), CUDA_ERROR_INVALID_CONTEXT);
        assert_int_equal(cuCtxDestroy_v2(h), CUDA_ERROR_INVALID_CONTEXT);
    }
}

static void handles_that_are_gone_are_refused(void **state)
{
    CUstream s, s2;
    CUevent e;

    (void)state;
    start();
    assert_int_equal(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    assert_int_equal(cuEventCreate(&e, 0), CUDA_SUCCESS);
    assert_int_equal(cuEventQuery((CUevent)s), CUDA_ERROR_INVALID_HANDLE);      /* of another kind */
    assert_int_equal(cuStreamDestroy_v2(s), CUDA_SUCCESS);
    assert_int_equal(cuStreamCreate(&s2, 0), CUDA_SUCCESS);                     /* may take the same place */
    assert_ptr_not_equal(s, s2);
    assert_int_equal(cuStreamQuery(s), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuStreamDestroy_v2(s), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuStreamQuery(s2), CUDA_SUCCESS);
    assert_int_equal(cuEventDestroy_v2(e), CUDA_SUCCESS);
    assert_int_equal(cuEventRecord(e, s2), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuStreamDestroy_v2(s2), CUDA_SUCCESS);
}

/* Of all threads but this one: how many would get a signal that somebody sends to the process? */
static int listeners(void)
{
    usleep(50000);                               /* a thread that has just been made blocks all of them for a moment */
    DIR *dir = opendir("/proc/self/task");
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        char path[300], line[200];
        unsigned long long blocked = ~0ull;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        FILE *f = d->d_name[0] != '.' && atoi(d->d_name) != getpid() ? fopen(path, "r") : NULL;
        while (f && fgets(line, sizeof line, f))
            sscanf(line, "SigBlk: %llx", &blocked);
        n += !(blocked >> (SIGUSR1 - 1) & 1);
        if (f)
            fclose(f);
    }
    closedir(dir);
    return n;
}

static void the_programs_signals_are_for_its_own_threads(void **state)
{
    uint32_t *value;
    CUstream s;
    (void)state;
    start();
    assert_int_equal(listeners(), 0);
    assert_int_equal(cuMemAllocHost_v2((void **)&value, sizeof *value), CUDA_SUCCESS);
    assert_int_equal(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    *value = 0;
    assert_int_equal(cuStreamWaitValue32_v2(s, (CUdeviceptr)(uintptr_t)value, 1, CU_STREAM_WAIT_VALUE_EQ), CUDA_SUCCESS);   /* a thread looks at it */
    assert_int_equal(listeners(), 0);
    __atomic_store_n(value, 1, __ATOMIC_RELEASE);
    assert_int_equal(cuStreamSynchronize(s), CUDA_SUCCESS);
    assert_int_equal(cuStreamDestroy_v2(s), CUDA_SUCCESS);
    assert_int_equal(cuMemFreeHost(value), CUDA_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_init_every_call_says_so),
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(lookups_follow_version_and_stream),
        cmocka_unit_test(every_error_has_a_name_and_a_text),
        cmocka_unit_test(without_a_context_every_call_that_needs_one_says_so),
        cmocka_unit_test(a_call_with_nothing_in_it_is_an_error_and_no_crash),
        cmocka_unit_test(handles_that_never_were_are_refused),
        cmocka_unit_test(handles_that_are_gone_are_refused),
        cmocka_unit_test(the_programs_signals_are_for_its_own_threads),
    };
    /* Hundreds of stubs would each say so once. */
    setenv("HOSTWARP_LOG", "error", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
