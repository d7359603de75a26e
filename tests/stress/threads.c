/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that end in the middle of things: in a function that a stream calls, in any call because another thread cancels them, with contexts on their
 * stack, with a stream of their own at work, with a capture begun. What they were at is over, and everybody else goes on.
 *
 * usage: threads [--seconds N]
 */
#include "driver/api.h"

#include "base/os.h"

#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 1 << 16 };
static CUcontext ctx;
static int bad;
#define CHECK(cond, ...)                \
    do {                                \
        if (!(cond)) {                  \
            printf("# " __VA_ARGS__);   \
            printf("\n");               \
            bad++;                      \
        }                               \
    } while (0)

static void told(const char *rule)
{
    static int before;
    printf("%s %s\n", bad > before ? "not ok" : "ok", rule);
    before = bad;
    fflush(stdout);
}

static void CUDA_CB count(void *p) { atomic_fetch_add((_Atomic int *)p, 1); }
static void CUDA_CB count_and_exit(void *p)
{
    atomic_fetch_add((_Atomic int *)p, 1);
    pthread_exit(NULL);
}
static void CUDA_CB count_and_cancel(CUstream s, CUresult rc, void *p)
{
    (void)s, (void)rc;
    atomic_fetch_add((_Atomic int *)p, 1);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &(int){0});
    pthread_testcancel();
}

static void a_function_may_end_the_thread_it_is_called_on(void)
{
    enum { ROUNDS = 50 };
    static _Atomic int calls;
    CUstream s[3];
    for (int i = 0; i < 3; i++)
        CHECK(!cuStreamCreate(&s[i], i % 2), "a stream");
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < 3; i++)
            CHECK(!cuLaunchHostFunc(s[i], count, (void *)&calls) && !cuLaunchHostFunc(s[i], count_and_exit, (void *)&calls)
                  && !cuStreamAddCallback(s[i], count_and_cancel, (void *)&calls, 0) && !cuLaunchHostFunc(s[i], count, (void *)&calls), "queueing");
    for (int i = 0; i < 3; i++) {
        CHECK(!cuStreamSynchronize(s[i]), "waiting");
        CHECK(!cuStreamDestroy_v2(s[i]), "a stream's end");
    }
    CHECK(calls == ROUNDS * 3 * 4, "%d calls", calls);
    told("a_function_may_end_the_thread_it_is_called_on");
}

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<2>;\n"
                          "ld.param.u64 %d1, [p];\nst.global.u32 [%d1], 5;\nret;\n}\n";

/* Calls of every kind, for ever. */
static void *never_ends(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    CHECK(!cuCtxPushCurrent_v2(ctx), "a context");
    for (;; seed++) {
        CUdeviceptr p = 0, q = 0;
        CUstream s = NULL;
        CUmodule m = NULL;
        CUfunction f;
        CUipcMemHandle shared;
        void *pinned = NULL, *args[] = {&p};
        cuMemAlloc_v2(&p, BYTES);
        cuMemHostAlloc(&pinned, BYTES, 0);
        cuStreamCreate(&s, 0);
        if (!cuModuleLoadData(&m, ptx) && !cuModuleGetFunction(&f, m, "k"))
            cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, args, NULL);
        cuMemAllocAsync(&q, BYTES, s);
        cuMemcpyDtoHAsync_v2(pinned, p, BYTES, CU_STREAM_PER_THREAD);
        cuStreamSynchronize(s);
        if (seed % 8 == 0)
            cuIpcGetMemHandle(&shared, p);
        cuMemFreeAsync(q, s);
        cuModuleUnload(m);
        cuStreamDestroy_v2(s);
        cuMemFreeHost(pinned);
        cuMemFree_v2(p);
        pthread_testcancel();
    }
    return NULL;
}

static void cancelled_threads_hold_nothing_up(int seconds)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    int n = 0;
    for (uint64_t end = hw_now_ns() + (uint64_t)seconds * 1000000000u; n < 10 || hw_now_ns() < end; n++) {
        const struct timespec pause = {0, (n * 7919) % 3000000};
        for (int i = 0; i < THREADS; i++)
            CHECK(pthread_create(&threads[i], NULL, never_ends, (void *)(uintptr_t)n) == 0, "a thread");
        nanosleep(&pause, NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_cancel(threads[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        CUdeviceptr p;
        CHECK(!cuMemAlloc_v2(&p, BYTES) && !cuMemsetD8_v2(p, 1, BYTES) && !cuCtxSynchronize() && !cuMemFree_v2(p), "after %d rounds nothing works", n);
    }
    told("cancelled_threads_hold_nothing_up");
}

static void *begin_to_capture(void *mode)
{
    CUdeviceptr p;
    CHECK(!cuCtxPushCurrent_v2(ctx) && !cuCtxPushCurrent_v2(ctx), "contexts");
    CHECK(!cuMemAlloc_v2(&p, BYTES) && !cuMemsetD8Async(p, 1, BYTES, CU_STREAM_PER_THREAD), "work");
    CHECK(!cuStreamBeginCapture_v2(CU_STREAM_PER_THREAD, *(CUstreamCaptureMode *)mode), "a capture");
    CHECK(!cuMemsetD8Async(p, 2, BYTES, CU_STREAM_PER_THREAD), "captured work");
    return NULL;
}

static void a_capture_ends_with_the_thread_whose_stream_it_is(void)
{
    for (CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL; mode <= CU_STREAM_CAPTURE_MODE_RELAXED; mode++) {
        pthread_t thread;
        CUdeviceptr p = 0;
        pthread_create(&thread, NULL, begin_to_capture, &mode);
        pthread_join(thread, NULL);
        CUresult rc = cuMemAlloc_v2(&p, BYTES);
        CHECK(!rc && !cuMemsetD8_v2(p, 1, BYTES) && !cuMemFree_v2(p) && !cuCtxSynchronize(), "mode %d: %d", (int)mode, (int)rc);
    }
    told("a_capture_ends_with_the_thread_whose_stream_it_is");
}

int main(int argc, char **argv)
{
    int seconds = argc > 2 && strcmp(argv[1], "--seconds") == 0 ? atoi(argv[2]) : 1;
    alarm((unsigned)seconds + 120);
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx))
        return 2;
    a_function_may_end_the_thread_it_is_called_on();
    cancelled_threads_hold_nothing_up(seconds);
    a_capture_ends_with_the_thread_whose_stream_it_is();
    CHECK(!cuDevicePrimaryCtxReset_v2(0), "the end");
    return bad != 0;
}
