/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device is reset, and contexts are destroyed, beside threads that do everything else with them. Each call ends, with success or
 * with an answer that says that what it named is gone; none crashes, hangs or leaves anything behind. A thread uses only what it
 * made in the context that it has current, so that no kernel touches memory of somebody else, and none may fault.
 *
 * usage: resets [--seconds N] [SEED]
 */
#include "driver/api.h"

#include "base/os.h"

#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 6, WORDS = 1024, BYTES = WORDS * 4, KEPT = 2 << 20 };          /* one unit of small pieces is kept in store */

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p)\n{\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
                          "ld.param.u64 %d1, [p];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
                          "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %d2, %r4, 4;\nadd.s64 %d3, %d1, %d2;\n"
                          "ld.global.u32 %r5, [%d3];\nadd.u32 %r5, %r5, %r4;\nst.global.u32 [%d3], %r5;\nret;\n}\n";

struct worker {
    pthread_t thread;
    uint32_t seed;
    long calls, refused, rounds;
    _Atomic long called_back;
    CUresult bad;
    const char *bad_call;
};

static _Atomic bool stop;
static CUcontext _Atomic shared;                 /* made and destroyed by one thread, used by all */

static uint32_t rnd(struct worker *w, uint32_t n)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 10) % n;
}

/* What a call may answer when its context, or what belonged to it, went at any moment. */
static bool is_fine(CUresult rc)
{
    switch (rc) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_NOT_READY:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_NOT_FOUND:
    case CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:     /* a thread that ended had begun to capture a blocking stream */
    case CUDA_ERROR_ILLEGAL_STATE: return true;
    default: return false;
    }
}

static CUresult note(struct worker *w, CUresult rc, const char *call)
{
    w->calls++;
    w->refused += rc != CUDA_SUCCESS;
    if (!is_fine(rc) && !w->bad_call) {
        w->bad = rc;
        w->bad_call = call;
    }
    return rc;
}
#define DO(call) note(w, (call), #call)
#define TRY(call) (rc = rc ? rc : DO(call))

static void CUDA_CB count(void *p) { atomic_fetch_add((_Atomic long *)p, 1); }
static void CUDA_CB count_callback(CUstream s, CUresult rc, void *p)
{
    (void)s, (void)rc;
    atomic_fetch_add((_Atomic long *)p, 1);
}

static void op_memory(struct worker *w)
{
    CUdeviceptr p = 0, managed = 0, base;
    char host[256] = "", *pinned = NULL;
    size_t bytes;
    unsigned kind;
    CUresult rc = DO(cuMemAlloc_v2(&p, BYTES));
    TRY(cuMemcpyHtoD_v2(p, host, sizeof host));
    TRY(cuMemcpyDtoH_v2(host, p, sizeof host));
    TRY(cuMemGetAddressRange_v2(&base, &bytes, p));
    TRY(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    TRY(cuMemHostAlloc((void **)&pinned, 1 << 16, 0));
    TRY(cuMemcpyDtoHAsync_v2(pinned, p, BYTES, NULL));
    TRY(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL));
    TRY(cuMemsetD8_v2(managed, 1, BYTES));
    if (pinned)
        DO(cuMemFreeHost(pinned));
    DO(cuMemFree_v2(managed));
    DO(cuMemFree_v2(p));
}

static void op_registered(struct worker *w)
{
    static char memory[THREADS][64 << 10];
    char *mine = memory[w->seed % 2 ? 0 : rnd(w, THREADS)];      /* others may have it */
    CUresult rc = cuMemHostRegister_v2(mine, sizeof memory[0], 0);
    if (rc == CUDA_SUCCESS)
        DO(cuMemHostUnregister(mine));
}

static CUresult load(struct worker *w, CUmodule *m, CUfunction *f)
{
    CUresult rc = DO(cuModuleLoadData(m, ptx));
    if (rc)
        *m = NULL;
    return TRY(cuModuleGetFunction(f, *m, "add"));
}

static void op_kernels(struct worker *w)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p = 0;
    CUstream s = NULL;
    CUevent e = NULL;
    CUresult rc = load(w, &m, &f);
    void *args[] = {&p};
    TRY(cuMemAlloc_v2(&p, BYTES));
    TRY(cuStreamCreate(&s, rnd(w, 2)));
    TRY(cuEventCreate(&e, 0));
    for (int i = 0; i < 5; i++) {
        CUstream to = rnd(w, 4) == 0 ? NULL : rnd(w, 4) == 0 ? CU_STREAM_PER_THREAD : s;
        TRY(cuLaunchKernel(f, rnd(w, 2) ? 1 : WORDS / 256, 1, 1, 256, 1, 1, 0, to, args, NULL));
        TRY(cuEventRecord(e, to));
        TRY(cuStreamWaitEvent(s, e, 0));
        TRY(cuMemsetD32Async(p, 0, WORDS, s));
        if (rnd(w, 3) == 0)
            TRY(cuLaunchHostFunc(s, count, &w->called_back));
        if (rnd(w, 3) == 0)
            TRY(cuStreamAddCallback(s, count_callback, &w->called_back, 0));
    }
    DO(cuEventQuery(e));
    if (rnd(w, 2))
        DO(cuStreamSynchronize(s));
    else
        DO(cuEventSynchronize(e));
    DO(cuStreamQuery(s));
    if (e)
        DO(cuEventDestroy_v2(e));
    if (s)
        DO(cuStreamDestroy_v2(s));
    DO(cuMemFree_v2(p));
    if (m)
        DO(cuModuleUnload(m));
}

static void op_graphs(struct worker *w)
{
    CUdeviceptr p = 0;
    CUstream s = NULL;
    CUgraph g = NULL;
    CUgraphExec x = NULL;
    CUresult rc = DO(cuMemAlloc_v2(&p, BYTES));
    TRY(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    TRY(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < 3; i++)
        TRY(cuMemsetD32Async(p, (unsigned)i, WORDS, s));
    TRY(cuLaunchHostFunc(s, count, &w->called_back));
    if (rnd(w, 8))                               /* else it goes with its stream or context */
        TRY(cuStreamEndCapture(s, &g));
    TRY(cuGraphInstantiateWithFlags(&x, g, 0));
    TRY(cuGraphLaunch(x, s));
    TRY(cuGraphLaunch(x, NULL));
    if (rnd(w, 2))
        DO(cuStreamSynchronize(s));
    if (x)
        DO(cuGraphExecDestroy(x));
    if (g)
        DO(cuGraphDestroy(g));
    if (s)
        DO(cuStreamDestroy_v2(s));
    DO(cuMemFree_v2(p));
}

static void op_pools_and_arrays(struct worker *w)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = 64, .Height = 64, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUDA_RESOURCE_DESC from = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject t = 0;
    CUdeviceptr p = 0;
    CUstream s = NULL;
    CUresult rc = DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    TRY(cuMemAllocAsync(&p, BYTES, s));
    TRY(cuMemsetD8Async(p, 1, BYTES, s));
    TRY(cuMemFreeAsync(p, s));
    TRY(cuArray3DCreate_v2(&from.res.array.hArray, &d));
    TRY(cuTexObjectCreate(&t, &from, &how, NULL));
    if (t)
        DO(cuTexObjectDestroy(t));
    if (from.res.array.hArray)
        DO(cuArrayDestroy(from.res.array.hArray));
    if (s)
        DO(cuStreamDestroy_v2(s));
}

static void op_questions(struct worker *w)
{
    size_t a, b;
    CUcontext ctx;
    CUdevice dev;
    unsigned flags;
    DO(cuMemGetInfo_v2(&a, &b));
    DO(cuCtxGetLimit(&a, CU_LIMIT_STACK_SIZE));
    DO(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20));
    DO(cuCtxGetCurrent(&ctx));
    DO(cuCtxGetDevice(&dev));
    DO(cuCtxGetFlags(&flags));
    DO(cuStreamQuery(NULL));
    DO(cuCtxSynchronize());
}

/* From a context of its own into the one that comes and goes: what is named decides, not what is current. */
static void op_from_elsewhere(struct worker *w)
{
    CUcontext there = shared, here;
    CUdeviceptr p = 0;
    CUstream s = NULL, own = NULL;
    CUgraph g = NULL;
    CUgraphExec x = NULL;
    CUevent e = NULL;
    CUresult rc = there ? DO(cuCtxPushCurrent_v2(there)) : CUDA_ERROR_INVALID_CONTEXT;
    bool pushed = !rc;
    TRY(cuMemAlloc_v2(&p, 2 * BYTES));
    TRY(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    TRY(cuEventCreate(&e, 0));
    TRY(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    TRY(cuMemsetD32Async(p, 1, WORDS, s));
    TRY(cuStreamEndCapture(s, &g));
    TRY(cuGraphInstantiateWithFlags(&x, g, 0));
    if (pushed)
        DO(cuCtxPopCurrent_v2(&here));
    if (!rc && !DO(cuStreamCreate(&own, 0))) {
        for (int i = 0; i < 5; i++) {
            DO(cuMemsetD8Async(p + BYTES, 2, BYTES, s));         /* the graph may still be at the other half: waiting is refused while others capture */
            DO(cuEventRecord(e, s));
            DO(cuStreamWaitEvent(own, e, 0));
            DO(cuGraphLaunch(x, own));
            DO(cuCtxSynchronize_v2(there));
        }
        DO(cuStreamSynchronize(s));
        DO(cuStreamSynchronize(own));
        DO(cuStreamDestroy_v2(own));
    }
    if (x)
        DO(cuGraphExecDestroy(x));
    if (g)
        DO(cuGraphDestroy(g));
    if (e)
        DO(cuEventDestroy_v2(e));
    if (s)
        DO(cuStreamDestroy_v2(s));
}

static void *work(void *arg)
{
    static void (*const ops[])(struct worker *) = {op_memory, op_registered, op_kernels, op_kernels, op_graphs, op_pools_and_arrays, op_questions, op_from_elsewhere};
    struct worker *w = arg;
    while (!stop && !w->bad_call) {
        CUcontext ctx = rnd(w, 3) == 0 ? shared : NULL;
        if (!ctx && DO(cuDevicePrimaryCtxRetain(&ctx, 0)))
            break;
        if (DO(cuCtxPushCurrent_v2(ctx)))
            continue;
        for (uint32_t i = rnd(w, 4); i < 4; i++)
            ops[rnd(w, HW_LEN(ops))](w);
        DO(cuCtxPopCurrent_v2(&ctx));
        w->rounds++;
    }
    return NULL;
}

/* Ends with a context on its stack, with a stream of its own, and with a capture in that begun. */
static void *short_life(void *arg)
{
    struct worker *w = arg;
    CUcontext ctx;
    if (DO(cuDevicePrimaryCtxRetain(&ctx, 0)) || DO(cuCtxPushCurrent_v2(ctx)))
        return NULL;
    op_kernels(w);
    if (rnd(w, 2))
        DO(cuStreamBeginCapture_v2(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED));
    return NULL;
}

static void *spawn(void *arg)
{
    struct worker *w = arg;
    pthread_t child;
    while (!stop && !w->bad_call)
        if (pthread_create(&child, NULL, short_life, w) == 0)
            pthread_join(child, NULL);
    return NULL;
}

static void *make_and_destroy(void *arg)
{
    struct worker *w = arg;
    const struct timespec pause = {0, 2000000};
    while (!stop) {
        CUcontext ctx;
        if (DO(cuCtxCreate_v2(&ctx, 0, 0)))
            break;
        shared = ctx;
        nanosleep(&pause, NULL);
        DO(cuCtxDestroy_v2(ctx));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS + 2];
    int seconds = 1, bad = 0, resets = 0;
    if (argc > 2 && strcmp(argv[1], "--seconds") == 0) {
        seconds = atoi(argv[2]);
        argc -= 2;
        argv += 2;
    }
    uint32_t seed = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
    setenv("HOSTWARP_MEMORY", "256M", 1);
    if (cuInit(0))
        return 2;
    for (int i = 0; i < THREADS + 2; i++) {
        workers[i].seed = seed * 1000 + (uint32_t)i;
        pthread_create(&workers[i].thread, NULL, i < THREADS ? work : i == THREADS ? spawn : make_and_destroy, &workers[i]);
    }
    const struct timespec pause = {0, 3000000};
    for (uint64_t end = hw_now_ns() + (uint64_t)seconds * 1000000000u; hw_now_ns() < end; resets++) {
        if (cuDevicePrimaryCtxReset_v2(0))
            bad++;
        nanosleep(&pause, NULL);
    }
    stop = true;
    long calls = 0, refused = 0;
    for (int i = 0; i < THREADS + 2; i++) {
        pthread_join(workers[i].thread, NULL);
        calls += workers[i].calls;
        refused += workers[i].refused;
        if (workers[i].bad_call) {
            printf("# thread %d, seed %u: %s answers %d\n", i, seed, workers[i].bad_call, (int)workers[i].bad);
            bad++;
        }
    }
    /* All of it is over: a new context has everything to itself. */
    CUcontext ctx;
    size_t left = 0, total = 1;
    bad += cuDevicePrimaryCtxReset_v2(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx);
    CUmemoryPool pool;
    bad += cuDeviceGetDefaultMemPool(&pool, 0) || cuMemPoolTrimTo(pool, 0) || cuMemGetInfo_v2(&left, &total)
           || total - left > KEPT;
    bad += cuDevicePrimaryCtxReset_v2(0);
    printf("%s resets: %d beside %ld calls, %ld of them refused; %zu of %zu bytes left\n", bad ? "not ok" : "ok", resets, calls, refused, left, total);
    return bad != 0;
}
